// What TMA takes: which tensor descriptors are left to it, and how it is told about a tensor.
#ifndef TRITON_COMPILER_GPU_TMA_H
#define TRITON_COMPILER_GPU_TMA_H

#include "compiler/gpu/Gpu.h"
#include "compiler/gpu/Target.h"

namespace triton::gpu {

/// Gives the descriptors that are left to TMA the layout that their blocks have in shared memory: a part of their type from then on.
/// Such a descriptor is an argument of a kernel or made in one, is used where it is and not carried or passed on, and all accesses through it fit:
/// numbers of at most 32 bits, at innermost coordinates that are known to be multiples of 16 bytes, writes where all are known not to be negative, single rows only
/// where the hardware gathers.
/// Others are to be spelled out as pointers.
void chooseDescriptors(mlir::ModuleOp module, const Target &target);
/// Once the others are spelled out: tensor IR names no layouts, and those that `tmaLayout` finds without being told are taken out of the types again.
void dropImpliedLayouts(mlir::ModuleOp module);

/// That TMA knows every descriptor that is left in the module, and does every access through one: at most 5 dimensions, at least a byte per element, and
/// buffers that the layout fits.
llvm::LogicalResult checkDescriptors(mlir::ModuleOp module);

/// How a block of this type lies in shared memory.
NvmmaSharedAttr tmaLayout(tensor::TensorDescType type);

/// One mbarrier in shared memory, or a row of them.
MemDescType barrierType(mlir::MLIRContext *context, std::optional<int64_t> count);
/// The buffer of one block that TMA fills or empties.
MemDescType blockBufferType(tensor::TensorDescType descriptor);
int64_t blockBytes(tensor::TensorDescType descriptor);

/// The part of a block of `shape` that one CTA of a cluster copies.
llvm::SmallVector<int64_t> copiedShape(NvmmaSharedAttr layout, llvm::ArrayRef<int64_t> shape);

/// What the map of a tensor is made from at launch, besides address, shape and strides.
struct TensorMapFormat {
  int swizzle;      // 0: none, 1: 32 bytes, 2: 64, 3: 128
  int elementBytes; //
  int elementType;  // in the numbers of tensormap.replace
  llvm::SmallVector<int64_t> box;
};
TensorMapFormat tensorMapFormat(tensor::TensorDescType type);

} // namespace triton::gpu

#endif
