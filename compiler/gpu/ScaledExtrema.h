// Maxima and minima over a tensor that is scaled by one factor: `max(%x * %f)`. `gpu-factor-maxima` takes them apart; `gpu-pipeline-loops` prepares
// loops for that.
#ifndef TRITON_COMPILER_GPU_SCALEDEXTREMA_H
#define TRITON_COMPILER_GPU_SCALEDEXTREMA_H

#include "compiler/tensor/Tensor.h"

namespace triton::gpu {

/// The op by which `reduce` combines two numbers, if that is arith.maxnumf or arith.minnumf; null if not.
mlir::Operation *extremumOf(tensor::ReduceOp reduce);

/// %x, if `reduce` is the maximum or minimum of %x times a factor that all elements have. Null if not, or if the factor is a constant that is not
/// positive and finite.
mlir::Value findUnscaled(tensor::ReduceOp reduce);

} // namespace triton::gpu

#endif
