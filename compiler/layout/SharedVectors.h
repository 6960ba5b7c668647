// The widest accesses by which threads move their registers to and from shared memory, given where each register's element lies.
#pragma once

#include "compiler/layout/LinearLayout.h"

#include <map>

namespace triton::layout {

/// (interval, padding), in elements, powers of two: `padding` unused elements after each `interval`.
using Paddings = llvm::ArrayRef<std::pair<unsigned, unsigned>>;

/// The accesses of one thread: which registers lie side by side in memory. An offset is the XOR of a register's part and a thread's part.
struct SharedVectors {
  LinearLayout map;                        // register, lane, warp, block -> offset
  std::map<uint64_t, unsigned> registerAt; // the first register of each offset (its part that is the register's)
  std::vector<uint64_t> offsets;           // of each register
  uint64_t threadBits = 0;                 // that lane, warp and block may set
  unsigned vectorBits =
      0; // 2 to the power of this many elements are one access: at the offsets that are multiples of it
};

/// `access` maps register, lane, warp to offsets of elements. An access is at most 16 bytes.
SharedVectors planSharedVectors(const LinearLayout &access, unsigned elementBits, Paddings padding);

/// How many elements, up to `limit`, one asynchronous copy moves: it takes as many registers from a multiple of that number on, in their order.
unsigned planCopyWidth(const LinearLayout &access, Paddings padding, unsigned limit);

} // namespace triton::layout
