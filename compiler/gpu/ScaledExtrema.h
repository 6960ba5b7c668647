// Maxima and minima over a tensor that is scaled by one factor: `max(%x * %f)`, under a mask or not. `gpu-factor-maxima` takes them apart; `gpu-pipeline-loops` prepares
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

/// Whether a scalar is a positive number and finite, as i1.
mlir::Value createIsOrdinary(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value factor);

/// Whether it is by how it is computed: what `factorOutOfMask` multiplies by.
bool isOrdinary(mlir::Value factor);

/// The scale of what a mask lets through goes behind the mask, where the maximum, and what is subtracted, have it for nothing:
///   %m = max(select %mask, %x * %f, -infinity)
/// becomes, with %ordinary = 0 < %f < infinity,
///   %m = max((select %mask, %x * (%ordinary ? 1 : %f), -infinity) * (%ordinary ? %f : 1))
/// which is the same to the last bit. `gpu-skip-masks` leaves out the product with 1. Does nothing where the maximum is of something else, or where
/// others than sums and differences take the product.
void factorOutOfMask(tensor::ReduceOp reduce);

} // namespace triton::gpu

#endif
