// The routines of the concurrency sanitizer: functions of the module, on its state in global memory (compiler/gpu/SanitizerPlan.h).
//   In:  the plan.
//   Out: a function for each routine, made when first asked for. All take the state and numbers of 32 bits, and give 0 or a `Fault`.
#pragma once

#include "compiler/gpu/SanitizerPlan.h"

#include "llvm/IR/Module.h"

namespace triton::nvidia {

enum class Fault { None, Writes, Reads, Copy, Store, Dot, Underflow, Deadlock };
/// What the user is told.
llvm::StringRef messageOf(Fault fault);

/// How an access ends: at once, at a wait of its kind, or at an mbarrier.
enum class Ending { Now, Copies, Stores, Dots, Mbarrier, Products };

enum class Routine {
  Begin,   // (): nothing is under way
  Access,  // (actor, first byte, last byte, writes, Ending, barrier): checks, and notes what begins
  Commit,  // (actor, Ending): what it has under way of this kind is a group
  Drain,   // (actor, Ending, number): but for the newest groups, all is over
  Release, // (actor, Ending, barrier): the barrier tells when what is under way is over
  Init,    // (barrier, count)
  Arrive,  // (actor, barrier, count, bytes): passes on what the actor knows
  Deliver, // (barrier, bytes)
  Forget,  // (barrier): it is arrived at in ways that are not counted
  Wait,    // (actor, barrier, parity)
  Pass,    // (actor, barrier): the wait is over
  Fork,    // (actors): they begin, and know what the kernel's own warps know
  Leave,   // (actor)
  Join,    // (): all are back
};

/// `function(state, numbers…) -> Fault`.
llvm::Function *routine(llvm::Module &module, const gpu::SanitizerPlan &plan, Routine which);

} // namespace triton::nvidia
