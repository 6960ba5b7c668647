// How addresses of the spaces look in registers.
//
//   global, constant   addresses of the host
//   shared             an offset into the CTA's own memory; (rank + 1) << 24 above it names that of another CTA of the cluster (mapa)
//   local              an offset into the thread's own memory
//   parameter          an offset into the kernel's parameters
//   generic            global addresses as they are; shared and local ones below a tag that no address of a process has
#pragma once

#include <cstdint>

namespace triton::simulator {

constexpr uint64_t sharedTag = uint64_t(0xFFFE) << 48, localTag = uint64_t(0xFFFD) << 48,
                   tagMask = uint64_t(0xFFFF) << 48;
constexpr unsigned rankShift = 24;
constexpr uint32_t sharedOffsetMask = (1u << rankShift) - 1;

} // namespace triton::simulator
