// Atomics on global memory as PTX, since LLVM's atomicrmw loses ordering and scope.
#pragma once

#include "compiler/llvm/nvidia/Families.h"

namespace triton::nvidia {

Registers addFloats(Emitter &emitter, AtomicOrder order, llvm::Value *pointer, llvm::ArrayRef<llvm::Value *> values,
                    llvm::Value *guard);
llvm::Value *updateAtomically(Emitter &emitter, AtomicOrder order, tensor::RMWOp kind, llvm::Value *pointer,
                              llvm::Value *value, llvm::Value *guard);
llvm::Value *compareAndSwap(Emitter &emitter, AtomicOrder order, llvm::Value *pointer, llvm::Value *expected,
                            llvm::Value *desired, llvm::Value *guard);
/// Of a word, in a loop.
llvm::Value *compareAndSwapAround(Emitter &emitter, AtomicOrder order, llvm::Value *pointer, llvm::Value *expected,
                                  llvm::Value *desired);

} // namespace triton::nvidia
