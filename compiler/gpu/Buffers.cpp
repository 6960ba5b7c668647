#include "compiler/gpu/Buffers.h"

#include "compiler/gpu/ExchangePlans.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;

namespace triton::gpu {

bool isShared(MemDescType type) { return isa<SharedMemoryAttr>(type.getMemorySpace()); }

int64_t getBufferBytes(MemDescType type) {
  int64_t elements = toLinear(type).inputSize("offset");
  if (auto padded = dyn_cast<PaddedSharedAttr>(type.getEncoding()))
    elements = padded.getPaddedOffset(elements);
  return elements * getMemoryBits(type.getElementType()) / 8;
}

int64_t getAllocationBytes(MemDescType type) {
  int64_t buffers = 1;
  for (int64_t size : type.getShape().drop_back(type.getLayout().getRank()))
    buffers *= size;
  return buffers * getBufferBytes(type);
}

BufferAliases::BufferAliases(Operation *root) {
  root->walk([&](LocalAllocOp alloc) {
    if (isShared(alloc.getType()))
      allocs.push_back(alloc);
  });
  for (LocalAllocOp alloc : allocs)
    follow(alloc);
}

/// The values that a use of a view flows into.
static void flow(OpOperand &use, SmallVectorImpl<Value> &targets) {
  Operation *op = use.getOwner();
  unsigned number = use.getOperandNumber();
  if (auto specialized = dyn_cast<WarpSpecializeOp>(op)) {
    for (Region &region : specialized.getPartitionRegions())
      targets.push_back(region.getArgument(number));
  } else if (isa<WarpYieldOp>(op)) {
    targets.push_back(op->getParentOp()->getResult(number));
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    unsigned argument = number - loop.getNumControlOperands();
    targets.append({loop.getRegionIterArg(argument), loop.getResult(argument)});
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    targets.push_back(loop.getBeforeArguments()[number]);
  } else if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
    auto loop = cast<scf::WhileOp>(op->getParentOp());
    targets.append({loop.getAfterArguments()[number - 1], loop.getResult(number - 1)});
  } else if (isa<scf::YieldOp>(op)) {
    Operation *parent = op->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      targets.append({loop.getRegionIterArg(number), loop.getResult(number)});
    else if (auto loop = dyn_cast<scf::WhileOp>(parent))
      targets.push_back(loop.getBeforeArguments()[number]);
    else
      targets.push_back(parent->getResult(number));
  } else if (auto branch = dyn_cast<BranchOpInterface>(op)) {
    for (unsigned successor = 0; successor < op->getNumSuccessors(); ++successor)
      if (auto argument = branch.getSuccessorBlockArgument(number))
        targets.push_back(*argument);
  } else {
    for (Value result : op->getResults())
      if (isa<MemDescType>(result.getType()))
        targets.push_back(result);
  }
}

void BufferAliases::follow(LocalAllocOp alloc) {
  SmallVector<Value> &views = viewsOf[alloc];
  auto add = [&](Value value) {
    SmallVector<LocalAllocOp, 1> &held = sources[value];
    if (llvm::is_contained(held, alloc))
      return;
    held.push_back(alloc);
    views.push_back(value);
  };
  add(alloc.getResult());
  for (size_t next = 0; next < views.size(); ++next) {
    SmallVector<Value> targets;
    for (OpOperand &use : views[next].getUses())
      flow(use, targets);
    for (Value target : targets)
      add(target);
  }
}

ArrayRef<LocalAllocOp> BufferAliases::of(Value view) const {
  auto found = sources.find(view);
  return found == sources.end() ? ArrayRef<LocalAllocOp>() : ArrayRef<LocalAllocOp>(found->second);
}

ArrayRef<Value> BufferAliases::views(LocalAllocOp alloc) const { return viewsOf.find(alloc)->second; }

} // namespace triton::gpu
