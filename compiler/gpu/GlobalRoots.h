// Which tensor of the caller an access of global memory belongs to.
#ifndef TRITON_COMPILER_GPU_GLOBALROOTS_H
#define TRITON_COMPILER_GPU_GLOBALROOTS_H

#include "compiler/gpu/Gpu.h"

namespace triton::gpu {

/// The kernel argument that an address or a descriptor is computed from; null if there is none alone.
mlir::Value rootOf(mlir::Value address);
/// Of what `op` writes to; null if it is not known.
mlir::Value writtenRoot(mlir::Operation *op);

/// Whether what is computed from one may be the other's: different arguments are different tensors, as kernels that update in place take one
/// argument for both.
inline bool mayBeSameTensor(mlir::Value root, mlir::Value other) { return !root || !other || root == other; }

/// Whether some op of `body` may write to the tensor that `root` is, or to any if that is null: kernels that update a tensor in place use one argument for
/// reading and writing.
bool mayWrite(mlir::Block *body, mlir::Value root);

} // namespace triton::gpu

#endif
