// How many threads a launch on this machine's processors may use.
#pragma once

#include "dispatch/EnvironmentNumber.h"

namespace triton::dispatch {

/// What the caller gave, else what TRITON_CPU_MAX_THREADS says, read on every launch as the other knobs are; 0: all processors.
inline llvm::Expected<unsigned> threadLimit(unsigned given) {
  if (given || !std::getenv("TRITON_CPU_MAX_THREADS"))
    return given;
  return environmentNumber("TRITON_CPU_MAX_THREADS");
}

} // namespace triton::dispatch
