// Where the bytes of an address are, and whether a kernel may touch them.
#pragma once

#include "simulator/machine/Addresses.h"
#include "simulator/machine/Machine.h"

namespace triton::simulator {

/// Volatile: a read that belongs to an atomic change, or to a loop that waits for one.
enum class Access : uint8_t { Read, Write, Atomic, Volatile };

/// The bytes at an address of a space, for one lane; null, with a finding that stops the launch, where there are none.
std::byte *locate(Warp &warp, const Instruction &instruction, ptx::Space space, uint64_t address, unsigned bytes,
                  unsigned lane, Access access);

/// Likewise, of an address that need only be a multiple of `alignment`.
std::byte *locate(Warp &warp, const Instruction &instruction, ptx::Space space, uint64_t address, unsigned bytes,
                  unsigned alignment, unsigned lane, Access access);

/// Bytes of shared memory of this CTA or, by the upper bits, another one of its cluster; null, with a finding, where there are none.
std::byte *locateShared(Warp &warp, const Instruction &instruction, uint64_t address, uint64_t bytes, unsigned lane,
                        Access access);
/// Bytes of global memory; null, with a finding, where the kernel has none there.
std::byte *locateGlobal(Warp &warp, const Instruction &instruction, uint64_t address, uint64_t bytes, unsigned lane,
                        Access access);

/// Says whose memory an address is next to, or in; "" where nobody's is near.
std::string neighbour(const std::vector<Range> &memory, uint64_t address);

/// The address of a lane: its register of `small[3]` bytes, and the offset. In shared memory addresses have 32 bits.
inline uint64_t addressOf(const Warp &warp, const Instruction &instruction, unsigned lane) {
  uint64_t base =
      instruction.small[3] == 4 ? warp.in<uint32_t>(instruction.a)[lane] : warp.in<uint64_t>(instruction.a)[lane];
  uint64_t sum = base + uint64_t(instruction.immediate);
  return instruction.small[3] == 4 ? uint32_t(sum) : sum;
}
/// The address that any register of 4 or 8 bytes holds.
inline uint64_t addressIn(const Warp &warp, Slot slot, unsigned bytes, unsigned lane) {
  return bytes == 4 ? warp.in<uint32_t>(slot)[lane] : warp.in<uint64_t>(slot)[lane];
}

} // namespace triton::simulator
