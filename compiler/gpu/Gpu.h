// GPU IR: the dialects `ttg` (tensors with layouts, shared memory) and `ttng` (NVIDIA's hardware). Include this to build or read it.
// A layout is looked at through `toLinear` of a type, and nothing else.
#ifndef TRITON_COMPILER_GPU_GPU_H
#define TRITON_COMPILER_GPU_GPU_H

#include "compiler/layout/AmdLayouts.h"
#include "compiler/layout/NamedLayouts.h"
#include "compiler/tensor/Tensor.h"
#include "mlir/IR/TensorEncoding.h"

namespace triton::gpu {

/// Bases of `rank` numbers each, from and to the flat form in which attributes keep them.
std::vector<layout::Coordinates> toBases(llvm::ArrayRef<int64_t> flat, int64_t rank);
llvm::SmallVector<int64_t> flattenBases(llvm::ArrayRef<layout::Coordinates> bases);

/// The memory that the threads of a CTA share.
struct SharedMemory : mlir::SideEffects::Resource::Base<SharedMemory> {
  llvm::StringRef getName() final { return "<SharedMemory>"; }
};

/// The memory that tcgen05 dots accumulate in.
struct TensorMemory : mlir::SideEffects::Resource::Base<TensorMemory> {
  llvm::StringRef getName() final { return "<TensorMemory>"; }
};

class WarpSpecializePartitionsOp;

} // namespace triton::gpu

#include "compiler/gpu/dialect/GpuDialect.h.inc"
#include "compiler/gpu/dialect/Interfaces.h.inc"
#include "compiler/gpu/dialect/NvidiaDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/gpu/dialect/GpuAttributes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "compiler/gpu/dialect/NvidiaAttributes.h.inc"
#define GET_TYPEDEF_CLASSES
#include "compiler/gpu/dialect/Types.h.inc"

#define GET_OP_CLASSES
#include "compiler/gpu/dialect/GpuOps.h.inc"
#define GET_OP_CLASSES
#include "compiler/gpu/dialect/NvidiaOps.h.inc"

namespace triton::gpu {

/// The map of a tensor's registers, lanes, warps and blocks to its elements. The type has a layout. Kept as long as the context.
const layout::LinearLayout &toLinear(mlir::RankedTensorType type);
/// The map of the offsets (in elements) and blocks of one buffer to its elements. A view that is part of a larger buffer gives the
/// map of that buffer: what stands at x in the view is at x + the view's offsets there.
const layout::LinearLayout &toLinear(MemDescType type);

/// Whether the type is a tensor with a layout.
bool hasLayout(mlir::Type type);
/// The layout of a tensor; null if it has none.
DistributedAttr getLayout(mlir::Type type);
/// The same shape and elements in another layout.
mlir::RankedTensorType withLayout(mlir::RankedTensorType type, mlir::Attribute layout);

// What a module is compiled for.
inline constexpr llvm::StringLiteral numWarpsName = "ttg.num-warps";
/// With those of partitions; as `ttg.num-warps` where there are none.
inline constexpr llvm::StringLiteral totalNumWarpsName = "ttg.total-num-warps";
/// Registers of a thread when the kernel begins, where warps pass some on to others.
inline constexpr llvm::StringLiteral entryRegistersName = "ttg.maxnreg";
inline constexpr llvm::StringLiteral numCtasName = "ttg.num-ctas";
inline constexpr llvm::StringLiteral threadsPerWarpName = "ttg.threads-per-warp";
inline constexpr llvm::StringLiteral targetName = "ttg.target";
inline constexpr llvm::StringLiteral sharedBytesName = "ttg.shared";
inline constexpr llvm::StringLiteral tensorMemoryColumnsName = "ttg.tensor_memory_size";
inline constexpr llvm::StringLiteral tensorMemoryOffsetName = "tensor_memory_col_offset";
/// Columns of 128 cells of 32 bits that an SM has.
inline constexpr int64_t tensorMemoryColumns = 512;
inline constexpr llvm::StringLiteral globalScratchBytesName = "ttg.global_scratch_memory_size";
inline constexpr llvm::StringLiteral globalScratchAlignmentName = "ttg.global_scratch_memory_alignment";
inline constexpr llvm::StringLiteral globalScratchOffsetName = "ttg.global_scratch_memory_offset";
inline constexpr llvm::StringLiteral allocationOffsetName = "allocation.offset";

/// 4, 1 and 32 where the module does not say.
int getNumWarps(mlir::ModuleOp module);
int getTotalNumWarps(mlir::ModuleOp module);
int getNumCtas(mlir::ModuleOp module);
int getThreadsPerWarp(mlir::ModuleOp module);
/// The warps that run `op`: those of its partition, or of the module.
int getNumWarps(mlir::Operation *op);
/// What one program runs on: warps, and the threads of each.
struct CtaThreads {
  int warps, lanes;
  int64_t count() const { return int64_t(warps) * lanes; }
};
/// The threads that run `op`.
CtaThreads getThreads(mlir::Operation *op);
/// The warps of a partition of a `ttg.warp_specialize`; nullopt for any other region.
std::optional<int> getPartitionWarps(mlir::Region &region);
/// 90 for "cuda:90"; nullopt if the module names no CUDA target.
std::optional<int> getComputeCapability(mlir::ModuleOp module);
/// Whether the module names an AMD target: "hip:gfx942".
bool isForAmd(mlir::ModuleOp module);

/// A blocked layout for this shape that gives each thread `sizePerThread` elements along `order[0]` and no element to two threads where
/// the tensor has enough of them: lanes, then warps, go along `order[0]` first.
BlockedAttr getBlockedLayout(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape, int64_t sizePerThread,
                             llvm::ArrayRef<unsigned> order, CtaThreads threads);
/// One element per thread, the last dimension fastest.
BlockedAttr getDefaultBlockedLayout(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape, CtaThreads threads);

/// `ttg` and `ttng` with all that they need.
void registerGpuDialects(mlir::DialectRegistry &registry);

} // namespace triton::gpu

#endif
