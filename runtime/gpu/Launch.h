// One launch of a kernel on a stream.
//   In:  a loaded function, its grid, a pointer to each argument.
//   Out: the work is queued; errors of the kernel itself show up later, at the next call that waits.
#pragma once

#include "runtime/gpu/Module.h"

#include <array>
#include <atomic>
#include <span>

namespace triton::runtime::gpu {

class LaunchGraph;

struct Launch {
  FunctionHandle function = nullptr;
  ContextHandle context = nullptr; // of the function; null: whichever is current
  bool isContextCurrent = false;   // the caller has just seen that
  StreamHandle stream = nullptr;
  std::array<uint32_t, 3> grid = {1, 1, 1}; // in programs: the driver is asked for `clusterSize` blocks each, along x
  uint32_t threads = 128;
  uint32_t sharedBytes = 0;
  uint32_t clusterSize = 1;
  bool isCooperative = false;
  bool isProgrammatic =
      false; // may begin before the kernel ahead of it on the stream has ended: its code waits where it must
  bool waitsAtEntry = false; // its code waits first of all, so that it may begin early without harm
  void **arguments = nullptr;
  LaunchGraph *graph = nullptr; // of this kernel, if launches may go through one; then the context is given, and
  std::span<const std::byte> argumentBlock; // all that `arguments` point to and that is not always the same
};

/// While a profiler measures kernels: launches neither overlap by themselves nor go through graphs.
extern std::atomic<bool> launchesAreMeasured;

/// The driver's status; an empty grid is no launch and a success.
int launch(const DriverApi &api, const Launch &launch);
/// How arguments are handed to the driver: to cuLaunchKernelEx, or by the plain call; `Programmatic` as Pointers, with the attribute.
enum class Handover { Pointers, Buffer, PlainCall, Programmatic };
/// Microseconds that the driver takes for one launch of a function whose arguments, all zero, take `argumentBytes`: what every launch costs at least.
llvm::Expected<double> timeLaunches(Driver &driver, const LoadedFunction &function, uint32_t threads,
                                    size_t argumentBytes, int count, Handover handover);
/// What to tell a user about a launch that failed.
std::string describeFailure(const DriverApi &api, const Launch &launch, int status);

} // namespace triton::runtime::gpu
