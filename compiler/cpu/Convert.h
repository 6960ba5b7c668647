// Conversions between float formats that the processor may not have: 8-bit floats, bf16, and f16 without F16C.
//   In:  scalars or vectors in registers; 8-bit floats are held as i8.
//   Out: integer and f32 arithmetic, the same on every processor.
// Widening is exact. Narrowing rounds to nearest even or toward zero; to an 8-bit float it saturates, NaN stays NaN
// where the format has one.
#pragma once

#include "compiler/cpu/Target.h"

#include "mlir/IR/Builders.h"

namespace triton::cpu {

enum class Rounding { NearestEven, TowardZero };

/// `value`, which holds floats of the language's type `from`, as `to`. Either may be an 8-bit float held as i8.
mlir::Value convertFloat(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Type from,
                         mlir::Type to, Rounding rounding, const HostTarget &target);

} // namespace triton::cpu
