#include "compiler/gpu/Buffers.h"

#include "compiler/gpu/ExchangePlans.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;

namespace triton::gpu {

bool isShared(MemDescType type) { return isa<SharedMemoryAttr>(type.getMemorySpace()); }

bool isTensorMemory(MemDescType type) { return isa<TensorMemoryAttr>(type.getMemorySpace()); }

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

int64_t getBufferColumns(MemDescType type) {
  return llvm::divideCeil(toLinear(type).inputSize("col") * type.getElementBits(), 32);
}

int64_t getAllocationColumns(MemDescType type) {
  return getBufferColumns(type) * (type.isMultiBuffered() ? type.getShape().front() : 1);
}

bool isAllocation(Operation *op) { return isa<LocalAllocOp, TMEMAllocOp>(op); }

MemDescType getAllocatedType(Operation *alloc) { return cast<MemDescType>(alloc->getResult(0).getType()); }

BufferAliases::BufferAliases(Operation *root) {
  root->walk([&](Operation *op) {
    if (isAllocation(op))
      allocs.push_back(op);
  });
  for (Operation *alloc : allocs)
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

void BufferAliases::follow(Operation *alloc) {
  SmallVector<Value> &views = viewsOf[alloc];
  auto add = [&](Value value) {
    SmallVector<Operation *, 1> &held = sources[value];
    if (llvm::is_contained(held, alloc))
      return;
    held.push_back(alloc);
    views.push_back(value);
  };
  add(alloc->getResult(0));
  for (size_t next = 0; next < views.size(); ++next) {
    SmallVector<Value> targets;
    for (OpOperand &use : views[next].getUses())
      flow(use, targets);
    for (Value target : targets)
      add(target);
  }
}

ArrayRef<Operation *> BufferAliases::of(Value view) const {
  auto found = sources.find(view);
  return found == sources.end() ? ArrayRef<Operation *>() : ArrayRef<Operation *>(found->second);
}

ArrayRef<Value> BufferAliases::views(Operation *alloc) const { return viewsOf.find(alloc)->second; }

} // namespace triton::gpu
