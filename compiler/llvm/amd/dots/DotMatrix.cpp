// Each instruction takes a tile of the accumulator and, from each lane, some elements of A and B along K: which of K they are does not matter as long as both
// operands agree, so registers are taken in their order. Where the accumulator is transposed the operands change places.
#include "compiler/llvm/amd/dots/DotMatrix.h"

#include "compiler/gpu/DotPlan.h"
#include "compiler/gpu/Gpu.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace mlir;

namespace triton::amd {

namespace {

/// One matrix instruction as LLVM names it.
struct Instruction {
  llvm::Intrinsic::ID id = llvm::Intrinsic::not_intrinsic;
  bool isInteger = false;  // WMMA of integers says which operands have signs
  bool takesPlain = false; // WMMA takes its operands and no immediates
  bool isOverloaded = false;
};

bool isE5(Type type) { return isa<Float8E5M2Type, Float8E5M2FNUZType>(type); }

Instruction mfmaOf(unsigned version, int64_t m, Type a, Type b, bool isTf32) {
  namespace I = llvm::Intrinsic;
  const bool isLarge = m == 32;
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
  static constexpr I::ID bytes[2][2][2] = {
      {{I::amdgcn_mfma_f32_16x16x32_fp8_fp8, I::amdgcn_mfma_f32_16x16x32_fp8_bf8},
       {I::amdgcn_mfma_f32_16x16x32_bf8_fp8, I::amdgcn_mfma_f32_16x16x32_bf8_bf8}},
      {{I::amdgcn_mfma_f32_32x32x16_fp8_fp8, I::amdgcn_mfma_f32_32x32x16_fp8_bf8},
       {I::amdgcn_mfma_f32_32x32x16_bf8_fp8, I::amdgcn_mfma_f32_32x32x16_bf8_bf8}}};
  return {bytes[isLarge][isE5(a)][isE5(b)]};
}

Instruction wmmaOf(unsigned version, Type a, Type b) {
  namespace I = llvm::Intrinsic;
  if (version == 3)
    return {};
  if (a.isF16())
    return {I::amdgcn_wmma_f32_16x16x16_f16, false, true, true};
  if (a.isBF16())
    return {I::amdgcn_wmma_f32_16x16x16_bf16, false, true, true};
  if (a.isInteger(8))
    return {I::amdgcn_wmma_i32_16x16x16_iu8, true, true, true};
  static constexpr I::ID bytes[2][2] = {{I::amdgcn_wmma_f32_16x16x16_fp8_fp8, I::amdgcn_wmma_f32_16x16x16_fp8_bf8},
                                        {I::amdgcn_wmma_f32_16x16x16_bf8_fp8, I::amdgcn_wmma_f32_16x16x16_bf8_bf8}};
  return {bytes[isE5(a)][isE5(b)], false, true, true};
}

/// The shape of an instruction, and what of the tensors lies in one.
struct Shape {
  int64_t m, n, k; // of one instruction
  unsigned kBase;
  bool isTransposed;
};

class MatrixDot {
public:
  MatrixDot(Emitter &emitter, tensor::DotOp dot) : emitter(emitter), builder(emitter.builder), dot(dot) {}

  llvm::LogicalResult emit() {
    auto type = cast<RankedTensorType>(dot.getD().getType());
    Type a = elementOf(dot.getA()), b = elementOf(dot.getB());
    const bool isTf32 = a.isF32() && dot.getInputPrecision() == tensor::InputPrecision::TF32;
    const gpu::AmdArchitecture &chip = *emitter.target().amd;
    std::optional<gpu::AmdInstruction> found;
    Shape shape;
    Instruction instruction;
    if (auto mfma = dyn_cast<gpu::MfmaAttr>(type.getEncoding())) {
      const int64_t m = mfma.getInstrShape()[0];
      if (chip.mfma != mfma.getVersion() || (m != 16 && m != 32))
        return refuse(type);
      found = gpu::findMfma(chip, a, b, type.getElementType(), isTf32, m);
      shape.isTransposed = mfma.getIsTransposed();
      if (found)
        instruction = shape.isTransposed ? mfmaOf(chip.mfma, m, b, a, isTf32) : mfmaOf(chip.mfma, m, a, b, isTf32);
    } else {
      auto wmma = cast<gpu::WmmaAttr>(type.getEncoding());
      if (chip.wmma != wmma.getVersion())
        return refuse(type);
      found = gpu::findWmma(chip, a, b, type.getElementType());
      shape.isTransposed = wmma.getIsTransposed();
      if (found)
        instruction = shape.isTransposed ? wmmaOf(chip.wmma, b, a) : wmmaOf(chip.wmma, a, b);
    }
    if (!found || instruction.id == llvm::Intrinsic::not_intrinsic)
      return refuse(type);
    shape.m = found->m, shape.n = found->n, shape.k = found->k, shape.kBase = found->kBase;
    auto left = cast<RankedTensorType>(dot.getA().getType());
    if (!isa<gpu::DotOperandAttr>(left.getEncoding()) || left.getShape().back() < shape.k)
      return dot.emitError() << "a dot by matrix instructions takes at least " << shape.k
                             << " elements along K, in dot_op layouts, got " << left;
    run(instruction, shape);
    return success();
  }

private:
  static Type elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

  llvm::LogicalResult refuse(RankedTensorType type) {
    return dot.emitError() << emitter.target().cpu() << " has no matrix instruction for " << dot.getA().getType()
                           << " times " << dot.getB().getType() << " in " << type;
  }

  /// Registers of a tensor, grouped by the tile of the instruction that they lie in, in order.
  std::map<layout::Coordinates, llvm::SmallVector<unsigned>> tilesOf(Value value, ArrayRef<int64_t> tile) {
    const layout::LinearLayout &map = emitter.layout(value);
    std::map<layout::Coordinates, llvm::SmallVector<unsigned>> tiles;
    const unsigned rank = map.outputs().size();
    for (unsigned reg = 0; reg < map.inputSize("register"); ++reg) {
      layout::Coordinates at = map.apply({{"register", reg}});
      for (unsigned dim = 0; dim < 2; ++dim)
        at[rank - 2 + dim] /= tile[dim];
      tiles[at].push_back(reg);
    }
    return tiles;
  }

  /// As the instruction takes its operand: `<4 x half>`, `i64` of eight bytes, a single float, …
  llvm::Value *pack(llvm::ArrayRef<llvm::Value *> held, ArrayRef<unsigned> registers, llvm::Type *wanted) {
    llvm::Type *element = held[registers[0]]->getType();
    llvm::Value *vector = held[registers[0]];
    if (registers.size() > 1) {
      vector = llvm::PoisonValue::get(llvm::FixedVectorType::get(element, registers.size()));
      for (auto [index, reg] : llvm::enumerate(registers))
        vector = builder.CreateInsertElement(vector, held[reg], index);
    }
    return vector->getType() == wanted ? vector : builder.CreateBitCast(vector, wanted);
  }

  /// What the instruction's declaration says of its operands.
  llvm::Type *operandType(const Instruction &instruction, unsigned kBase, Type element) {
    llvm::Type *own = emitter.type(element);
    if (!instruction.isOverloaded)
      return nullptr; // of the declaration
    const unsigned bits = kBase * element.getIntOrFloatBitWidth();
    if (element.isF16())
      return llvm::FixedVectorType::get(own, kBase);
    if (element.isBF16())
      return llvm::FixedVectorType::get(builder.getInt16Ty(), kBase);
    return llvm::FixedVectorType::get(builder.getInt32Ty(), bits / 32);
  }

  void run(const Instruction &instruction, const Shape &shape) {
    const unsigned rank = cast<RankedTensorType>(dot.getD().getType()).getRank();
    Registers a(emitter.registers(dot.getA())), b(emitter.registers(dot.getB())), sums(emitter.registers(dot.getC()));
    // K is one group: its registers are taken in their order, kBase at a time.
    const int64_t all = std::numeric_limits<int64_t>::max();
    auto aTiles = tilesOf(dot.getA(), {shape.m, all}), bTiles = tilesOf(dot.getB(), {all, shape.n}),
         cTiles = tilesOf(dot.getD(), {shape.m, shape.n});
    for (auto &[at, held] : cTiles) {
      layout::Coordinates left = at, right = at;
      left[rank - 1] = 0;
      right[rank - 2] = 0;
      const auto &leftRegisters = aTiles.at(left), &rightRegisters = bTiles.at(right);
      llvm::Value *sum = llvm::PoisonValue::get(llvm::FixedVectorType::get(sums[held[0]]->getType(), held.size()));
      for (auto [index, reg] : llvm::enumerate(held))
        sum = builder.CreateInsertElement(sum, sums[reg], index);
      for (size_t first = 0; first < leftRegisters.size(); first += shape.kBase) {
        auto x = llvm::ArrayRef(leftRegisters).slice(first, shape.kBase),
             y = llvm::ArrayRef(rightRegisters).slice(first, shape.kBase);
        sum = shape.isTransposed ? call(instruction, shape, b, y, dot.getB(), a, x, dot.getA(), sum)
                                 : call(instruction, shape, a, x, dot.getA(), b, y, dot.getB(), sum);
      }
      for (auto [index, reg] : llvm::enumerate(held))
        sums[reg] = builder.CreateExtractElement(sum, index);
    }
    emitter.define(dot.getD(), std::move(sums));
  }

  llvm::Value *call(const Instruction &instruction, const Shape &shape, llvm::ArrayRef<llvm::Value *> left,
                    ArrayRef<unsigned> leftRegisters, Value leftValue, llvm::ArrayRef<llvm::Value *> right,
                    ArrayRef<unsigned> rightRegisters, Value rightValue, llvm::Value *sum) {
    llvm::Type *leftType = operandType(instruction, shape.kBase, elementOf(leftValue)),
               *rightType = operandType(instruction, shape.kBase, elementOf(rightValue));
    if (!instruction.isOverloaded) {
      llvm::FunctionType *declared = llvm::Intrinsic::getType(emitter.context(), instruction.id);
      leftType = declared->getParamType(0);
      rightType = declared->getParamType(1);
    }
    llvm::Value *x = pack(left, leftRegisters, leftType), *y = pack(right, rightRegisters, rightType);
    if (!instruction.takesPlain)
      return emitter.intrinsic(instruction.id, {x, y, sum, emitter.i32(0), emitter.i32(0), emitter.i32(0)});
    if (instruction.isInteger)
      return emitter.intrinsic(instruction.id, {emitter.i1(true), x, emitter.i1(true), y, sum, emitter.i1(false)},
                               {sum->getType(), leftType});
    return emitter.intrinsic(instruction.id, {x, y, sum}, {sum->getType(), leftType});
  }

  Emitter &emitter;
  llvm::IRBuilder<> &builder;
  tensor::DotOp dot;
};

} // namespace

llvm::LogicalResult emitMatrixDot(Emitter &emitter, tensor::DotOp dot) { return MatrixDot(emitter, dot).emit(); }

} // namespace triton::amd
