// The meaning of operators and conversions on values: typing by semantics.md sections 8-12, then IR. Used by the emitter for operators and by builtins.
// Every function reports its own error through `Emitter::error` and returns failure.
#pragma once

#include "compiler/frontend/Host.h"
#include "compiler/frontend/values/Value.h"
#include "mlir/Support/LLVM.h"

namespace triton::frontend {

/// Binary and comparison operators where at least one side is a tensor; numbers are weak or strong as the operator demands.
mlir::FailureOr<Value> binary(Emitter &emitter, BinaryOperation operation, const Value &lhs, const Value &rhs,
                              bool sanitizeOverflow = true);
mlir::FailureOr<Value> unary(Emitter &emitter, UnaryOperation operation, const Value &operand);
/// Operators on compile-time operands (Python semantics), hosts asked where needed.
mlir::FailureOr<Value> foldBinary(Emitter &emitter, BinaryOperation operation, const Value &lhs, const Value &rhs);
mlir::FailureOr<Value> foldUnary(Emitter &emitter, UnaryOperation operation, const Value &operand);
/// `a and b` / `a or b` on run-time operands (semantics 5.5).
mlir::FailureOr<Value> logical(Emitter &emitter, bool isAnd, const Value &lhs, const Value &rhs);
/// The same for `x.logical_and(y)`, without the warning for blocks.
mlir::FailureOr<Value> combineLogical(Emitter &emitter, bool isAnd, const Value &lhs, const Value &rhs);

/// A number becomes a typed scalar (semantics 8.1); tensors stay.
mlir::FailureOr<Value> toTensor(Emitter &emitter, const Value &value);
/// Plain assignment materialises (semantics 4.2).
mlir::FailureOr<Value> materialize(Emitter &emitter, const Value &value);
mlir::FailureOr<Value> cast(Emitter &emitter, const Value &value, Type to,
                            std::optional<std::string> rounding = std::nullopt, bool bitcast = false);
/// `value != 0` as int1, same shape.
mlir::FailureOr<Value> toBoolean(Emitter &emitter, const Value &value);
/// Broadcasts all to their common shape (scalars splat).
mlir::FailureOr<std::vector<Value>> broadcastTogether(Emitter &emitter, llvm::ArrayRef<Value> values);
/// `layout` is that of a scalar that fills a block; a block keeps its own.
mlir::FailureOr<Value> broadcastTo(Emitter &emitter, const Value &value, llvm::ArrayRef<int64_t> shape,
                                   mlir::Attribute layout = {});
/// `x[None, :]` on a tensor; `items` are the index items.
mlir::FailureOr<Value> subscriptTensor(Emitter &emitter, const Value &tensor, llvm::ArrayRef<Value> items);
/// `value.name` of whatever has attributes: tensors, dtypes, descriptors, tuples, slices, strings, builtin classes, aggregates, modules of the language, and
/// host objects (their host is asked): `x.dtype`, `x.shape`, `x.T`, `x.sum` and `tl.float32.is_floating` (bound methods); nullopt if there is none.
mlir::FailureOr<std::optional<Value>> valueAttribute(Emitter &emitter, const Value &value, llvm::StringRef name);

} // namespace triton::frontend
