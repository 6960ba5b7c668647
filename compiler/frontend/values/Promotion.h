// Which type two operands are computed in (semantics 8.2-8.4), and the operands converted to it.
#pragma once

#include "compiler/frontend/values/Value.h"

#include "mlir/Support/LLVM.h"

namespace triton::frontend {

class Emitter;

enum class Promotion {
  Arithmetic,
  Division, // `/`, `//` and `%`: half floats compute in f32, and integers must agree in signedness
};

/// The type that strong operands of these element types meet in.
mlir::FailureOr<Type> promoteTypes(Emitter &emitter, Type lhs, Type rhs, Promotion promotion = Promotion::Arithmetic);

/// Two tensors of one element type and one shape. Numbers are weak: they adapt to the tensor beside them. Pointers are no operands here.
mlir::FailureOr<std::pair<Value, Value>> promoteOperands(Emitter &emitter, const Value &lhs, const Value &rhs,
                                                         Promotion promotion = Promotion::Arithmetic);

/// The same for comparisons, minimum, maximum and functions of mathematics. Before `WeakLiterals`, numbers had a type of their own there before the two sides met.
mlir::FailureOr<std::pair<Value, Value>> promoteTyped(Emitter &emitter, const Value &lhs, const Value &rhs);

/// Several operands of one operation, in one element type and shape. Tensors meet among themselves, numbers among themselves, and a number becomes a constant of the
/// type that all have in the end: it is rounded once.
mlir::FailureOr<std::vector<Value>> promoteAll(Emitter &emitter, llvm::ArrayRef<Value> operands,
                                               Promotion promotion = Promotion::Arithmetic);

/// Error for operands that an operator does not take.
mlir::LogicalResult rejectOperands(Emitter &emitter, const Value &lhs, const Value &rhs);

} // namespace triton::frontend
