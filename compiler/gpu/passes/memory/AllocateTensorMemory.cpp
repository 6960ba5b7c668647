// Gives every buffer in tensor memory its columns, such that what is alive at the same time never overlaps.
//
//   %d = ttng.tmem_alloc : () -> !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
// becomes
//   %d = ttng.tmem_alloc {tensor_memory_col_offset = 0 : i32} : …
// with `ttg.tensor_memory_size = 128` on the module: the columns that the kernel asks for when it begins, 32, 64, 128, 256 or 512. Modules
// without such buffers are left alone.
//
// Only kernels have tensor memory: where it lies is told them by the hardware, and no function that they call knows it.
#include "compiler/gpu/BufferLives.h"
#include "compiler/gpu/passes/Passes.h"
#include "dispatch/Shortage.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_ALLOCATETENSORMEMORY
#include "compiler/gpu/passes/Passes.h.inc"

namespace {
struct AllocateTensorMemory : impl::AllocateTensorMemoryBase<AllocateTensorMemory> {
  void run() override {
    ModuleOp module = getOperation();
    Builder builder(&getContext());
    int64_t columns = 0;
    for (auto function : module.getOps<FunctionOpInterface>()) {
      if (function.isExternal())
        continue;
      FailureOr<int64_t> used = allocate(function, builder);
      if (failed(used))
        return signalPassFailure();
      columns = std::max(columns, *used);
    }
    if (columns)
      module->setAttr(tensorMemoryColumnsName,
                      builder.getI32IntegerAttr(std::max<int64_t>(32, llvm::PowerOf2Ceil(columns))));
  }

  static FailureOr<int64_t> allocate(FunctionOpInterface function, Builder &builder) {
    BufferLives lives(function);
    SmallVector<PlacedBuffer> buffers;
    for (Operation *op : lives.allocations())
      if (auto alloc = dyn_cast<TMEMAllocOp>(op))
        buffers.push_back({alloc, getAllocationColumns(alloc.getResult().getType()), 4, lives.of(alloc)});
    if (buffers.empty())
      return 0;
    if (!function.isPublic())
      return buffers.front().owner->emitError()
             << "only kernels have tensor memory, '" << function.getName() << "' is a function that is called";
    int64_t columns = placeBuffers(buffers);
    if (columns > tensorMemoryColumns)
      return function.emitError()
             << dispatch::Shortage{uint64_t(columns), uint64_t(tensorMemoryColumns), "tensor memory"}.message();
    for (PlacedBuffer &buffer : buffers)
      buffer.owner->setAttr(tensorMemoryOffsetName, builder.getI32IntegerAttr(buffer.offset));
    return columns;
  }
};
} // namespace

} // namespace triton::gpu
