// Races in shared memory: two accesses of which at least one writes, and that nothing orders.
//
// Who acts: warps, and asynchronous operations (copies, products) that a warp started and that go on by themselves. Each warp has a clock: what it knows to be over. A warp's
// time is its epoch, which grows whenever it lets others know (an arrival at a barrier, a fence); what an operation did is over for those who waited for it.
//
//   warp 0: st.shared [0]        epoch 1                    warp 1:
//           bar.sync             arrival: barrier knows {warp 0: 1}, epoch 2
//                                                                   bar.sync        knows {warp 0: 1}
//                                                                   ld.shared [0]   written by warp 0 in epoch 1: known, no race
//
// Asynchronous operations look through another proxy. They see what a warp wrote only if that warp fenced afterwards (fence.proxy.async): a clock says for each warp also up to
// which epoch that is so. Lanes of a warp count as one: they do not race with each other.
#pragma once

#include "simulator/machine/Machine.h"
#include "simulator/machine/Memory.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace triton::simulator {

/// What somebody knows to be over.
struct Clock {
  std::vector<uint32_t> warps;               // of the cluster: up to this epoch
  std::vector<uint32_t> published;           // likewise, and visible to asynchronous operations
  std::vector<uint64_t> operations;          // a bit each
  std::vector<uint64_t> publishedOperations; // likewise those by the generic proxy, and visible to asynchronous ones
  // Of other clusters, by their numbers in the grid: as `warps` and `operations`. Accesses of global memory are ordered by these.
  struct Elsewhere {
    std::vector<uint32_t> warps;
    std::vector<uint64_t> operations;
  };
  std::map<uint32_t, Elsewhere> elsewhere;
  void join(const Clock &other);
  bool isEmpty() const { return warps.empty() && operations.empty() && elsewhere.empty(); }
  /// Whether what a warp did up to this epoch, or an operation, of this or another cluster is over.
  bool knows(std::optional<uint32_t> otherCluster, uint32_t actor, uint32_t epoch) const;
  bool knowsOperation(uint32_t number) const { return has(operations, number); }
  static bool has(const std::vector<uint64_t> &bits, uint32_t number) {
    return number / 64 < bits.size() && bits[number / 64] >> number % 64 & 1;
  }
};

/// Something that warps and operations arrive at and warps wait for: a barrier of a CTA, of the cluster, an mbarrier.
struct Meeting {
  enum class Kind : uint8_t { Barrier, Cluster, Mbarrier } kind;
  uint32_t rank;   // of the CTA
  uint32_t number; // of the barrier, or where the mbarrier lies
  uint64_t key() const { return uint64_t(kind) << 56 | uint64_t(rank) << 32 | number; }
};

/// How an operation looks at memory: as threads do, or past what they have not fenced.
enum class Proxy : uint8_t { Generic, Async };
/// cp.async, bulk copies out of shared memory, wgmma, tcgen05.
enum class Group : uint8_t { Copies, Bulk, Products, Tensor };
constexpr size_t groupCount = 4;

class RaceWatch {
public:
  static constexpr uint32_t operationBit = 1u << 31; // of actors

  explicit RaceWatch(Cluster &cluster);

  /// Bytes of a CTA's shared memory, touched by a warp or, between `begin` and `end`, by the operation it starts. Where reads of what nobody wrote are looked for, these are
  /// reported too.
  void access(Warp &warp, const Instruction &instruction, Cta &owner, uint32_t offset, uint32_t bytes, Access access);

  // Order.
  void arrive(Warp &warp, Meeting meeting);
  void arriveWith(uint32_t operation, Meeting meeting);         // the operation is complete for those who wait
  void arriveWithAll(Warp &warp, Group group, Meeting meeting); // likewise, all that the warp has started
  void turn(Meeting meeting);                                   // the phase is over
  void wait(Warp &warp, Meeting meeting);
  void fenceProxy(Warp &warp);
  /// All warps have ended: copies that still read shared memory are findings.
  void finish();

  // Operations. Accesses between `begin` and `end` are the operation's.
  uint32_t begin(Warp &warp, Proxy proxy);
  void end(Warp &warp);
  /// Groups that the warp waits for by itself: `add` to the one that is open, `commit` it, and wait until at most `pending` are not complete.
  void add(Warp &warp, Group group, uint32_t operation);
  void commit(Warp &warp, Group group);
  void waitGroups(Warp &warp, Group group, uint32_t pending);
  /// Groups of another warp, up to as many as `warp` itself has committed but for the `pending` newest, are known to it to be complete.
  void learnGroups(Warp &warp, Warp &other, Group group, uint32_t pending);

  /// The mbarrier whose bytes these are.
  Meeting mbarrierAt(const std::byte *bytes) const;

  // For races in global memory, whose clocks are those of the grid: everything is `elsewhere` in them.
  struct Acting {
    uint32_t actor, epoch, warp; // who acts, and the warp that does or has started it, by its number in the cluster
    const Clock *clock;
  };
  Acting acting(Warp &warp);
  bool isOperation(const Warp &warp) const { return current[numberOf(warp)] != Event::nobody; }
  uint64_t numberInGrid(const Warp &warp) const { return cluster.number * clocks.size() + numberOf(warp); }
  /// Makes `operation` what the warp acts as; what it was before.
  uint32_t resume(Warp &warp, uint32_t operation);
  Clock toGrid(Warp &warp);
  void learnFromGrid(Warp &warp, const Clock &ofGrid);
  void nextEpoch(Warp &warp) { ++epochs[numberOf(warp)]; }

private:
  struct Event {
    static constexpr uint32_t nobody = ~0u, operationBit = RaceWatch::operationBit;
    uint32_t actor = nobody; // a warp's number in the cluster, or an operation's with `operationBit`
    uint32_t epoch = 0;
    uint32_t pc = 0;
    bool isEmpty() const { return actor == nobody; }
  };
  struct Cell { // of a byte
    Event write, read;
    uint32_t moreReads = 0; // into `readLists`
    bool isWritten = false;
  };
  struct Actor { // who is accessing
    Event event;
    const Clock *clock;
    bool isAsync; // sees only what was published
  };

  uint32_t numberOf(const Warp &warp) const;
  bool isOver(const Event &event, const Actor &viewer, bool wasWrite) const;
  void report(Warp &warp, const Instruction &instruction, const Event &earlier, const Actor &now, bool wasWrite,
              bool writes, Cta &owner, uint32_t offset);
  std::string describe(const Event &event) const;

  Cluster &cluster;
  unsigned warpsPerCta;
  std::vector<Clock> clocks; // of warps
  std::vector<uint32_t> epochs;
  std::vector<uint32_t> current;                               // the operation that a warp is starting, or nobody
  std::deque<Clock> operationClocks;                           // when each was started
  std::vector<std::pair<uint32_t, uint32_t>> operationOrigins; // warp, pc
  std::vector<std::vector<Cell>> cells;                        // by CTA
  std::deque<std::vector<Event>> readLists;                    // the first one is unused
  struct Phases {
    Clock pending, complete;
  };
  std::unordered_map<uint64_t, Phases> meetings;
  struct Started { // by a warp, of one kind
    std::vector<uint32_t> open;
    std::deque<std::vector<uint32_t>> committed;
    uint64_t count = 0; // of groups that were committed, those that are over included
    Clock all, over;
  };
  std::vector<std::array<Started, groupCount>> started;
  static void retire(Started &list, size_t pending);
  std::vector<bool> isAsync; // operations
};

} // namespace triton::simulator
