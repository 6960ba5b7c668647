// Control flow and barriers: bra, brx, ret, exit, trap; bar and barrier, barrier.cluster, fences, and what only schedules.
#include "simulator/machine/Decoder.h"
#include "simulator/machine/Lanes.h"
#include "simulator/watch/GlobalRaces.h"
#include "simulator/watch/Races.h"

#include <bit>

namespace triton::simulator {

namespace {

Step branch(Warp &warp, const Instruction &instruction, LaneMask mask) {
  warp.branch(instruction, mask);
  return Step::Jumped;
}

bool decodeBranch(Decoder &decoder) {
  Instruction &made = decoder.emit(branch);
  made.isCalledAlways = true;
  decoder.jumpTo(decoder.here() - 1, decoder.operand(0));
  return true;
}

/// brx.idx: lanes with equal targets go together, one target after the other.
Step indexedBranch(Warp &warp, const Instruction &instruction, LaneMask mask) {
  auto &targets = *static_cast<const std::vector<uint32_t> *>(instruction.details);
  const uint32_t *indices = warp.in<uint32_t>(instruction.a);
  uint32_t index = indices[std::countr_zero(mask)], same = 0;
  eachLane(mask, [&](unsigned lane) { same |= uint32_t(indices[lane] == index) << lane; });
  if (index >= targets.size()) {
    warp.cta.grid().report(
        warp, instruction, same, Finding::Kind::IllegalInstruction,
        "brx.idx with index " + std::to_string(index) + " of " + std::to_string(targets.size()) + " targets", true);
    return Step::Blocked;
  }
  if (same == warp.path().mask) {
    warp.path().pc = targets[index];
    if (warp.path().pc == warp.path().join)
      warp.finishPath();
    return Step::Jumped;
  }
  // The others come back to this instruction.
  Instruction parting = instruction;
  parting.target = targets[index];
  --warp.path().pc;
  warp.branch(parting, same);
  return Step::Jumped;
}

bool decodeIndexedBranch(Decoder &decoder) {
  Slot a = decoder.bits(0, 4);
  auto labels = decoder.targetsOf(decoder.operand(1).text);
  Instruction &made = decoder.emit(indexedBranch);
  made.a = a;
  made.details = decoder.keepDetails(labels);
  decoder.indexedBranches.emplace_back(decoder.here() - 1, std::vector<uint32_t>{});
  return true;
}

bool decodeTable(Decoder &) { return true; } // of brx.idx, which reads it

Step leave(Warp &warp, const Instruction &, LaneMask mask) {
  warp.leave(mask, /*isExit=*/false);
  ++warp.cta.cluster.events;
  return Step::Jumped;
}
Step exitKernel(Warp &warp, const Instruction &, LaneMask mask) {
  warp.leave(mask, /*isExit=*/true);
  ++warp.cta.cluster.events;
  return Step::Jumped;
}
bool decodeReturn(Decoder &decoder) {
  decoder.emit(decoder.opcode()[0] == "ret" ? leave : exitKernel);
  return true;
}

Step trap(Warp &warp, const Instruction &instruction, LaneMask mask) {
  warp.cta.grid().report(warp, instruction, mask, Finding::Kind::Trap, "trap", /*isFatal=*/true);
  return Step::Blocked;
}
bool decodeTrap(Decoder &decoder) {
  decoder.emit(trap);
  return true;
}

Step nothing(Warp &, const Instruction &, LaneMask) { return Step::Next; }
bool decodeNothing(Decoder &decoder) {
  decoder.emit(nothing);
  return true;
}

// Barriers of a CTA.

enum class BarrierKind : uint8_t { Synchronise, Arrive, Count, And, Or };

} // namespace

Step synchroniseCta(Warp &warp, const Instruction &instruction, LaneMask mask) {
  Path &path = warp.path();
  Cta &cta = warp.cta;
  Grid &grid = cta.grid();
  unsigned lane = unsigned(std::countr_zero(mask ? mask : path.mask));
  uint32_t number = warp.in<uint32_t>(instruction.a)[lane] & 15;
  Barrier &state = cta.barriers[number];
  auto kind = BarrierKind(instruction.small[0]);
  RaceWatch *races = cta.cluster.races.get();
  Meeting meeting{Meeting::Kind::Barrier, cta.rank, number};
  if (path.wait == Path::Wait::Barrier) {
    if (state.generation == path.token)
      return Step::Blocked;
    path.wait = Path::Wait::None;
    path.why = nullptr;
    if (races)
      races->wait(warp, meeting);
    if (kind == BarrierKind::Count) {
      eachLane(mask, [&](unsigned each) { warp.out<uint32_t>(instruction.d)[each] = state.lastCount; });
    } else if (kind == BarrierKind::And || kind == BarrierKind::Or) {
      bool isTrue = kind == BarrierKind::And ? state.lastAll : state.lastAny;
      warp.setPredicate(instruction.d.code, isTrue ? warp.full : 0, mask);
    }
    return Step::Next;
  }
  bool isAligned = instruction.small[1];
  if (isAligned && mask != warp.live) {
    grid.report(warp, instruction, mask, Finding::Kind::Divergence,
                "an aligned barrier is reached by " + std::to_string(std::popcount(mask)) + " of " +
                    std::to_string(std::popcount(warp.live)) + " threads of a warp",
                true);
    return Step::Blocked;
  }
  uint32_t threads = uint32_t(cta.warps.size()) * warp.lanes;
  uint32_t expected = instruction.small[2] ? warp.in<uint32_t>(instruction.b)[lane] : threads;
  if (expected % warp.lanes || expected == 0 || expected > threads) {
    grid.report(warp, instruction, mask, Finding::Kind::Barrier,
                "barrier " + std::to_string(number) + " for " + std::to_string(expected) + " threads, in a CTA of " +
                    std::to_string(threads),
                true);
    return Step::Blocked;
  }
  if (state.arrived && state.expected != expected) {
    grid.report(warp, instruction, mask, Finding::Kind::Barrier,
                "barrier " + std::to_string(number) + " for " + std::to_string(expected) +
                    " threads, at which others wait for " + std::to_string(state.expected),
                true);
    return Step::Blocked;
  }
  state.expected = expected;
  // Threads that have ended count as having come, where whole warps are counted.
  state.arrived += isAligned ? warp.lanes : uint32_t(std::popcount(mask));
  LaneMask values = warp.predicate(instruction.p);
  state.reduction += uint32_t(std::popcount(values & mask));
  state.all &= (values & mask) == mask;
  state.any |= (values & mask) != 0;
  ++cta.cluster.events;
  path.token = state.generation;
  if (races)
    races->arrive(warp, meeting);
  if (state.arrived >= state.expected) {
    state.lastCount = state.reduction, state.lastAll = state.all, state.lastAny = state.any;
    state.arrived = state.expected = state.reduction = 0;
    state.all = true, state.any = false;
    ++state.generation;
    if (races)
      races->turn(meeting);
  }
  if (kind == BarrierKind::Arrive)
    return Step::Next;
  path.wait = Path::Wait::Barrier;
  path.why = "barrier";
  path.whyAddress = number;
  return synchroniseCta(warp, instruction, mask);
}

namespace {

Step barrierOfWarp(Warp &warp, const Instruction &instruction, LaneMask mask) {
  // Paths meet again where they must; lanes elsewhere that are named here would have to come to this very place.
  Path &path = warp.path();
  uint32_t members = warp.in<uint32_t>(instruction.a)[std::countr_zero(mask)] & warp.live;
  if ((members & ~mask) == 0)
    return Step::Next;
  uint32_t here = 0;
  path.wait = Path::Wait::WarpBarrier;
  path.why = "a barrier of the warp, lanes";
  path.whyAddress = members;
  for (const Path &each : warp.paths)
    if (!each.isFree && each.children == 0 && each.wait == Path::Wait::WarpBarrier && each.pc == path.pc)
      here |= each.mask;
  if ((members & ~here) != 0)
    return Step::Blocked;
  for (Path &each : warp.paths)
    if (!each.isFree && each.wait == Path::Wait::WarpBarrier && each.pc == path.pc && &each != &path) {
      each.wait = Path::Wait::None; // it finds the others gone on: let it pass
      each.why = nullptr;
      ++each.pc;
    }
  path.wait = Path::Wait::None;
  path.why = nullptr;
  ++warp.cta.cluster.events;
  return Step::Next;
}

Step clusterArrive(Warp &warp, const Instruction &, LaneMask mask) {
  Cluster &cluster = warp.cta.cluster;
  cluster.arrived += uint32_t(std::popcount(mask));
  ++cluster.events;
  warp.clusterToken = cluster.generation;
  if (cluster.races)
    cluster.races->arrive(warp, {Meeting::Kind::Cluster, 0, 0});
  if (cluster.arrived >= cluster.expected) {
    cluster.arrived = 0;
    ++cluster.generation;
    if (cluster.races)
      cluster.races->turn({Meeting::Kind::Cluster, 0, 0});
  }
  return Step::Next;
}
Step clusterWait(Warp &warp, const Instruction &, LaneMask) {
  Path &path = warp.path();
  if (warp.cta.cluster.generation == warp.clusterToken) {
    path.why = "the barrier of the cluster, phase";
    path.whyAddress = warp.clusterToken;
    return Step::Blocked;
  }
  path.why = nullptr;
  if (RaceWatch *races = warp.cta.cluster.races.get())
    races->wait(warp, {Meeting::Kind::Cluster, 0, 0});
  return Step::Next;
}

/// fence.proxy.async: what the warp wrote is there for asynchronous operations.
Step fenceProxy(Warp &warp, const Instruction &, LaneMask) {
  if (RaceWatch *races = warp.cta.cluster.races.get())
    races->fenceProxy(warp);
  return Step::Next;
}
/// fence and membar: what was read so far is acquired, what was done so far is released by strong accesses that follow.
Step fence(Warp &warp, const Instruction &instruction, LaneMask) {
  if (GlobalRaces *races = warp.cta.grid().globalRaces.get())
    races->fence(warp, instruction.ordering.scope);
  return Step::Next;
}
bool decodeFence(Decoder &decoder) {
  if (decoder.has("proxy")) {
    // Those of tensor maps are fences besides.
    decoder.emit(decoder.has("async")       ? fenceProxy
                 : decoder.has("tensormap") ? fence
                                            : nothing)
        .ordering = orderingOf(decoder);
    return true;
  }
  decoder.emit(decoder.has("mbarrier_init") ? nothing : fence).ordering = orderingOf(decoder);
  return true;
}

bool decodeBarrier(Decoder &decoder) {
  if (decoder.has("warp")) {
    Slot a = decoder.bits(0, 4);
    decoder.emit(barrierOfWarp).a = a;
    return true;
  }
  if (decoder.has("cluster")) {
    decoder.emit(decoder.has("arrive") ? clusterArrive : clusterWait);
    return true;
  }
  bool isReduction = decoder.has("red");
  BarrierKind kind = !isReduction          ? (decoder.has("arrive") ? BarrierKind::Arrive : BarrierKind::Synchronise)
                     : decoder.has("popc") ? BarrierKind::Count
                     : decoder.has("and")  ? BarrierKind::And
                                           : BarrierKind::Or;
  size_t first = isReduction ? 1 : 0;
  Slot d, a = decoder.bits(first, 4), b;
  if (kind == BarrierKind::Count)
    d = decoder.destination(0, 4);
  else if (isReduction)
    d.code = decoder.destinationPredicate(decoder.operand(0));
  size_t rest = decoder.operandCount() - first - 1;
  bool hasCount = isReduction ? rest == 2 : rest == 1;
  if (hasCount)
    b = decoder.bits(first + 1, 4);
  PredicateSlot p = isReduction ? decoder.predicate(decoder.operandCount() - 1) : PredicateSlot{};
  Instruction &made = decoder.emit(synchroniseCta);
  made.d = d, made.a = a, made.b = b, made.p = p;
  made.small[0] = uint8_t(kind);
  made.small[1] = decoder.opcode()[0] == "bar" || decoder.has("aligned");
  made.small[2] = hasCount;
  return true;
}

} // namespace

bool isBranch(const Instruction &instruction) { return instruction.execute == branch; }
bool isIndexedBranch(const Instruction &instruction) { return instruction.execute == indexedBranch; }
bool isReturn(const Instruction &instruction) {
  return instruction.execute == leave || instruction.execute == exitKernel || instruction.execute == trap;
}

void addControl(DecodeTable &table) {
  table["bra"] = decodeBranch;
  table["brx"] = decodeIndexedBranch;
  table["branchtargets"] = decodeTable;
  table["ret"] = table["exit"] = decodeReturn;
  table["trap"] = decodeTrap;
  table["bar"] = table["barrier"] = decodeBarrier;
  table["fence"] = table["membar"] = decodeFence;
  for (std::string_view name : {"nanosleep", "griddepcontrol", "setmaxnreg", "brkpt"})
    table[name] = decodeNothing;
}

} // namespace triton::simulator
