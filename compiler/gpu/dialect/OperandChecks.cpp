#include "compiler/gpu/dialect/OperandChecks.h"

using namespace mlir;

namespace triton::gpu {

LogicalResult checkMove(Operation *op, RankedTensorType tensor, MemDescType buffer) {
  if (tensor.getShape() != buffer.getShape())
    return op->emitOpError() << "moves a tensor of shape [" << tensor.getShape() << "] and a buffer of shape ["
                             << buffer.getShape() << "]";
  if (tensor.getElementType() != buffer.getElementType())
    return op->emitOpError() << "moves a tensor of " << tensor.getElementType() << " and a buffer of "
                             << buffer.getElementType();
  if (buffer.isMultiBuffered())
    return op->emitOpError() << "moves one buffer, not a row of buffers: " << buffer;
  return success();
}

LogicalResult checkIsShared(Operation *op, MemDescType buffer) {
  if (!isa<SharedAttr>(buffer.getEncoding()))
    return op->emitOpError() << "needs a buffer in shared memory, got " << buffer;
  return success();
}

LogicalResult checkIsMutable(Operation *op, MemDescType buffer) {
  if (!buffer.getMutableMemory())
    return op->emitOpError() << "writes to a buffer that is not mutable: " << buffer;
  return success();
}

LogicalResult checkIsTensorMemory(Operation *op, MemDescType buffer) {
  if (!isa<TensorMemoryAttr>(buffer.getMemorySpace()))
    return op->emitOpError() << "needs a buffer in tensor memory, got " << buffer;
  return success();
}

LogicalResult checkIsBarrier(Operation *op, Value barrier) {
  auto type = cast<MemDescType>(barrier.getType());
  // One for each CTA of a cluster.
  const bool isOne =
      type.getRank() == 1 && isa<SharedAttr>(type.getEncoding()) && toLinear(type).inputSize("offset") == 1;
  if (!type.getElementType().isInteger(64) || !isOne)
    return op->emitOpError() << "barrier allocation must be a descriptor of 1xi64 type, got " << type;
  return checkIsMutable(op, type);
}

} // namespace triton::gpu
