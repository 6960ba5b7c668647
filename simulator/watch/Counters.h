// How often each instruction was executed, and what its accesses cost: for those who look for what makes a kernel slow.
#pragma once

#include "simulator/machine/Program.h"

#include <cstdint>
#include <vector>

namespace triton::simulator {

struct Warp;

/// One access of a lane, or of an engine.
struct Touch {
  ptx::Space space; // global or shared
  uint64_t address;
  uint32_t bytes;
};

/// Of one instruction.
struct Counter {
  uint64_t executions = 0; // by warps
  uint64_t lanes = 0;
  uint64_t requests = 0, sectors = 0, globalBytes = 0; // of global memory; a sector has 32 bytes
  // Of shared memory: a pass serves up to 32 banks of 4 bytes. `neededPasses`: with the same bytes and no conflicts.
  uint64_t sharedRequests = 0, passes = 0, neededPasses = 0, sharedBytes = 0;
  uint64_t products = 0; // of tensor cores, as many as of 16-bit numbers take as long
  Counter &operator+=(const Counter &other);
};

class Counters {
public:
  explicit Counters(size_t instructions) : list(instructions) {}
  void add(size_t pc, const Instruction &instruction, LaneMask mask, const std::vector<Touch> &touches,
           uint64_t products);
  void add(const Counters &other);
  const std::vector<Counter> &all() const { return list; }

private:
  std::vector<Counter> list;
};

/// What a kernel did in a line of its source, or in instructions of a family.
struct LineCount {
  std::string place; // kernel.py:12
  Family family;
  Counter counter;
};
/// By place and family, in the order of the code; what was never executed is left out.
std::vector<LineCount> sumByLine(const Program &program, const Counters &counters);

} // namespace triton::simulator
