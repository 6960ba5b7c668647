// Blocks of one value: `full` of the languages with and without layouts.
#pragma once

#include "compiler/frontend/emitter/Emitter.h"

namespace triton::frontend {

/// A scalar where the shape is empty. `value` is a number, or a scalar of any type.
mlir::FailureOr<Value> fillBlock(Emitter &emitter, const Value &value, const Type &dtype, llvm::ArrayRef<int64_t> shape,
                                 mlir::Attribute layout = {});

} // namespace triton::frontend
