#include "simulator/watch/GlobalRaces.h"

#include <algorithm>
#include <bit>

namespace triton::simulator {

uint32_t GlobalRaces::ctaOf(const Warp &warp) const {
  return uint32_t(warp.cta.cluster.number * warp.cta.cluster.ctas.size()) + warp.cta.rank;
}

uint32_t GlobalRaces::warpsPerCta() const {
  const std::array<uint32_t, 3> &block = grid.launch.block;
  return (block[0] * block[1] * block[2] + grid.program.lanes - 1) / grid.program.lanes;
}

void GlobalRaces::narrow(Page &page, unsigned shift) {
  std::vector<Cell> cells(Page::bytes >> shift);
  for (size_t index = 0; index < cells.size(); ++index) {
    Cell &cell = cells[index] = page.cells[index << shift >> page.shift];
    if (cell.moreReads && index << shift & ((1u << page.shift) - 1)) { // each has a list of its own
      readLists.push_back(readLists[cell.moreReads]);
      cell.moreReads = uint32_t(readLists.size() - 1);
    }
  }
  page.cells = std::move(cells);
  page.shift = shift;
}

GlobalRaces::Page &GlobalRaces::pageOf(uint64_t address, uint64_t begin, uint64_t end) {
  if (uint64_t number = address / Page::bytes; number != lastNumber || !lastPage)
    lastNumber = number, lastPage = &pages[number];
  Page &page = *lastPage;
  const auto shift = unsigned(std::countr_zero(begin | end | 8)); // at most 8 bytes
  if (page.cells.empty())
    page.shift = shift, page.cells.resize(Page::bytes >> shift);
  else if (shift < page.shift)
    narrow(page, shift);
  return page;
}

/// Whether `now` may rely on `event` being over.
bool GlobalRaces::isOver(const Event &event, const Event &now, const Clock &clock) const {
  if (event.isEmpty())
    return true;
  if (event.cluster == now.cluster && event.actor == now.actor)
    return true;
  if (event.isStrong && now.isStrong) {
    const Scope scope = std::min(event.scope, now.scope);
    if (scope == Scope::Device || (event.cluster == now.cluster &&
                                   (scope == Scope::Cluster || event.warp / warpsPerCta() == now.warp / warpsPerCta())))
      return true;
  }
  return clock.knows(event.cluster == now.cluster ? std::nullopt : std::optional(event.cluster), event.actor,
                     event.epoch);
}

bool GlobalRaces::isInCodeOrder(const Event &read, const Event &write) {
  return read.cluster == write.cluster && !read.isStrong && !write.isStrong && read.pc < write.pc &&
         !((read.actor | write.actor) & RaceWatch::operationBit);
}

void GlobalRaces::access(Warp &warp, const Instruction &instruction, uint64_t address, uint64_t bytes, Access access) {
  RaceWatch &races = *warp.cta.cluster.races;
  Ordering ordering = instruction.ordering;
  ordering.isStrong |= access == Access::Atomic || access == Access::Volatile;
  const bool writes = access == Access::Write || access == Access::Atomic;
  const bool reads = access != Access::Write;
  if (ordering.isStrong && !races.isOperation(warp))
    synchronise(warp, ordering, address, reads, writes);
  else if (writes && !released.empty())
    released.erase(address);
  auto own = synchronisers.find(races.numberInGrid(warp));
  // What comes behind a release was not told.
  if (own != synchronisers.end() && own->second.released && own->second.releasedAt != warp.executed) {
    own->second.released = nullptr;
    races.nextEpoch(warp);
  }
  RaceWatch::Acting acting = races.acting(warp);
  if (ordering.isStrong && !ordering.releases && own != synchronisers.end() && own->second.fencedEpoch)
    acting.epoch = own->second.fencedEpoch;
  const Event now{acting.actor,
                  acting.epoch,
                  uint32_t(warp.cta.cluster.number),
                  uint32_t(&instruction - grid.program.code.data()),
                  uint16_t(acting.warp),
                  ordering.isStrong,
                  ordering.scope};
  for (uint64_t at = address, end = address + bytes; at < end;) {
    const uint64_t pageEnd = std::min(end, (at / Page::bytes + 1) * Page::bytes);
    Page &page = pageOf(at, at, pageEnd);
    for (; at < pageEnd; at += uint64_t(1) << page.shift)
      touch(warp, instruction, page.cells[at % Page::bytes >> page.shift], now, *acting.clock, writes, at);
  }
}

void GlobalRaces::touch(Warp &warp, const Instruction &instruction, Cell &cell, const Event &now, const Clock &clock,
                        bool writes, uint64_t address) {
  auto fail = [&](const Event &earlier, bool wasWrite) {
    report(warp, instruction, earlier, now, wasWrite, writes, address);
    cell = {}; // what follows is judged as if it were in order
  };
  const bool isCopy = writes && !now.isStrong && cell.write.pc == now.pc && cell.write.cluster == now.cluster &&
                      !(now.actor & RaceWatch::operationBit);
  if (!isCopy && !isOver(cell.write, now, clock) && (writes || !isInCodeOrder(now, cell.write)))
    return fail(cell.write, true);
  if (!writes) {
    if (isOver(cell.read, now, clock)) {
      cell.read = now;
      return;
    }
    if (!cell.moreReads) {
      cell.moreReads = uint32_t(readLists.size());
      readLists.emplace_back();
    }
    Reads &list = readLists[cell.moreReads];
    if (list.events.size() >= list.pruneAt) { // now and then: a table that all programs read has as many events
      std::erase_if(list.events, [&](const Event &event) { return isOver(event, now, clock); });
      list.pruneAt = std::max<size_t>(8, 2 * list.events.size());
    }
    list.events.push_back(now);
    return;
  }
  if (!isOver(cell.read, now, clock) && !isInCodeOrder(cell.read, now))
    return fail(cell.read, false);
  if (cell.moreReads) {
    for (const Event &event : readLists[cell.moreReads].events)
      if (!isOver(event, now, clock) && !isInCodeOrder(event, now))
        return fail(event, false);
    readLists[cell.moreReads] = {};
  }
  cell.write = now;
  cell.read = {};
}

void GlobalRaces::tell(std::vector<Release> &releases, const Warp &warp, Synchroniser &own, Scope scope,
                       SharedClock clock) const {
  // A counter of many programs: one clock for all that tell everyone.
  constexpr size_t limit = 8;
  if (releases.size() >= limit && scope == Scope::Device) {
    std::vector<SharedClock> parts{clock};
    std::erase_if(releases, [&](const Release &release) {
      if (release.scope == Scope::Device)
        parts.push_back(release.clock);
      return release.scope == Scope::Device;
    });
    if (parts != own.parts) {
      auto joined = std::make_shared<Clock>();
      for (const SharedClock &part : parts)
        joined->join(*part);
      own.joined = std::move(joined);
      own.parts = std::move(parts);
    }
    clock = own.joined;
  }
  releases.push_back({std::move(clock), scope, uint32_t(warp.cta.cluster.number), ctaOf(warp)});
}

/// What a read of this scope learns from writes: the clocks of those that hold the reader in their scope, and are held by its own.
std::vector<GlobalRaces::SharedClock> GlobalRaces::heard(const Warp &warp, Scope scope,
                                                         const std::vector<Release> &releases) const {
  std::vector<SharedClock> clocks;
  for (const Release &release : releases)
    if (const Scope both = std::min(scope, release.scope);
        both == Scope::Device || (both == Scope::Cluster && release.cluster == warp.cta.cluster.number) ||
        (both == Scope::Cta && release.cta == ctaOf(warp)))
      clocks.push_back(release.clock);
  return clocks;
}

void GlobalRaces::synchronise(Warp &warp, const Ordering &ordering, uint64_t address, bool reads, bool writes) {
  RaceWatch &races = *warp.cta.cluster.races;
  Synchroniser &own = synchronisers[races.numberInGrid(warp)];
  if (auto found = reads ? released.find(address) : released.end(); found != released.end()) {
    std::vector<SharedClock> clocks = heard(warp, ordering.scope, found->second);
    if (clocks != own.heard || ordering.acquires != own.heardAcquires) {
      for (const SharedClock &clock : clocks)
        if (ordering.acquires)
          races.learnFromGrid(warp, *clock);
        else
          own.observed.join(*clock);
      own.heard = std::move(clocks);
      own.heardAcquires = ordering.acquires;
    }
  }
  if (!writes)
    return;
  if (!reads) // a store begins anew; changes go on with what they found
    released.erase(address);
  if (ordering.releases) {
    if (own.releasedAt != warp.executed || !own.released) {
      races.nextEpoch(warp);
      own.released = std::make_shared<Clock>(races.toGrid(warp));
      own.releasedAt = warp.executed;
    }
    tell(released[address], warp, own, ordering.scope, own.released);
    return;
  }
  for (Scope scope : {Scope::Cta, Scope::Cluster, Scope::Device})
    if (own.fenced[size_t(scope)])
      tell(released[address], warp, own, std::min(scope, ordering.scope), own.fenced[size_t(scope)]);
}

void GlobalRaces::fence(Warp &warp, Scope scope) {
  RaceWatch &races = *warp.cta.cluster.races;
  Synchroniser &own = synchronisers[races.numberInGrid(warp)];
  races.learnFromGrid(warp, own.observed);
  own.fenced[size_t(scope)] = std::make_shared<Clock>(races.toGrid(warp));
  own.fencedEpoch = races.acting(warp).epoch;
  races.nextEpoch(warp);
}

std::string GlobalRaces::describe(const Event &event) const {
  const auto perCluster = uint32_t(grid.launch.cluster[0] * grid.launch.cluster[1] * grid.launch.cluster[2]);
  const uint32_t perCta = warpsPerCta();
  std::array<uint32_t, 3> position = grid.positionOf(event.cluster);
  uint32_t rank = event.warp / perCta % perCluster;
  for (size_t axis = 0; axis < 3; rank /= grid.launch.cluster[axis++])
    position[axis] = position[axis] * grid.launch.cluster[axis] + rank % grid.launch.cluster[axis];
  return std::string("by ") + (event.actor & RaceWatch::operationBit ? "an asynchronous operation of " : "") + "warp " +
         std::to_string(event.warp % perCta) + " of program (" + std::to_string(position[0]) + ", " +
         std::to_string(position[1]) + ", " + std::to_string(position[2]) + ") (" +
         grid.program.describe(grid.program.code[event.pc]) + ")";
}

void GlobalRaces::report(Warp &warp, const Instruction &instruction, const Event &earlier, const Event &now,
                         bool wasWrite, bool writes, uint64_t address) {
  // Once for each pair of places: programs make the same mistake many times.
  const Program &program = grid.program;
  if (!reported.emplace(program.describe(program.code[earlier.pc]), program.describe(program.code[now.pc])).second)
    return;
  std::string text = std::string(earlier.isStrong ? "atomic " : "") + (wasWrite ? "write " : "read ") +
                     describe(earlier) + " and " + (now.isStrong ? "atomic " : "") + (writes ? "write " : "read ") +
                     describe(now) + " of global memory are not ordered" +
                     (earlier.isStrong && now.isStrong ? ": the scope of one does not hold the other" : "") +
                     neighbour(grid.launch.memory, address);
  grid.report(warp, instruction, warp.path().mask, Finding::Kind::Race, std::move(text), /*isFatal=*/false);
}

} // namespace triton::simulator
