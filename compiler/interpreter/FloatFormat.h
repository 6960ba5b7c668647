// The bits of every float type of the language, as numbers and back.
//   In:  a bit pattern, or a double.
//   Out: the double it means, exactly; or the nearest bit pattern, rounded once.
// A double holds every value of every narrower type, and a sum, product, quotient or square root of two such values, rounded to double
// and then to a type of at most 24 significant bits, is what rounding once gives. So arithmetic is done in double throughout.
#pragma once

#include "mlir/IR/BuiltinTypes.h"

namespace triton::interpreter {

enum class Rounding { NearestEven, TowardZero };

/// What `bits` mean as a `type`.
double decode(mlir::FloatType type, uint64_t bits);

/// `value` as a `type`. What is too large becomes infinity, or NaN where there is none; with `saturate`, the largest finite value.
uint64_t encode(mlir::FloatType type, double value, Rounding rounding = Rounding::NearestEven, bool saturate = false);

/// `value`, an integer of 64 bits, as a `type`, rounded once.
uint64_t encodeInteger(mlir::FloatType type, int64_t value);
uint64_t encodeUnsigned(mlir::FloatType type, uint64_t value);

} // namespace triton::interpreter
