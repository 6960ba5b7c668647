#include "compiler/cpu/Waiting.h"

using namespace mlir;

namespace triton::cpu {

template <typename Container> static bool has(Container &&container, llvm::function_ref<bool(Operation *)> wanted) {
  return container
      .walk([&](Operation *inner) { return wanted(inner) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

static bool waitsForPrograms(scf::WhileOp loop) {
  return has(loop, [](Operation *op) {
    auto load = dyn_cast<tensor::LoadOp>(op);
    return isa<tensor::AtomicRMWOp, tensor::AtomicCASOp, tensor::CallOp>(op) || (load && load.getIsVolatile());
  });
}

bool mayNeverEnd(scf::WhileOp loop) {
  return waitsForPrograms(loop) || has(loop.getBefore(), [](Operation *op) { return isa<tensor::LoadOp>(op); });
}

Waiting waitingOf(tensor::FuncOp kernel) {
  Waiting found;
  for (auto function : kernel->getParentOfType<ModuleOp>().getOps<tensor::FuncOp>())
    if (function == kernel || function.isPrivate())
      function.walk([&](scf::WhileOp loop) {
        found.forPrograms |= waitsForPrograms(loop);
        found.polls |= mayNeverEnd(loop);
      });
  return found;
}

} // namespace triton::cpu
