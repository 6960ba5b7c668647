// What runs: a grid of clusters of CTAs of warps, and what happens to be where.
//
// A warp is 32 lanes (or 64, a wave of AMD's) that execute together. Where they branch apart, the warp becomes a tree of paths: the leaves run, their parent waits at the place where they meet
// again (the immediate post-dominator of the branch). Leaves run in any order, so lanes may wait for each other, as on GPUs since Volta.
//
// The warps of a cluster take turns on one thread of the host; clusters share the threads of the host. What only a cluster can see (shared memory, barriers) therefore needs
// no locks; global memory is touched by atomic instructions of the host.
#pragma once

#include "simulator/machine/HostMemory.h"
#include "simulator/machine/Program.h"
#include "simulator/watch/Counters.h"
#include "simulator/watch/Findings.h"

#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace triton::simulator {

struct Cta;
struct Cluster;
struct Grid;
class GlobalRaces;
class RaceWatch;
class RegisterWatch;

/// Lanes that are at one place.
struct Path {
  uint32_t pc = 0, join = 0; // ends on reaching `join`
  LaneMask mask = 0;
  int32_t parent = -1;
  uint32_t children = 0; // > 0: waits for them
  bool isCall = false;   // its children are in a function, and return to it
  bool isFree = true;
  // What it waits for, if it is blocked; `Step::Blocked` without any of these polls.
  enum class Wait : uint8_t { None, Barrier, ClusterBarrier, WarpBarrier, Tensor } wait = Wait::None;
  uint32_t barrier = 0;
  uint64_t token = 0;        // of the handler that blocks: what it saw when it began to wait
  const char *why = nullptr; // for reports of deadlocks
  uint64_t whyAddress = 0;
  uint32_t missing = 0; // of an mbarrier: arrivals, bytes
  int32_t missingBytes = 0;
};

struct Warp {
  Cta &cta;
  const std::byte *bases[2]; // registers, constants
  std::byte *registers;
  LaneMask *predicates;
  std::byte *local;   // of its threads, `localBytes` each
  uint32_t index = 0; // in the CTA
  uint32_t lanes;
  LaneMask full; // all of them, whether they are alive or not
  LaneMask live = 0;
  std::vector<Path> paths;
  int32_t current = -1; // path
  uint64_t executed = 0;
  uint64_t committedGroups = 0;            // of wgmma
  std::unique_ptr<RegisterWatch> inFlight; // registers of wgmma, where they are watched
  struct LateCopy {                        // cp.async, not landed yet
    std::byte *to;
    const std::byte *from;
    uint32_t bytes, read; // the rest is zero
    uint64_t group;
  };
  std::deque<LateCopy> lateCopies;
  uint64_t copyGroups = 0;   // committed
  uint64_t clusterToken = 0; // the phase of the cluster barrier at which it arrived last

  Warp(Cta &cta, uint32_t index, uint32_t threads);
  ~Warp();
  template <typename T> const T *in(Slot slot) const {
    return reinterpret_cast<const T *>(bases[slot.code >> 31] + slot.offset());
  }
  template <typename T> T *out(Slot slot) { return reinterpret_cast<T *>(registers + slot.offset()); }
  LaneMask predicate(PredicateSlot slot) const {
    return slot.isNegated ? ~predicates[slot.index] : predicates[slot.index];
  }
  void setPredicate(uint32_t index, LaneMask value, LaneMask mask) {
    predicates[index] = (predicates[index] & ~mask) | (value & mask);
  }
  Path &path() { return paths[size_t(current)]; }

  enum class State : uint8_t { Running, Waiting, Done };
  /// Runs up to `budget` instructions, less where it waits.
  State run(uint64_t budget);
  bool isDone() const { return live == 0; }

  // For handlers of control flow; all leave `current` valid or -1.
  void branch(const Instruction &instruction, LaneMask taken);
  void call(uint32_t entry, LaneMask mask, uint32_t join);
  void leave(LaneMask lanes, bool isExit); // ret or exit
  /// Ends the current path, or moves it if it has lanes left elsewhere.
  void finishPath();
  int32_t newPath();
};

struct Barrier {
  uint32_t expected = 0, arrived = 0; // threads; expected: 0 before the first arrival
  uint32_t reduction = 0;             // of barriers that reduce: count, or all, any
  bool all = true, any = false;
  uint64_t generation = 0;
  uint32_t lastCount = 0;
  bool lastAll = false, lastAny = false;
};

struct Cta {
  Cluster &cluster;
  uint32_t rank = 0; // in the cluster
  std::array<uint32_t, 3> position{};
  std::vector<std::byte> shared;
  std::vector<std::byte> registerStorage;
  std::vector<LaneMask> predicateStorage;
  std::vector<std::byte> localStorage;
  std::vector<std::unique_ptr<Warp>> warps;
  std::array<Barrier, 16> barriers;
  // Tensor memory: 128 lanes of 512 columns of 32 bits, made when it is first asked for.
  std::vector<uint32_t> tensor;
  std::array<uint16_t, 16>
      tensorOwners{}; // of 32 columns each: 0 free, else columns of the allocation that begins here or covers it
  std::array<const Instruction *, 16> tensorOrigins{}; // of the allocation that covers these columns
  uint32_t liveWarps = 0;

  Cta(Cluster &cluster, uint32_t rank, std::array<uint32_t, 3> position);
  Grid &grid() const;
};

struct Cluster {
  Grid &grid;
  uint64_t number;                    // in the grid
  std::array<uint32_t, 3> position{}; // in clusters
  std::vector<std::unique_ptr<Cta>> ctas;
  std::minstd_rand random;
  uint64_t events = 0; // grows with everything that may let a warp go on
  // barrier.cluster: threads that have arrived in this phase.
  uint32_t arrived = 0, expected = 0;
  uint64_t generation = 0;
  std::unique_ptr<RaceWatch> races; // where shared memory is watched
  std::unique_ptr<Counters> counters;
  std::vector<Touch> touches;                // of the instruction that is being executed, where they are counted
  uint64_t products = 0;                     // likewise
  std::vector<std::function<void()>> flying; // copies that have not landed

  Cluster(Grid &grid, uint64_t number);
  ~Cluster();
  /// Runs all warps in turn; true when the last one has ended. Where all wait for each other that is a finding, and the grid is stopped.
  bool run(uint64_t budget);
  void reportDeadlock();
  /// A copy lands: at once or, with a seed, at any time from now on.
  void land(std::function<void()> copy);
  void count(const Instruction &instruction, LaneMask mask);
  void note(ptx::Space space, uint64_t address, uint64_t bytes) {
    if (counters)
      touches.push_back({space, address, uint32_t(bytes)});
  }

private:
  void landSome(bool isIdle);
};

/// A stretch of global memory that a kernel may touch.
struct Range {
  uint64_t begin = 0, end = 0;
  std::string name; // "argument 2 (float32)"
};

/// By address; stretches that overlap become one.
void sortMemory(std::vector<Range> &memory);

struct Launch {
  const Kernel *kernel = nullptr;
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  uint32_t sharedBytes = 0; // dynamic
  std::vector<std::byte> parameters;
  std::vector<Range> memory; // sorted; empty: not known
  uint64_t seed = 0;         // 0: warps take turns in order
  unsigned threads = 1;      // of the host, as far as there are that many
  /// Starts one; it is not joinable where there are no more. Without it only the caller works.
  std::function<std::thread(std::function<void()>)> startThread;
  WatchSet watch;
  bool counts = false;
  std::function<bool()> isInterrupted; // asked now and then, on the thread that called
};

/// What a device is to a kernel.
struct DeviceShape {
  uint32_t multiprocessors = 132;
};

struct Grid {
  const Program &program;
  const Launch &launch;
  Findings &findings;
  uint32_t number; // of the process
  DeviceShape device;
  std::array<uint32_t, 3> clusters{};
  std::vector<std::byte> parameters; // aligned to 64 inside
  std::byte *parameterBegin = nullptr;
  uint32_t sharedBytes = 0, dynamicSharedOffset = 0;
  std::atomic<bool> isStopped{false};
  HostMemory hostMemory;
  std::unique_ptr<Counters> counters; // where they are wanted, of clusters that have ended
  std::mutex countersMutex;
  std::unique_ptr<GlobalRaces> globalRaces; // where races are watched; programs then run on one thread
  std::atomic<uint64_t> executed{0};

  Grid(const Program &program, const Launch &launch, Findings &findings);
  ~Grid();
  void run();
  /// The number of a cluster that has not begun, which is now the caller's to run; none where all have.
  std::optional<uint64_t> nextCluster();
  /// In clusters.
  std::array<uint32_t, 3> positionOf(uint64_t cluster) const;
  /// What one takes while it runs.
  uint64_t bytesOfCluster() const;
  /// Notes what is wrong, and ends the launch where one cannot go on.
  void report(Warp &warp, const Instruction &instruction, LaneMask lanes, Finding::Kind kind, std::string message,
              bool isFatal);

private:
  std::atomic<uint64_t> begun{0};
};

/// Arrives at a barrier of the CTA, and waits for the others unless it only arrives. `small[0]` kind (0: waits), `small[1]` whether all lanes of a warp must come together,
/// `small[2]` whether b is given; a: number, b: threads; p: what is reduced; d: where to.
Step synchroniseCta(Warp &warp, const Instruction &instruction, LaneMask mask);

inline Grid &Cta::grid() const { return cluster.grid; }

} // namespace triton::simulator
