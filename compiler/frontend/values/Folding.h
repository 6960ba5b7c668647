// Python's operators on compile-time values: ints of any size, floats, bools, strings, tuples, types, None.
// A failure carries Python's exception class and message (see `hostError`). HostObjects are passed to their host.
#pragma once

#include "compiler/frontend/Host.h"
#include "compiler/frontend/values/Value.h"

namespace triton::frontend {

llvm::Expected<Value> fold(BinaryOperation operation, const Value &lhs, const Value &rhs);
llvm::Expected<Value> fold(UnaryOperation operation, const Value &operand);
/// Python's truth value.
llvm::Expected<bool> truth(const Value &value);
/// Negative, 0 or positive as `a` is less than, equal to or greater than `b`, exactly also between int and float; nullopt with a NaN.
std::optional<int> compareNumbers(const Value &a, const Value &b);
/// `a is b`, where equal constants of one class are the same object.
bool identical(const Value &a, const Value &b);
/// What a loop over `value` yields: the elements of a tuple, the characters of a string, what a host object's host says.
llvm::Expected<std::vector<Value>> elementsOf(const Value &value);
/// `item in container`.
llvm::Expected<bool> foldContains(const Value &container, const Value &item);
/// `sequence[index]` on strings and tuples (and host objects); `index` is an integer or a slice.
llvm::Expected<Value> foldSubscript(const Value &sequence, const Value &index);
/// The positions that `slice` takes of a sequence of `length` elements, in order.
llvm::Expected<std::vector<size_t>> slicePositions(const SliceValue &slice, size_t length);
/// `len(value)`.
llvm::Expected<Value> foldLength(const Value &value);
/// The smallest or largest of `values`, the first of equal ones.
llvm::Expected<Value> foldExtreme(llvm::ArrayRef<Value> values, bool isMax);
/// `int(value)` and `float(value)`.
llvm::Expected<Value> foldToInteger(const Value &value);
llvm::Expected<Value> foldToFloat(const Value &value);

/// The Python class a message names: `str`, `NoneType`, `dtype`, `tensor`, or what the host says.
std::string classNameOf(const Value &value);

/// The operator as written: `//`.
llvm::StringRef spelling(BinaryOperation operation);
llvm::StringRef spelling(UnaryOperation operation);
/// The operator that is written so; nullopt if there is none.
std::optional<BinaryOperation> binaryOperation(llvm::StringRef spelled);
std::optional<UnaryOperation> unaryOperation(llvm::StringRef spelled);

// Integers of any size.
/// The low `bits` bits, two's complement.
llvm::APInt toBits(const Integer &value, unsigned bits);
Integer fromBits(const llvm::APInt &bits, bool isSigned);
/// Nearest double; infinite if too large.
double toDouble(const Integer &value);
/// The same, and Python's OverflowError if it is too large.
llvm::Expected<double> toFiniteDouble(const Integer &value);
/// Nullopt if it does not fit.
std::optional<int64_t> toInt64(const Integer &value);
std::string toString(const Integer &value, unsigned radix = 10);
/// Bits needed for the magnitude: Python's `int.bit_length()`.
unsigned bitLength(const Integer &value);

} // namespace triton::frontend
