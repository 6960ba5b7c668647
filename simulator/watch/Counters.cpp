#include "simulator/watch/Counters.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>

namespace triton::simulator {

Counter &Counter::operator+=(const Counter &other) {
  executions += other.executions, lanes += other.lanes;
  requests += other.requests, sectors += other.sectors, globalBytes += other.globalBytes;
  sharedRequests += other.sharedRequests, passes += other.passes, neededPasses += other.neededPasses;
  sharedBytes += other.sharedBytes, products += other.products;
  return *this;
}

/// Passes that accesses of lanes take: in each, a bank of 4 bytes serves one word, to all who want it. Wide accesses go by halves and quarters of a warp.
static uint64_t passesOf(const std::vector<Touch> &touches, unsigned bytes) {
  size_t together = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;
  uint64_t passes = 0;
  for (size_t first = 0; first < touches.size(); first += together) {
    std::array<std::vector<uint64_t>, 32> words; // by bank
    size_t most = 0;
    for (size_t index = first; index < std::min(first + together, touches.size()); ++index)
      for (uint64_t word = touches[index].address / 4; word <= (touches[index].address + bytes - 1) / 4; ++word) {
        std::vector<uint64_t> &bank = words[word % 32];
        if (std::find(bank.begin(), bank.end(), word) == bank.end())
          bank.push_back(word);
        most = std::max(most, bank.size());
      }
    passes += most;
  }
  return passes;
}

void Counters::add(size_t pc, const Instruction &instruction, LaneMask mask, const std::vector<Touch> &touches,
                   uint64_t products) {
  Counter &counter = list[pc];
  counter.products += products;
  ++counter.executions;
  counter.lanes += uint64_t(std::popcount(mask));
  if (touches.empty())
    return;
  std::vector<Touch> shared;
  std::vector<uint64_t> sectors;
  for (const Touch &touch : touches)
    if (touch.space == ptx::Space::Global) {
      counter.globalBytes += touch.bytes;
      for (uint64_t sector = touch.address / 32; sector <= (touch.address + touch.bytes - 1) / 32; ++sector)
        sectors.push_back(sector);
    } else {
      counter.sharedBytes += touch.bytes;
      shared.push_back(touch);
    }
  if (!sectors.empty()) {
    std::sort(sectors.begin(), sectors.end());
    ++counter.requests;
    counter.sectors += uint64_t(std::unique(sectors.begin(), sectors.end()) - sectors.begin());
  }
  // Engines have ways of their own into shared memory.
  bool isByLanes = instruction.family == Family::Memory || instruction.family == Family::AsyncCopy;
  if (shared.empty() || !isByLanes)
    return;
  uint32_t bytes = shared.front().bytes;
  ++counter.sharedRequests;
  counter.passes += passesOf(shared, bytes);
  counter.neededPasses += std::max<uint64_t>(1, (uint64_t(bytes) * shared.size() + 127) / 128);
}

void Counters::add(const Counters &other) {
  for (size_t pc = 0; pc < list.size(); ++pc)
    list[pc] += other.list[pc];
}

std::vector<LineCount> sumByLine(const Program &program, const Counters &counters) {
  std::vector<LineCount> lines;
  std::map<std::tuple<uint32_t, uint32_t, Family>, size_t> known;
  for (size_t pc = 0; pc < counters.all().size(); ++pc) {
    const Counter &counter = counters.all()[pc];
    const Instruction &instruction = program.code[pc];
    if (!counter.executions)
      continue;
    auto [at, isNew] =
        known.try_emplace({instruction.place.file, instruction.place.line, instruction.family}, lines.size());
    if (isNew)
      lines.push_back({program.describe(instruction), instruction.family, {}});
    lines[at->second].counter += counter;
  }
  return lines;
}

} // namespace triton::simulator
