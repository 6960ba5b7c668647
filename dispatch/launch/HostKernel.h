// A compiled kernel on this machine's processors. In the header, as a launch that is warm counts instructions.
#pragma once

#include "dispatch/EnvironmentNumber.h"
#include "runtime/host/Launch.h"

namespace triton::dispatch {

struct HostCall {
  std::array<int32_t, 3> grid = {1, 1, 1};
  unsigned threads = 0;                         // at most; 0: what TRITON_CPU_MAX_THREADS says, else all processors
  bool waitsForPrograms = false, polls = false; // as the artifact says
  Interruption::Question isInterrupted = nullptr;
};

/// Runs the whole grid on a packed block of arguments.
inline llvm::Error launch(const runtime::KernelCode &code, const HostCall &call, const void *arguments) {
  unsigned threads = call.threads;
  if (call.grid[0] == 1 && call.grid[1] == 1 && call.grid[2] == 1) {
    threads = 1;
  } else if (!threads && std::getenv("TRITON_CPU_MAX_THREADS")) { // read on every launch, as the other knobs are
    llvm::Expected<unsigned> limit = environmentNumber("TRITON_CPU_MAX_THREADS");
    if (!limit)
      return limit.takeError();
    threads = *limit;
  }
  return runtime::launch(code, arguments, call.grid, {threads, call.waitsForPrograms, call.polls, call.isInterrupted});
}

} // namespace triton::dispatch
