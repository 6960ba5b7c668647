// What a launch on a GPU is: the part that all launches of a kernel share, and the rest. Handles of the driver are plain numbers, as programs pass them around.
// Needs the standard library alone: surfaces fill these in.
#pragma once

#include <cstdint>
#include <vector>

namespace triton::dispatch {

/// What launches of a kernel have in common.
struct CudaPlan {
  std::vector<uint32_t> offsets; // of the code's arguments in the packed block
  uint32_t argumentBytes = 0;    // of the block
  uint32_t threads = 128, sharedBytes = 0, clusterSize = 1;
  bool isCooperative = false, isProgrammatic = false;
  bool waitsAtEntry = false; // as the artifact says; then a launch may overlap the one before it
  bool hasScratch =
      false; // launches bring memory, which may be what the one before still uses: then none is programmatic
  bool writesMessages = false; // to a buffer that they bring as the profiler's
};

/// One launch.
struct CudaCall {
  uint64_t function = 0, context = 0, stream = 0; // context 0: whichever is current
  int32_t grid[3] = {1, 1, 1};
  bool isContextCurrent = false;             // the caller has just seen that the function's is
  bool mayUseGraph = false;                  // where the GPU waits for the host
  uint64_t scratch = 0, profilerScratch = 0; // memory of this launch, 0 where it needs none
};

} // namespace triton::dispatch
