// Races in global memory: two accesses by different warps of a grid, of which at least one writes, and that nothing orders.
//
// What orders inside a cluster is the clock of each warp (Races.h). Between clusters strong accesses do: what a warp did is over for those who read, by an acquire, what it wrote
// behind it by a release, where the scope of both holds the two.
//
//   program 0: st.global [x]                     program 1:
//              atom.add.release.gpu [flag]                 ld.acquire.gpu [flag]    knows what program 0 knew at its release
//                                                          ld.global [x]            known, no race
//
// Fences make releases and acquires of the relaxed accesses behind and before them. Strong accesses do not race with each other, as far as their scopes reach. Lanes of a warp count
// as one, and so do the warps of a cluster that write the same element by one instruction. A program's warps all read what each of them needs, and one writes: a read that stands before the
// write in the code of a cluster is not judged.
#pragma once

#include "simulator/watch/Races.h"

#include <array>
#include <memory>
#include <set>
#include <unordered_map>

namespace triton::simulator {

class GlobalRaces {
public:
  explicit GlobalRaces(Grid &grid) : grid(grid), readLists(1) {}

  /// Bytes that a warp touches or, between `begin` and `end` of its cluster's RaceWatch, the operation that it starts.
  void access(Warp &warp, const Instruction &instruction, uint64_t address, uint64_t bytes, Access access);
  void fence(Warp &warp, Scope scope);

private:
  struct Event {
    static constexpr uint32_t nobody = ~0u;
    uint32_t actor = nobody; // as in RaceWatch: a warp of the cluster, or an operation
    uint32_t epoch = 0;
    uint32_t cluster = 0;
    uint32_t pc = 0;
    uint16_t warp = 0; // who started it
    bool isStrong = false;
    Scope scope = Scope::Device;
    bool isEmpty() const { return actor == nobody; }
  };
  struct Cell {
    Event write, read;
    uint32_t moreReads = 0; // into `readLists`
  };
  /// Cells of as many bytes as the narrowest access has had.
  struct Page {
    static constexpr unsigned bytes = 256;
    unsigned shift = 3; // a cell has 1 << shift bytes
    std::vector<Cell> cells;
  };
  /// Reads of one cell that nothing orders.
  struct Reads {
    std::vector<Event> events;
    size_t pruneAt = 8; // as many events: those that are over go
  };
  using SharedClock = std::shared_ptr<const Clock>; // never changes
  /// What a warp knew when it released, and whom it told.
  struct Release {
    SharedClock clock;
    Scope scope;
    uint32_t cluster, cta; // in the grid
  };
  /// Of a warp that made strong accesses or fences.
  struct Synchroniser {
    std::array<SharedClock, 3> fenced;  // what its next relaxed write tells, by the scope of the fence before it
    uint32_t fencedEpoch = 0;           // of the last fence: a write that tells it is told with it
    Clock observed;                     // what its next fence learns
    uint64_t releasedAt = ~uint64_t(0); // the instruction of its last release: its lanes tell one clock
    SharedClock released;
    // The lanes of an instruction mostly find the same clocks, and leave the same: those of the last one.
    std::vector<SharedClock> heard;
    bool heardAcquires = false;
    std::vector<SharedClock> parts; // that `joined` was made of
    SharedClock joined;
  };

  uint32_t ctaOf(const Warp &warp) const;
  uint32_t warpsPerCta() const;
  Page &pageOf(uint64_t address, uint64_t begin, uint64_t end);
  void narrow(Page &page, unsigned shift);
  bool isOver(const Event &event, const Event &now, const Clock &clock) const;
  static bool isInCodeOrder(const Event &read, const Event &write);
  void touch(Warp &warp, const Instruction &instruction, Cell &cell, const Event &now, const Clock &clock, bool writes,
             uint64_t address);
  void synchronise(Warp &warp, const Ordering &ordering, uint64_t address, bool reads, bool writes);
  std::vector<SharedClock> heard(const Warp &warp, Scope scope, const std::vector<Release> &releases) const;
  void tell(std::vector<Release> &releases, const Warp &warp, Synchroniser &own, Scope scope, SharedClock clock) const;
  void report(Warp &warp, const Instruction &instruction, const Event &earlier, const Event &now, bool wasWrite,
              bool writes, uint64_t address);
  std::string describe(const Event &event) const;

  Grid &grid;
  std::unordered_map<uint64_t, Page> pages; // by address / Page::bytes
  uint64_t lastNumber = ~uint64_t(0);
  Page *lastPage = nullptr;
  std::deque<Reads> readLists;                                 // the first one is unused
  std::unordered_map<uint64_t, std::vector<Release>> released; // by address: what those learn who read it
  std::unordered_map<uint64_t, Synchroniser> synchronisers;    // by a warp's number in the grid
  std::set<std::pair<std::string, std::string>> reported;      // places of the two
};

} // namespace triton::simulator
