#include "simulator/machine/Machine.h"

#include "simulator/watch/GlobalRaces.h"
#include "simulator/watch/Races.h"
#include "simulator/watch/Registers.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <thread>

namespace triton::simulator {

// Warps

static constexpr uint32_t noJoin = ~0u;

Warp::~Warp() = default;

Warp::Warp(Cta &cta, uint32_t index, uint32_t threads) : cta(cta), index(index) {
  const Program &program = cta.grid().program;
  registers = cta.registerStorage.data() + size_t(index) * program.registerBytes;
  bases[0] = registers;
  bases[1] = program.constantBytes();
  predicates = cta.predicateStorage.data() + size_t(index) * program.predicateCount;
  lanes = program.lanes;
  full = program.allOf();
  predicates[1] = ~LaneMask(0);
  local = cta.localStorage.data() + size_t(index) * lanes * program.localBytes;
  live = threads >= lanes ? full : (LaneMask(1) << threads) - 1;
  paths.push_back({.pc = cta.grid().launch.kernel->entry, .join = noJoin, .mask = live, .isFree = false});
  current = 0;
  if (program.hasWgmma() && cta.grid().launch.watch.races)
    inFlight = std::make_unique<RegisterWatch>();
  const Grid &grid = cta.grid();
  const Launch &launch = grid.launch;
  const std::array<uint32_t, 3> &position = cta.position;
  for (auto [special, slot] : program.specials) {
    auto *values = out<uint32_t>(slot);
    auto all = [&](uint32_t value) { std::fill_n(values, lanes, value); };
    auto dimension = [&](Special first) { return size_t(special) - size_t(first); };
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      uint32_t thread = index * lanes + lane;
      switch (special) {
      case Special::ThreadX:
        values[lane] = thread % launch.block[0];
        break;
      case Special::ThreadY:
        values[lane] = thread / launch.block[0] % launch.block[1];
        break;
      case Special::ThreadZ:
        values[lane] = thread / launch.block[0] / launch.block[1];
        break;
      case Special::Lane:
        values[lane] = lane;
        break;
      case Special::MaskEqual:
        values[lane] = 1u << lane;
        break;
      case Special::MaskLess:
        values[lane] = (1u << lane) - 1;
        break;
      case Special::MaskLessEqual:
        values[lane] = (2u << lane) - 1;
        break;
      case Special::MaskGreater:
        values[lane] = ~((2u << lane) - 1);
        break;
      case Special::MaskGreaterEqual:
        values[lane] = ~((1u << lane) - 1);
        break;
      default:
        break;
      }
    }
    switch (special) {
    case Special::ThreadsX:
    case Special::ThreadsY:
    case Special::ThreadsZ:
      all(launch.block[dimension(Special::ThreadsX)]);
      break;
    case Special::BlockX:
    case Special::BlockY:
    case Special::BlockZ:
      all(position[dimension(Special::BlockX)]);
      break;
    case Special::BlocksX:
    case Special::BlocksY:
    case Special::BlocksZ:
      all(launch.grid[dimension(Special::BlocksX)]);
      break;
    case Special::ClusterX:
    case Special::ClusterY:
    case Special::ClusterZ:
      all(cta.cluster.position[dimension(Special::ClusterX)]);
      break;
    case Special::ClustersX:
    case Special::ClustersY:
    case Special::ClustersZ:
      all(grid.clusters[dimension(Special::ClustersX)]);
      break;
    case Special::ClusterBlockX:
    case Special::ClusterBlockY:
    case Special::ClusterBlockZ: {
      size_t axis = dimension(Special::ClusterBlockX);
      all(position[axis] % launch.cluster[axis]);
      break;
    }
    case Special::ClusterBlocksX:
    case Special::ClusterBlocksY:
    case Special::ClusterBlocksZ:
      all(launch.cluster[dimension(Special::ClusterBlocksX)]);
      break;
    case Special::ClusterRank:
      all(cta.rank);
      break;
    case Special::ClusterRanks:
      all(launch.cluster[0] * launch.cluster[1] * launch.cluster[2]);
      break;
    case Special::IsExplicitCluster:
      all(launch.cluster[0] * launch.cluster[1] * launch.cluster[2] > 1);
      break;
    case Special::Warp:
      all(index);
      break;
    case Special::Warps:
      all(64);
      break;
    case Special::Multiprocessor: // as if CTAs were dealt out in order
      all((position[0] + launch.grid[0] * (position[1] + launch.grid[1] * position[2])) % grid.device.multiprocessors);
      break;
    case Special::Multiprocessors:
      all(grid.device.multiprocessors);
      break;
    case Special::GridNumber:
      all(grid.number);
      break;
    case Special::SharedBytes:
      all(launch.sharedBytes);
      break;
    case Special::TotalSharedBytes:
      all(grid.sharedBytes);
      break;
    case Special::WarpSize:
      all(lanes);
      break;
    default:
      break;
    }
  }
}

int32_t Warp::newPath() {
  for (size_t index = 0; index < paths.size(); ++index)
    if (paths[index].isFree)
      return int32_t(index);
  paths.emplace_back();
  return int32_t(paths.size() - 1);
}

void Warp::branch(const Instruction &instruction, LaneMask taken) {
  const LaneMask mask = path().mask;
  const uint32_t behind = path().pc + 1, target = instruction.target, join = instruction.join;
  if (taken == 0 || taken == mask) {
    path().pc = taken ? target : behind;
    if (path().pc == path().join)
      finishPath();
    return;
  }
  if (join != path().join) {
    // This path waits where the two sides meet.
    int32_t parent = current, child = newPath();
    paths[size_t(parent)].pc = join;
    paths[size_t(parent)].children = 1;
    paths[size_t(child)] = {.join = join, .mask = mask, .parent = parent, .isFree = false};
    current = child;
  }
  // A side that is already there waits in the parent.
  if (target == join || behind == join) {
    path().mask = target == join ? mask & ~taken : taken;
    path().pc = target == join ? behind : target;
    return;
  }
  int32_t sibling = newPath();
  paths[size_t(sibling)] = {.pc = target, .join = join, .mask = taken, .parent = path().parent, .isFree = false};
  if (path().parent >= 0)
    ++paths[size_t(path().parent)].children;
  path().mask = mask & ~taken;
  path().pc = behind;
}

void Warp::call(uint32_t entry, LaneMask mask, uint32_t) {
  int32_t caller = current;
  if (mask != path().mask) {
    // Lanes that do not call wait behind the call.
    int32_t waiting = newPath();
    paths[size_t(waiting)] = path();
    path().pc += 1;
    path().children = 1;
    paths[size_t(waiting)].parent = caller;
    paths[size_t(waiting)].mask = mask;
    paths[size_t(waiting)].join = path().pc;
    caller = waiting;
  }
  int32_t child = newPath();
  Path &parent = paths[size_t(caller)];
  parent.pc += 1;
  parent.children = 1;
  parent.isCall = true;
  paths[size_t(child)] = {.pc = entry, .join = noJoin, .mask = mask, .parent = caller, .isFree = false};
  current = child;
}

void Warp::leave(LaneMask lanes, bool isExit) {
  if (lanes != path().mask)
    ++path().pc; // the others go on
  // Lanes that return wait in the caller; those that exit are nowhere.
  bool isAway = true;
  for (int32_t index = current; index >= 0; index = paths[size_t(index)].parent) {
    if (index != current && paths[size_t(index)].isCall && !isExit) {
      isAway = false;
      break;
    }
    paths[size_t(index)].mask &= ~lanes;
  }
  if (isAway)
    live &= ~lanes;
  if (path().mask == 0)
    finishPath();
  else if (path().pc == path().join)
    finishPath();
}

void Warp::finishPath() {
  while (current >= 0) {
    Path &ended = path();
    int32_t parent = ended.parent;
    ended.isFree = true;
    ended.mask = 0;
    ended.children = 0;
    ended.isCall = false;
    if (parent < 0) {
      current = -1;
      break;
    }
    Path &above = paths[size_t(parent)];
    if (--above.children > 0) {
      current = -1;
      break;
    }
    above.isCall = false;
    current = parent;
    if (above.mask != 0 && above.pc != above.join)
      return;
  }
  for (size_t index = 0; index < paths.size(); ++index)
    if (!paths[index].isFree && paths[index].children == 0) {
      current = int32_t(index);
      return;
    }
}

Warp::State Warp::run(uint64_t budget) {
  const Instruction *code = cta.grid().program.code.data();
  const std::atomic<bool> &isStopped = cta.grid().isStopped;
  size_t idle = 0; // polls in vain
  while (budget > 0 && current >= 0) {
    Path *now = &path();
    Step step = Step::Next;
    for (; budget > 0; --budget) {
      const Instruction &instruction = code[now->pc];
      LaneMask mask = now->mask & predicate(instruction.guard);
      if (mask != 0 || instruction.isCalledAlways) {
        if (inFlight) [[unlikely]]
          inFlight->check(*this, instruction);
        step = instruction.execute(*this, instruction, mask);
        ++executed;
        if (cta.cluster.counters) [[unlikely]]
          cta.cluster.count(instruction, mask);
        if (step != Step::Next)
          break;
      }
      if (++now->pc == now->join) {
        step = Step::Jumped;
        finishPath();
        break;
      }
    }
    if (isStopped.load(std::memory_order_relaxed)) {
      live = 0;
      return State::Done;
    }
    if (current < 0)
      break;
    if (budget > 0)
      --budget; // of the instruction that ended the loop
    if (step == Step::Next || step == Step::Jumped)
      continue;
    if (step == Step::Yield || step == Step::Switch) {
      ++now->pc;
      if (now->pc == now->join)
        finishPath();
    }
    if (step == Step::Switch)
      return State::Running;
    ++idle;
    // Another path of this warp may be what this one waits for.
    size_t leaves = 0;
    for (const Path &each : paths)
      leaves += !each.isFree && each.children == 0;
    if (leaves == 1 || idle > leaves * 2)
      return State::Waiting;
    for (size_t offset = 1; offset <= paths.size(); ++offset) {
      size_t next = (size_t(current) + offset) % paths.size();
      if (!paths[next].isFree && paths[next].children == 0) {
        current = int32_t(next);
        break;
      }
    }
  }
  if (current < 0 || live == 0) {
    live = 0;
    return State::Done;
  }
  return State::Running;
}

// CTAs and clusters

Cta::Cta(Cluster &cluster, uint32_t rank, std::array<uint32_t, 3> position)
    : cluster(cluster), rank(rank), position(position) {
  const Grid &grid = cluster.grid;
  const Program &program = grid.program;
  uint32_t threads = grid.launch.block[0] * grid.launch.block[1] * grid.launch.block[2];
  uint32_t count = (threads + program.lanes - 1) / program.lanes;
  shared.resize(grid.sharedBytes);
  registerStorage.resize(size_t(count) * program.registerBytes);
  predicateStorage.resize(size_t(count) * program.predicateCount);
  localStorage.resize(size_t(count) * program.lanes * program.localBytes);
  for (uint32_t index = 0; index < count; ++index)
    warps.push_back(std::make_unique<Warp>(*this, index, threads - index * program.lanes));
  liveWarps = count;
}

Cluster::Cluster(Grid &grid, uint64_t number)
    : grid(grid), number(number), random(uint32_t(grid.launch.seed * 7919 + number + 1)) {
  const std::array<uint32_t, 3> &shape = grid.launch.cluster;
  position = grid.positionOf(number);
  uint32_t rank = 0;
  for (uint32_t z = 0; z < shape[2]; ++z)
    for (uint32_t y = 0; y < shape[1]; ++y)
      for (uint32_t x = 0; x < shape[0]; ++x)
        ctas.push_back(std::make_unique<Cta>(
            *this, rank++,
            std::array{position[0] * shape[0] + x, position[1] * shape[1] + y, position[2] * shape[2] + z}));
  for (auto &cta : ctas)
    for (auto &warp : cta->warps)
      expected += uint32_t(std::popcount(warp->live));
  if (grid.launch.watch.races || grid.launch.watch.shared)
    races = std::make_unique<RaceWatch>(*this);
  if (grid.launch.counts)
    counters = std::make_unique<Counters>(grid.program.code.size());
}

Cluster::~Cluster() = default;

void Cluster::count(const Instruction &instruction, LaneMask mask) {
  counters->add(size_t(&instruction - grid.program.code.data()), instruction, mask, touches, products);
  touches.clear();
  products = 0;
}

void Cluster::land(std::function<void()> copy) {
  if (grid.launch.seed)
    flying.push_back(std::move(copy));
  else
    copy();
}

void Cluster::landSome(bool isIdle) {
  for (size_t index = 0; index < flying.size();) {
    if (!isIdle && random() % 4) {
      ++index;
      continue;
    }
    std::function<void()> copy = std::move(flying[index]);
    flying.erase(flying.begin() + ptrdiff_t(index));
    copy();
    isIdle = false;
  }
}

bool Cluster::run(uint64_t budget) {
  // Failed polls in a row, by all, without anything having happened, until we believe that nothing will: loops that give up after some polls end before.
  constexpr unsigned patience = 1000;
  std::vector<Warp *> all;
  for (auto &cta : ctas)
    for (auto &warp : cta->warps)
      if (!warp->isDone())
        all.push_back(warp.get());
  unsigned idleRounds = 0;
  uint64_t spent = 0;
  const uint64_t slice = 2048;
  while (spent < budget) {
    if (grid.launch.seed)
      std::shuffle(all.begin(), all.end(), random);
    uint64_t before = events;
    bool isIdle = true;
    for (Warp *warp : all) {
      uint64_t executed = warp->executed;
      uint64_t turn = grid.launch.seed ? 1 + random() % slice : slice;
      isIdle &= warp->run(turn) == Warp::State::Waiting;
      spent += warp->executed - executed;
    }
    if (!flying.empty())
      landSome(isIdle);
    size_t count = all.size();
    std::erase_if(all, [](Warp *warp) { return warp->isDone(); });
    if (all.empty()) {
      while (!flying.empty() && !grid.isStopped)
        landSome(/*isIdle=*/true);
      if (races && grid.launch.watch.races && !grid.isStopped)
        races->finish();
      return true;
    }
    if (!isIdle || events != before || all.size() != count)
      idleRounds = 0;
    else if (++idleRounds > patience) {
      reportDeadlock();
      return true;
    }
  }
  return false;
}

void Cluster::reportDeadlock() {
  const Program &program = grid.program;
  std::string text = "all warps of a program wait:";
  Warp *first = nullptr;
  unsigned named = 0;
  for (auto &cta : ctas)
    for (auto &warp : cta->warps)
      for (Path &path : warp->paths) {
        if (warp->isDone() || path.isFree || path.children > 0)
          continue;
        if (!first)
          (first = warp.get())->current = int32_t(&path - warp->paths.data());
        if (++named > 16)
          continue;
        text += (named == 1 ? " " : "; ") +
                std::string(ctas.size() > 1 ? "CTA " + std::to_string(cta->rank) + " " : "") + "warp " +
                std::to_string(warp->index) + " at " + program.describe(program.code[path.pc]) +
                (path.why ? std::string(" for ") + path.why + " " + std::to_string(path.whyAddress) : "") +
                (path.missing || path.missingBytes ? ", which lacks " + std::to_string(path.missing) +
                                                         " arrivals and " + std::to_string(path.missingBytes) + " bytes"
                                                   : "");
      }
  if (first)
    grid.report(*first, program.code[first->path().pc], first->path().mask, Finding::Kind::Deadlock, text,
                /*isFatal=*/true);
  grid.isStopped = true;
}

// Grids

static uint32_t nextGridNumber() {
  static std::atomic<uint32_t> last{0};
  return ++last;
}

Grid::Grid(const Program &program, const Launch &launch, Findings &findings)
    : program(program), launch(launch), findings(findings), number(nextGridNumber()) {
  for (size_t axis = 0; axis < 3; ++axis)
    clusters[axis] = (launch.grid[axis] + launch.cluster[axis] - 1) / launch.cluster[axis];
  uint32_t alignment = program.dynamicSharedAlignment;
  dynamicSharedOffset = (program.staticSharedBytes + alignment - 1) / alignment * alignment;
  sharedBytes = dynamicSharedOffset + launch.sharedBytes;
  parameters.resize(launch.parameters.size() + 256);
  auto address = reinterpret_cast<uintptr_t>(parameters.data());
  parameterBegin = reinterpret_cast<std::byte *>((address + 127) / 128 * 128);
  if (launch.counts)
    counters = std::make_unique<Counters>(program.code.size());
  if (launch.watch.races)
    globalRaces = std::make_unique<GlobalRaces>(*this);
  if (!launch.parameters.empty())
    std::memcpy(parameterBegin, launch.parameters.data(), launch.parameters.size());
}

Grid::~Grid() = default;

std::optional<uint64_t> Grid::nextCluster() {
  uint64_t number = begun.fetch_add(1);
  return number < uint64_t(clusters[0]) * clusters[1] * clusters[2] ? std::optional(number) : std::nullopt;
}

std::array<uint32_t, 3> Grid::positionOf(uint64_t cluster) const {
  return {uint32_t(cluster % clusters[0]), uint32_t(cluster / clusters[0] % clusters[1]),
          uint32_t(cluster / clusters[0] / clusters[1])};
}

uint64_t Grid::bytesOfCluster() const {
  const uint64_t threads = uint64_t(launch.block[0]) * launch.block[1] * launch.block[2];
  const uint64_t warps = (threads + program.lanes - 1) / program.lanes;
  const uint64_t ofCta = warps * (program.registerBytes + uint64_t(program.lanes) * program.localBytes) + sharedBytes;
  return ofCta * launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
}

void Grid::run() {
  constexpr uint64_t mostBytes = uint64_t(8) << 30, mostOfCluster = mostBytes / 4; // of all that run at once, of one
  const uint64_t bytes = std::max<uint64_t>(bytesOfCluster(), 1);
  if (bytes > mostOfCluster) {
    findings.add({.kind = Finding::Kind::OutOfMemory,
                  .place = launch.kernel->name,
                  .message = "registers, local and shared memory of a cluster take " + std::to_string(bytes) + " bytes",
                  .isFatal = true});
    return;
  }
  const uint64_t count = uint64_t(clusters[0]) * clusters[1] * clusters[2];
  // What orders programs is noted beside the memory, so with it nobody may come in between.
  const unsigned mostThreads = globalRaces ? 1 : std::max(launch.threads, 1u);
  const auto threads = unsigned(std::clamp<uint64_t>(std::min(count, mostBytes / bytes), 1, mostThreads));
  const size_t mostClusters = std::clamp<size_t>(mostBytes / bytes / threads, 1, 4096); // of a thread
  auto work = [&](bool isCaller) {
    // More than one at a time only where those begun do not end: they may wait for programs that have not begun.
    constexpr uint64_t turn = 1 << 22;
    std::vector<std::unique_ptr<Cluster>> running;
    for (;;) {
      if (std::optional<uint64_t> number; !isStopped && running.size() < mostClusters && (number = nextCluster()))
        running.push_back(std::make_unique<Cluster>(*this, *number));
      if (running.empty() || isStopped)
        return;
      if (isCaller && launch.isInterrupted && launch.isInterrupted()) {
        isStopped = true;
        return;
      }
      std::erase_if(running, [&](std::unique_ptr<Cluster> &cluster) {
        bool isDone = cluster->run(running.size() > 1 ? turn / 16 : turn);
        if (isDone)
          for (auto &cta : cluster->ctas) {
            auto owner = std::find_if(cta->tensorOwners.begin(), cta->tensorOwners.end(),
                                      [](uint16_t columns) { return columns != 0; });
            if (!isStopped && owner != cta->tensorOwners.end())
              findings.add({.kind = Finding::Kind::Leak,
                            .place = program.describe(*cta->tensorOrigins[size_t(owner - cta->tensorOwners.begin())]),
                            .message = std::to_string(*owner) +
                                       " columns of tensor memory were not freed before the end of the kernel",
                            .isFatal = true});
            for (auto &warp : cta->warps)
              executed += warp->executed;
          }
        if (isDone && counters) {
          std::lock_guard lock(countersMutex);
          counters->add(*cluster->counters);
        }
        return isDone;
      });
    }
  };
  std::vector<std::thread> helpers;
  for (unsigned index = 1; index < threads && launch.startThread; ++index)
    if (std::thread started = launch.startThread([&] { work(/*isCaller=*/false); }); started.joinable())
      helpers.push_back(std::move(started));
    else
      break; // there are no more
  work(/*isCaller=*/true);
  for (std::thread &helper : helpers)
    helper.join();
}

void Grid::report(Warp &warp, const Instruction &instruction, LaneMask lanes, Finding::Kind kind, std::string message,
                  bool isFatal) {
  const std::array<uint32_t, 3> &position = warp.cta.position;
  std::string who = "program (" + std::to_string(position[0]) + ", " + std::to_string(position[1]) + ", " +
                    std::to_string(position[2]) + ") warp " + std::to_string(warp.index);
  if (lanes && lanes != warp.full)
    who += " lane " + std::to_string(std::countr_zero(lanes));
  findings.add({.kind = kind,
                .place = program.describe(instruction),
                .message = std::move(message) + " (" + who + ")",
                .isFatal = isFatal});
  if (isFatal)
    isStopped = true;
}

} // namespace triton::simulator
