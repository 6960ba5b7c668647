// Products by scalar multiply-adds: f32 at full precision, and shapes smaller than any instruction.
//   In:  a, b in `#ttg.dot_op` of the accumulator's blocked layout: each thread holds the rows and columns it needs, K whole.
// Accumulators are kept in f32 for narrower floats; f16 is rounded once, at the end.
#include "compiler/llvm/gpu/dots/Dot.h"

using namespace mlir;

namespace triton::simt {

/// The type that products of `element` are summed in.
static llvm::Type *accumulatorType(Emitter &emitter, llvm::Type *element) {
  return element->isHalfTy() || element->isBFloatTy() ? emitter.builder.getFloatTy() : element;
}

static llvm::Value *widen(Emitter &emitter, llvm::Value *value, llvm::Type *type) {
  if (value->getType() == type)
    return value;
  return type->isIntegerTy() ? emitter.builder.CreateSExt(value, type) : emitter.builder.CreateFPExt(value, type);
}

static llvm::Value *multiplyAdd(Emitter &emitter, llvm::Value *a, llvm::Value *b, llvm::Value *c) {
  if (c->getType()->isIntegerTy())
    return emitter.builder.CreateAdd(emitter.builder.CreateMul(a, b), c);
  return emitter.intrinsic(llvm::Intrinsic::fma, {a, b, c}, {c->getType()});
}

llvm::LogicalResult emitFmaDot(Emitter &emitter, tensor::DotOp dot) {
  auto aType = cast<RankedTensorType>(dot.getA().getType());
  if (tensor::isFloat8(aType.getElementType()))
    return dot.emitError() << "a dot of " << aType.getElementType()
                           << " needs tensor cores; convert its operands to f16";
  RegisterIndex aIndex(emitter.layout(dot.getA())), bIndex(emitter.layout(dot.getB())),
      cIndex(emitter.layout(dot.getC()));
  llvm::ArrayRef<llvm::Value *> a = emitter.registers(dot.getA()), b = emitter.registers(dot.getB());
  int64_t rank = aType.getRank(), depth = aType.getShape().back();
  llvm::Type *element = emitter.type(dot.getD().getType()), *accumulator = accumulatorType(emitter, element);
  Registers accumulators;
  for (llvm::Value *value : emitter.registers(dot.getC()))
    accumulators.push_back(widen(emitter, value, accumulator));
  for (int64_t k = 0; k < depth; ++k)
    for (unsigned reg = 0; reg < accumulators.size(); ++reg) {
      layout::Coordinates left = cIndex.element(reg), right = left;
      left[rank - 1] = k;
      right[rank - 2] = k;
      accumulators[reg] = multiplyAdd(emitter, widen(emitter, a[aIndex.at(left)], accumulator),
                                      widen(emitter, b[bIndex.at(right)], accumulator), accumulators[reg]);
    }
  if (accumulator != element)
    for (llvm::Value *&value : accumulators)
      value = emitter.builder.CreateFPTrunc(value, element);
  emitter.define(dot.getD(), std::move(accumulators));
  return success();
}

} // namespace triton::simt
