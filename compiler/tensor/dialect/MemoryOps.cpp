// Loads, stores and atomics: how they are built and checked, and what they do to memory.
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/rules/InferError.h"
#include "compiler/tensor/rules/Rules.h"

using namespace mlir;

namespace triton::tensor {

static Type typeOrNull(Value value) { return value ? value.getType() : Type(); }

void LoadOp::build(OpBuilder &builder, OperationState &state, Value pointer, Value mask, Value other,
                   CacheModifier cache, EvictionPolicy evict, bool isVolatile) {
  build(builder, state, getAccessedType(pointer.getType()), pointer, mask, other, ArrayRef<int32_t>(),
        PaddingOptionAttr(), cache, evict, isVolatile);
}

void LoadOp::build(OpBuilder &builder, OperationState &state, Value blockPointer, ArrayRef<int32_t> boundaryCheck,
                   std::optional<PaddingOption> padding, CacheModifier cache, EvictionPolicy evict, bool isVolatile) {
  PaddingOptionAttr attribute = padding ? PaddingOptionAttr::get(builder.getContext(), *padding) : PaddingOptionAttr();
  build(builder, state, getAccessedType(blockPointer.getType()), blockPointer, Value(), Value(), boundaryCheck,
        attribute, cache, evict, isVolatile);
}

LogicalResult LoadOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  types.push_back(getAccessedType(adaptor.getPtr().getType()));
  return success();
}

LogicalResult LoadOp::verify() {
  return inferLoad(getPtr().getType(), typeOrNull(getMask()), typeOrNull(getOther()), getBoundaryCheck(), getPadding(),
                   [&] { return emitOpError(); });
}

void LoadOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable(), GlobalMemory::get());
  // A write, so that the load is neither removed nor moved across another access.
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get(), GlobalMemory::get());
}

void StoreOp::build(OpBuilder &builder, OperationState &state, Value pointer, Value value) {
  build(builder, state, pointer, value, Value(), ArrayRef<int32_t>());
}

void StoreOp::build(OpBuilder &builder, OperationState &state, Value pointer, Value value, Value mask,
                    CacheModifier cache, EvictionPolicy evict) {
  build(builder, state, pointer, value, mask, ArrayRef<int32_t>(), cache, evict);
}

void StoreOp::build(OpBuilder &builder, OperationState &state, Value blockPointer, Value value,
                    ArrayRef<int32_t> boundaryCheck, CacheModifier cache, EvictionPolicy evict) {
  build(builder, state, blockPointer, value, Value(), boundaryCheck, cache, evict);
}

LogicalResult StoreOp::verify() {
  return checkStore(getPtr().getType(), getValue().getType(), typeOrNull(getMask()), getBoundaryCheck(),
                    [&] { return emitOpError(); });
}

LogicalResult AtomicRMWOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  types.push_back(getAccessedType(adaptor.getPtr().getType()));
  return success();
}

LogicalResult AtomicRMWOp::verify() {
  return inferAtomicRmw(getAtomicRmwOp(), getPtr().getType(), getVal().getType(), typeOrNull(getMask()),
                        [&] { return emitOpError(); });
}

LogicalResult AtomicCASOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  types.push_back(getAccessedType(adaptor.getPtr().getType()));
  return success();
}

LogicalResult AtomicCASOp::verify() {
  return inferAtomicCas(getPtr().getType(), getCmp().getType(), getVal().getType(), [&] { return emitOpError(); });
}

} // namespace triton::tensor
