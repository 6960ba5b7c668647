#include "compiler/gpu/dialect/ExplicitOps.h"

#include "compiler/gpu/dialect/OperandChecks.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "compiler/gpu/dialect/ExplicitOps.cpp.inc"
#define GET_OP_CLASSES
#include "compiler/gpu/dialect/ExplicitNvidiaOps.cpp.inc"

namespace triton::gpu {

FailureOr<RankedTensorType> inferLocalGather(MemDescType buffer, RankedTensorType indices, int64_t axis,
                                             llvm::function_ref<InFlightDiagnostic()> error) {
  if (!isa<SharedAttr>(buffer.getEncoding()) || buffer.isMultiBuffered())
    return error() << "needs one buffer in shared memory, got " << buffer;
  if (buffer.getRank() != indices.getRank())
    return error() << "needs indices of the buffer's rank, got [" << indices.getShape() << "] for ["
                   << buffer.getShape() << "]";
  if (axis < 0 || axis >= buffer.getRank())
    return error() << "axis " << axis << " is outside of [" << buffer.getShape() << "]";
  for (auto [dim, size, whole] : llvm::enumerate(indices.getShape(), buffer.getShape()))
    if (int64_t(dim) != axis && size > whole)
      return error() << "needs indices that are no larger than the buffer but along axis " << axis << ", got ["
                     << indices.getShape() << "] for [" << buffer.getShape() << "]";
  return RankedTensorType::get(indices.getShape(), buffer.getElementType(), indices.getEncoding());
}

/// What is read or written through `indices` has this type.
static LogicalResult checkIndexed(Operation *op, MemDescType buffer, RankedTensorType indices, uint32_t axis,
                                  RankedTensorType moved) {
  FailureOr<RankedTensorType> type = inferLocalGather(buffer, indices, axis, [&] { return op->emitOpError(); });
  if (failed(type))
    return failure();
  if (*type != moved)
    return op->emitOpError() << "moves elements of type " << *type << ", got " << moved;
  return success();
}

LogicalResult LocalGatherOp::verify() {
  return checkIndexed(*this, getSrc().getType(), getIndices().getType(), getAxis(), getResult().getType());
}

LogicalResult LocalScatterOp::verify() {
  if (failed(checkIsMutable(*this, getDst().getType())))
    return failure();
  return checkIndexed(*this, getDst().getType(), getIndices().getType(), getAxis(), getValues().getType());
}

LogicalResult LocalAtomicScatterRMWOp::verify() {
  if (failed(checkIsMutable(*this, getDst().getType())))
    return failure();
  if (getMask() && (getMask().getType().getShape() != getIndices().getType().getShape() ||
                    getMask().getType().getEncoding() != getIndices().getType().getEncoding()))
    return emitOpError() << "needs a mask of the shape and layout of its indices, got " << getMask().getType();
  if (getResult().getType() != getValues().getType())
    return emitOpError() << "gives values like those it takes, got " << getResult().getType();
  return checkIndexed(*this, getDst().getType(), getIndices().getType(), getAxis(), getValues().getType());
}

void InlineAsmOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (getPure())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

/// Two i64 in shared memory.
static LogicalResult checkIsAnswer(Operation *op, MemDescType type) {
  if (!type.getElementType().isInteger(64) || type.getShape().back() != 2 || type.isMultiBuffered())
    return op->emitOpError() << "needs a buffer of 2xi64, got " << type;
  return checkIsShared(op, type);
}

LogicalResult CLCTryCancelOp::verify() {
  if (failed(checkIsAnswer(*this, getResult().getType())) || failed(checkIsMutable(*this, getResult().getType())))
    return failure();
  return checkIsBarrier(*this, getBarrier());
}

LogicalResult CLCLoadResultOp::verify() { return checkIsAnswer(*this, getSrc().getType()); }

} // namespace triton::gpu
