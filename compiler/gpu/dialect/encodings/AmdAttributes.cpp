// AMD's layouts: how they are written, checked and turned into linear maps.
#include "compiler/gpu/dialect/encodings/AttributeFields.h"
#include "compiler/gpu/dialect/encodings/LayoutChecks.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace triton::gpu {

using layout::LinearLayout;

// Accumulators of MFMA.

Attribute MfmaAttr::parse(AsmParser &parser, Type) {
  AttributeFields fields(parser);
  fields.parseEnclosed();
  int64_t version = fields.integer("version"), bits = fields.integer("elementBitWidth", 32);
  auto warps = fields.integers("warpsPerCTA"), instruction = fields.integers("instrShape");
  bool isTransposed = fields.boolean("isTransposed", false);
  auto tiles =
      fields.has("tilesPerWarp") ? fields.integers("tilesPerWarp") : SmallVector<int64_t>(warps.size(), int64_t(1));
  auto cluster = fields.cluster(warps.size());
  if (failed(fields.finish()))
    return {};
  return getChecked(fields.emitError(), parser.getContext(), unsigned(version), ArrayRef(warps), ArrayRef(instruction),
                    isTransposed, ArrayRef(tiles), unsigned(bits), ArrayRef(cluster));
}

void MfmaAttr::print(AsmPrinter &printer) const {
  printer << "<{version = " << getVersion() << ", warpsPerCTA = ";
  printList(printer, getWarpsPerCTA());
  printCluster(printer, getCluster(), getRank());
  printer << ", instrShape = ";
  printList(printer, getInstrShape());
  printer << ", isTransposed = " << (getIsTransposed() ? "true" : "false");
  if (llvm::any_of(getTilesPerWarp(), [](int64_t tiles) { return tiles != 1; })) {
    printer << ", tilesPerWarp = ";
    printList(printer, getTilesPerWarp());
  }
  if (getElementBitWidth() != 32)
    printer << ", elementBitWidth = " << getElementBitWidth();
  printer << "}>";
}

LogicalResult MfmaAttr::verify(EmitError error, unsigned version, ArrayRef<int64_t> warps,
                               ArrayRef<int64_t> instruction, bool, ArrayRef<int64_t> tiles, unsigned bits,
                               ArrayRef<int64_t> cluster) {
  if (version < 1 || version > 4)
    return error() << "an amd_mfma layout has version 1 to 4, got " << version;
  if (warps.size() < 2 || warps.size() > 3)
    return error() << "warpsPerCTA of an amd_mfma layout must have rank 2 or 3, got " << warps.size();
  if (tiles.size() != warps.size())
    return error() << "tilesPerWarp must have " << warps.size() << " entries, got [" << tiles << "]";
  if (failed(checkPowersOfTwo("warpsPerCTA", warps, error)) || failed(checkPowersOfTwo("tilesPerWarp", tiles, error)))
    return failure();
  static constexpr std::pair<int64_t, int64_t> shapes[] = {{32, 32}, {16, 16}, {64, 4}, {4, 64}};
  if (instruction.size() != 3 || !llvm::is_contained(shapes, std::pair(instruction[0], instruction[1])) ||
      instruction[2] <= 0)
    return error()
           << "instrShape of an amd_mfma layout must be [m, n, k] with m x n of 32x32, 16x16, 64x4 or 4x64, got ["
           << instruction << "]";
  if (bits != 32 && !(bits == 64 && instruction[0] == 16))
    return error() << "elementBitWidth of an amd_mfma layout must be 32, or 64 with 16x16 instructions, got " << bits;
  return checkBases("CGALayout", cluster, warps.size(), error);
}

int64_t MfmaAttr::getRank() const { return getWarpsPerCTA().size(); }

LogicalResult MfmaAttr::checkShape(ArrayRef<int64_t> shape, EmitError error) const {
  return checkTensorShape(getRank(), shape, error);
}

layout::MfmaLayout MfmaAttr::getLayout() const {
  auto list = [](ArrayRef<int64_t> numbers) { return SmallVector<int64_t, 4>(numbers.begin(), numbers.end()); };
  layout::MfmaLayout result{getVersion(),      list(getWarpsPerCTA()),  {},
                            getIsTransposed(), list(getTilesPerWarp()), getElementBitWidth(),
                            getClusterBases()};
  result.instructionShape.assign(getInstrShape().begin(), getInstrShape().end());
  return result;
}

LinearLayout MfmaAttr::toLinear(ArrayRef<int64_t> shape) const { return getLayout().toLinear(shape); }

// Accumulators of WMMA.

Attribute WmmaAttr::parse(AsmParser &parser, Type) {
  AttributeFields fields(parser);
  fields.parseEnclosed();
  int64_t version = fields.integer("version"), rank = 0;
  bool isTransposed = fields.boolean("isTranspose", false);
  SmallVector<int64_t> registers, warps, instruction = {16, 16, 16};
  if (fields.has("warpsPerCTA")) { // as older releases write it
    auto counts = fields.integers("warpsPerCTA");
    if (failed(checkPowersOfTwo("warpsPerCTA", counts, fields.emitError())))
      return {};
    rank = counts.size();
    warps = flattenBases(layout::warpBases(counts));
  } else {
    AttributeFields tiles = fields.nested("ctaLayout");
    registers = tiles.bases("register", rank, /*optional=*/true);
    warps = tiles.bases("warp", rank, /*optional=*/true);
    if (failed(tiles.finish()))
      return {};
    rank = rank ? rank : 2; // one warp
  }
  if (fields.has("instrShape"))
    instruction = fields.integers("instrShape");
  auto cluster = fields.cluster(rank);
  if (failed(fields.finish()))
    return {};
  return getChecked(fields.emitError(), parser.getContext(), unsigned(version), rank, ArrayRef(registers),
                    ArrayRef(warps), isTransposed, ArrayRef(instruction), ArrayRef(cluster));
}

void WmmaAttr::print(AsmPrinter &printer) const {
  printer << "<{version = " << getVersion() << ", ctaLayout = {";
  if (!getRegisters().empty()) {
    printer << "register = ";
    printBases(printer, getRegisters(), getRank());
    printer << ", ";
  }
  printer << "warp = ";
  printBases(printer, getWarps(), getRank());
  printer << "}";
  printCluster(printer, getCluster(), getRank());
  printer << ", isTranspose = " << (getIsTransposed() ? "true" : "false") << ", instrShape = ";
  printList(printer, getInstrShape());
  printer << "}>";
}

LogicalResult WmmaAttr::verify(EmitError error, unsigned version, int64_t rank, ArrayRef<int64_t> registers,
                               ArrayRef<int64_t> warps, bool, ArrayRef<int64_t> instruction,
                               ArrayRef<int64_t> cluster) {
  if (version < 1 || version > 3)
    return error() << "an amd_wmma layout has version 1 to 3, got " << version;
  if (rank < 2 || rank > 3)
    return error() << "ctaLayout of an amd_wmma layout must have rank 2 or 3, got " << rank;
  if (instruction.size() != 3 || instruction[0] != 16 || instruction[1] != 16 || instruction[2] <= 0 ||
      !llvm::isPowerOf2_64(instruction[2]))
    return error() << "instrShape of an amd_wmma layout must be [16, 16, k], got [" << instruction << "]";
  if (failed(checkBases("ctaLayout register", registers, rank, error)) ||
      failed(checkBases("ctaLayout warp", warps, rank, error)))
    return failure();
  if (!makeLinear({{"register", registers}, {"warp", warps}}, rank).isSurjective())
    return error() << "ctaLayout of an amd_wmma layout must reach every tile";
  return checkBases("CGALayout", cluster, rank, error);
}

LogicalResult WmmaAttr::checkShape(ArrayRef<int64_t> shape, EmitError error) const {
  return checkTensorShape(getRank(), shape, error);
}

layout::WmmaLayout WmmaAttr::getLayout() const {
  layout::WmmaLayout result{
      getVersion(),      unsigned(getRank()), toBases(getRegisters(), getRank()), toBases(getWarps(), getRank()), {},
      getIsTransposed(), getClusterBases()};
  result.instructionShape.assign(getInstrShape().begin(), getInstrShape().end());
  return result;
}

LinearLayout WmmaAttr::toLinear(ArrayRef<int64_t> shape) const { return getLayout().toLinear(shape); }

// LDS for operands that are transposed in registers.

Attribute RotatingSharedAttr::parse(AsmParser &parser, Type) { return parsePhases<RotatingSharedAttr>(parser); }
void RotatingSharedAttr::print(AsmPrinter &printer) const { printPhases(printer, *this); }

LogicalResult RotatingSharedAttr::verify(EmitError error, int64_t vec, int64_t perPhase, int64_t maxPhase,
                                         ArrayRef<unsigned> order, ArrayRef<int64_t> cluster) {
  return checkPhases(getMnemonic(), {vec, perPhase, maxPhase}, order, cluster, error);
}

int64_t RotatingSharedAttr::getRank() const { return getOrder().size(); }

LogicalResult RotatingSharedAttr::checkShape(ArrayRef<int64_t> shape, EmitError error) const {
  return checkTensorShape(getRank(), shape, error);
}

layout::RotatingSharedLayout RotatingSharedAttr::getLayout() const {
  layout::RotatingSharedLayout result{getVec(), getPerPhase(), getMaxPhase(), {}, getClusterBases()};
  result.order.assign(getOrder().begin(), getOrder().end());
  return result;
}

LinearLayout RotatingSharedAttr::toLinear(ArrayRef<int64_t> shape) const { return getLayout().toLinear(shape); }

} // namespace triton::gpu
