// Maxima of products with one factor: what `gpu-factor-maxima` takes them apart by, for passes that prepare loops for it.
#pragma once

#include "compiler/tensor/Tensor.h"

namespace triton::gpu {

/// What `reduce` finds the largest or smallest of, times one factor: %x, if its operand is %x times a factor that all elements have. Null if not, or
/// if the factor is a constant that turns the order of numbers round.
mlir::Value findUnscaled(tensor::ReduceOp reduce);

} // namespace triton::gpu
