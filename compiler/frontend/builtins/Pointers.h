// What loads, stores, atomics and descriptors read alike: pointers, masks, and what caches and other threads are to see.
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
/// Which caches a load or a store goes through: "", ".ca", ".cg" and the like.
mlir::FailureOr<tensor::CacheModifier> readLoadCache(Emitter &emitter, const Value &value);
mlir::FailureOr<tensor::CacheModifier> readStoreCache(Emitter &emitter, const Value &value);
/// "", "evict_first" or "evict_last".
mlir::FailureOr<tensor::EvictionPolicy> readEviction(Emitter &emitter, const Value &value);
/// What an atomic orders, and among whom; `acq_rel` and `gpu` for None.
mlir::FailureOr<tensor::MemSemantic> readSemantic(Emitter &emitter, const Value &value);
mlir::FailureOr<tensor::MemSyncScope> readScope(Emitter &emitter, const Value &value);
/// The update that `op` is for the element type: floats add differently, unsigned integers compare differently.
tensor::RMWOp updateOf(tensor::RMWOp op, Type element);
/// "zero", "nan", or nothing.
mlir::FailureOr<std::optional<tensor::PaddingOption>> readPadding(Emitter &emitter, const Value &value);
/// The pointers, `value` converted to what they point to, and the mask if any, in the shape of the pointers, which never grow.
mlir::FailureOr<std::vector<Value>> fitToPointers(Emitter &emitter, const Value &pointers, const Value &value,
                                                  const std::optional<Value> &mask);

} // namespace triton::frontend
