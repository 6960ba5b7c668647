// Generated code that can be left from its midst, where it waits for something that may never come: it has nothing to clean up.
#pragma once

#include "compiler/support/Interruption.h"

#include "llvm/ADT/STLFunctionalExtras.h"

extern "C" {
/// Called by generated code whenever it goes round a loop in which it may wait for something. Does not return if the launch is to end.
void triton_poll();
}

namespace triton::runtime {

/// Calls `programs`, which runs generated code; comes back when that has ended, or has been left.
void runInterruptibly(Interruption &interruption, llvm::function_ref<void()> programs);

/// `interruption.ask()` in the midst of a launch: what it runs may launch kernels, which get an arena of their own.
void askAside(Interruption &interruption);

} // namespace triton::runtime
