// Two halves, or four bytes, of a row and of a column are one register each: v_dot2 and v_dot4 multiply and add them to a sum of 32 bits.
#include "compiler/llvm/amd/dots/DotPacked.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace mlir;

namespace triton::amd {

namespace {

struct PackedProduct {
  llvm::Intrinsic::ID id;
  unsigned width; // elements of one register
};

/// What LLVM selects there. gfx1250 has none for halves.
std::optional<PackedProduct> findPacked(const gpu::AmdArchitecture &chip, Type element, Type sum) {
  if (element.isInteger(8) && sum.isInteger(32))
    return PackedProduct{llvm::Intrinsic::amdgcn_sdot4, 4};
  if (!sum.isF32() || chip.wmma == 3)
    return std::nullopt;
  if (element.isF16())
    return PackedProduct{llvm::Intrinsic::amdgcn_fdot2, 2};
  if (element.isBF16() && (chip.wmma != 0 || chip.mfma == 4))
    return PackedProduct{llvm::Intrinsic::amdgcn_fdot2_f32_bf16, 2};
  return std::nullopt;
}

/// Neighbours along K, packed once for all rows or columns that need them.
class PackedOperand {
public:
  PackedOperand(Emitter &emitter, Value value, unsigned dimension, unsigned width)
      : emitter(emitter), index(emitter.layout(value)), held(emitter.registers(value)), dimension(dimension),
        width(width) {}

  llvm::Value *at(layout::Coordinates element) {
    llvm::Value *&packed = known[element];
    if (packed)
      return packed;
    llvm::IRBuilder<> &builder = emitter.builder;
    packed = llvm::PoisonValue::get(llvm::FixedVectorType::get(held[0]->getType(), width));
    for (unsigned each = 0; each < width; ++each, ++element[dimension])
      packed = builder.CreateInsertElement(packed, held[index.at(element)], each);
    return width == 4 ? packed = builder.CreateBitCast(packed, builder.getInt32Ty()) : packed;
  }

private:
  Emitter &emitter;
  RegisterIndex index;
  llvm::ArrayRef<llvm::Value *> held;
  unsigned dimension, width;
  std::map<layout::Coordinates, llvm::Value *> known;
};

} // namespace

Emitted emitPackedDot(Emitter &emitter, tensor::DotOp dot) {
  auto type = cast<RankedTensorType>(dot.getA().getType());
  const unsigned rank = type.getRank();
  auto found = findPacked(*emitter.target().amd, type.getElementType(),
                          cast<RankedTensorType>(dot.getD().getType()).getElementType());
  const int64_t depth = type.getShape().back();
  if (!found || depth % found->width != 0)
    return std::nullopt;
  PackedOperand a(emitter, dot.getA(), rank - 1, found->width), b(emitter, dot.getB(), rank - 2, found->width);
  RegisterIndex index(emitter.layout(dot.getC()));
  Registers sums(emitter.registers(dot.getC()));
  for (int64_t k = 0; k < depth; k += found->width)
    for (unsigned reg = 0; reg < sums.size(); ++reg) {
      layout::Coordinates left = index.element(reg), right = left;
      left[rank - 1] = k;
      right[rank - 2] = k;
      sums[reg] = emitter.intrinsic(found->id, {a.at(left), b.at(right), sums[reg], emitter.i1(false)});
    }
  emitter.define(dot.getD(), std::move(sums));
  return success();
}

} // namespace triton::amd
