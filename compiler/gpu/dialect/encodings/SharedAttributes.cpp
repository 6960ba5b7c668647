// Layouts of shared memory: how they are written, checked and turned into linear maps.
#include "compiler/gpu/dialect/encodings/AttributeFields.h"
#include "compiler/gpu/dialect/encodings/LayoutChecks.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace triton::gpu {

using layout::LinearLayout;

// Swizzled.

Attribute SwizzledSharedAttr::parse(AsmParser &parser, Type) { return parsePhases<SwizzledSharedAttr>(parser); }
void SwizzledSharedAttr::print(AsmPrinter &printer) const { printPhases(printer, *this); }

LogicalResult checkPhases(StringRef name, ArrayRef<int64_t> phases, ArrayRef<unsigned> order, ArrayRef<int64_t> cluster,
                          EmitError error) {
  if (order.empty())
    return error() << "a " << name << " layout needs an order";
  if (failed(checkPowersOfTwo("vec, perPhase and maxPhase", phases, error)) || failed(checkOrder(order, error)))
    return failure();
  return checkBases("CGALayout", cluster, order.size(), error);
}

LogicalResult SwizzledSharedAttr::verify(EmitError error, int64_t vec, int64_t perPhase, int64_t maxPhase,
                                         ArrayRef<unsigned> order, ArrayRef<int64_t> cluster) {
  return checkPhases(getMnemonic(), {vec, perPhase, maxPhase}, order, cluster, error);
}

int64_t SwizzledSharedAttr::getRank() const { return getOrder().size(); }

LogicalResult SwizzledSharedAttr::checkShape(ArrayRef<int64_t> shape, EmitError error) const {
  return checkTensorShape(getRank(), shape, error);
}

layout::SwizzledSharedLayout SwizzledSharedAttr::getLayout() const {
  layout::SwizzledSharedLayout result{getVec(), getPerPhase(), getMaxPhase(), {}, getClusterBases()};
  result.order.assign(getOrder().begin(), getOrder().end());
  return result;
}

LinearLayout SwizzledSharedAttr::toLinear(ArrayRef<int64_t> shape) const { return getLayout().toLinear(shape); }

// For TMA, wgmma and tcgen05.

Attribute NvmmaSharedAttr::parse(AsmParser &parser, Type) {
  AttributeFields fields(parser);
  fields.parseEnclosed();
  int64_t swizzle = fields.integer("swizzlingByteWidth"), bits = fields.integer("elementBitWidth");
  bool transposed = fields.boolean("transposed", false), fp4Padded = fields.boolean("fp4Padded", false);
  int64_t rank = fields.integer("rank", 2);
  auto cluster = fields.cluster(rank);
  if (failed(fields.finish()))
    return {};
  return getChecked(fields.emitError(), parser.getContext(), unsigned(swizzle), transposed, unsigned(bits), fp4Padded,
                    rank, ArrayRef(cluster));
}

void NvmmaSharedAttr::print(AsmPrinter &printer) const {
  printer << "<{swizzlingByteWidth = " << getSwizzlingByteWidth()
          << ", transposed = " << (getTransposed() ? "true" : "false")
          << ", elementBitWidth = " << getElementBitWidth();
  if (getFp4Padded())
    printer << ", fp4Padded = true";
  printCluster(printer, getCluster(), getRank());
  if (getRank() != 2)
    printer << ", rank = " << getRank();
  printer << "}>";
}

LogicalResult NvmmaSharedAttr::verify(EmitError error, unsigned swizzle, bool transposed, unsigned bits, bool fp4Padded,
                                      int64_t rank, ArrayRef<int64_t> cluster) {
  if (!llvm::is_contained({0u, 32u, 64u, 128u}, swizzle))
    return error() << "swizzlingByteWidth must be 0, 32, 64 or 128, got " << swizzle;
  if (!llvm::is_contained({8u, 16u, 32u, 64u}, bits))
    return error() << "elementBitWidth must be 8, 16, 32 or 64, got " << bits;
  if (fp4Padded && (bits != 8 || swizzle != 128))
    return error() << "fp4Padded needs elements of 8 bits and a swizzle of 128 bytes, got " << bits << " and "
                   << swizzle;
  if (rank < 1 || rank > 5)
    return error() << "an nvmma_shared layout has rank 1 to 5, got " << rank;
  return checkBases("CGALayout", cluster, rank, error);
}

layout::NvmmaSharedLayout NvmmaSharedAttr::getLayout() const {
  return {.swizzleBytes = getSwizzlingByteWidth(),
          .elementBits = getElementBitWidth(),
          .transposed = getTransposed(),
          .fp4Padded = getFp4Padded(),
          .cluster = getClusterBases()};
}

LogicalResult NvmmaSharedAttr::checkShape(ArrayRef<int64_t> shape, EmitError error) const {
  if (failed(checkTensorShape(getRank(), shape, error)))
    return failure();
  if (!getLayout().toLinear(shape))
    return error() << "Illegal shared layout: a buffer of shape [" << shape << "] is too small for a swizzle of "
                   << getSwizzlingByteWidth() << " bytes of " << getElementBitWidth() << "-bit elements";
  return success();
}

LinearLayout NvmmaSharedAttr::toLinear(ArrayRef<int64_t> shape) const { return *getLayout().toLinear(shape); }

NvmmaSharedAttr NvmmaSharedAttr::getDefault(ArrayRef<int64_t> shape, Type element, bool transposed) {
  unsigned bits = tensor::getElementBits(element), swizzle = 0;
  int64_t inner = (transposed ? shape.front() : shape.back()) * bits / 8;
  int64_t outer = llvm::product_of(shape) / (transposed ? shape.front() : shape.back());
  if (shape.size() >= 2 && outer >= 8)
    for (unsigned width : {128u, 64u, 32u})
      if (inner % width == 0) {
        swizzle = width;
        break;
      }
  return get(element.getContext(), swizzle, transposed, bits, /*fp4Padded=*/false, shape.size());
}

// Padded.

/// The flat bases of the identity over `shape`, `order[0]` fastest.
static SmallVector<int64_t> identityBases(ArrayRef<int64_t> shape, ArrayRef<unsigned> order) {
  SmallVector<int64_t> flat;
  for (unsigned dim : order)
    for (int64_t bit = 1; bit < shape[dim]; bit *= 2) {
      SmallVector<int64_t> basis(shape.size(), 0);
      basis[dim] = bit;
      flat.append(basis);
    }
  return flat;
}

Attribute PaddedSharedAttr::parse(AsmParser &parser, Type) {
  AttributeFields fields(parser);
  SmallVector<int64_t> intervals, paddings;
  if (parser.parseLess() || parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return failure(parser.parseInteger(intervals.emplace_back()) || parser.parseColon() || parser.parsePlus() ||
                       parser.parseInteger(paddings.emplace_back()));
      }))
    return {};
  fields.parse();
  if (!fields.has("shape")) {
    int64_t rank = 0;
    auto offsets = fields.bases("offset", rank), blocks = fields.bases("block", rank, /*optional=*/true);
    if (failed(fields.finish()) || parser.parseGreater())
      return {};
    return getChecked(fields.emitError(), parser.getContext(), ArrayRef(intervals), ArrayRef(paddings), rank,
                      ArrayRef(offsets), ArrayRef(blocks));
  }
  auto shape = fields.integers("shape");
  auto order = fields.order("order");
  auto blocks = fields.cluster(shape.size());
  if (failed(fields.finish()) || parser.parseGreater() || failed(checkPowersOfTwo("shape", shape, fields.emitError())))
    return {};
  if (order.size() != shape.size())
    return fields.fail("order must have " + Twine(shape.size()) + " entries"), Attribute();
  if (failed(checkOrder(order, fields.emitError())))
    return {};
  // The bases of a cluster count in tiles of one CTA, the map's block bases in elements.
  for (auto [index, component] : llvm::enumerate(blocks))
    component *= shape[index % shape.size()];
  SmallVector<int64_t> offsets = identityBases(shape, order);
  return getChecked(fields.emitError(), parser.getContext(), ArrayRef(intervals), ArrayRef(paddings),
                    int64_t(shape.size()), ArrayRef(offsets), ArrayRef(blocks));
}

void PaddedSharedAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(llvm::zip(getIntervals(), getPaddings()), printer,
                        [&](auto pair) { printer << std::get<0>(pair) << ":+" << std::get<1>(pair); });
  printer << "] {";
  // The short form where it says the same.
  SmallVector<int64_t> shape;
  for (const LinearLayout::Output &output : getLayout().outputs())
    shape.push_back(output.size);
  SmallVector<unsigned> order;
  for (const layout::Coordinates &basis : toBases(getOffsets(), getRank()))
    for (auto [dim, component] : llvm::enumerate(basis))
      if (component && !llvm::is_contained(order, dim))
        order.push_back(dim);
  for (int64_t dim = getRank(); dim-- > 0;)
    if (!llvm::is_contained(order, dim))
      order.push_back(dim);
  if (getBlocks().empty() && ArrayRef<int64_t>(identityBases(shape, order)) == getOffsets()) {
    printer << "order = ";
    printList(printer, order);
    printer << ", shape = ";
    printList(printer, shape);
  } else {
    printer << "offset = ";
    printBases(printer, getOffsets(), getRank());
    printer << ", block = ";
    printBases(printer, getBlocks(), getRank());
  }
  printer << "}>";
}

LogicalResult PaddedSharedAttr::verify(EmitError error, ArrayRef<int64_t> intervals, ArrayRef<int64_t> paddings,
                                       int64_t rank, ArrayRef<int64_t> offsets, ArrayRef<int64_t> blocks) {
  if (intervals.empty() || intervals.size() != paddings.size())
    return error() << "a padded_shared layout needs at least one interval with its padding";
  if (failed(checkPowersOfTwo("intervals", intervals, error)) || failed(checkPowersOfTwo("paddings", paddings, error)))
    return failure();
  if (SmallVector<int64_t> sorted(intervals);
      llvm::sort(sorted), std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    return error() << "the intervals of a padded_shared layout must differ, got [" << intervals << "]";
  if (rank < 1 || offsets.empty())
    return error() << "a padded_shared layout needs at least one offset basis, which says its rank";
  if (failed(checkBases("offset", offsets, rank, error)) || failed(checkBases("block", blocks, rank, error)))
    return failure();
  for (ArrayRef<int64_t> rest = offsets; !rest.empty(); rest = rest.drop_front(rank)) {
    ArrayRef<int64_t> basis = rest.take_front(rank);
    if (llvm::count_if(basis, [](int64_t component) { return component != 0; }) != 1 ||
        !llvm::isPowerOf2_64(*llvm::find_if(basis, [](int64_t component) { return component != 0; })))
      return error() << "an offset basis of a padded_shared layout is a power of two along one dimension, got ["
                     << basis << "]";
  }
  LinearLayout map = makeLinear({{"offset", offsets}, {"block", blocks}}, rank);
  if (!map.isSurjective() ||
      !map.sublayout({"offset"},
                     llvm::map_to_vector(map.outputs(), [](const auto &output) { return StringRef(output.name); }))
           .isInjective())
    return error() << "the offsets of a padded_shared layout must reach every element once";
  return success();
}

LinearLayout PaddedSharedAttr::getLayout() const {
  return makeLinear({{"offset", getOffsets()}, {"block", getBlocks()}}, getRank());
}

/// `map` is laid over exactly its own shape.
static LogicalResult checkExactShape(const LinearLayout &map, ArrayRef<int64_t> shape, EmitError error) {
  SmallVector<int64_t> own;
  for (const LinearLayout::Output &output : map.outputs())
    own.push_back(output.size);
  if (ArrayRef<int64_t>(own) != shape)
    return error() << "the layout is one of shape [" << own << "], not of [" << shape << "]";
  return success();
}

LogicalResult PaddedSharedAttr::checkShape(ArrayRef<int64_t> shape, EmitError error) const {
  return checkExactShape(getLayout(), shape, error);
}

LinearLayout PaddedSharedAttr::toLinear(ArrayRef<int64_t>) const { return getLayout(); }

int64_t PaddedSharedAttr::getPaddedOffset(int64_t offset) const {
  int64_t padded = offset;
  for (auto [interval, padding] : llvm::zip(getIntervals(), getPaddings()))
    padded += offset / interval * padding;
  return padded;
}

// Linear.

Attribute SharedLinearAttr::parse(AsmParser &parser, Type) {
  AttributeFields fields(parser);
  if (parser.parseLess())
    return {};
  fields.parse();
  int64_t rank = 0, alignment = 16;
  auto offsets = fields.bases("offset", rank), blocks = fields.bases("block", rank, /*optional=*/true);
  if (failed(fields.finish()))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("alignment") || parser.parseEqual() || parser.parseInteger(alignment)))
    return {};
  if (parser.parseGreater())
    return {};
  return getChecked(fields.emitError(), parser.getContext(), rank, ArrayRef(offsets), ArrayRef(blocks), alignment);
}

void SharedLinearAttr::print(AsmPrinter &printer) const {
  printer << "<{offset = ";
  printBases(printer, getOffsets(), getRank());
  if (!getBlocks().empty()) {
    printer << ", block = ";
    printBases(printer, getBlocks(), getRank());
  }
  printer << "}, alignment = " << getAlignment() << ">";
}

LogicalResult SharedLinearAttr::verify(EmitError error, int64_t rank, ArrayRef<int64_t> offsets,
                                       ArrayRef<int64_t> blocks, int64_t alignment) {
  if (rank < 1 || offsets.empty())
    return error() << "a shared_linear layout needs at least one offset basis, which says its rank";
  if (failed(checkBases("offset", offsets, rank, error)) || failed(checkBases("block", blocks, rank, error)) ||
      failed(checkPowersOfTwo("alignment", alignment, error)))
    return failure();
  LinearLayout map = makeLinear({{"offset", offsets}, {"block", blocks}}, rank);
  if (!map.isSurjective())
    return error() << "a shared_linear layout must reach every element, but this does not:\n" << map.str();
  if (!map.removeZeroBases("offset").removeZeroBases("block").isInjective())
    return error() << "a shared_linear layout must reach every element once, but this does not:\n" << map.str();
  return success();
}

SharedLinearAttr SharedLinearAttr::get(MLIRContext *context, const LinearLayout &layout, int64_t alignment) {
  auto flat = [&](StringRef input) {
    for (const LinearLayout::Input &part : layout.inputs())
      if (part.name == input)
        return flattenBases(part.bases);
    return SmallVector<int64_t>();
  };
  return get(context, layout.outputs().size(), flat("offset"), flat("block"), alignment);
}

LinearLayout SharedLinearAttr::getLayout() const {
  return makeLinear({{"offset", getOffsets()}, {"block", getBlocks()}}, getRank());
}

LogicalResult SharedLinearAttr::checkShape(ArrayRef<int64_t> shape, EmitError error) const {
  return checkExactShape(getLayout(), shape, error);
}

LinearLayout SharedLinearAttr::toLinear(ArrayRef<int64_t>) const { return getLayout(); }

} // namespace triton::gpu
