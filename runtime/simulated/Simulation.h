// A driver whose devices are the simulator's: kernels are PTX or AMDGPU LLVM IR, run on the host's processor before the launch returns, and take memory of the host.
//   In:  an architecture (sm_90a, gfx942).
//   Out: a table like that of the vendor's library, so that everything above it is as on a GPU.
#pragma once

#include "runtime/driver/DriverApi.h"
#include "simulator/watch/Counters.h"

#include <vector>

namespace triton::runtime::simulated {

using namespace gpu; // it is one more of the drivers there

/// What `Driver::setLibrary` takes instead of a path: "simulator:sm_90a", "simulator:gfx942".
inline constexpr llvm::StringLiteral simulatorPrefix = "simulator:";

/// One for the process: the architecture of the first call counts.
llvm::Expected<std::unique_ptr<const DriverApi>> simulatedDriver(llvm::StringRef architecture);

/// Memory that a kernel may touch, and what messages call it.
struct KnownMemory {
  uint64_t begin, end;
  std::string name;
};
/// All that the next launch of this thread may touch; nothing: it is not known, and not checked.
void noteMemory(std::vector<KnownMemory> memory);

/// What launches do besides running.
struct Observation {
  bool collects = false; // what is found is kept for `takeFindings`, and no error unless it ended the launch
  bool counts = false;   // likewise counters, for `takeCounts`
  bool (*isInterrupted)() = nullptr;
};
void observe(const Observation &observation);

/// What a profiler does around each launch, on its thread: `end` gets what `begin` gave.
struct LaunchWatch {
  void *(*begin)(llvm::StringRef kernel);
  void (*end)(void *);
};
/// Null: nobody measures. A watch stays as long as the process.
void watchLaunches(const LaunchWatch *watch);

struct KernelFinding {
  std::string kernel, place, kind, message;
  uint64_t count; // of equal ones
  bool isFatal;   // it ended the launch
};
std::vector<KernelFinding> takeFindings();

/// What instructions of one family in one line of a kernel did, in all launches since the last call.
struct KernelCount {
  std::string kernel, place, family;
  simulator::Counter counter;
  /// Microseconds that these would keep parts of a GPU busy, by the cost model: its schedulers, its memory, shared memory, tensor cores. What keeps the busiest part of it busy is how long
  /// a kernel takes at least.
  struct Times {
    double issue = 0, memory = 0, shared = 0, tensor = 0;
  } times;
};
std::vector<KernelCount> takeCounts();

} // namespace triton::runtime::simulated
