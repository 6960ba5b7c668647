// What `for` and `while` iterate over. The emitter reads these calls itself; as plain calls they mean nothing.
#include "compiler/frontend/builtins/Arguments.h"
#include "compiler/frontend/builtins/Families.h"

using namespace mlir;

namespace triton::frontend {

static FailureOr<Value> onlyInFor(Emitter &emitter, const BoundArguments &) {
  return emitter.error("RuntimeError") << "a range can only be used as `for i in range(...)` in a kernel";
}

static FailureOr<Value> onlyInWhile(Emitter &emitter, const BoundArguments &) {
  return emitter.error("RuntimeError") << "tl.condition can only be used as `while tl.condition(...)` in a kernel";
}

llvm::ArrayRef<Builtin> loopBuiltins() {
  static const Builtin table[] = {
      {"triton.language.core", "range",
       "(arg1, arg2=None, step=None, num_stages=None, loop_unroll_factor=None, disallow_acc_multi_buffer=False, "
       "flatten=False, warp_specialize=False, "
       "disable_licm=False)",
       "A loop at run time, as Python's `range`, with hints that never change results.\n\n"
       "It runs as often as Python's, for the same numbers: also forwards or backwards by a step known at run time "
       "only, "
       "and at the ends of the bounds' type. A step of zero is an error while compiling or, at run time, with "
       "`debug=True`; without, the loop does not run.\n\n"
       "`num_stages` overlaps that many iterations; `loop_unroll_factor` unrolls; `disallow_acc_multi_buffer` keeps "
       "one buffer for a dot's accumulator; `flatten` "
       "merges with the loop directly inside; `warp_specialize` gives parts of the body to different warps; "
       "`disable_licm` keeps invariant code inside, on GPUs.",
       onlyInFor, false, false, Builtin::Kind::Class},
      {"triton.language.core", "static_range", "(arg1, arg2=None, step=None)",
       "A loop unrolled while compiling, as Python's `range`: its variable is a compile-time integer.", onlyInFor,
       false, false, Builtin::Kind::Class},
      {"triton.language.core", "condition", "(arg1, disable_licm=False)",
       "The condition of a `while` loop, with hints.", onlyInWhile, false, false, Builtin::Kind::Class},
      {"builtins", "range", "(arg1, arg2=None, step=None)", "A loop at run time.", onlyInFor, false, false,
       Builtin::Kind::Class},
  };
  return table;
}

} // namespace triton::frontend
