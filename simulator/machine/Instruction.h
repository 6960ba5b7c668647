// A decoded instruction: what to call, and which lanes' values it reads and writes.
#pragma once

#include "simulator/ptx/Syntax.h"

#include <cstdint>

namespace triton::simulator {

struct Warp;
struct Instruction;

/// A bit for each lane of a warp: PTX's have 32, waves of AMD's GPUs 32 or 64 (`Program::lanes`).
using LaneMask = uint64_t;

/// Of PTX.
constexpr unsigned laneCount = 32;
constexpr LaneMask allLanes = 0xFFFFFFFF;

/// Values, one a lane, in a warp's registers or among the program's constants: a byte offset, and the top bit says which.
struct Slot {
  uint32_t code = 0;
  static constexpr uint32_t constantBit = 1u << 31;
  bool isConstant() const { return code & constantBit; }
  uint32_t offset() const { return code & ~constantBit; }
};

/// What does the work of an instruction.
enum class Family : uint8_t {
  Move,
  Integer,
  Float,
  Special,    // ex2 and its like
  Conversion, // between types
  Control,
  Warp, // between lanes
  Memory,
  AsyncCopy,  // cp.async
  CopyEngine, // TMA
  Tensor,     // products
  Synchronisation,
};
const char *nameOf(Family family);

/// What an instruction did to its path.
enum class Step : uint8_t {
  Next,    // go on behind it
  Yield,   // likewise, and let others run first: it polled in vain
  Switch,  // likewise, as it takes long: a warp that reads global memory
  Jumped,  // the path is where the handler put it, or is gone
  Blocked, // not done: try again when something has happened
};

/// `mask`: the lanes of the path for which the guard holds; never empty unless the instruction asks to be called always.
using Handler = Step (*)(Warp &, const Instruction &, LaneMask mask);

/// A predicate register by its index; every warp's first two are always false and always true.
struct PredicateSlot {
  uint32_t index = 1;
  bool isNegated = false;
};

/// Whom a strong access concerns; the system has one device.
enum class Scope : uint8_t { Cta, Cluster, Device };
/// How an access of memory, or a fence, orders others: PTX's semantics and scope. An access that is not strong is for threads that are ordered otherwise.
struct Ordering {
  bool isStrong = false, acquires = false, releases = false;
  Scope scope = Scope::Device;
};

struct Instruction {
  Handler execute = nullptr;
  Slot d, a, b, c;             // destination and sources, as far as there are that many
  PredicateSlot guard, p, q;   // p, q: operands
  bool isCalledAlways = false; // with an empty mask too: branches, aligned barriers
  Family family = Family::Integer;
  Ordering ordering;          // of accesses and fences
  uint8_t small[4] = {};      // widths, counts, kinds: the handler knows
  int64_t immediate = 0;      // the offset of an address, or a number that the handler knows
  const Slot *list = nullptr; // vectors of registers, in the program's pool
  uint32_t listSize = 0;
  uint32_t target = 0, join = 0; // of branches: where to, and where paths meet again
  const void *details = nullptr; // of engines, owned by the program
  uint32_t line = 0;             // of the PTX
  ptx::Place place;              // of the kernel's source
};

} // namespace triton::simulator
