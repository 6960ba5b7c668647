// What the copy engine (TMA) takes: which kernels leave their tensor descriptors to it, and how it is told about a tensor.
#ifndef TRITON_COMPILER_GPU_COPY_ENGINE_H
#define TRITON_COMPILER_GPU_COPY_ENGINE_H

#include "compiler/gpu/Gpu.h"
#include "compiler/gpu/Target.h"

namespace triton::gpu {

/// Whether all descriptors of a module are arguments of its kernel and all accesses through them fit the copy engine: blocks of numbers, at
/// innermost coordinates that are known to be multiples of 16 bytes. And whether it pays: some block feeds a product in a loop. If not,
/// descriptors are better spelled out as pointers.
bool usesCopyEngine(mlir::ModuleOp module, const Target &target);

/// How a block of this type lies in shared memory.
NvmmaSharedAttr copyEngineLayout(tensor::TensorDescType type);

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
