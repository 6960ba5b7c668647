// Whether an integer is never negative.
#pragma once

#include "mlir/IR/Value.h"

namespace triton::tensor {

/// Whether the scalar `value` is known to be 0 or more, taking sums and products of such numbers not to overflow. True
/// for what offsets are commonly made of: program ids, loop variables counting up from 0, and their sums, products and
/// quotients.
bool isNonNegative(mlir::Value value);

/// Whether `value` is known to be 0 or more with nothing taken for granted: a constant, a program id or a number of programs.
bool isCount(mlir::Value value);

} // namespace triton::tensor
