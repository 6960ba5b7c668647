// How many warps of a kernel a multiprocessor of NVIDIA's keeps at once, and what limits them.
#pragma once

#include "compiler/gpu/Target.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <utility>

namespace triton::gpu {

struct Occupancy {
  double share = 0;      // of the warps that the multiprocessor could keep
  llvm::StringRef limit; // "registers"
};

/// Of CTAs with so many registers of a thread, bytes of shared memory, and threads.
inline Occupancy occupancyOf(const Target &target, unsigned registers, unsigned sharedBytes, unsigned threads) {
  const unsigned chip = target.capability;
  const bool isSmall = chip == 86 || chip == 87 || chip == 89, isSm12x = chip / 10 == 12;
  const unsigned mostThreads = isSmall || isSm12x ? 1536 : 2048, mostBlocks = isSmall ? 16 : isSm12x ? 24 : 32;
  constexpr unsigned registersInAll = 65536, reservedBytes = 1024; // the latter of each CTA's shared memory
  const unsigned perThread = llvm::alignTo(std::max(registers, 1u), 8),
                 sharedInAll = target.sharedBytes() + reservedBytes;
  using Limit = std::pair<llvm::StringRef, unsigned>; // what, and how many CTAs it allows
  const Limit limits[] = {{"registers", registersInAll / (perThread * threads)},
                          {"shared memory", sharedBytes ? sharedInAll / (sharedBytes + reservedBytes) : ~0u},
                          {"threads", mostThreads / threads},
                          {"blocks", mostBlocks}};
  auto [limit, blocks] = *std::ranges::min_element(limits, {}, &Limit::second);
  return {double(blocks * threads) / mostThreads, limit};
}

} // namespace triton::gpu
