// Launches of one kernel through a graph of one node: about a microsecond less of the host's time than a launch by itself, but in full order.
//   In:  launches of a kernel, in whatever order and number.
//   Out: those for which the host is what limits the program are made here; the others are left to the caller (docs/decisions/0019).
#pragma once

#include "runtime/gpu/Launch.h"

#include <atomic>
#include <vector>

namespace triton::runtime::gpu {

class LaunchGraph {
public:
  /// A graph is worth its memory (about 110 KB of the GPU's) after so many launches; there are never more than `limit` of a process.
  static constexpr int32_t threshold = 32, limit = 64;

  LaunchGraph() = default;
  ~LaunchGraph();
  LaunchGraph(const LaunchGraph &) = delete;

  /// Its context is current. False: nothing was done, launch as ever.
  bool launch(const DriverApi &api, const Launch &launch);
  /// How many were made here.
  uint64_t launches() const { return launchCount.load(std::memory_order_relaxed); }

private:
  struct Registry;
  struct Shape {
    std::array<uint32_t, 3> grid = {};
    uint32_t threads = 0, sharedBytes = 0;
    bool operator==(const Shape &other) const = default;
  };
  static constexpr int32_t patience = 1024; // launches until the next try where none was to be had

  bool prepare(const DriverApi &usedApi, const Launch &launch);
  bool create(const DriverApi &usedApi, const Launch &launch);
  bool update(const Launch &launch);
  void remember(const Launch &launch);
  void giveUp();
  void destroy();

  std::atomic<bool> isTaken = false; // by a thread that launches, or by one that needs the place
  bool isRecent = false;             // used since the registry last looked for a place
  int32_t count = 0;                 // of launches that could have come here
  std::atomic<uint64_t> launchCount = 0;
  const DriverApi *api = nullptr;
  FunctionHandle function = nullptr;
  StreamHandle stream = nullptr; // of the last launch
  GraphHandle graph = nullptr;
  GraphNodeHandle node = nullptr;
  ExecutableGraphHandle executable = nullptr; // null until there is one
  Shape shape;                                // what it launches
  std::vector<std::byte> arguments;
};

} // namespace triton::runtime::gpu
