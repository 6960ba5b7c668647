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
#include "compiler/gpu/Scratch.h"
#include "compiler/gpu/passes/BufferLives.h"
#include "compiler/gpu/passes/Passes.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_ALLOCATESHARED
#include "compiler/gpu/passes/Passes.h.inc"

static SmallVector<PlacedBuffer> buffersOf(FunctionOpInterface function) {
  BufferLives lives(function);
  SmallVector<PlacedBuffer> result;
  for (Operation *op : lives.allocations())
    if (auto alloc = dyn_cast<LocalAllocOp>(op); alloc && isShared(alloc.getType()))
      result.push_back({alloc, getAllocationBytes(alloc.getType()),
                        std::max<int64_t>(16, alloc.getAlignmentOrDefault()), lives.of(alloc)});
  function->walk([&](Operation *op) {
    // All banks, where there is enough to fill them: plans count banks from the start of the buffer.
    if (int64_t bytes = scratchBytes(op))
      result.push_back({op, bytes, bytes >= 128 ? 128 : 16, lives.ofUse(op)});
  });
  return result;
}

namespace {

struct AllocateShared : impl::AllocateSharedBase<AllocateShared> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(requireLayouts(module)))
      return signalPassFailure();
    Builder builder(&getContext());
    llvm::MapVector<Operation *, SmallVector<PlacedBuffer>> frames;
    llvm::DenseMap<Operation *, int64_t> sizes, bases;
    for (auto function : module.getOps<FunctionOpInterface>()) {
      if (function.isExternal())
        continue;
      frames[function] = buffersOf(function);
      sizes[function] = llvm::alignTo(placeBuffers(frames[function]), 1024);
    }
    // Calls go down: a callee's bytes begin behind those of every caller. Functions do not call themselves.
    bool changed = true;
    for (size_t round = 0; changed && round <= frames.size(); ++round) {
      changed = false;
      for (auto &[function, buffers] : frames)
        function->walk([&](CallOpInterface call) {
          Operation *callee = call.resolveCallable();
          int64_t base = bases[function] + sizes[function];
          if (!callee || !frames.contains(callee) || bases[callee] >= base)
            return;
          bases[callee] = base;
          changed = true;
        });
    }
    int64_t total = module->hasAttr(tensorMemoryColumnsName) ? 16 : 0;
    bool hasState =
        module
            ->walk([](WarpSpecializeOp op) { return op.isOnlyOne() ? WalkResult::advance() : WalkResult::interrupt(); })
            .wasInterrupted();
    for (auto &[function, buffers] : frames)
      for (PlacedBuffer &buffer : buffers) {
        int64_t offset = bases[function] + buffer.offset;
        buffer.owner->setAttr(allocationOffsetName, builder.getI32IntegerAttr(offset));
        total = std::max(total, offset + buffer.size);
      }
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
