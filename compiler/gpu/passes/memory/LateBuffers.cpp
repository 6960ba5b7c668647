#include "compiler/gpu/passes/memory/LateBuffers.h"

using namespace mlir;

namespace triton::gpu {

/// In the block of `op`; null if something is used elsewhere.
static Operation *firstUser(Operation *op) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers()) {
    Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
    if (!here)
      return nullptr;
    if (!first || here->isBeforeInBlock(first))
      first = here;
  }
  return first;
}

static void sink(LocalAllocOp alloc) {
  Operation *user = firstUser(alloc), *next = alloc->getNextNode();
  if (!user || user == next)
    return;
  auto own = dyn_cast<FenceAsyncSharedOp>(next);
  Operation *place = next;
  while (place != user && (own || !isa<FenceAsyncSharedOp>(place)))
    place = place->getNextNode();
  alloc->moveBefore(place);
  if (own)
    OpBuilder(place).clone(*own);
}

void fillBuffersLate(ModuleOp module) {
  // From the end: views go first, then what they are views of.
  SmallVector<Operation *> ops;
  module->walk([&](Operation *op) {
    bool isView = isa<MemDescTransOp, MemDescReshapeOp, MemDescSubsliceOp, MemDescIndexOp>(op);
    auto alloc = dyn_cast<LocalAllocOp>(op);
    if (isView || (alloc && alloc.getSrc() && !alloc.getType().getMutableMemory()))
      ops.push_back(op);
  });
  for (Operation *op : llvm::reverse(ops)) {
    if (auto alloc = dyn_cast<LocalAllocOp>(op))
      sink(alloc);
    else if (Operation *user = firstUser(op))
      op->moveBefore(user);
  }
}

} // namespace triton::gpu
