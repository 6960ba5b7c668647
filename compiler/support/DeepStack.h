// A stack that is deep enough, whatever thread a compile runs on: programs compile in threads with half a megabyte, and some of the
// algorithms below us (of LLVM, of MLIR) recurse as deep as a kernel is long.
// The work stays on its thread and only changes stacks, so that thread-local state, signal masks and locks are what the caller has; and no thread has to be
// started, which may fail. Hosts such as Python measure their stack: code that calls back into a host does so on the stack it was called on.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace triton {

/// Bytes that are left on the stack at hand; a guess on the safe side where the thread runs on a stack that is not its own.
size_t remainingStack();

/// Runs `work` where at least `bytes` of stack are left: here, or on a stack made for it, whose memory is only taken where it is touched. Fails, without
/// having run it, if there is no room for one. `work` must not throw.
llvm::Error runOnDeepStack(size_t bytes, llvm::function_ref<void()> work);

/// Runs `work` on the thread's own stack: for code that asks a host something while it is on a deep one.
void runOnOwnStack(llvm::function_ref<void()> work);

} // namespace triton
