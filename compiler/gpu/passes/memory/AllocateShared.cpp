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
// Where all of that is more than the GPU has, conversions are done in smaller parts, which costs barriers; if that is not enough, buffers are filled
// as late as can be, which costs registers.
// Where partitions of warps are told what to do next, a word at the end is for that.
// A function that is called has its bytes behind those of all its callers. A kernel that uses tensor memory has at least 16 bytes: where it lies is
// written there when the kernel begins.
#include "compiler/gpu/DotPlan.h"
#include "compiler/gpu/ExchangePlans.h"
#include "compiler/gpu/PrivateAttributes.h"
#include "compiler/gpu/Scratch.h"
#include "compiler/gpu/SharedFrames.h"
#include "compiler/gpu/dialect/ContextVerifier.h"
#include "compiler/gpu/passes/Passes.h"
#include "compiler/gpu/passes/memory/LateBuffers.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_ALLOCATESHARED
#include "compiler/gpu/passes/Passes.h.inc"

namespace {

/// Halves what one conversion may take until all fits, as `fits` says. False, and as it was, if that is not enough.
bool limitConversions(ModuleOp module, llvm::function_ref<bool()> fits) {
  constexpr int64_t mostRoom = 64 * 1024, leastRoom = 4 * 1024;
  for (int64_t room = mostRoom; room >= leastRoom; room /= 2) {
    module->walk([&](ConvertLayoutOp op) {
      if (scratchBytes(op) > room)
        op->setAttr(allocationRoomName, Builder(op.getContext()).getI32IntegerAttr(room));
    });
    if (fits())
      return true;
  }
  module->walk([](ConvertLayoutOp op) { op->removeAttr(allocationRoomName); });
  return false;
}

struct AllocateShared : impl::AllocateSharedBase<AllocateShared> {
  void run() override {
    ModuleOp module = getOperation();
    Builder builder(&getContext());
    SharedFrames frames(module);
    int64_t total = frames.place();
    const int64_t limit = dotTarget(module).sharedBytes();
    auto fits = [&] {
      frames = SharedFrames(module);
      total = frames.place();
      return total <= limit;
    };
    if (total > limit && !limitConversions(module, fits)) {
      fillBuffersLate(module);
      if (!fits() && !limitConversions(module, fits))
        fits(); // no, but this is what it takes
    }
    total = std::max<int64_t>(total, module->hasAttr(tensorMemoryColumnsName) ? 16 : 0);
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
