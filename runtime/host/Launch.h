// Runs a kernel's programs over a grid on the CPU.
//   In:  loaded code, the packed arguments, the grid.
//   Out: every program has run when `launch` returns.
// Small launches run on the caller: waking workers costs more than they are worth. What is small is learnt from the
// kernel's own launches and corrected while one runs. Programs are independent, so how they are spread never changes a
// result. Those of a kernel that waits for what others write (a lock, a barrier of the whole grid) are run one by one, and where
// all that have begun wait, more threads begin the others (Turns): each then runs in the end, as on a GPU that holds them all.
#pragma once

#include "compiler/support/Interruption.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

namespace triton::runtime {

class LoadedCode;

/// What the compiler makes of a kernel: runs programs begin to end - 1 of the linear grid, in which x varies fastest.
using KernelEntry = void (*)(const void *arguments, const int32_t grid[3], int64_t begin, int64_t end, void *arena);

struct KernelCode {
  std::string name;
  KernelEntry entry = nullptr;
  uint64_t arenaBytes = 0;                             // scratch per thread
  std::shared_ptr<const LoadedCode> code;              // keeps `entry` alive
  mutable std::atomic<float> nanosecondsPerProgram{0}; // learnt; 0: never run

  /// Loads an object and finds the kernel in it.
  static llvm::Expected<std::shared_ptr<const KernelCode>> load(llvm::StringRef object, llvm::StringRef symbol,
                                                                uint64_t arenaBytes);
};

struct LaunchOptions {
  unsigned maxThreads = 0;                        // 0: all processors of this process
  bool waits = false, polls = false;              // as the artifact says: waitsForPrograms, polls
  Interruption::Question isInterrupted = nullptr; // asked now and then, on the calling thread
};

/// `arguments` is the packed block of the kernel's run-time arguments. Fails when the grid is negative or too large to
/// count, when there is no memory for the arena, or when it was interrupted. Any number of threads may launch at once.
llvm::Error launch(const KernelCode &kernel, const void *arguments, std::array<int32_t, 3> grid,
                   LaunchOptions options = {});

} // namespace triton::runtime
