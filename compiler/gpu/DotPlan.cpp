#include "compiler/gpu/DotPlan.h"

#include "compiler/gpu/PrivateAttributes.h"
#include "compiler/layout/AmdScales.h"
#include "compiler/layout/TensorMemoryAccess.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace triton::gpu {

namespace {

/// Of the result of a dot.
struct ResultSize {
  int64_t batch, m, n, rank;
};

/// Sizes and types of a dot, without layouts.
struct Product : ResultSize {
  int64_t k;
  Type a, b, accumulator;
  bool isTf32;

  explicit Product(tensor::DotOp dot) {
    auto lhs = cast<RankedTensorType>(dot.getA().getType()), result = cast<RankedTensorType>(dot.getD().getType());
    rank = result.getRank();
    batch = rank == 3 ? result.getDimSize(0) : 1;
    m = result.getDimSize(rank - 2);
    n = result.getDimSize(rank - 1);
    k = lhs.getDimSize(rank - 1);
    a = lhs.getElementType();
    b = cast<RankedTensorType>(dot.getB().getType()).getElementType();
    accumulator = result.getElementType();
    isTf32 = a.isF32() && dot.getInputPrecision() == tensor::InputPrecision::TF32;
  }
  unsigned bits() const { return a.getIntOrFloatBitWidth(); }
  /// Elements along K in one register of 32 bits; one for f64.
  unsigned kWidth() const { return std::max(1u, 32 / bits()); }
  bool isFp8() const {
    auto isKnown = [](Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); };
    return isKnown(a) && isKnown(b);
  }
};

} // namespace

static bool fitsWgmma(const Product &product, const Target &target, unsigned numWarps) {
  if (!target.hasWgmma() || product.rank != 2 || numWarps % 4 != 0)
    return false;
  if (product.m < 64 || product.n < 8 || product.k < int64_t(256 / product.bits()))
    return false;
  return product.a.isF16() || product.a.isBF16() || product.isTf32 || product.isFp8() || product.a.isInteger(8);
}

MemDescType accumulatorInTensorMemory(RankedTensorType type) {
  int64_t m = type.getDimSize(0) >= 128 ? 128 : 64, n = std::min<int64_t>(type.getDimSize(1), 256);
  auto layout = TensorMemoryEncodingAttr::get(type.getContext(), m, n, 32 / type.getElementTypeBitWidth(), 1, 1, false);
  return MemDescType::get(type.getShape(), type.getElementType(), layout, TensorMemoryAttr::get(type.getContext()),
                          /*mutableMemory=*/true);
}

MemDescType operandInTensorMemory(RankedTensorType type) {
  auto layout =
      TensorMemoryEncodingAttr::get(type.getContext(), 128, std::min<int64_t>(type.getDimSize(1), 512), 1, 1, 1, false);
  return MemDescType::get(type.getShape(), type.getElementType(), layout, TensorMemoryAttr::get(type.getContext()));
}

MemDescType scalesInTensorMemory(RankedTensorType type) {
  auto layout = TensorMemoryScalesAttr::get(type.getContext(), 1, 1);
  return MemDescType::get(type.getShape(), type.getElementType(), layout, TensorMemoryAttr::get(type.getContext()));
}

/// Registers that are loaded from, and stored to, such a buffer.
static Attribute registersOf(MemDescType type, unsigned numWarps) {
  auto map = layout::tensorMemoryRegisters(layout::TensorMemoryShape::Rows32Bits32, toLinear(type),
                                           type.getElementBits(), numWarps);
  return map ? Attribute(LinearAttr::get(type.getContext(), *map)) : Attribute();
}

/// Only kernels have tensor memory, and functions that they call do not know where it is.
static bool mayUseTensorMemory(Operation *op, const Target &target, unsigned numWarps) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  return target.hasTensorMemory() && numWarps >= 4 && llvm::isPowerOf2_32(numWarps) && function && function.isPublic();
}

/// M and N as instructions have them, and an accumulator that fits into tensor memory at all.
static bool fitsTensorMemory(int64_t m, int64_t n) {
  return m >= 64 && n >= (m == 64 ? 8 : 16) && m * n / 128 <= tensorMemoryColumns;
}

static bool fitsTcgen05(tensor::DotOp dot, const Product &product, const Target &target, unsigned numWarps) {
  if (!mayUseTensorMemory(dot, target, numWarps) || product.rank != 2 || !fitsTensorMemory(product.m, product.n) ||
      product.k < int64_t(256 / product.bits()))
    return false;
  if (product.a.isInteger(8))
    return target.hasTcgen05Integers() && product.accumulator.isInteger(32);
  bool mayBeHalf = product.a.isF16() || product.isFp8();
  if (!product.accumulator.isF32() && !(product.accumulator.isF16() && mayBeHalf))
    return false;
  return product.a.isF16() || product.a.isBF16() || product.isTf32 || product.isFp8();
}

/// A dot with less of K than one instruction takes would count its registers twice. M and N may be smaller: the lanes then hold copies.
static bool fitsMma(const Product &product, const Target &target) {
  if (!target.isAmpereOrNewer() || product.k < int64_t(8 * product.kWidth()))
    return false;
  if (product.isFp8())
    return target.hasFp8Mma();
  return product.a.isF16() || product.a.isBF16() || product.isTf32 || product.a.isF64() || product.a.isInteger(8);
}

std::optional<AmdInstruction> findMfma(const AmdArchitecture &architecture, Type a, Type b, Type accumulator,
                                       bool isTf32, int64_t m, int64_t depth) {
  const unsigned version = architecture.mfma;
  // Four groups of lanes side by side along K where an instruction has 16 rows, two where it has 32.
  auto make = [&](unsigned kBase) { return AmdInstruction{m, m, int64_t(kBase) * 64 / m, kBase}; };
  if (a.isInteger(8) && accumulator.isInteger(32))
    return make(version == 2 ? 4 : version == 3 ? 8 : 16);
  if (a.isF64() && accumulator.isF64() && m == 16)
    return make(1);
  if (!accumulator.isF32())
    return std::nullopt;
  if (a.isF32() && isTf32)
    return version == 3 ? std::optional(make(2)) : std::nullopt;
  if (a.isF32())
    return make(1);
  if (a.isF16() || a.isBF16())
    return make(version == 4 ? 8 : 4);
  auto isNative = [&](Type type) {
    return architecture.fp8 == AmdArchitecture::Fp8::Fnuz  ? isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(type)
           : architecture.fp8 == AmdArchitecture::Fp8::Ocp ? isa<Float8E4M3FNType, Float8E5M2Type>(type)
                                                           : false;
  };
  if (!isNative(a) || !isNative(b))
    return std::nullopt;
  // That of scaled products, with scales of 1: twice as fast.
  return version == 4 && depth >= make(32).k ? make(32) : make(8);
}

std::optional<AmdInstruction> findWmma(const AmdArchitecture &architecture, Type a, Type b, Type accumulator,
                                       int64_t depth) {
  const unsigned version = architecture.wmma;
  auto make = [&](int64_t k) { return AmdInstruction{16, 16, k, version == 1 ? 16 : unsigned(k) / 2}; };
  if (a.isInteger(8) && accumulator.isInteger(32))
    return make(version == 3 ? 64 : 16);
  if (!accumulator.isF32())
    return std::nullopt;
  if (a.isF16() || a.isBF16())
    return make(version == 3 ? 32 : 16);
  if (a.isF32())
    return version == 3 ? std::optional(make(4)) : std::nullopt;
  auto isNative = [](Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); };
  if (architecture.fp8 == AmdArchitecture::Fp8::Ocp && isNative(a) && isNative(b))
    return make(version != 3 ? 16 : depth >= 128 ? 128 : 64);
  return std::nullopt;
}

int64_t lanesAlongK(const AmdArchitecture &architecture, int64_t m) {
  return architecture.mfma ? 64 / m : architecture.wmma == 1 ? 1 : 2;
}

/// The instruction of a dot: the larger MFMA where the result has room for it, unless another is wished for. Nullopt for multiply-adds, also where K has
/// less than one element for each lane: lanes would hold copies, which count twice. What a lane has less than the instruction takes is filled up with zeros.
static std::optional<AmdInstruction> amdInstruction(const Product &product, const Target &target) {
  const int64_t smaller = std::min(product.m, product.n);
  const AmdArchitecture &chip = *target.amd;
  if (chip.wmma) {
    auto found = findWmma(chip, product.a, product.b, product.accumulator, product.k);
    return found && smaller >= 16 && product.k >= lanesAlongK(chip, 16) ? found : std::nullopt;
  }
  std::optional<AmdInstruction> filledUp;
  for (int64_t size : {32, 16}) {
    if (smaller < size || (target.mfmaSize && target.mfmaSize < size))
      continue;
    auto found = findMfma(chip, product.a, product.b, product.accumulator, product.isTf32, size, product.k);
    if (found && product.k >= found->k)
      return found;
    if (!filledUp && found && product.k >= lanesAlongK(chip, size))
      filledUp = found;
  }
  return filledUp;
}

DotPlan::Kind planDotKind(tensor::DotOp dot, const Target &target, unsigned numWarps) {
  Product product(dot);
  if (target.isAmd())
    return !amdInstruction(product, target) ? DotPlan::Kind::Fma
           : target.amd->mfma               ? DotPlan::Kind::Mfma
                                            : DotPlan::Kind::Wmma;
  if (fitsTcgen05(dot, product, target, numWarps))
    return DotPlan::Kind::Tcgen05;
  if (fitsWgmma(product, target, numWarps))
    return DotPlan::Kind::Wgmma;
  return fitsMma(product, target) ? DotPlan::Kind::Mma : DotPlan::Kind::Fma;
}

/// Layouts pass through unchanged: the result's element is computed from the operands' elements at the same place.
static bool isElementwise(Operation *op) { return op->hasTrait<OpTrait::Elementwise>() || isa<ConvertLayoutOp>(op); }

bool comesFromDot(Value value) {
  llvm::SetVector<Value> seen;
  seen.insert(value);
  for (size_t next = 0; next < seen.size(); ++next) {
    Operation *definition = seen[next].getDefiningOp();
    if (!definition)
      continue;
    if (isa<tensor::DotOp, WarpGroupDotOp, WarpGroupDotWaitOp, TMEMLoadOp>(definition))
      return true;
    if (isElementwise(definition))
      for (Value operand : definition->getOperands())
        if (isa<RankedTensorType>(operand.getType()))
          seen.insert(operand);
  }
  return false;
}

/// Whether another dot takes `result`, or what is computed from it element by element, as its A.
static bool feedsDot(Value result) {
  llvm::SetVector<Value> seen;
  seen.insert(result);
  for (size_t next = 0; next < seen.size(); ++next)
    for (OpOperand &use : seen[next].getUses()) {
      if (isa<tensor::DotOp>(use.getOwner())) {
        if (use.getOperandNumber() == 0)
          return true;
      } else if (isElementwise(use.getOwner())) {
        seen.insert(use.getOwner()->getResults().begin(), use.getOwner()->getResults().end());
      }
    }
  return false;
}

/// How many warps lie along each dimension. In a chain rows stay with their warps, so that the result of one dot is operand A of the next
/// without moving; else warps get tiles that are as square as possible, which read the fewest operands.
static SmallVector<int64_t> spreadWarps(const ResultSize &product, bool chained, unsigned numWarps, int64_t m = 16,
                                        int64_t n = 8) {
  int64_t batch = std::min<int64_t>(product.batch, numWarps), rows = 1, columns = 1;
  while (batch * rows * columns < numWarps) {
    int64_t height = product.m / rows, width = product.n / columns;
    bool alongRows = height > m, alongColumns = width > n;
    if (alongRows && alongColumns)
      alongRows = chained || height >= width;
    if (alongRows || !alongColumns)
      rows *= 2;
    else
      columns *= 2;
  }
  SmallVector<int64_t> warps = {rows, columns};
  if (product.rank == 3)
    warps.insert(warps.begin(), batch);
  return warps;
}

static DotPlan planMma(tensor::DotOp dot, const Product &product, bool chained, unsigned numWarps) {
  MLIRContext *context = dot.getContext();
  SmallVector<int64_t> instruction = {16, 8};
  if (product.rank == 3)
    instruction.insert(instruction.begin(), 1);
  auto accumulator = MmaAttr::get(context, 2, 0, spreadWarps(product, chained, numWarps), instruction);
  return {DotPlan::Kind::Mma, accumulator, DotOperandAttr::get(0, accumulator, product.kWidth()),
          DotOperandAttr::get(1, accumulator, product.kWidth())};
}

/// Warpgroups go down M first: each then reads its own rows of A, and B once for 256 columns.
static DotPlan planWgmma(tensor::DotOp dot, const Product &product, unsigned numWarps) {
  int64_t rows = 4, columns = 1;
  while (rows * columns < numWarps)
    (product.m > 16 * rows ? rows : columns) *= 2;
  int64_t n = std::clamp<int64_t>(product.n / columns, 8, 256), k = 256 / product.bits();
  auto accumulator = MmaAttr::get(dot.getContext(), 3, 0, {rows, columns}, {16, n, k});
  Attribute a;
  if (comesFromDot(dot.getA()) || dot->hasAttr(leftInRegistersName))
    a = DotOperandAttr::get(0, accumulator, product.kWidth());
  return {DotPlan::Kind::Wgmma, accumulator, a, Attribute()};
}

/// A operands that were computed from another dot go to tensor memory by the registers they are in; those of 64 rows, which would have to be
/// there twice, through shared memory like others.
static DotPlan planTcgen05(tensor::DotOp dot, const Product &product, unsigned numWarps) {
  auto left = cast<RankedTensorType>(dot.getA().getType());
  Attribute a;
  if (product.m >= 128 && product.m * product.k * product.bits() / (128 * 32) <= 128 && comesFromDot(dot.getA()))
    a = registersOf(operandInTensorMemory(RankedTensorType::get(left.getShape(), left.getElementType())), numWarps);
  return {DotPlan::Kind::Tcgen05,
          registersOf(accumulatorInTensorMemory(cast<RankedTensorType>(dot.getD().getType())), numWarps), a,
          Attribute()};
}

/// Transposed, so that a lane's results are neighbours along N: they are stored as vectors, and are operand A of a next dot as they are.
static DotPlan planAmd(tensor::DotOp dot, const Product &product, const Target &target, bool chained,
                       unsigned numWarps) {
  MLIRContext *context = dot.getContext();
  const AmdInstruction instruction = *amdInstruction(product, target);
  const SmallVector<int64_t> shape = {instruction.m, instruction.n, instruction.k},
                             warps = spreadWarps(product, chained, numWarps, instruction.m, instruction.n);
  if (target.amd->wmma) {
    SmallVector<int64_t> bases = flattenBases(layout::warpBases(warps));
    auto accumulator = WmmaAttr::get(context, target.amd->wmma, product.rank, ArrayRef<int64_t>(), bases,
                                     /*isTransposed=*/true, shape, ArrayRef<int64_t>());
    const int64_t most = target.amd->wmma == 1 ? 16 : product.a.isF32() ? 2 : 8;
    const auto kWidth = unsigned(std::min(most, product.k / lanesAlongK(*target.amd, 16)));
    return {DotPlan::Kind::Wmma, accumulator, DotOperandAttr::get(0, accumulator, kWidth),
            DotOperandAttr::get(1, accumulator, kWidth)};
  }
  const SmallVector<int64_t> tiles(product.rank, 1);
  auto accumulator = MfmaAttr::get(context, target.amd->mfma, warps, shape, /*isTransposed=*/true, tiles,
                                   product.accumulator.isF64() ? 64 : 32, ArrayRef<int64_t>());
  // No more than 16 bytes, which one read of LDS gives.
  auto kWidth = unsigned(
      std::min({int64_t(instruction.kBase), int64_t(16), product.k / lanesAlongK(*target.amd, instruction.m)}));
  if (target.kPack == 2 && target.amd->mfma < 4 && product.k >= 2 * instruction.k)
    kWidth *= 2;
  return {DotPlan::Kind::Mfma, accumulator, DotOperandAttr::get(0, accumulator, kWidth),
          DotOperandAttr::get(1, accumulator, kWidth)};
}

/// Every thread computes a small block of the result from rows of A and columns of B.
static DotPlan planFma(tensor::DotOp dot, const Product &product, int64_t laneCount, unsigned numWarps) {
  int64_t perThread = product.batch * product.m * product.n / (laneCount * numWarps);
  // Four columns where there are as many: results then leave in full vectors.
  int64_t height = std::min<int64_t>(perThread >= 16  ? 4
                                     : perThread >= 8 ? 2
                                                      : 1,
                                     product.m),
          width = std::min<int64_t>(perThread >= 4 ? 4 : 1, product.n);
  int64_t laneColumns = std::min<int64_t>(8, product.n / width),
          laneRows = std::min(laneCount / laneColumns, product.m / height);
  laneColumns = laneCount / laneRows; // more lanes than elements: copies
  int64_t batch = std::min<int64_t>(product.batch, numWarps), rows = 1, columns = 1;
  while (batch * rows * columns < numWarps) {
    int64_t down = product.m / (height * laneRows * rows), across = product.n / (width * laneColumns * columns);
    (down >= across ? rows : columns) *= 2;
  }
  SmallVector<int64_t> perThreadShape = {height, width}, lanes = {laneRows, laneColumns}, warps = {rows, columns};
  SmallVector<unsigned> order = {1, 0};
  if (product.rank == 3) {
    perThreadShape.insert(perThreadShape.begin(), 1);
    lanes.insert(lanes.begin(), 1);
    warps.insert(warps.begin(), batch);
    order = {2, 1, 0};
  }
  auto accumulator = BlockedAttr::get(dot.getContext(), perThreadShape, lanes, warps, order);
  return {DotPlan::Kind::Fma, accumulator, DotOperandAttr::get(0, accumulator), DotOperandAttr::get(1, accumulator)};
}

Target dotTarget(ModuleOp module) {
  if (isForAmd(module)) {
    auto named = Target::byName(module->getAttrOfType<StringAttr>(targetName).getValue());
    if (named) {
      auto number = [&](StringRef name, unsigned fallback) {
        auto given = module->getAttrOfType<IntegerAttr>(name);
        return given ? unsigned(given.getInt()) : fallback;
      };
      named->mfmaSize = number(mfmaSizeName, 0);
      named->kPack = number(kPackName, 1);
      return *named;
    }
    llvm::consumeError(named.takeError()); // whoever emits code says it
  }
  return {.capability = static_cast<unsigned>(getComputeCapability(module).value_or(90)),
          .allowsWgmma = !module->hasAttr(withoutWgmmaName),
          .allowsTcgen05 = !module->hasAttr(withoutTcgen05Name)};
}

DotPlan planDot(tensor::DotOp dot, const Target &target, unsigned numWarps) {
  Product product(dot);
  switch (planDotKind(dot, target, numWarps)) {
  case DotPlan::Kind::Tcgen05:
    return planTcgen05(dot, product, numWarps);
  case DotPlan::Kind::Wgmma:
    return planWgmma(dot, product, numWarps);
  case DotPlan::Kind::Mma:
    return planMma(dot, product, comesFromDot(dot.getA()) || feedsDot(dot.getD()), numWarps);
  case DotPlan::Kind::Mfma:
  case DotPlan::Kind::Wmma:
    return planAmd(dot, product, target, comesFromDot(dot.getA()) || feedsDot(dot.getD()), numWarps);
  case DotPlan::Kind::Fma:
    break;
  }
  return planFma(dot, product, target.lanes(), numWarps);
}

LinearAttr scaleEncoding(Attribute accumulator, unsigned index, ArrayRef<int64_t> shape) {
  MLIRContext *context = accumulator.getContext();
  if (auto mfma = dyn_cast<MfmaAttr>(accumulator); mfma && mfma.getRank() == 2)
    return LinearAttr::get(context, layout::scalesOf(mfma.getLayout(), index, shape));
  if (auto wmma = dyn_cast<WmmaAttr>(accumulator); wmma && wmma.getRank() == 2)
    return LinearAttr::get(context, layout::scalesOf(wmma.getLayout(), index, shape));
  return {};
}

std::optional<AmdInstruction> findScaled(const AmdArchitecture &architecture, int64_t m) {
  if (architecture.mfma == 4)
    return AmdInstruction{m, m, 32 * 64 / m, 32};
  if (architecture.wmma == 3 && m == 16)
    return AmdInstruction{16, 16, 128, 64};
  return std::nullopt;
}

namespace {

/// Sizes and types of a scaled dot.
struct ScaledProduct : ResultSize {
  using Format = tensor::ScaleDotElemType;
  int64_t k; // in elements
  bool isAPacked, isBPacked;
  Type scale; // of the operands that have scales
  int64_t groups = 0;

  /// Nullopt for what no instruction takes: other formats, numbers packed along M or N, and groups of another size than their type says.
  static std::optional<ScaledProduct> of(tensor::DotScaledOp dot) {
    auto type = cast<RankedTensorType>(dot.getD().getType());
    if (type.getRank() != 2 || !type.getElementType().isF32())
      return std::nullopt;
    auto isByte = [](Format format) { return format == Format::E4M3 || format == Format::E5M2; };
    ScaledProduct product;
    static_cast<ResultSize &>(product) = {1, type.getDimSize(0), type.getDimSize(1), 2};
    product.isAPacked = dot.getAElemType() == Format::E2M1, product.isBPacked = dot.getBElemType() == Format::E2M1;
    if (product.isAPacked ? !dot.getLhsKPack() : !isByte(dot.getAElemType()))
      return std::nullopt;
    if (product.isBPacked ? !dot.getRhsKPack() : !isByte(dot.getBElemType()))
      return std::nullopt;
    product.k = cast<RankedTensorType>(dot.getA().getType()).getDimSize(1) * (product.isAPacked ? 2 : 1);
    for (Value each : {dot.getAScale(), dot.getBScale()})
      if (each) {
        Type element = cast<RankedTensorType>(each.getType()).getElementType();
        if (product.scale && element != product.scale)
          return std::nullopt;
        product.scale = element;
      }
    // One scale of exponents for 32 elements, which may be left out; or one float for 16, of both operands.
    if (!product.scale || (!product.scale.isInteger(8) && !(dot.getAScale() && dot.getBScale())))
      return std::nullopt;
    product.groups = product.k / (product.scale.isInteger(8) ? 32 : 16);
    for (Value each : {dot.getAScale(), dot.getBScale()})
      if (each && cast<RankedTensorType>(each.getType()).getShape().back() != product.groups)
        return std::nullopt;
    return product;
  }
};

} // namespace

/// Floats as scales are WMMA's alone.
static std::optional<ScaledDotPlan> planScaledAmd(tensor::DotScaledOp dot, const ScaledProduct &product,
                                                  const Target &target, unsigned numWarps) {
  const AmdArchitecture &chip = *target.amd;
  if (!product.scale.isInteger(8) && chip.wmma != 3)
    return std::nullopt;
  for (int64_t size : {32, 16}) {
    auto found = findScaled(chip, size);
    if (!found || std::min(product.m, product.n) < size || product.k < found->k ||
        (target.mfmaSize && target.mfmaSize < size))
      continue;
    const SmallVector<int64_t> instruction = {found->m, found->n, found->k},
                               warps = spreadWarps(product, /*chained=*/false, numWarps, size, size);
    ScaledDotPlan plan;
    if (chip.wmma)
      plan.accumulator =
          WmmaAttr::get(dot.getContext(), chip.wmma, 2, ArrayRef<int64_t>(), flattenBases(layout::warpBases(warps)),
                        /*isTransposed=*/true, instruction, ArrayRef<int64_t>());
    else
      plan.accumulator = MfmaAttr::get(dot.getContext(), chip.mfma, warps, instruction, /*isTransposed=*/true,
                                       SmallVector<int64_t>(2, 1), 32, ArrayRef<int64_t>());
    plan.a = DotOperandAttr::get(0, cast<DistributedAttr>(plan.accumulator), scaledKWidth);
    plan.b = DotOperandAttr::get(1, cast<DistributedAttr>(plan.accumulator), scaledKWidth);
    plan.aScale = scaleEncoding(plan.accumulator, 0, {product.m, product.groups});
    plan.bScale = scaleEncoding(plan.accumulator, 1, {product.n, product.groups});
    return plan;
  }
  return std::nullopt;
}

std::optional<ScaledDotPlan> planScaledDot(tensor::DotScaledOp dot, const Target &target, unsigned numWarps) {
  auto product = ScaledProduct::of(dot);
  if (!product)
    return std::nullopt;
  if (target.isAmd())
    return planScaledAmd(dot, *product, target, numWarps);
  const int64_t m = product->m, n = product->n;
  if (!mayUseTensorMemory(dot, target, numWarps) || m < 128 || n < 32 || !fitsTensorMemory(m, n))
    return std::nullopt;
  const bool arePacked = product->isAPacked && product->isBPacked;
  if (!product->scale.isInteger(8) && !arePacked)
    return std::nullopt;
  // An instruction's; packed numbers beside bytes lie in rows of 128 bytes, half of which is padding.
  if (product->k < (arePacked ? 64 : product->isAPacked || product->isBPacked ? 128 : 32))
    return std::nullopt;
  auto registers = [&](int64_t rows) {
    return registersOf(scalesInTensorMemory(RankedTensorType::get({rows, product->groups}, product->scale)), numWarps);
  };
  auto type = cast<RankedTensorType>(dot.getD().getType());
  ScaledDotPlan plan{registersOf(accumulatorInTensorMemory(type), numWarps), registers(m), registers(n), {}, {}};
  return plan.accumulator && plan.aScale && plan.bScale ? std::optional(plan) : std::nullopt;
}

} // namespace triton::gpu
