// Register layouts: how they are written, checked and turned into linear maps.
#include "compiler/gpu/dialect/encodings/AttributeFields.h"
#include "compiler/gpu/dialect/encodings/LayoutChecks.h"
#include "compiler/tensor/rules/Rules.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

#include "compiler/gpu/dialect/Interfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/gpu/dialect/GpuAttributes.cpp.inc"

namespace triton::gpu {

using layout::LinearLayout;

void GpuDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/gpu/dialect/GpuAttributes.cpp.inc"
      >();
}

LogicalResult checkPowersOfTwo(StringRef name, ArrayRef<int64_t> values, EmitError error) {
  for (int64_t value : values)
    if (value <= 0 || value > (int64_t(1) << 30) || !llvm::isPowerOf2_64(value))
      return error() << name << " must be powers of two, but was [" << values << "]";
  return success();
}

LogicalResult checkOrder(ArrayRef<unsigned> order, EmitError error) {
  SmallVector<bool> seen(order.size(), false);
  for (unsigned dim : order) {
    if (dim >= order.size() || seen[dim])
      return error() << "order must be a permutation of 0..(rank-1), but was [" << order << "]";
    seen[dim] = true;
  }
  return success();
}

LogicalResult checkBases(StringRef name, ArrayRef<int64_t> flat, int64_t rank, EmitError error) {
  if (rank <= 0 || flat.size() % rank != 0)
    return error() << name << " bases must have " << rank << " numbers each";
  for (int64_t component : flat)
    if (component < 0 || component > (int64_t(1) << 30))
      return error() << name << " bases must be numbers from 0 to 2^30, got " << component;
  if (flat.size() / rank > 30)
    return error() << name << " must have at most 30 bases, got " << flat.size() / rank;
  return success();
}

LogicalResult checkTensorShape(int64_t rank, ArrayRef<int64_t> shape, EmitError error) {
  if (static_cast<int64_t>(shape.size()) != rank)
    return error() << "the layout has rank " << rank << ", the shape [" << shape << "] rank " << shape.size();
  for (int64_t size : shape)
    if (size <= 0 || size > (int64_t(1) << 30) || !llvm::isPowerOf2_64(size))
      return error() << "a tensor with a layout has sizes that are powers of two, got [" << shape << "]";
  return success();
}

// Blocked.

Attribute BlockedAttr::parse(AsmParser &parser, Type) {
  AttributeFields fields(parser);
  fields.parseEnclosed();
  auto registers = fields.integers("sizePerThread"), lanes = fields.integers("threadsPerWarp"),
       warps = fields.integers("warpsPerCTA");
  auto order = fields.order("order");
  auto cluster = fields.cluster(order.size());
  if (failed(fields.finish()))
    return {};
  return getChecked(fields.emitError(), parser.getContext(), registers, lanes, warps, order, cluster);
}

void BlockedAttr::print(AsmPrinter &printer) const {
  printer << "<{sizePerThread = ";
  printList(printer, getSizePerThread());
  printer << ", threadsPerWarp = ";
  printList(printer, getThreadsPerWarp());
  printer << ", warpsPerCTA = ";
  printList(printer, getWarpsPerCTA());
  printer << ", order = ";
  printList(printer, getOrder());
  printCluster(printer, getCluster(), getRank());
  printer << "}>";
}

LogicalResult BlockedAttr::verify(EmitError error, ArrayRef<int64_t> registers, ArrayRef<int64_t> lanes,
                                  ArrayRef<int64_t> warps, ArrayRef<unsigned> order, ArrayRef<int64_t> cluster) {
  if (order.empty() || registers.size() != order.size() || lanes.size() != order.size() || warps.size() != order.size())
    return error() << "sizePerThread, threadsPerWarp, warpsPerCTA, and order must all have the same rank";
  if (failed(checkPowersOfTwo("sizePerThread", registers, error)) ||
      failed(checkPowersOfTwo("threadsPerWarp", lanes, error)) ||
      failed(checkPowersOfTwo("warpsPerCTA", warps, error)) || failed(checkOrder(order, error)))
    return failure();
  // With one warp a thread has this many of the largest tensor's elements; more are copies.
  constexpr int64_t mostRegisters = tensor::maxTensorElements / 32;
  constexpr unsigned mostBits = 32; // more than any tensor has, and with those of a cluster still one word
  unsigned bits = 0;
  for (ArrayRef<int64_t> sizes : {registers, lanes, warps})
    for (int64_t size : sizes)
      bits += llvm::Log2_64(size);
  if (bits > mostBits)
    return error() << "a layout of 2^" << bits << " elements is larger than any tensor";
  if (int64_t count = llvm::product_of(registers); count > mostRegisters)
    return error() << "sizePerThread gives each thread " << count << " elements, more than " << mostRegisters
                   << ", which no tensor needs";
  return checkBases("CGALayout", cluster, order.size(), error);
}

int64_t BlockedAttr::getRank() const { return getOrder().size(); }

LogicalResult BlockedAttr::checkShape(ArrayRef<int64_t> shape, EmitError error) const {
  return checkTensorShape(getRank(), shape, error);
}

layout::BlockedLayout BlockedAttr::getLayout() const {
  layout::BlockedLayout result;
  result.sizePerThread.assign(getSizePerThread().begin(), getSizePerThread().end());
  result.threadsPerWarp.assign(getThreadsPerWarp().begin(), getThreadsPerWarp().end());
  result.warpsPerCta.assign(getWarpsPerCTA().begin(), getWarpsPerCTA().end());
  result.order.assign(getOrder().begin(), getOrder().end());
  result.cluster = getClusterBases();
  return result;
}

LinearLayout BlockedAttr::toLinear(ArrayRef<int64_t> shape) const { return getLayout().toLinear(shape); }

// Slice.

Attribute SliceAttr::parse(AsmParser &parser, Type) {
  AttributeFields fields(parser);
  fields.parseEnclosed();
  int64_t dim = fields.integer("dim");
  DistributedAttr parent = fields.layout("parent");
  if (failed(fields.finish()))
    return {};
  return getChecked(fields.emitError(), parser.getContext(), llvm::isUInt<32>(dim) ? unsigned(dim) : ~0u, parent);
}

void SliceAttr::print(AsmPrinter &printer) const {
  printer << "<{dim = " << getDim() << ", parent = " << getParent() << "}>";
}

LogicalResult SliceAttr::verify(EmitError error, unsigned dim, DistributedAttr parent) {
  if (!parent)
    return error() << "a slice needs a parent layout";
  if (parent.getRank() < 2)
    return error() << "the parent of a slice must have rank 2 or more, got " << parent.getRank();
  if (dim >= parent.getRank())
    return error() << "slice dim " << dim << " is outside of a parent of rank " << parent.getRank();
  return success();
}

int64_t SliceAttr::getRank() const { return getParent().getRank() - 1; }

/// `shape` as the parent has it: with a 1 where the slice was cut.
static SmallVector<int64_t> parentShape(ArrayRef<int64_t> shape, unsigned dim) {
  SmallVector<int64_t> result(shape);
  result.insert(result.begin() + dim, 1);
  return result;
}

LogicalResult SliceAttr::checkShape(ArrayRef<int64_t> shape, EmitError error) const {
  if (failed(checkTensorShape(getRank(), shape, error)))
    return failure();
  return getParent().checkShape(parentShape(shape, getDim()), error);
}

LinearLayout SliceAttr::toLinear(ArrayRef<int64_t> shape) const {
  return layout::sliceLayout(getParent().toLinear(parentShape(shape, getDim())), getDim());
}

// Accumulators and operands of tensor cores.

Attribute MmaAttr::parse(AsmParser &parser, Type) {
  AttributeFields fields(parser);
  fields.parseEnclosed();
  int64_t major = fields.integer("versionMajor"), minor = fields.integer("versionMinor", 0);
  auto warps = fields.integers("warpsPerCTA"), instruction = fields.integers("instrShape");
  auto cluster = fields.cluster(warps.size());
  if (failed(fields.finish()))
    return {};
  return getChecked(fields.emitError(), parser.getContext(), major, minor, warps, instruction, cluster);
}

void MmaAttr::print(AsmPrinter &printer) const {
  printer << "<{versionMajor = " << getVersionMajor() << ", versionMinor = " << getVersionMinor() << ", warpsPerCTA = ";
  printList(printer, getWarpsPerCTA());
  printCluster(printer, getCluster(), getRank());
  printer << ", instrShape = ";
  printList(printer, getInstrShape());
  printer << "}>";
}

LogicalResult MmaAttr::verify(EmitError error, unsigned major, unsigned minor, ArrayRef<int64_t> warps,
                              ArrayRef<int64_t> instruction, ArrayRef<int64_t> cluster) {
  if (major != 2 && major != 3)
    return error() << "an nvidia_mma layout has version 2 or 3, got " << major;
  if (warps.size() < 2)
    return error() << "warpsPerCTA of an nvidia_mma layout must have rank 2 or more, got " << warps.size();
  if (failed(checkPowersOfTwo("warpsPerCTA", warps, error)))
    return failure();
  if (major == 2) {
    ArrayRef<int64_t> leading = instruction.drop_back(std::min<size_t>(2, instruction.size()));
    if (instruction.size() != warps.size() || !instruction.take_back(2).equals({16, 8}) ||
        llvm::any_of(leading, [](int64_t size) { return size != 1; }))
      return error() << "instrShape of version 2 must be [16, 8] behind leading 1s, one entry per dim, got ["
                     << instruction << "]";
  } else if (instruction.size() != 3 || instruction[0] != 16 || instruction[1] < 8 || instruction[1] > 256 ||
             !llvm::isPowerOf2_64(instruction[1]) || instruction[2] <= 0) {
    return error() << "instrShape of version 3 must be [16, n, k] with n a power of two from 8 to 256, got ["
                   << instruction << "]";
  }
  return checkBases("CGALayout", cluster, warps.size(), error);
}

int64_t MmaAttr::getRank() const { return getWarpsPerCTA().size(); }

LogicalResult MmaAttr::checkShape(ArrayRef<int64_t> shape, EmitError error) const {
  return checkTensorShape(getRank(), shape, error);
}

layout::MmaLayout MmaAttr::getLayout() const {
  layout::MmaLayout result{getVersionMajor(), {}, {}, getClusterBases()};
  result.warpsPerCta.assign(getWarpsPerCTA().begin(), getWarpsPerCTA().end());
  result.instructionShape.assign(getInstrShape().begin(), getInstrShape().end());
  return result;
}

LinearLayout MmaAttr::toLinear(ArrayRef<int64_t> shape) const { return getLayout().toLinear(shape); }

Attribute DotOperandAttr::parse(AsmParser &parser, Type) {
  AttributeFields fields(parser);
  fields.parseEnclosed();
  int64_t operand = fields.integer("opIdx"), kWidth = fields.integer("kWidth", 0);
  DistributedAttr parent = fields.layout("parent");
  if (failed(fields.finish()))
    return {};
  return getChecked(fields.emitError(), parser.getContext(), operand, parent, kWidth);
}

void DotOperandAttr::print(AsmPrinter &printer) const {
  printer << "<{opIdx = " << getOpIdx() << ", parent = " << getParent();
  if (getKWidth())
    printer << ", kWidth = " << getKWidth();
  printer << "}>";
}

LogicalResult DotOperandAttr::verify(EmitError error, unsigned operand, DistributedAttr parent, unsigned kWidth) {
  if (operand > 1)
    return error() << "opIdx of a dot_op layout must be 0 or 1, got " << operand;
  if (isa_and_nonnull<BlockedAttr>(parent)) {
    if (kWidth)
      return error() << "a dot_op layout with a blocked parent has no kWidth, got " << kWidth;
    return success();
  }
  if (isa_and_nonnull<MfmaAttr, WmmaAttr>(parent)) {
    if (kWidth == 0 || kWidth > 64 || !llvm::isPowerOf2_32(kWidth))
      return error() << "a dot_op layout with a parent of AMD's needs a kWidth that is a power of two, got " << kWidth;
    return success();
  }
  auto mma = dyn_cast_or_null<MmaAttr>(parent);
  if (!mma)
    return error() << "the parent of a dot_op layout must be a blocked, nvidia_mma, amd_mfma or amd_wmma layout";
  if (kWidth == 0 || kWidth > 32 || !llvm::isPowerOf2_32(kWidth))
    return error() << "a dot_op layout with an nvidia_mma parent needs a kWidth that is a power of two, got " << kWidth;
  if (mma.isWgmma() && operand != 0)
    return error() << "only operand 0 of a version 3 product can be in registers, got opIdx " << operand;
  return success();
}

int64_t DotOperandAttr::getRank() const { return getParent().getRank(); }

LogicalResult DotOperandAttr::checkShape(ArrayRef<int64_t> shape, EmitError error) const {
  if (getRank() < 2)
    return error() << "a dot operand has rank 2 or more, got " << getRank();
  return checkTensorShape(getRank(), shape, error);
}

LinearLayout DotOperandAttr::toLinear(ArrayRef<int64_t> shape) const {
  if (auto blocked = dyn_cast<BlockedAttr>(getParent()))
    return layout::fmaOperandLayout(getOpIdx(), blocked.getLayout(), shape);
  if (auto mfma = dyn_cast<MfmaAttr>(getParent()))
    return mfma.getLayout().operand(getOpIdx(), getKWidth(), shape);
  if (auto wmma = dyn_cast<WmmaAttr>(getParent()))
    return wmma.getLayout().operand(getOpIdx(), getKWidth(), shape);
  return layout::DotOperandLayout{getOpIdx(), cast<MmaAttr>(getParent()).getLayout(), getKWidth()}.toLinear(shape);
}

// Linear.

Attribute LinearAttr::parse(AsmParser &parser, Type) {
  AttributeFields fields(parser);
  fields.parseEnclosed();
  int64_t rank = 0;
  auto registers = fields.bases("register", rank), lanes = fields.bases("lane", rank),
       warps = fields.bases("warp", rank), blocks = fields.bases("block", rank);
  if (failed(fields.finish()))
    return {};
  return getChecked(fields.emitError(), parser.getContext(), rank, registers, lanes, warps, blocks);
}

void LinearAttr::print(AsmPrinter &printer) const {
  printer << "<{";
  llvm::interleaveComma(
      std::initializer_list<std::pair<StringRef, ArrayRef<int64_t>>>{
          {"register", getRegisters()}, {"lane", getLanes()}, {"warp", getWarps()}, {"block", getBlocks()}},
      printer, [&](const auto &part) {
        printer << part.first << " = ";
        printBases(printer, part.second, getRank());
      });
  printer << "}>";
}

LogicalResult LinearAttr::verify(EmitError error, int64_t rank, ArrayRef<int64_t> registers, ArrayRef<int64_t> lanes,
                                 ArrayRef<int64_t> warps, ArrayRef<int64_t> blocks) {
  if (rank < 1)
    return error() << "a linear layout needs at least one basis, which says its rank";
  LinearLayout map;
  for (auto [name, bases] : {std::pair("register", registers), {"lane", lanes}, {"warp", warps}, {"block", blocks}}) {
    if (failed(checkBases(name, bases, rank, error)))
      return failure();
    for (size_t begin = 0; begin < bases.size(); begin += rank)
      if (llvm::count_if(bases.slice(begin, rank), [](int64_t component) { return component != 0; }) > 1)
        return error() << "a basis of a linear layout moves along one dimension, got [" << bases.slice(begin, rank)
                       << "] in " << name;
  }
  LinearLayout layout =
      makeLinear({{"register", registers}, {"lane", lanes}, {"warp", warps}, {"block", blocks}}, rank);
  if (layout.inputBits() > 40)
    return error() << "a linear layout has too many bases: " << layout.inputBits();
  if (!layout.isSurjective())
    return error() << "a linear layout must reach every element, but this does not:\n" << layout.str();
  return success();
}

LinearLayout makeLinear(ArrayRef<std::pair<StringRef, ArrayRef<int64_t>>> inputs, int64_t rank) {
  std::vector<LinearLayout::Input> parts;
  for (auto [name, bases] : inputs)
    parts.push_back({name.str(), toBases(bases, rank)});
  std::vector<std::string> names;
  for (int64_t dim = 0; dim < rank; ++dim)
    names.push_back(layout::dimension(dim));
  return LinearLayout::fromBases(std::move(parts), names);
}

LinearAttr LinearAttr::get(MLIRContext *context, const LinearLayout &layout) {
  auto flat = [&](StringRef input) {
    for (const LinearLayout::Input &part : layout.inputs())
      if (part.name == input)
        return flattenBases(part.bases);
    return SmallVector<int64_t>();
  };
  return get(context, layout.outputs().size(), flat("register"), flat("lane"), flat("warp"), flat("block"));
}

LinearLayout LinearAttr::getLayout() const {
  return makeLinear({{"register", getRegisters()}, {"lane", getLanes()}, {"warp", getWarps()}, {"block", getBlocks()}},
                    getRank());
}

LogicalResult LinearAttr::checkShape(ArrayRef<int64_t> shape, EmitError error) const {
  return checkTensorShape(getRank(), shape, error);
}

LinearLayout LinearAttr::toLinear(ArrayRef<int64_t> shape) const {
  std::vector<LinearLayout::Input> inputs;
  std::vector<LinearLayout::Output> outputs;
  LinearLayout full = getLayout();
  for (const LinearLayout::Input &input : full.inputs()) {
    inputs.push_back({input.name, {}});
    for (layout::Coordinates basis : input.bases) {
      bool fits = true;
      for (auto [component, size] : llvm::zip(basis, shape))
        if (component >= size) {
          component = 0;
          fits = false;
        }
      if (fits || input.name != "register")
        inputs.back().bases.push_back(basis);
    }
  }
  for (auto [output, size] : llvm::zip(full.outputs(), shape))
    outputs.push_back({output.name, std::min(output.size, size)});
  return layout::grow(LinearLayout(std::move(inputs), std::move(outputs)), shape);
}

} // namespace triton::gpu
