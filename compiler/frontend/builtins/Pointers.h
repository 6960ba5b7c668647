// What loads, stores, atomics and descriptors ask of pointers and masks alike.
#pragma once

#include "compiler/frontend/emitter/Emitter.h"
#include "compiler/tensor/Tensor.h"

namespace triton::frontend {

bool isBlockPointer(Type type);
/// How an element lies in memory: int1 takes a byte.
Type memoryForm(Type pointee);
/// A pointer or block of pointers; `function` names the caller in the error.
mlir::FailureOr<Value> readPointer(Emitter &emitter, const Value &value, llvm::StringRef function);
mlir::LogicalResult checkWritable(Emitter &emitter, Type pointer);
/// None, or a tensor of int1.
mlir::FailureOr<std::optional<Value>> readMask(Emitter &emitter, const Value &value);
/// "zero", "nan", or nothing.
mlir::FailureOr<std::optional<tensor::PaddingOption>> readPadding(Emitter &emitter, const Value &value);
/// The pointers, `value` converted to what they point to, and the mask if any, in the shape of the pointers, which never grow.
mlir::FailureOr<std::vector<Value>> fitToPointers(Emitter &emitter, const Value &pointers, const Value &value,
                                                  const std::optional<Value> &mask);

} // namespace triton::frontend
