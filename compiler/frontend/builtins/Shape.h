// Shape changes that other builtins build on.
#pragma once

#include "compiler/frontend/emitter/Emitter.h"

namespace triton::frontend {

/// `ir` with the language type that its IR shape and `element` make.
Value tensorOf(mlir::Value ir, Type element);
/// Row-major reshape; an empty shape takes the one element.
mlir::FailureOr<Value> reshapeTo(Emitter &emitter, const Value &value, llvm::ArrayRef<int64_t> shape,
                                 bool allowReorder = false);
mlir::FailureOr<Value> permuteTo(Emitter &emitter, const Value &value, llvm::ArrayRef<int32_t> order);
/// A block of one element becomes a scalar; scalars stay.
mlir::FailureOr<Value> itemOf(Emitter &emitter, const Value &value);
/// Inserts one dimension of size 1 at `axis` of the result, which is in range.
Value insertDimension(Emitter &emitter, const Value &value, int64_t axis);

} // namespace triton::frontend
