// Each instruction takes a tile of the accumulator and, from each lane, some elements of A and B along K: which of K they are does not matter as long as both
// operands agree, so registers are taken in their order. Where the accumulator is transposed the operands change places. With scales it does matter: operands
// are then in the layout that the instruction wants.
#include "compiler/llvm/amd/dots/DotMatrix.h"

#include "compiler/gpu/DotPlan.h"
#include "compiler/gpu/Gpu.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace mlir;

namespace triton::amd {

namespace {

/// One matrix instruction as LLVM names it, and what it is called with beside its matrices.
struct Instruction {
  enum class Form {
    Mfma,             // three numbers that broadcast
    MfmaScaled,       // formats and scales
    Wmma,             // nothing
    WmmaIntegers,     // signs
    WideWmma,         // version 3: signs of all matrices, hints
    WideWmmaBytes,    // the sign of C, hints
    WideWmmaIntegers, // signs, hints
    WideWmmaScaled    // formats, scales, hints
  };
  llvm::Intrinsic::ID id = llvm::Intrinsic::not_intrinsic;
  Form form = Form::Mfma;
};

bool isE5(Type type) { return isa<Float8E5M2Type, Float8E5M2FNUZType>(type); }

Instruction scaledMfma(int64_t m) {
  return {m == 32 ? llvm::Intrinsic::amdgcn_mfma_scale_f32_32x32x64_f8f6f4
                  : llvm::Intrinsic::amdgcn_mfma_scale_f32_16x16x128_f8f6f4,
          Instruction::Form::MfmaScaled};
}

Instruction mfmaOf(unsigned version, const gpu::AmdInstruction &found, Type a, Type b, bool isTf32) {
  namespace I = llvm::Intrinsic;
  const bool isLarge = found.m == 32;
  if (a.isF16())
    return {version == 4 ? (isLarge ? I::amdgcn_mfma_f32_32x32x16_f16 : I::amdgcn_mfma_f32_16x16x32_f16)
                         : (isLarge ? I::amdgcn_mfma_f32_32x32x8f16 : I::amdgcn_mfma_f32_16x16x16f16)};
  if (a.isBF16())
    return {version == 4 ? (isLarge ? I::amdgcn_mfma_f32_32x32x16_bf16 : I::amdgcn_mfma_f32_16x16x32_bf16)
                         : (isLarge ? I::amdgcn_mfma_f32_32x32x8bf16_1k : I::amdgcn_mfma_f32_16x16x16bf16_1k)};
  if (a.isF32() && isTf32)
    return {isLarge ? I::amdgcn_mfma_f32_32x32x4_xf32 : I::amdgcn_mfma_f32_16x16x8_xf32};
  if (a.isF32())
    return {isLarge ? I::amdgcn_mfma_f32_32x32x2f32 : I::amdgcn_mfma_f32_16x16x4f32};
  if (a.isF64())
    return {I::amdgcn_mfma_f64_16x16x4f64};
  if (a.isInteger(8))
    return {version == 2   ? (isLarge ? I::amdgcn_mfma_i32_32x32x8i8 : I::amdgcn_mfma_i32_16x16x16i8)
            : version == 3 ? (isLarge ? I::amdgcn_mfma_i32_32x32x16_i8 : I::amdgcn_mfma_i32_16x16x32_i8)
                           : (isLarge ? I::amdgcn_mfma_i32_32x32x32_i8 : I::amdgcn_mfma_i32_16x16x64_i8)};
  if (found.kBase == 32)
    return scaledMfma(found.m);
  static constexpr I::ID bytes[2][2][2] = {
      {{I::amdgcn_mfma_f32_16x16x32_fp8_fp8, I::amdgcn_mfma_f32_16x16x32_fp8_bf8},
       {I::amdgcn_mfma_f32_16x16x32_bf8_fp8, I::amdgcn_mfma_f32_16x16x32_bf8_bf8}},
      {{I::amdgcn_mfma_f32_32x32x16_fp8_fp8, I::amdgcn_mfma_f32_32x32x16_fp8_bf8},
       {I::amdgcn_mfma_f32_32x32x16_bf8_fp8, I::amdgcn_mfma_f32_32x32x16_bf8_bf8}}};
  return {bytes[isLarge][isE5(a)][isE5(b)]};
}

Instruction wmmaOf(unsigned version, const gpu::AmdInstruction &found, Type a, Type b) {
  namespace I = llvm::Intrinsic;
  using Form = Instruction::Form;
  if (version == 3) {
    if (a.isF16())
      return {I::amdgcn_wmma_f32_16x16x32_f16, Form::WideWmma};
    if (a.isBF16())
      return {I::amdgcn_wmma_f32_16x16x32_bf16, Form::WideWmma};
    if (a.isF32())
      return {I::amdgcn_wmma_f32_16x16x4_f32, Form::WideWmma};
    if (a.isInteger(8))
      return {I::amdgcn_wmma_i32_16x16x64_iu8, Form::WideWmmaIntegers};
    static constexpr I::ID bytes[2][2][2] = {
        {{I::amdgcn_wmma_f32_16x16x64_fp8_fp8, I::amdgcn_wmma_f32_16x16x64_fp8_bf8},
         {I::amdgcn_wmma_f32_16x16x64_bf8_fp8, I::amdgcn_wmma_f32_16x16x64_bf8_bf8}},
        {{I::amdgcn_wmma_f32_16x16x128_fp8_fp8, I::amdgcn_wmma_f32_16x16x128_fp8_bf8},
         {I::amdgcn_wmma_f32_16x16x128_bf8_fp8, I::amdgcn_wmma_f32_16x16x128_bf8_bf8}}};
    return {bytes[found.k == 128][isE5(a)][isE5(b)], Form::WideWmmaBytes};
  }
  if (a.isF16())
    return {I::amdgcn_wmma_f32_16x16x16_f16, Form::Wmma};
  if (a.isBF16())
    return {I::amdgcn_wmma_f32_16x16x16_bf16, Form::Wmma};
  if (a.isInteger(8))
    return {I::amdgcn_wmma_i32_16x16x16_iu8, Form::WmmaIntegers};
  static constexpr I::ID bytes[2][2] = {{I::amdgcn_wmma_f32_16x16x16_fp8_fp8, I::amdgcn_wmma_f32_16x16x16_fp8_bf8},
                                        {I::amdgcn_wmma_f32_16x16x16_bf8_fp8, I::amdgcn_wmma_f32_16x16x16_bf8_bf8}};
  return {bytes[isE5(a)][isE5(b)], Form::Wmma};
}

/// The accumulator's layout, and the instruction that it stands for.
struct Accumulator {
  bool isMfma, isTransposed;
  unsigned version;
  llvm::ArrayRef<int64_t> shape; // of one instruction

  explicit Accumulator(RankedTensorType type) {
    if (auto mfma = dyn_cast<gpu::MfmaAttr>(type.getEncoding())) {
      isMfma = true, isTransposed = mfma.getIsTransposed(), version = mfma.getVersion(), shape = mfma.getInstrShape();
      return;
    }
    auto wmma = cast<gpu::WmmaAttr>(type.getEncoding());
    isMfma = false, isTransposed = wmma.getIsTransposed(), version = wmma.getVersion(), shape = wmma.getInstrShape();
  }
  bool isOf(const gpu::AmdArchitecture &chip) const {
    return isMfma ? chip.mfma == version && (shape[0] == 16 || shape[0] == 32) : chip.wmma == version;
  }
};

/// The scales of an operand, and which of a lane's registers an instruction reads.
struct Scales {
  Value value;
  int64_t groups = 0;                                // along K
  std::map<layout::Coordinates, unsigned> registers; // by what they hold in lane 0 of warp 0
  Registers held;
  unsigned format = 0;  // 0: exponents, 2: e4m3
  int64_t upperRow = 0; // of the upper half of a wave of 32 lanes; 0: copies
};

struct Operand {
  Value value;
  Registers held;
  /// Registers by the tile of M or N that they lie in, in the order of K.
  std::map<layout::Coordinates, llvm::SmallVector<unsigned>> tiles;
  unsigned perInstruction; // registers that one takes
  unsigned format = 0;     // 0: e4m3, 1: e5m2, 4: e2m1
  Scales scales;

  Type element() const { return cast<RankedTensorType>(value.getType()).getElementType(); }
};

class MatrixDot {
public:
  MatrixDot(Emitter &emitter, Operation *dot, Value a, Value b, Value c)
      : emitter(emitter), builder(emitter.builder), dot(dot), chip(*emitter.target().amd), c(c),
        type(cast<RankedTensorType>(dot->getResult(0).getType())), accumulator(type) {
    left.value = a, right.value = b;
  }

  llvm::LogicalResult emit(bool isTf32) {
    if (!accumulator.isOf(chip))
      return refuse();
    const Type a = left.element(), b = right.element(), sum = type.getElementType();
    auto found = accumulator.isMfma ? gpu::findMfma(chip, a, b, sum, isTf32, accumulator.shape[0], accumulator.shape[2])
                                    : gpu::findWmma(chip, a, b, sum, accumulator.shape[2]);
    if (!found)
      return refuse();
    instruction = *found;
    const Type first = accumulator.isTransposed ? b : a, second = accumulator.isTransposed ? a : b;
    called = accumulator.isMfma ? mfmaOf(chip.mfma, instruction, first, second, isTf32)
                                : wmmaOf(chip.wmma, instruction, first, second);
    left.format = isE5(a), right.format = isE5(b);
    left.perInstruction = right.perInstruction = instruction.kBase;
    const int64_t least = int64_t(kWidthOf(left)) * gpu::lanesAlongK(chip, instruction.m);
    if (kWidthOf(left) == 0 || kWidthOf(left) != kWidthOf(right) || depth() < least)
      return dot->emitError() << "a dot by matrix instructions takes at least " << least
                              << " elements along K, in dot_op layouts of one kWidth, got " << left.value.getType()
                              << " and " << right.value.getType();
    return run();
  }

  llvm::LogicalResult emitScaled(tensor::DotScaledOp scaled) {
    auto found = accumulator.isOf(chip) ? gpu::findScaled(chip, accumulator.shape[0]) : std::nullopt;
    if (!found || !type.getElementType().isF32() || type.getRank() != 2)
      return refuse();
    instruction = *found;
    Type scale;
    if (failed(readScaled(left, scaled.getAElemType(), scaled.getLhsKPack(), scaled.getAScale(), 0, scale)) ||
        failed(readScaled(right, scaled.getBElemType(), scaled.getRhsKPack(), scaled.getBScale(), 1, scale)))
      return failure();
    if (accumulator.isMfma)
      called = scaledMfma(instruction.m);
    else
      called = {group == 16 ? llvm::Intrinsic::amdgcn_wmma_scale16_f32_16x16x128_f8f6f4
                            : llvm::Intrinsic::amdgcn_wmma_scale_f32_16x16x128_f8f6f4,
                Instruction::Form::WideWmmaScaled};
    return run();
  }

private:
  llvm::LogicalResult refuse() {
    return dot->emitError() << emitter.target().cpu() << " has no matrix instruction for " << left.value.getType()
                            << " times " << right.value.getType() << " in " << type;
  }

  llvm::LogicalResult refuseScales(Value scales) {
    return dot->emitError() << "scales are in another layout than the elements that they belong to: "
                            << cast<RankedTensorType>(scales.getType()).getEncoding();
  }

  int64_t depth() const { return cast<RankedTensorType>(left.value.getType()).getShape().back(); }
  /// 0 if it is in no layout of an operand.
  static unsigned kWidthOf(const Operand &operand) {
    auto layout = dyn_cast<gpu::DotOperandAttr>(cast<RankedTensorType>(operand.value.getType()).getEncoding());
    return layout ? layout.getKWidth() : 0;
  }

  /// One operand of a scaled dot. `scale` is the type of the scales of both.
  llvm::LogicalResult readScaled(Operand &operand, tensor::ScaleDotElemType format, bool isPackedAlongK, Value scales,
                                 unsigned index, Type &scale) {
    using Format = tensor::ScaleDotElemType;
    const bool isPacked = format == Format::E2M1;
    if ((isPacked && !isPackedAlongK) || (!isPacked && format != Format::E4M3 && format != Format::E5M2))
      return dot->emitError() << emitter.target().cpu() << " has no scaled matrix instruction for operands of "
                              << tensor::stringifyScaleDotElemType(format) << (isPacked ? ", packed along M or N" : "");
    operand.format = isPacked ? 4 : format == Format::E5M2 ? 1 : 0;
    operand.perInstruction = instruction.kBase / (isPacked ? 2 : 1);
    auto own = cast<RankedTensorType>(operand.value.getType());
    const int64_t elements = own.getDimSize(1 - index) * (isPacked ? 2 : 1);
    if (kWidthOf(operand) != gpu::scaledKWidth || elements < instruction.k)
      return dot->emitError() << "a scaled dot by matrix instructions takes at least " << instruction.k
                              << " elements along K, in dot_op layouts with kWidth " << gpu::scaledKWidth << ", got "
                              << own;
    if (!scales)
      return dot->emitError() << "a scaled dot by matrix instructions needs the scales of both operands";
    auto known = cast<RankedTensorType>(scales.getType());
    if (scale && scale != known.getElementType())
      return dot->emitError() << "a scaled dot by matrix instructions has scales of one type, got " << scale << " and "
                              << known.getElementType();
    scale = known.getElementType();
    const bool areExponents = scale.isInteger(8);
    const int64_t size = elements / known.getDimSize(1);
    if (size != 32 && !(size == 16 && !accumulator.isMfma))
      return dot->emitError() << emitter.target().cpu() << " has no scaled matrix instruction for groups of " << size
                              << " elements";
    if (!areExponents && accumulator.isMfma)
      return dot->emitError() << emitter.target().cpu() << " has no scaled matrix instruction for scales of " << scale;
    if (index == 1 && size != group)
      return dot->emitError() << "a scaled dot by matrix instructions has groups of one size, got " << group << " and "
                              << size;
    group = size;
    layout::LinearLayout wanted =
        gpu::scaleEncoding(type.getEncoding(), index, known.getShape()).toLinear(known.getShape());
    const layout::LinearLayout &map = emitter.layout(scales);
    std::vector<uint64_t> lanes = map.columns("lane"), wantedLanes = wanted.columns("lane");
    if (!accumulator.isMfma && map.basis("lane", 4)[1] == 0) // which tile the upper half has is the layout's choice
      lanes.pop_back(), wantedLanes.pop_back();
    if (lanes != wantedLanes || map.columns("warp") != wanted.columns("warp"))
      return refuseScales(scales);
    operand.scales.value = scales;
    operand.scales.groups = known.getDimSize(1);
    for (unsigned reg = 0; reg < map.inputSize("register"); ++reg)
      operand.scales.registers.try_emplace(map.apply({{"register", reg}}), reg);
    operand.scales.held = Registers(emitter.registers(scales));
    operand.scales.format = areExponents ? 0 : 2;
    if (!accumulator.isMfma)
      operand.scales.upperRow = map.basis("lane", 4)[0];
    return success();
  }

  /// Registers of a tensor, grouped by the tile of the instruction that they lie in, in order. Copies of others are left out where `isOperand`.
  std::map<layout::Coordinates, llvm::SmallVector<unsigned>> tilesOf(Value value, ArrayRef<int64_t> tile,
                                                                     bool isOperand) {
    const layout::LinearLayout &map = emitter.layout(value);
    std::map<layout::Coordinates, llvm::SmallVector<unsigned>> tiles;
    const unsigned rank = map.outputs().size();
    std::set<layout::Coordinates> seen;
    for (unsigned reg = 0; reg < map.inputSize("register"); ++reg) {
      layout::Coordinates at = map.apply({{"register", reg}});
      if (isOperand && !seen.insert(at).second)
        continue;
      for (unsigned dim = 0; dim < 2; ++dim)
        at[rank - 2 + dim] /= tile[dim];
      tiles[at].push_back(reg);
    }
    return tiles;
  }

  llvm::LogicalResult run() {
    const unsigned rank = type.getRank();
    if (type.getDimSize(rank - 2) < instruction.m || type.getDimSize(rank - 1) < instruction.n)
      return dot->emitError() << "a dot by matrix instructions has at least " << instruction.m << " rows and "
                              << instruction.n << " columns, got " << type;
    Registers sums(emitter.registers(c));
    // K is one group: its registers are taken in their order.
    const int64_t all = std::numeric_limits<int64_t>::max();
    left.tiles = tilesOf(left.value, {instruction.m, all}, /*isOperand=*/true);
    right.tiles = tilesOf(right.value, {all, instruction.n}, /*isOperand=*/true);
    for (auto [operand, dim, size] : {std::tuple(&left, rank - 2, instruction.m), {&right, rank - 1, instruction.n}}) {
      operand->held = Registers(emitter.registers(operand->value));
      for (auto &[at, held] : operand->tiles)
        for (int64_t first = 0; first < operand->scales.groups; first += groupsOfLane())
          if (!scaleRegister(operand->scales, at[dim] * size, first))
            return refuseScales(operand->scales.value);
    }
    for (auto &[at, held] : tilesOf(c, {instruction.m, instruction.n}, /*isOperand=*/false)) {
      layout::Coordinates leftTile = at, rightTile = at;
      leftTile[rank - 1] = 0;
      rightTile[rank - 2] = 0;
      const auto &x = left.tiles.at(leftTile), &y = right.tiles.at(rightTile);
      llvm::Value *sum = llvm::PoisonValue::get(llvm::FixedVectorType::get(sums[held[0]]->getType(), held.size()));
      for (auto [index, reg] : llvm::enumerate(held))
        sum = builder.CreateInsertElement(sum, sums[reg], index);
      const int64_t row = at[rank - 2] * instruction.m, column = at[rank - 1] * instruction.n;
      for (size_t step = 0; step * left.perInstruction < x.size(); ++step) {
        Part a{left, taken(left, x, step), row, step}, b{right, taken(right, y, step), column, step};
        sum = accumulator.isTransposed ? call(b, a, sum) : call(a, b, sum);
      }
      for (auto [index, reg] : llvm::enumerate(held))
        sums[reg] = builder.CreateExtractElement(sum, index);
    }
    emitter.define(dot->getResult(0), std::move(sums));
    return success();
  }

  /// What one instruction takes of an operand.
  struct Part {
    const Operand &operand;
    llvm::ArrayRef<unsigned> registers; // fewer than it takes where K ends: zeros follow
    int64_t row;                        // of M or N
    size_t step;                        // along K
  };
  static llvm::ArrayRef<unsigned> taken(const Operand &operand, llvm::ArrayRef<unsigned> tile, size_t step) {
    return tile.drop_front(step * operand.perInstruction)
        .take_front(std::min<size_t>(operand.perInstruction, tile.size()));
  }

  /// As the instruction takes its operand: `<4 x half>`, `i64` of eight bytes, a single float, …
  llvm::Value *pack(const Part &part, llvm::Type *wanted) {
    const Registers &held = part.operand.held;
    llvm::Value *first = held[part.registers[0]];
    llvm::Type *element = first->getType();
    if (part.operand.perInstruction == 1)
      return first;
    llvm::Value *vector =
        part.registers.size() < part.operand.perInstruction
            ? llvm::Constant::getNullValue(llvm::FixedVectorType::get(element, part.operand.perInstruction))
            : llvm::PoisonValue::get(llvm::FixedVectorType::get(element, part.operand.perInstruction));
    for (auto [index, reg] : llvm::enumerate(part.registers))
      vector = builder.CreateInsertElement(vector, held[reg], index);
    return vector->getType() == wanted ? vector : builder.CreateBitCast(vector, wanted);
  }

  /// The type of an operand where the instruction's name has it too.
  llvm::Type *operandType(const Operand &operand) {
    const Type element = operand.element();
    if (element.isBF16() && chip.wmma != 3) // as LLVM declares it
      return llvm::FixedVectorType::get(builder.getInt16Ty(), operand.perInstruction);
    if (element.getIntOrFloatBitWidth() > 8)
      return llvm::FixedVectorType::get(emitter.type(element), operand.perInstruction);
    return llvm::FixedVectorType::get(builder.getInt32Ty(), operand.perInstruction / 4);
  }

  /// How many groups along K an instruction finds in registers of one lane, the next being another register.
  int64_t groupsOfLane() const { return accumulator.isMfma ? instruction.k / group : 1; }
  std::optional<unsigned> scaleRegister(const Scales &scales, int64_t row, int64_t first) const {
    auto found = scales.registers.find({row & ~scales.upperRow, first});
    return found == scales.registers.end() ? std::nullopt : std::optional(found->second);
  }

  /// Four neighbours among a lane's scales, and which of them an MFMA reads; for a WMMA all groups of one instruction, and which half of the wave has them.
  std::pair<llvm::Value *, llvm::Value *> scalesOf(const Part &part) {
    const Scales &scales = part.operand.scales;
    if (!scales.value)
      return {emitter.i32(0), emitter.i32(0)}; // both scales 0: none are read
    const int64_t groups = instruction.k / group, first = int64_t(part.step) * groups;
    llvm::SmallVector<llvm::Value *> bytes;
    unsigned selected;
    if (accumulator.isMfma) {
      const unsigned reg = *scaleRegister(scales, part.row, first);
      for (unsigned each = reg / 4 * 4; each < reg / 4 * 4 + 4; ++each)
        bytes.push_back(each < scales.held.size() ? scales.held[each] : builder.getInt8(0));
      selected = reg % 4;
    } else {
      selected = (part.row & scales.upperRow) ? 1 : 0;
      for (int64_t each = 0; each < groups; ++each)
        bytes.push_back(scales.held[*scaleRegister(scales, part.row, first + each)]);
    }
    llvm::Value *word = llvm::PoisonValue::get(llvm::FixedVectorType::get(builder.getInt8Ty(), bytes.size()));
    for (auto [index, byte] : llvm::enumerate(bytes))
      word = builder.CreateInsertElement(word, builder.CreateBitCast(byte, builder.getInt8Ty()), index);
    return {builder.CreateBitCast(word, builder.getIntNTy(8 * bytes.size())), emitter.i32(selected)};
  }

  llvm::Value *call(const Part &a, const Part &b, llvm::Value *sum) {
    using Form = Instruction::Form;
    llvm::Value *no = emitter.i1(false), *yes = emitter.i1(true), *zero = emitter.i32(0), *plain = builder.getInt16(0);
    if (called.form == Form::Mfma) {
      llvm::FunctionType *declared = llvm::Intrinsic::getType(emitter.context(), called.id);
      return emitter.intrinsic(
          called.id, {pack(a, declared->getParamType(0)), pack(b, declared->getParamType(1)), sum, zero, zero, zero});
    }
    llvm::Type *first = operandType(a.operand), *second = operandType(b.operand), *result = sum->getType();
    llvm::Value *x = pack(a, first), *y = pack(b, second);
    llvm::Value *formatA = emitter.i32(a.operand.format), *formatB = emitter.i32(b.operand.format);
    switch (called.form) {
    case Form::Wmma:
      return emitter.intrinsic(called.id, {x, y, sum}, {result, first});
    case Form::WmmaIntegers:
      return emitter.intrinsic(called.id, {yes, x, yes, y, sum, no}, {result, first});
    case Form::WideWmma:
      return emitter.intrinsic(called.id, {no, x, no, y, plain, sum, no, no}, {result, first});
    case Form::WideWmmaBytes:
      return emitter.intrinsic(called.id, {x, y, plain, sum, no, no}, {result, first});
    case Form::WideWmmaIntegers:
      return emitter.intrinsic(called.id, {yes, x, yes, y, sum, no, no, no}, {result, first});
    case Form::MfmaScaled: {
      auto [scaleA, byteA] = scalesOf(a);
      auto [scaleB, byteB] = scalesOf(b);
      return emitter.intrinsic(called.id, {x, y, sum, formatA, formatB, byteA, scaleA, byteB, scaleB}, {first, second});
    }
    case Form::WideWmmaScaled: {
      auto [scaleA, halfA] = scalesOf(a);
      auto [scaleB, halfB] = scalesOf(b);
      return emitter.intrinsic(called.id,
                               {formatA, x, formatB, y, plain, sum, halfA, emitter.i32(a.operand.scales.format), scaleA,
                                halfB, emitter.i32(b.operand.scales.format), scaleB, no, no},
                               {result, first, second});
    }
    case Form::Mfma:
      break;
    }
    llvm_unreachable("called above");
  }

  Emitter &emitter;
  llvm::IRBuilder<> &builder;
  Operation *dot;
  const gpu::AmdArchitecture &chip;
  Value c;
  RankedTensorType type;
  Accumulator accumulator;
  gpu::AmdInstruction instruction{};
  Instruction called;
  Operand left, right;
  int64_t group = 32; // elements of one scale
};

} // namespace

llvm::LogicalResult emitMatrixDot(Emitter &emitter, tensor::DotOp dot) {
  const bool isTf32 = cast<RankedTensorType>(dot.getA().getType()).getElementType().isF32() &&
                      dot.getInputPrecision() == tensor::InputPrecision::TF32;
  return MatrixDot(emitter, dot, dot.getA(), dot.getB(), dot.getC()).emit(isTf32);
}

Emitted emitScaledDot(Emitter &emitter, tensor::DotScaledOp dot) {
  Attribute layout = cast<RankedTensorType>(dot.getD().getType()).getEncoding();
  if (!isa_and_nonnull<gpu::MfmaAttr, gpu::WmmaAttr>(layout))
    return std::nullopt;
  return MatrixDot(emitter, dot, dot.getA(), dot.getB(), dot.getC()).emitScaled(dot);
}

} // namespace triton::amd
