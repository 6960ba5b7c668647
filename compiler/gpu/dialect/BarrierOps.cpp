// Barriers: what they are given.
#include "compiler/gpu/dialect/OperandChecks.h"

using namespace mlir;

namespace triton::gpu {

/// A count as users write it: at least 1, and what 20 bits of an mbarrier hold.
static LogicalResult checkCount(Operation *op, int32_t count) {
  if (count < 1 || count >= 1 << 20)
    return op->emitOpError() << "needs a count from 1 to 2^20 - 1, got " << count;
  return success();
}

LogicalResult InitBarrierOp::verify() {
  if (failed(checkIsBarrier(*this, getAlloc())))
    return failure();
  return checkCount(*this, getCount());
}

LogicalResult InvalBarrierOp::verify() { return checkIsBarrier(*this, getAlloc()); }

LogicalResult BarrierExpectOp::verify() {
  if (int32_t bytes = getSize(); bytes < 0)
    return emitOpError() << "expects a number of bytes, got " << bytes;
  return checkIsBarrier(*this, getAlloc());
}

LogicalResult WaitBarrierOp::verify() { return checkIsBarrier(*this, getAlloc()); }

LogicalResult ArriveBarrierOp::verify() {
  if (failed(checkIsBarrier(*this, getAlloc())))
    return failure();
  return checkCount(*this, getCount());
}

LogicalResult AsyncCopyMbarrierArriveOp::verify() { return checkIsBarrier(*this, getBarrier()); }

} // namespace triton::gpu
