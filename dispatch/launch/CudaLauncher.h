// Launches of one kernel on NVIDIA GPUs.
//   In:  what all its launches have in common, the packed arguments of one, where and how it is launched.
//   Out: the launch is queued on its stream.
// The code takes the run-time arguments in order, then two pointers: to scratch memory of the launch, and to that of a profiler.
#pragma once

#include "compiler/artifact/Artifact.h"
#include "dispatch/launch/CudaCall.h"
#include "runtime/gpu/LaunchGraph.h"

#include <algorithm>

namespace triton::dispatch {

/// As an artifact says it.
CudaPlan planOf(const artifact::Artifact &artifact);

/// Whether the environment asks for launches one by one: tools that trace them show a graph as one thing, and CUDA_LAUNCH_BLOCKING wants each waited for.
bool isEachLaunchShown();

/// Used by one thread at a time or by many.
class CudaLauncher {
public:
  CudaLauncher(CudaPlan given) : plan(std::move(given)), usableGraph(isEachLaunchShown() ? nullptr : &graph) {
    plan.isProgrammatic &= !plan.hasScratch;
  }

  /// Makes a function ready to be launched, and gives the context that it was loaded into; 0 if `runtime::gpu::load` did not load it.
  llvm::Expected<uint64_t> prepare(uint64_t function) const;

  /// How many bytes of scratch memory a launch over this grid takes, of `perBlock` bytes each.
  uint64_t scratchBytes(const int32_t grid[3], uint64_t perBlock) const;
  /// `arguments`: the packed block. The driver's status.
  int launch(const runtime::gpu::DriverApi &api, const CudaCall &call, std::byte *arguments);
  /// What to tell a user about a launch that failed.
  std::string describeFailure(const runtime::gpu::DriverApi &api, const CudaCall &call, int status) const;
  /// How many launches went through a graph.
  uint64_t graphLaunches() const { return graph.launches(); }

private:
  runtime::gpu::Launch describe(const CudaCall &call) const;
  /// Of a kernel that prints: `buffer` is the argument for its messages.
  static int launchWithMessages(const runtime::gpu::DriverApi &api, const runtime::gpu::Launch &work,
                                runtime::gpu::DevicePointer &buffer);
  CudaPlan plan; // never changes once it is made
  runtime::gpu::LaunchGraph graph;
  runtime::gpu::LaunchGraph *const usableGraph; // null: each launch is to be seen
};

// In the header, as a launch that is warm counts instructions.

inline uint64_t CudaLauncher::scratchBytes(const int32_t grid[3], uint64_t perBlock) const {
  return uint64_t(grid[0]) * uint64_t(grid[1]) * uint64_t(grid[2]) * plan.clusterSize * perBlock;
}

inline runtime::gpu::Launch CudaLauncher::describe(const CudaCall &call) const {
  return {.function = reinterpret_cast<runtime::gpu::FunctionHandle>(call.function),
          .context = reinterpret_cast<runtime::gpu::ContextHandle>(call.context),
          .isContextCurrent = call.isContextCurrent,
          .stream = reinterpret_cast<runtime::gpu::StreamHandle>(call.stream),
          .grid = {uint32_t(call.grid[0]), uint32_t(call.grid[1]), uint32_t(call.grid[2])},
          .threads = plan.threads,
          .sharedBytes = plan.sharedBytes,
          .clusterSize = plan.clusterSize,
          .isCooperative = plan.isCooperative,
          .isProgrammatic = plan.isProgrammatic,
          .waitsAtEntry = plan.waitsAtEntry};
}

inline int CudaLauncher::launch(const runtime::gpu::DriverApi &api, const CudaCall &call, std::byte *arguments) {
  constexpr size_t usual = 64;
  runtime::gpu::DevicePointer scratch[2] = {call.scratch, call.profilerScratch};
  void *few[usual];
  std::vector<void *> many;
  void **pointers = few;
  const size_t count = plan.offsets.size();
  if (count + 2 > usual) {
    many.resize(count + 2);
    pointers = many.data();
  }
  std::transform(plan.offsets.begin(), plan.offsets.end(), pointers,
                 [=](uint32_t offset) -> void * { return arguments + offset; });
  pointers[count] = &scratch[0];
  pointers[count + 1] = &scratch[1];
  runtime::gpu::Launch work = describe(call);
  work.arguments = pointers;
  if (plan.writesMessages && !scratch[1])
    return launchWithMessages(api, work, scratch[1]);
  if (call.mayUseGraph && !scratch[0] && !scratch[1]) {
    work.graph = usableGraph;
    work.argumentBlock = {arguments, plan.argumentBytes};
  }
  return runtime::gpu::launch(api, work);
}

} // namespace triton::dispatch
