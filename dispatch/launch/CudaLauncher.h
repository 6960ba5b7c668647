// Launches of one kernel on NVIDIA GPUs.
//   In:  what all its launches have in common, the packed arguments of one, where and how it is launched.
//   Out: the launch is queued on its stream.
// The code takes the run-time arguments in order, then two pointers: to scratch memory of the launch, and to that of a profiler.
#pragma once

#include "compiler/artifact/Artifact.h"
#include "runtime/gpu/LaunchGraph.h"

#include <algorithm>

namespace triton::dispatch {

/// What launches of a kernel have in common.
struct CudaPlan {
  /// As an artifact says it.
  static CudaPlan of(const artifact::Artifact &artifact);

  std::vector<uint32_t> offsets; // of the code's arguments in the packed block
  uint32_t argumentBytes = 0;    // of the block
  uint32_t threads = 128, sharedBytes = 0, clusterSize = 1;
  bool isCooperative = false, isProgrammatic = false, waitsAtEntry = false;
  bool hasScratch =
      false; // launches bring memory, which may be what the one before still uses: then none is programmatic
};

/// One launch.
struct CudaCall {
  runtime::gpu::FunctionHandle function = nullptr;
  runtime::gpu::ContextHandle context = nullptr; // of the function; null: whichever is current
  runtime::gpu::StreamHandle stream = nullptr;
  std::array<int32_t, 3> grid = {1, 1, 1};
  bool isContextCurrent = false; // the caller has just seen that the function's is
  bool mayUseGraph = false;
  runtime::gpu::DevicePointer scratch = 0, profilerScratch = 0; // memory of this launch, 0 where it needs none
};

/// Whether the environment asks for launches one by one: tools that trace them show a graph as one thing, and CUDA_LAUNCH_BLOCKING wants each waited for.
bool isEachLaunchShown();

/// Used by one thread at a time or by many.
class CudaLauncher {
public:
  CudaLauncher(CudaPlan given) : plan(std::move(given)), usableGraph(isEachLaunchShown() ? nullptr : &graph) {
    plan.isProgrammatic &= !plan.hasScratch;
  }

  /// Makes a function ready to be launched, and gives the context that it was loaded into; null if `runtime::gpu::load` did not load it.
  llvm::Expected<runtime::gpu::ContextHandle> prepare(runtime::gpu::FunctionHandle function) const;

  /// How many bytes of scratch memory a launch over this grid takes, of `perBlock` bytes each.
  uint64_t scratchBytes(const std::array<int32_t, 3> &grid, uint64_t perBlock) const;
  /// `arguments`: the packed block. The driver's status.
  int launch(const runtime::gpu::DriverApi &api, const CudaCall &call, std::byte *arguments);
  /// What to tell a user about a launch that failed.
  std::string describeFailure(const runtime::gpu::DriverApi &api, const CudaCall &call, int status) const;
  /// How many launches went through a graph.
  uint64_t graphLaunches() const { return graph.launches(); }

private:
  runtime::gpu::Launch describe(const CudaCall &call) const;
  CudaPlan plan; // never changes once it is made
  runtime::gpu::LaunchGraph graph;
  runtime::gpu::LaunchGraph *const usableGraph; // null: each launch is to be seen
};

// In the header, as a launch that is warm counts instructions.

inline uint64_t CudaLauncher::scratchBytes(const std::array<int32_t, 3> &grid, uint64_t perBlock) const {
  return uint64_t(grid[0]) * uint64_t(grid[1]) * uint64_t(grid[2]) * plan.clusterSize * perBlock;
}

inline runtime::gpu::Launch CudaLauncher::describe(const CudaCall &call) const {
  return {.function = call.function,
          .context = call.context,
          .isContextCurrent = call.isContextCurrent,
          .stream = call.stream,
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
  if (call.mayUseGraph && !scratch[0] && !scratch[1]) {
    work.graph = usableGraph;
    work.argumentBlock = {arguments, plan.argumentBytes};
  }
  return runtime::gpu::launch(api, work);
}

} // namespace triton::dispatch
