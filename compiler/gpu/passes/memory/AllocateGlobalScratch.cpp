// Gives everything that a CTA keeps in global memory while it runs an offset in the CTA's slice of what the launch brings.
//   In:  `ttg.global_scratch_alloc`, without offsets.
//   Out: the same with offsets, and the size and alignment of a slice on the module. A module without any is left as it was.
// One after the other: these are few, and small.
#include "compiler/gpu/passes/Passes.h"

#include "compiler/gpu/Gpu.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_ALLOCATEGLOBALSCRATCH
#include "compiler/gpu/passes/Passes.h.inc"

namespace {

struct AllocateGlobalScratch : impl::AllocateGlobalScratchBase<AllocateGlobalScratch> {
  void run() override {
    Builder builder(&getContext());
    uint64_t end = 0, alignment = 1;
    getOperation().walk([&](GlobalScratchAllocOp alloc) {
      end = llvm::alignTo(end, alloc.getAlignment());
      alloc->setAttr(globalScratchOffsetName, builder.getI32IntegerAttr(end));
      end += alloc.getNbytes();
      alignment = std::max<uint64_t>(alignment, alloc.getAlignment());
    });
    if (end == 0)
      return;
    getOperation()->setAttr(globalScratchBytesName, builder.getI32IntegerAttr(llvm::alignTo(end, alignment)));
    getOperation()->setAttr(globalScratchAlignmentName, builder.getI32IntegerAttr(alignment));
  }
};

} // namespace

} // namespace triton::gpu
