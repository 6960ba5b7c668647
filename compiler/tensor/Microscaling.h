// Arithmetic of microscaling formats, for targets that have no instruction for it.
#pragma once

#include "mlir/IR/Builders.h"

namespace triton::tensor {

/// What scales stand for, as f32: exponents of i8 are 2^(s - 127), and NaN for 255; floats are widened.
mlir::Value scalesAsFloats(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value scales);

} // namespace triton::tensor
