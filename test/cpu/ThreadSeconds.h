// How long something takes, for benchmarks.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <ctime>

namespace triton {

/// Of this thread alone: other programs that share the machine count less.
inline double threadSeconds(llvm::function_ref<void()> run) {
  auto now = [] {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
  };
  double start = now();
  run();
  return now() - start;
}

} // namespace triton
