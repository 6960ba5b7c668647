// What atomic instructions and reductions by TMA do to one element of memory.
#pragma once

#include "simulator/machine/Decoder.h"

namespace triton::simulator {

enum class Combination : uint8_t {
  Add,
  Minimum,
  Maximum,
  And,
  Or,
  Xor,
  Exchange,
  CompareAndSwap,
  Increment,
  Decrement
};
std::optional<Combination> combinationOf(const Decoder &decoder);

/// The element in memory, of `type` (not packed, up to 8 bytes), becomes itself combined with `value`, atomically; what it was.
uint64_t combineAt(std::byte *at, Combination combination, Type type, uint64_t value);

} // namespace triton::simulator
