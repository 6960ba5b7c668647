// A compiled kernel on this machine's processors. In the header, as a launch that is warm counts instructions.
#pragma once

#include "dispatch/EnvironmentNumber.h"
#include "runtime/host/Launch.h"

namespace triton::dispatch {

struct HostCall {
  std::array<int32_t, 3> grid = {1, 1, 1};
  unsigned threads = 0;                         // at most; 0: all processors
  bool waitsForPrograms = false, polls = false; // as the artifact says
  Interruption::Question isInterrupted = nullptr;
};

/// `HostCall::threads`: what the caller gave, else what TRITON_CPU_MAX_THREADS says, read on every launch as the other
/// knobs are.
inline llvm::Expected<unsigned> threadLimit(unsigned given) {
  if (given || !std::getenv("TRITON_CPU_MAX_THREADS"))
    return given;
  return environmentNumber("TRITON_CPU_MAX_THREADS");
}

/// Runs the whole grid on a packed block of arguments.
inline llvm::Error launch(const runtime::KernelCode &code, const HostCall &call, const void *arguments) {
  return runtime::launch(code, arguments, call.grid,
                         {call.threads, call.waitsForPrograms, call.polls, call.isInterrupted});
}

} // namespace triton::dispatch
