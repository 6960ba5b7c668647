#include "simulator/watch/Races.h"

#include <algorithm>
#include <utility>

namespace triton::simulator {

template <typename T> static void joinMax(std::vector<T> &into, const std::vector<T> &other) {
  if (into.size() < other.size())
    into.resize(other.size());
  for (size_t i = 0; i < other.size(); ++i)
    into[i] = std::max(into[i], other[i]);
}

static void joinBits(std::vector<uint64_t> &into, const std::vector<uint64_t> &other) {
  if (into.size() < other.size())
    into.resize(other.size());
  for (size_t i = 0; i < other.size(); ++i)
    into[i] |= other[i];
}

void Clock::join(const Clock &other) {
  joinMax(warps, other.warps);
  joinMax(published, other.published);
  joinBits(operations, other.operations);
  joinBits(publishedOperations, other.publishedOperations);
  for (const auto &[cluster, known] : other.elsewhere) {
    Elsewhere &own = elsewhere[cluster];
    joinMax(own.warps, known.warps);
    joinBits(own.operations, known.operations);
  }
}

bool Clock::knows(std::optional<uint32_t> otherCluster, uint32_t actor, uint32_t epoch) const {
  const std::vector<uint32_t> *known = &warps;
  const std::vector<uint64_t> *over = &operations;
  if (otherCluster) {
    auto found = elsewhere.find(*otherCluster);
    if (found == elsewhere.end())
      return false;
    known = &found->second.warps, over = &found->second.operations;
  }
  if (actor & RaceWatch::operationBit)
    return has(*over, actor & ~RaceWatch::operationBit);
  return actor < known->size() && (*known)[actor] >= epoch;
}

static void learn(Clock &clock, uint32_t operation) {
  if (clock.operations.size() <= operation / 64)
    clock.operations.resize(operation / 64 + 1);
  clock.operations[operation / 64] |= uint64_t(1) << operation % 64;
}

RaceWatch::RaceWatch(Cluster &cluster)
    : cluster(cluster), warpsPerCta(unsigned(cluster.ctas.front()->warps.size())), readLists(1) {
  size_t count = warpsPerCta * cluster.ctas.size();
  clocks.resize(count);
  epochs.assign(count, 1);
  current.assign(count, Event::nobody);
  started.resize(count);
  for (size_t warp = 0; warp < count; ++warp) {
    clocks[warp].warps.resize(count);
    clocks[warp].published.resize(count);
  }
  for (auto &cta : cluster.ctas)
    cells.emplace_back(cta->shared.size());
}

uint32_t RaceWatch::numberOf(const Warp &warp) const { return warp.cta.rank * warpsPerCta + warp.index; }

/// Whether `viewer` may rely on `event` being over.
bool RaceWatch::isOver(const Event &event, const Actor &viewer, bool wasWrite) const {
  if (event.isEmpty() || event.actor == viewer.event.actor)
    return true;
  if (event.actor & Event::operationBit) {
    uint32_t number = event.actor & ~Event::operationBit;
    bool needsFence = viewer.isAsync && wasWrite && !isAsync[number];
    return needsFence ? Clock::has(viewer.clock->publishedOperations, number) : viewer.clock->knowsOperation(number);
  }
  // A warp knows itself; what it starts sees only what it published.
  if (viewer.isAsync && wasWrite)
    return viewer.clock->published[event.actor] >= event.epoch;
  return viewer.clock->warps[event.actor] >= event.epoch;
}

void RaceWatch::access(Warp &warp, const Instruction &instruction, Cta &owner, uint32_t offset, uint32_t bytes,
                       Access access) {
  uint32_t number = numberOf(warp);
  uint32_t pc = uint32_t(&instruction - cluster.grid.program.code.data());
  bool isOperation = current[number] != Event::nobody;
  Clock &own = clocks[number];
  own.warps[number] = epochs[number];
  Actor now{{number, epochs[number], pc}, &own, isOperation && isAsync[current[number]]};
  if (isOperation)
    now.event.actor = current[number] | Event::operationBit;
  bool writes = access == Access::Write;
  if (access ==
      Access::
          Atomic) { // atomics order themselves, but not with the plain write that came first: the initialisation of an mbarrier
    now.isAsync = false;
    for (uint32_t byte = offset; byte < offset + bytes; ++byte) {
      Cell &cell = cells[owner.rank][byte];
      cell.isWritten = true;
      if (cluster.grid.launch.watch.races && !isOver(cell.write, now, /*wasWrite=*/true))
        return report(warp, instruction, cell.write, now, true, true, owner, byte);
    }
    return;
  }
  for (uint32_t byte = offset; byte < offset + bytes; ++byte) {
    Cell &cell = cells[owner.rank][byte];
    if (!writes && !cell.isWritten && cluster.grid.launch.watch.shared) {
      cluster.grid.report(warp, instruction, warp.path().mask, Finding::Kind::Uninitialised,
                          "read " + describe(now.event) + " of shared memory that nobody wrote", /*isFatal=*/false);
      return;
    }
    cell.isWritten |= writes;
    if (!cluster.grid.launch.watch.races)
      continue;
    // Warps that hold the same element write it by the same instruction, each for all.
    const bool isCopy = writes && !isOperation && cell.write.pc == pc;
    if (!isCopy && !isOver(cell.write, now, /*wasWrite=*/true))
      return report(warp, instruction, cell.write, now, true, writes, owner, byte);
    if (!writes) {
      if (isOver(cell.read, now, false)) {
        cell.read = now.event;
        continue;
      }
      if (!cell.moreReads) {
        cell.moreReads = uint32_t(readLists.size());
        readLists.emplace_back();
      }
      std::vector<Event> &list = readLists[cell.moreReads];
      std::erase_if(list, [&](const Event &event) { return isOver(event, now, false); });
      list.push_back(now.event);
      continue;
    }
    if (!isOver(cell.read, now, false))
      return report(warp, instruction, cell.read, now, false, writes, owner, byte);
    if (cell.moreReads) {
      for (const Event &event : readLists[cell.moreReads])
        if (!isOver(event, now, false))
          return report(warp, instruction, event, now, false, writes, owner, byte);
      readLists[cell.moreReads].clear();
    }
    cell.write = now.event;
    cell.read = {};
  }
}

std::string RaceWatch::describe(const Event &event) const {
  const Program &program = cluster.grid.program;
  std::string place = program.describe(program.code[event.pc]);
  uint32_t warp = event.actor;
  std::string who = "warp ";
  if (event.actor & Event::operationBit) {
    warp = operationOrigins[event.actor & ~Event::operationBit].first;
    who = "an asynchronous operation of warp ";
  }
  who += std::to_string(warp % warpsPerCta);
  if (cluster.ctas.size() > 1)
    who += " of CTA " + std::to_string(warp / warpsPerCta);
  return "by " + who + " (" + place + ")";
}

void RaceWatch::report(Warp &warp, const Instruction &instruction, const Event &earlier, const Actor &now,
                       bool wasWrite, bool writes, Cta &owner, uint32_t offset) {
  bool isKnown = earlier.actor & Event::operationBit ? now.clock->knowsOperation(earlier.actor & ~Event::operationBit)
                                                     : now.clock->warps[earlier.actor] >= earlier.epoch;
  bool isProxy = now.isAsync && wasWrite && isKnown;
  std::string text = std::string(wasWrite ? "write" : "read") + " " + describe(earlier) + " and " +
                     (writes ? "write " : "read ") + describe(now.event) + " of shared memory" +
                     (isProxy ? " without fence.proxy.async between them" : " are not ordered");
  cluster.grid.report(warp, instruction, warp.path().mask, Finding::Kind::Race, std::move(text), /*isFatal=*/false);
  // One report for each pair of places: what follows is judged as if it were in order.
  Cell &cell = cells[owner.rank][offset];
  cell = {.isWritten = true};
}

// Order

void RaceWatch::arrive(Warp &warp, Meeting meeting) {
  uint32_t number = numberOf(warp);
  clocks[number].warps[number] = epochs[number];
  meetings[meeting.key()].pending.join(clocks[number]);
  ++epochs[number];
}

void RaceWatch::arriveWith(uint32_t operation, Meeting meeting) {
  Clock &pending = meetings[meeting.key()].pending;
  pending.join(operationClocks[operation]);
  learn(pending, operation);
}

void RaceWatch::arriveWithAll(Warp &warp, Group group, Meeting meeting) {
  meetings[meeting.key()].pending.join(started[numberOf(warp)][size_t(group)].all);
}

void RaceWatch::turn(Meeting meeting) {
  Phases &phases = meetings[meeting.key()];
  phases.complete.join(phases.pending);
  phases.pending = {};
}

void RaceWatch::wait(Warp &warp, Meeting meeting) { clocks[numberOf(warp)].join(meetings[meeting.key()].complete); }

void RaceWatch::fenceProxy(Warp &warp) {
  uint32_t number = numberOf(warp);
  clocks[number].published[number] = epochs[number];
  joinBits(clocks[number].publishedOperations, clocks[number].operations);
  ++epochs[number];
}

void RaceWatch::finish() {
  for (auto &cta : cluster.ctas)
    for (auto &warp : cta->warps) {
      Started &list = started[numberOf(*warp)][size_t(Group::Bulk)];
      list.committed.push_back(list.open);
      for (const std::vector<uint32_t> &group : list.committed)
        if (!group.empty()) {
          const Program &program = cluster.grid.program;
          cluster.grid.report(*warp, program.code[operationOrigins[group.front()].second], 0, Finding::Kind::Race,
                              "a copy out of shared memory was not waited for before the end", /*isFatal=*/false);
          return;
        }
    }
}

// Global memory

RaceWatch::Acting RaceWatch::acting(Warp &warp) {
  const uint32_t number = numberOf(warp), operation = current[number];
  if (operation != Event::nobody)
    return {operation | operationBit, 0, number, &operationClocks[operation]};
  clocks[number].warps[number] = epochs[number];
  return {number, epochs[number], number, &clocks[number]};
}

uint32_t RaceWatch::resume(Warp &warp, uint32_t operation) { return std::exchange(current[numberOf(warp)], operation); }

Clock RaceWatch::toGrid(Warp &warp) {
  const uint32_t number = numberOf(warp);
  clocks[number].warps[number] = epochs[number];
  Clock made;
  made.elsewhere = clocks[number].elsewhere;
  made.elsewhere[uint32_t(cluster.number)] = {clocks[number].warps, clocks[number].operations};
  return made;
}

void RaceWatch::learnFromGrid(Warp &warp, const Clock &ofGrid) {
  Clock &own = clocks[numberOf(warp)];
  for (const auto &[where, known] : ofGrid.elsewhere)
    if (where == cluster.number) {
      joinMax(own.warps, known.warps);
      joinBits(own.operations, known.operations);
    } else {
      joinMax(own.elsewhere[where].warps, known.warps);
      joinBits(own.elsewhere[where].operations, known.operations);
    }
}

// Operations

uint32_t RaceWatch::begin(Warp &warp, Proxy proxy) {
  uint32_t number = numberOf(warp), operation = uint32_t(operationClocks.size());
  clocks[number].warps[number] = epochs[number];
  operationClocks.push_back(clocks[number]);
  operationOrigins.emplace_back(number, warp.path().pc);
  isAsync.push_back(proxy == Proxy::Async);
  current[number] = operation;
  return operation;
}

void RaceWatch::end(Warp &warp) { current[numberOf(warp)] = Event::nobody; }

void RaceWatch::add(Warp &warp, Group group, uint32_t operation) {
  Started &list = started[numberOf(warp)][size_t(group)];
  list.open.push_back(operation);
  list.all.join(operationClocks[operation]);
  learn(list.all, operation);
}

void RaceWatch::commit(Warp &warp, Group group) {
  Started &list = started[numberOf(warp)][size_t(group)];
  list.committed.push_back(std::move(list.open));
  list.open.clear();
  ++list.count;
}

void RaceWatch::retire(Started &list, size_t pending) {
  for (; list.committed.size() > pending; list.committed.pop_front())
    for (uint32_t operation : list.committed.front())
      learn(list.over, operation);
}

void RaceWatch::waitGroups(Warp &warp, Group group, uint32_t pending) {
  Started &list = started[numberOf(warp)][size_t(group)];
  retire(list, pending);
  clocks[numberOf(warp)].join(list.over);
}

void RaceWatch::learnGroups(Warp &warp, Warp &other, Group group, uint32_t pending) {
  uint64_t count = started[numberOf(warp)][size_t(group)].count;
  Started &list = started[numberOf(other)][size_t(group)];
  uint64_t over = count - std::min<uint64_t>(count, pending);
  if (list.count >= over)
    retire(list, list.count - over);
  clocks[numberOf(warp)].join(list.over);
}

Meeting RaceWatch::mbarrierAt(const std::byte *bytes) const {
  for (auto &cta : cluster.ctas)
    if (bytes >= cta->shared.data() && bytes < cta->shared.data() + cta->shared.size())
      return {Meeting::Kind::Mbarrier, cta->rank, uint32_t(bytes - cta->shared.data())};
  return {Meeting::Kind::Mbarrier, 0, 0};
}

} // namespace triton::simulator
