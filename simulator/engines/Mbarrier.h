// mbarriers: eight bytes of shared memory that count arrivals and bytes in flight, phase by phase.
//
// The bytes hold, from bit 0 on: the parity of the phase (1 bit), arrivals still missing (20), arrivals of a phase (20), bytes still missing (22, signed), and a mark that says that this is
// an mbarrier at all. The layout is ours: PTX calls it opaque.
#pragma once

#include "simulator/machine/Memory.h"

namespace triton::simulator {

/// The mbarrier at an address of shared memory; null, with a finding, where there is none.
std::byte *locateMbarrier(Warp &warp, const Instruction &instruction, uint64_t address, unsigned lane);
/// Counts arrivals; the state before, which names the phase.
uint64_t arrive(Warp &warp, const Instruction &instruction, std::byte *barrier, uint32_t count, unsigned lane);
/// Adds to the bytes that are missing; negative: they have come.
void expectBytes(Warp &warp, const Instruction &instruction, std::byte *barrier, int64_t bytes, unsigned lane);

/// One arrival at the mbarrier at an address of shared memory, in this CTA or another of its cluster, when the tensor core is done with what the warp gave it; false, with a
/// finding, where there is no mbarrier.
bool arriveAt(Warp &warp, const Instruction &instruction, uint64_t address);

} // namespace triton::simulator
