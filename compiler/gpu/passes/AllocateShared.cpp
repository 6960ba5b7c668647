// Gives every buffer, and every op that exchanges values through shared memory, a byte offset such that what is alive at the same time never
// overlaps.
//
//   %a = ttg.local_alloc %x                       : 4096 bytes
//   %y = ttg.local_load %a
//   %z = ttg.convert_layout %y                    : 4096 bytes while it runs
// becomes
//   %a = ttg.local_alloc %x {allocation.offset = 0}
//   %y = ttg.local_load %a
//   %z = ttg.convert_layout %y {allocation.offset = 0}
// with `ttg.shared = 4096` on the module.
//
// Where partitions of warps are told what to do next, a word at the end is for that.
// A function that is called has its bytes behind those of all its callers. A kernel that uses tensor memory has at least 16 bytes: where it lies is
// written there when the kernel begins.
#include "compiler/gpu/ContextVerifier.h"
#include "compiler/gpu/passes/Passes.h"
#include "compiler/gpu/passes/SharedFrames.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_ALLOCATESHARED
#include "compiler/gpu/passes/Passes.h.inc"

namespace {

struct AllocateShared : impl::AllocateSharedBase<AllocateShared> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(requireLayouts(module)))
      return signalPassFailure();
    Builder builder(&getContext());
    SharedFrames frames(module);
    int64_t total = std::max<int64_t>(frames.place(), module->hasAttr(tensorMemoryColumnsName) ? 16 : 0);
    bool hasState =
        module
            ->walk([](WarpSpecializeOp op) { return op.isOnlyOne() ? WalkResult::advance() : WalkResult::interrupt(); })
            .wasInterrupted();
    for (auto &[function, buffers] : frames)
      for (PlacedBuffer &buffer : buffers)
        buffer.owner->setAttr(allocationOffsetName, builder.getI32IntegerAttr(buffer.offset));
    if (hasState) {
      total = llvm::alignTo(total, 4);
      module->setAttr(partitionStateName, builder.getI32IntegerAttr(total));
      total += 4;
    }
    module->setAttr(sharedBytesName, builder.getI32IntegerAttr(total));
  }
};

} // namespace

} // namespace triton::gpu
