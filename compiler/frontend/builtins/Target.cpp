// What a kernel may ask about its target, at compile time.
#include "compiler/frontend/builtins/Arguments.h"
#include "compiler/frontend/builtins/Families.h"

using namespace mlir;

namespace triton::frontend {

static FailureOr<Value> isCuda(Emitter &emitter, const BoundArguments &) { return Value::boolean(emitter.options().backend == "cuda"); }
static FailureOr<Value> isHip(Emitter &emitter, const BoundArguments &) { return Value::boolean(emitter.options().backend == "hip"); }
static FailureOr<Value> isNot(Emitter &, const BoundArguments &) { return Value::boolean(false); }

static FailureOr<Value> capabilityAtLeast(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<int64_t> major = readInteger(emitter, arguments[0], "major"), minor = readInteger(emitter, arguments[1], "minor");
  if (failed(major) || failed(minor))
    return failure();
  const LanguageOptions &options = emitter.options();
  return Value::boolean(options.backend == "cuda" && options.capability >= *major * 10 + *minor);
}

static FailureOr<Value> numWarps(Emitter &emitter, const BoundArguments &) { return Value::integer(emitter.options().numWarps); }
static FailureOr<Value> numThreads(Emitter &emitter, const BoundArguments &) {
  return Value::integer(emitter.options().numWarps * emitter.options().warpSize);
}

llvm::ArrayRef<Builtin> targetBuiltins() {
  static const Builtin table[] = {
      {"triton.language.target_info", "is_cuda", "()", "Whether the kernel is compiled for an NVIDIA GPU.", isCuda},
      {"triton.language.target_info", "cuda_capability_geq", "(major, minor=0)", "Whether the target is an NVIDIA GPU of at least this compute capability.",
       capabilityAtLeast},
      {"triton.language.target_info", "is_hip", "()", "Whether the kernel is compiled for an AMD GPU.", isHip},
      {"triton.language.target_info", "is_hip_cdna3", "()", "Whether the target is an AMD GPU of the CDNA 3 family.", isNot},
      {"triton.language.target_info", "is_hip_cdna4", "()", "Whether the target is an AMD GPU of the CDNA 4 family.", isNot},
      {"triton.language.extra.cuda", "num_warps", "()", "How many warps run a program.", numWarps},
      {"triton.language.extra.cuda", "num_threads", "()", "How many threads run a program.", numThreads},
  };
  return table;
}

} // namespace triton::frontend
