// What the lowerings of dots share, and the one for tensor memory.
#ifndef TRITON_COMPILER_GPU_PASSES_DOTS_LOWERDOTS_H
#define TRITON_COMPILER_GPU_PASSES_DOTS_LOWERDOTS_H

#include "compiler/gpu/Gpu.h"

namespace triton::gpu {

/// A buffer in shared memory with the elements of `tensor`, in which `k` is the dimension along K; or a view of one. Filled where the tensor is
/// computed. Elements of the sizes `anyOrder`, in bits, keep the order in which threads hold them, others are put along K. `fp4Padded`: pairs of
/// 4-bit numbers lie as instructions read them that multiply them by bytes.
mlir::Value sharedOperand(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor, unsigned k,
                          llvm::ArrayRef<unsigned> anyOrder, bool fp4Padded = false);

/// Erases what only a dot used: left behind, it would look as if registers were needed.
void eraseIfDead(mlir::Value value);

/// Dots that `planDot` and `planScaledDot` leave to tcgen05.
void lowerTcgen05Dots(mlir::ModuleOp module);

} // namespace triton::gpu

#endif
