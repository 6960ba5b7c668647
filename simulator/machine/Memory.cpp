#include "simulator/machine/Memory.h"

#include "simulator/watch/GlobalRaces.h"
#include "simulator/watch/Races.h"

#include <algorithm>
#include <cstdio>

namespace triton::simulator {

using ptx::Space;

void sortMemory(std::vector<Range> &memory) {
  std::sort(memory.begin(), memory.end(), [](const Range &a, const Range &b) { return a.begin < b.begin; });
  std::vector<Range> merged;
  for (Range &each : memory)
    if (!merged.empty() && each.begin < merged.back().end)
      merged.back().end = std::max(merged.back().end, each.end);
    else
      merged.push_back(std::move(each));
  memory = std::move(merged);
}

static std::string hexadecimal(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

static const char *verb(Access access) {
  return access == Access::Write ? "write" : access == Access::Atomic ? "atomic access" : "read";
}

std::string neighbour(const std::vector<Range> &memory, uint64_t address) {
  const Range *best = nullptr;
  uint64_t distance = ~uint64_t(0);
  for (const Range &range : memory) {
    uint64_t away = address < range.begin ? range.begin - address : address >= range.end ? address - range.end + 1 : 0;
    if (away < distance)
      distance = away, best = &range;
  }
  if (!best || distance > 1 << 30)
    return "";
  return address < best->begin ? ", " + std::to_string(best->begin - address) + " bytes before " + best->name
                               : ", " + std::to_string(address - best->begin) + " bytes into " + best->name + " of " +
                                     std::to_string(best->end - best->begin);
}

/// Whether so many bytes end at `end` or before; addresses near the largest number do not begin again at 0.
static bool fits(uint64_t address, uint64_t bytes, uint64_t end) { return bytes <= end && address <= end - bytes; }

std::byte *locateGlobal(Warp &warp, const Instruction &instruction, uint64_t address, uint64_t bytes, unsigned lane,
                        Access access) {
  Grid &grid = warp.cta.grid();
  const std::vector<Range> &memory = grid.launch.memory;
  bool isFine = address >= 4096;
  if (isFine && grid.launch.watch.bounds && !memory.empty()) {
    // LLVM makes of an atomic on 8 or 16 bits one on the word around them. Memory comes in whole words, so one byte of it that is an array's is enough.
    bool isOfWord = bytes == 4 && (access == Access::Atomic || access == Access::Volatile);
    auto above = std::upper_bound(memory.begin(), memory.end(), isOfWord ? address + 3 : address,
                                  [](uint64_t value, const Range &range) { return value < range.begin; });
    isFine = above != memory.begin() && fits(address, isOfWord ? 1 : bytes, std::prev(above)->end);
    if (!isFine) { // parameters and variables of the module
      auto begin = reinterpret_cast<uint64_t>(grid.parameterBegin);
      isFine = address >= begin && fits(address, bytes, begin + grid.launch.parameters.size());
      for (auto &[name, variable] : grid.program.variables) {
        auto start = reinterpret_cast<uint64_t>(variable.begin);
        isFine |= address >= start && fits(address, bytes, start + variable.bytes);
      }
    }
  }
  // Nobody said what the kernel may touch: at least it must be there.
  if (isFine && memory.empty())
    isFine = grid.hostMemory.contains(address, bytes, access == Access::Write || access == Access::Atomic);
  if (isFine) {
    if (GlobalRaces *races = grid.globalRaces.get())
      races->access(warp, instruction, address, bytes, access);
    warp.cta.cluster.note(Space::Global, address, bytes);
    return reinterpret_cast<std::byte *>(address);
  }
  grid.report(warp, instruction, LaneMask(1) << lane, Finding::Kind::IllegalAddress,
              std::string(verb(access)) + " of " + std::to_string(bytes) + " bytes at " + hexadecimal(address) +
                  ", outside of global memory" + neighbour(memory, address),
              /*isFatal=*/true);
  return nullptr;
}

std::byte *locateShared(Warp &warp, const Instruction &instruction, uint64_t address, uint64_t bytes, unsigned lane,
                        Access access) {
  Cta *cta = &warp.cta;
  uint32_t rank = uint32_t(address) >> rankShift, offset = uint32_t(address) & sharedOffsetMask;
  auto &ctas = cta->cluster.ctas;
  bool isThere = rank == 0 || rank <= ctas.size();
  if (isThere && rank)
    cta = ctas[rank - 1].get();
  if (isThere && offset + bytes <= cta->shared.size()) {
    if (RaceWatch *races = warp.cta.cluster.races.get())
      races->access(warp, instruction, *cta, offset, uint32_t(bytes), access);
    warp.cta.cluster.note(Space::Shared, offset, bytes);
    return cta->shared.data() + offset;
  }
  warp.cta.grid().report(warp, instruction, LaneMask(1) << lane, Finding::Kind::IllegalAddress,
                         std::string(verb(access)) + " of " + std::to_string(bytes) + " bytes at " +
                             hexadecimal(address) + ", outside of the " + std::to_string(cta->shared.size()) +
                             " bytes of shared memory" +
                             (rank && !isThere ? " of a cluster of " + std::to_string(ctas.size()) : ""),
                         /*isFatal=*/true);
  return nullptr;
}

std::byte *locate(Warp &warp, const Instruction &instruction, Space space, uint64_t address, unsigned bytes,
                  unsigned lane, Access access) {
  return locate(warp, instruction, space, address, bytes, bytes, lane, access);
}

std::byte *locate(Warp &warp, const Instruction &instruction, Space space, uint64_t address, unsigned bytes,
                  unsigned alignment, unsigned lane, Access access) {
  if (space == Space::Generic) {
    uint64_t tag = address & tagMask;
    if (tag == sharedTag)
      space = Space::Shared, address = uint32_t(address);
    else if (tag == localTag)
      space = Space::Local, address &= ~tagMask;
    else
      space = Space::Global;
  }
  if (address % alignment) {
    warp.cta.grid().report(warp, instruction, LaneMask(1) << lane, Finding::Kind::Misaligned,
                           std::string(verb(access)) + " of " + std::to_string(bytes) + " bytes at " +
                               hexadecimal(address) + ", which is no multiple of " + std::to_string(alignment),
                           /*isFatal=*/true);
    return nullptr;
  }
  switch (space) {
  case Space::Shared:
  case Space::SharedCluster:
    return locateShared(warp, instruction, address, bytes, lane, access);
  case Space::Local: {
    uint32_t limit = warp.cta.grid().program.localBytes;
    if (fits(address, bytes, limit))
      return warp.local + size_t(lane) * limit + address;
    warp.cta.grid().report(warp, instruction, LaneMask(1) << lane, Finding::Kind::IllegalAddress,
                           std::string(verb(access)) + " of " + std::to_string(bytes) + " bytes at " +
                               hexadecimal(address) + ", outside of the " + std::to_string(limit) +
                               " bytes of local memory",
                           /*isFatal=*/true);
    return nullptr;
  }
  case Space::Parameter: {
    Grid &grid = warp.cta.grid();
    if (fits(address, bytes, grid.launch.parameters.size() + 128))
      return grid.parameterBegin + address;
    grid.report(warp, instruction, LaneMask(1) << lane, Finding::Kind::IllegalAddress,
                "read of a parameter at " + std::to_string(address) + ", which the launch did not pass",
                /*isFatal=*/true);
    return nullptr;
  }
  default:
    return locateGlobal(warp, instruction, address, bytes, lane, access);
  }
}

} // namespace triton::simulator
