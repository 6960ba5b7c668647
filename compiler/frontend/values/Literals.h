// Numbers of the source as IR constants: which type a number has when nothing else says so, and its value in a given type.
#pragma once

#include "compiler/frontend/values/Value.h"

#include "mlir/Support/LLVM.h"

namespace triton::frontend {

class Emitter;

/// The type of a number that stands alone (semantics 8.1); nullopt for an integer that needs more than 64 bits.
std::optional<Type> literalType(const Value &number);

/// The number as a constant of `type`, a scalar or block of numbers. Integers wrap, floats round to nearest even, every zero is +0. A float that is not zero does
/// not go into an integer type, and only zero goes into an 8-bit float: both are errors.
mlir::FailureOr<Value> constantOf(Emitter &emitter, const Value &number, Type type);

/// The same for a small integer and an integer type, which cannot fail.
Value integerConstant(Emitter &emitter, Type type, int64_t value);
/// Zero of a number type.
Value zeroOf(Emitter &emitter, Type type);

/// The value of a bool or an integer.
std::optional<Integer> asInteger(const Value &number);

/// The smallest and largest value of an integer type.
std::pair<Integer, Integer> rangeOf(Type type);

} // namespace triton::frontend
