// Copies by tensor descriptors: what fits together.
#include "compiler/gpu/dialect/OperandChecks.h"
#include "compiler/tensor/rules/Rules.h"

using namespace mlir;

namespace triton::gpu {

/// A buffer that TMA moves blocks of `block` to or from; `rows` in place of the block's own when it moves single rows.
static LogicalResult checkTmaBuffer(Operation *op, tensor::TensorDescType descriptor, MemDescType buffer,
                                    std::optional<int64_t> rows = std::nullopt) {
  RankedTensorType block = descriptor.getSignlessBlockType();
  SmallVector<int64_t> shape(block.getShape());
  if (rows)
    shape[0] = *rows;
  // A block of a larger tensor may lie in a buffer of lower rank: its leading dims are 1.
  ArrayRef<int64_t> held = shape;
  while (held.size() > static_cast<size_t>(buffer.getRank()) && held.front() == 1)
    held = held.drop_front();
  if (held != buffer.getShape())
    return op->emitOpError() << "moves blocks of shape [" << shape << "], got a buffer of shape [" << buffer.getShape()
                             << "]";
  if (block.getElementType() != buffer.getElementType())
    return op->emitOpError() << "moves elements of " << block.getElementType() << ", got a buffer of "
                             << buffer.getElementType();
  if (!isa<NvmmaSharedAttr>(buffer.getEncoding()))
    return op->emitOpError() << "needs a buffer in an nvmma_shared layout, got " << buffer;
  if (block.getEncoding() && !rows && held.size() == shape.size() && block.getEncoding() != buffer.getEncoding())
    return op->emitOpError() << "needs a buffer in the layout of the descriptor, " << block.getEncoding() << ", got "
                             << buffer;
  return success();
}

static LogicalResult checkCoordinates(Operation *op, tensor::TensorDescType descriptor, int64_t count) {
  int64_t rank = descriptor.getBlockType().getRank();
  if (rank > 5)
    return op->emitOpError() << "moves blocks of at most 5 dimensions, got " << rank;
  if (count != rank)
    return op->emitOpError() << "needs " << rank << " coordinates, got " << count;
  return success();
}

LogicalResult AsyncTmaCopyGlobalToLocalOp::verify() {
  if (failed(checkCoordinates(*this, getDesc().getType(), getCoord().size())) ||
      failed(checkIsBarrier(*this, getBarrier())) || failed(checkIsMutable(*this, getResult().getType())))
    return failure();
  return checkTmaBuffer(*this, getDesc().getType(), getResult().getType());
}

LogicalResult AsyncTmaCopyLocalToGlobalOp::verify() {
  if (failed(checkCoordinates(*this, getDesc().getType(), getCoord().size())))
    return failure();
  return checkTmaBuffer(*this, getDesc().getType(), getSrc().getType());
}

LogicalResult AsyncTmaReduceOp::verify() {
  if (failed(checkCoordinates(*this, getDesc().getType(), getCoord().size())))
    return failure();
  RankedTensorType block = getDesc().getType().getSignlessBlockType();
  if (failed(tensor::checkDescriptorReduce(getKind(), getDesc().getType(), block, getCoord().size(),
                                           [&] { return emitOpError(); })))
    return failure();
  return checkTmaBuffer(*this, getDesc().getType(), getSrc().getType());
}

/// The rows that gathers and scatters name: one buffer row each.
static LogicalResult checkRows(Operation *op, tensor::TensorDescType descriptor, RankedTensorType rows,
                               MemDescType buffer) {
  auto type = tensor::inferDescriptorGather(descriptor, rows, [&] { return op->emitOpError(); });
  if (failed(type))
    return failure();
  if (descriptor.getBlockType().getElementTypeBitWidth() > 32)
    return op->emitOpError() << "moves elements of at most 32 bits, got " << descriptor.getBlockType().getElementType();
  if (hasLayout(rows)) {
    const layout::LinearLayout &map = toLinear(rows);
    bool fours = map.inputSize("register") >= 4 && map.basis("register", 0) == layout::Coordinates{1} &&
                 map.basis("register", 1) == layout::Coordinates{2};
    if (!fours || !map.isZeroOn({"lane"}, {"dim0"}))
      return op->emitOpError() << "needs four neighbouring offsets in each thread, the same in all lanes, got " << rows;
  }
  return checkTmaBuffer(op, descriptor, buffer, rows.getDimSize(0));
}

LogicalResult AsyncTmaGatherOp::verify() {
  if (failed(checkIsBarrier(*this, getBarrier())) || failed(checkIsMutable(*this, getResult().getType())))
    return failure();
  return checkRows(*this, getDesc().getType(), getXOffsets().getType(), getResult().getType());
}

LogicalResult AsyncTmaScatterOp::verify() {
  return checkRows(*this, getDesc().getType(), getXOffsets().getType(), getSrc().getType());
}

LogicalResult TmaStoreWaitOp::verify() {
  if (int32_t pendings = getPendings(); pendings < 0)
    return emitOpError() << "leaves a number of groups pending, got " << pendings;
  return success();
}

LogicalResult TensormapCreateOp::verify() {
  size_t rank = getBoxDim().size();
  if (rank < 1 || rank > 5)
    return emitOpError() << "describes tensors of 1 to 5 dimensions, got " << rank;
  if (getGlobalDim().size() != rank || getGlobalStride().size() != rank - 1 || getElementStride().size() != rank)
    return emitOpError() << "needs " << rank << " sizes, " << rank - 1 << " strides and " << rank
                         << " element strides, got " << getGlobalDim().size() << ", " << getGlobalStride().size()
                         << " and " << getElementStride().size();
  return success();
}

} // namespace triton::gpu
