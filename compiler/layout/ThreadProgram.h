// What every thread of a CTA does to combine values that other threads hold: a straight-line program on numbered values.
// Reductions and scans are planned as such programs: a plan is printed, simulated in tests for all threads at once, and lowered step by step.
//   Values 0 to inputs - 1 are the registers of the operand; each step defines new ones. With several operands a value is a tuple, and
//   the buffer is one for each operand.
#pragma once

#include "llvm/ADT/SmallVector.h"

#include <string>
#include <vector>

namespace triton::layout {

/// True for threads with (lane & laneMask) == laneValue and (warp & warpMask) == warpValue, or for all others.
struct ThreadCondition {
  unsigned laneMask = 0, laneValue = 0, warpMask = 0, warpValue = 0;
  bool negated = false;

  bool operator==(const ThreadCondition &) const = default;
  bool isAlways() const { return !laneMask && !warpMask && !negated; }
  bool holds(unsigned lane, unsigned warp) const {
    return ((lane & laneMask) == laneValue && (warp & warpMask) == warpValue) != negated;
  }
};

/// The lane that a lane takes a value from: (lane & keep) | set, or its neighbour when counting in the bits of `count`.
struct LaneSource {
  unsigned keep = ~0u, set = 0;
  unsigned count = 0; // not 0: a step of +1 or -1 in these bits, the others as they are
  bool up = false;

  unsigned at(unsigned lane) const {
    if (!count)
      return (lane & keep) | set;
    unsigned stepped = up ? (lane | ~count) + 1 : (lane & count) - 1;
    return (stepped & count) | (lane & ~count);
  }
};

/// An element of the buffer: `base`, XORed with an entry for each set bit of the lane and of the warp.
struct ThreadAddress {
  unsigned base = 0;
  std::vector<unsigned> perLane, perWarp;
  unsigned at(unsigned lane, unsigned warp) const;
};

struct ThreadStep {
  enum class Kind {
    Combine,   // result = combine(a, b): a stands first
    Butterfly, // result = combination of the values `a` of all lanes that differ by sums of `masks`, in all of them
    Exchange,  // result = a of lane ^ masks[0]
    Shuffle,   // result = a of lane `source`
    Select,    // result = condition ? a : b
    Store,     // buffer[address] = a, where condition holds
    Barrier,   // all stores of the CTA before it are seen by loads after it
    Load, // result, result + 1, … (`count` of them) = buffer[address], buffer[address + 1], …; address is a multiple of count
  } kind;
  unsigned result = 0, a = 0, b = 0, count = 1;
  llvm::SmallVector<unsigned, 5> masks = {};
  LaneSource source = {};
  ThreadCondition condition = {};
  ThreadAddress address = {};
};

struct ThreadProgram {
  unsigned inputs = 0, values = 0;
  unsigned slots = 0; // elements of the buffer
  std::vector<ThreadStep> steps;
  std::vector<unsigned> results; // value of each result register

  // Steps are appended by these; each gives the value it defines.
  unsigned combine(unsigned a, unsigned b);
  unsigned butterfly(unsigned a, llvm::ArrayRef<unsigned> masks);
  unsigned exchange(unsigned a, unsigned mask);
  unsigned shuffle(unsigned a, LaneSource source);
  unsigned select(ThreadCondition condition, unsigned a, unsigned b);
  void store(unsigned a, ThreadAddress address, ThreadCondition condition);
  void barrier();
  unsigned load(ThreadAddress address, unsigned count);
  /// All of `operands`, left to right, as a balanced tree.
  unsigned combineAll(llvm::ArrayRef<unsigned> operands);

  bool usesBuffer() const { return slots != 0; }
  unsigned countOf(ThreadStep::Kind kind) const;
  std::string str() const;

private:
  unsigned append(ThreadStep step, unsigned defines);
};

} // namespace triton::layout
