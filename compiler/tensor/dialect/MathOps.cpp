// Casts, foreign code and products of matrices: what they accept, and which effects they have.
#include "compiler/tensor/Encoding.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/rules/Rules.h"

using namespace mlir;

namespace triton::tensor {

/// Whether two types have one shape, which is all a cast between them needs beside its own rule.
static bool haveOneShape(TypeRange inputs, TypeRange outputs) {
  return inputs.size() == 1 && outputs.size() == 1 && getShape(inputs[0]) == getShape(outputs[0]);
}

bool IntToPtrOp::areCastCompatible(TypeRange inputs, TypeRange outputs) {
  return haveOneShape(inputs, outputs) && getElementTypeOrSelf(inputs[0]).isInteger(64) &&
         isa<PointerType>(getElementTypeOrSelf(outputs[0]));
}

bool PtrToIntOp::areCastCompatible(TypeRange inputs, TypeRange outputs) {
  return IntToPtrOp::areCastCompatible(outputs, inputs);
}

// What fits together is for the verifier to say, which says it better.
bool BitcastOp::areCastCompatible(TypeRange inputs, TypeRange outputs) { return haveOneShape(inputs, outputs); }

LogicalResult BitcastOp::verify() {
  return checkBitcast(getSrc().getType(), getType(), [&] { return emitOpError(); });
}

bool FpToFpOp::areCastCompatible(TypeRange inputs, TypeRange outputs) {
  return haveOneShape(inputs, outputs) && isa<FloatType>(getElementTypeOrSelf(inputs[0])) &&
         isa<FloatType>(getElementTypeOrSelf(outputs[0]));
}

LogicalResult FpToFpOp::verify() {
  return checkFpToFp(getSrc().getType(), getType(), getRounding(), [&] { return emitOpError(); });
}

/// Code from elsewhere that is not pure may do anything to memory.
static void addForeignEffects(bool isPure,
                              SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (isPure)
    return;
  effects.emplace_back(MemoryEffects::Read::get(), GlobalMemory::get());
  effects.emplace_back(MemoryEffects::Write::get(), GlobalMemory::get());
}

void ExternElementwiseOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  addForeignEffects(getPure(), effects);
}

Speculation::Speculatability ExternElementwiseOp::getSpeculatability() {
  return getPure() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

void ElementwiseInlineAsmOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  addForeignEffects(getPure(), effects);
}

Speculation::Speculatability ElementwiseInlineAsmOp::getSpeculatability() {
  return getPure() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

LogicalResult ElementwiseInlineAsmOp::verify() {
  return checkInlineAsm({getAsmString(), getConstraints(), int32_t(getPackedElement())}, getOperandTypes(),
                        getResultTypes(), [&] { return emitOpError(); });
}

LogicalResult DotOp::verify() {
  auto error = [&] { return emitOpError(); };
  auto product = inferDot(getA().getType(), getB().getType(), getC().getType().getElementType(), error);
  if (failed(product) || failed(checkAccumulator(*product, getC().getType(), error)))
    return failure();
  const EncodingInterface *encodings = getEncodingInterface(getC().getType());
  return encodings ? encodings->checkDot(getA().getType(), getB().getType(), getC().getType(), error) : success();
}

LogicalResult DotScaledOp::verify() {
  auto error = [&] { return emitOpError(); };
  auto typeOf = [](Value value) { return value ? cast<RankedTensorType>(value.getType()) : RankedTensorType(); };
  auto product = inferDotScaled({getA().getType(), typeOf(getAScale()), getAElemType(), getLhsKPack()},
                                {getB().getType(), typeOf(getBScale()), getBElemType(), getRhsKPack()}, error);
  if (failed(product))
    return failure();
  return checkAccumulator(*product, getC().getType(), error);
}

} // namespace triton::tensor
