#include "compiler/tensor/StoredPointers.h"

#include "compiler/tensor/MemoryAccess.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace triton::tensor {

namespace {
/// The values that an address reaches.
class Reach {
public:
  void add(Value value) {
    if (!getElementTypeOrSelf(value.getType()).isInteger(1) && seen.insert(value).second) // a truth is no address
      pending.push_back(value);
  }
  void add(ValueRange values) {
    for (Value value : values)
      add(value);
  }
  /// Whether one of them is stored through.
  bool isStored();

private:
  bool isStoredBy(OpOperand &use);
  bool isStoredByBranch(OpOperand &use);
  bool isStoredByCall(CallOp call, unsigned operand);
  void returnFrom(FuncOp function, unsigned result);

  llvm::SmallVector<Value> pending;
  llvm::DenseSet<Value> seen;
};
} // namespace

bool Reach::isStored() {
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    for (OpOperand &use : value.getUses())
      if (isStoredBy(use))
        return true;
  }
  return false;
}

/// Whether an op that is no access of tensor IR writes anything but memory that only its own program sees.
static bool writesGlobalMemory(Operation *op) {
  std::optional<llvm::SmallVector<MemoryEffects::EffectInstance>> effects = getEffectsRecursively(op);
  if (!effects)
    return true;
  return llvm::any_of(*effects, [](const MemoryEffects::EffectInstance &effect) {
    const bool isGlobal =
        isa<GlobalMemory>(effect.getResource()) || effect.getResource() == SideEffects::DefaultResource::get();
    return isa<MemoryEffects::Write>(effect.getEffect()) && isGlobal;
  });
}

bool Reach::isStoredBy(OpOperand &use) {
  Operation *op = use.getOwner();
  if (isa<PrintOp, AssertOp>(op))
    return false;
  if (std::optional<MemoryAccess> access = accessOf(op)) {
    if (access->kind != Access::Kind::Read)
      return true; // also of an address that is the value: it might be read again
    if (use.get() != access->pointers)
      add(op->getResults()); // it stands in for what is not read
    return false;
  }
  if (auto call = dyn_cast<CallOp>(op))
    return isStoredByCall(call, use.getOperandNumber());
  if (isa<ReturnOp>(op)) {
    returnFrom(op->getParentOfType<FuncOp>(), use.getOperandNumber());
    return false;
  }
  if (op->getNumRegions() || op->hasTrait<OpTrait::IsTerminator>())
    return isStoredByBranch(use);
  add(op->getResults());
  return writesGlobalMemory(op);
}

/// Control flow hands it on.
bool Reach::isStoredByBranch(OpOperand &use) {
  Operation *op = use.getOwner();
  const unsigned operand = use.getOperandNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (BlockArgument inside = loop.getTiedLoopRegionIterArg(&use)) {
      add(inside);
      add(loop.getTiedLoopResult(&use));
    }
    return false; // a bound is no address
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    add(loop.getBeforeArguments()[operand]);
    return false;
  }
  if (isa<scf::IfOp>(op))
    return false;
  if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
    auto loop = cast<scf::WhileOp>(condition->getParentOp());
    if (operand > 0) {
      add(loop.getAfterArguments()[operand - 1]);
      add(loop.getResult(operand - 1));
    }
    return false;
  }
  if (isa<scf::YieldOp>(op)) {
    Operation *parent = op->getParentOp();
    if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      add(loop.getBeforeArguments()[operand]);
      return false;
    }
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      add(loop.getRegionIterArg(operand));
    add(parent->getResult(operand));
    return false;
  }
  if (auto branch = dyn_cast<BranchOpInterface>(op)) {
    if (std::optional<BlockArgument> next = branch.getSuccessorBlockArgument(operand))
      add(*next);
    return false;
  }
  return true;
}

bool Reach::isStoredByCall(CallOp call, unsigned operand) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<FuncOp>(call, call.getCalleeAttr());
  if (!callee || callee.isExternal())
    return true;
  add(callee.getArgument(operand));
  return false;
}

/// Every call of the function gives it on.
void Reach::returnFrom(FuncOp function, unsigned result) {
  function->getParentOp()->walk([&](CallOp call) {
    if (call.getCallee() == function.getName())
      add(call.getResult(result));
  });
}

bool mayStoreThrough(BlockArgument argument) {
  Reach reach;
  reach.add(argument);
  return reach.isStored();
}

} // namespace triton::tensor
