// Later passes and the code generator read what they must know of the target from the module, as a `.ttgir` file states it too.
#include "compiler/gpu/Target.h"
#include "compiler/gpu/passes/Passes.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_SETTARGET
#include "compiler/gpu/passes/Passes.h.inc"

namespace {
struct SetTarget : impl::SetTargetBase<SetTarget> {
  using SetTargetBase::SetTargetBase;
  void run() override {
    Builder builder(&getContext());
    ModuleOp module = getOperation();
    auto named = Target::byName(target);
    if (!named) {
      module.emitError() << llvm::toString(named.takeError());
      return signalPassFailure();
    }
    if (numWarps < 1 || !llvm::isPowerOf2_32(numWarps)) {
      module.emitError() << "num_warps must be a power of two, got " << numWarps.getValue();
      return signalPassFailure();
    }
    module->setAttr(numWarpsName, builder.getI32IntegerAttr(numWarps));
    module->setAttr(numCtasName, builder.getI32IntegerAttr(numCtas));
    module->setAttr(threadsPerWarpName, builder.getI32IntegerAttr(named->lanes()));
    module->setAttr(targetName, builder.getStringAttr(named->str()));
  }
};
} // namespace

} // namespace triton::gpu
