// Reads AMDGPU LLVM IR, the final text of a kernel, as a program of the simulator.
//   In:  the text of a module as the compiler ends it, before the code generator; the architecture that it is for.
//   Out: decoded kernels, which run on the same machine as PTX does: waves are warps, workgroups CTAs, LDS is shared memory.
#pragma once

#include "simulator/machine/Machine.h"

namespace triton::simulator::amdgcn {

/// What instructions mean differs between architectures in these.
struct Architecture {
  std::string name; // gfx942
  unsigned lanes;
  bool isFnuz; // fp8 without infinities and -0
};

Loaded load(std::string_view text, const Architecture &architecture);

/// Bytes of the hidden arguments that follow a kernel's own: sizes of the grid and of workgroups.
constexpr uint32_t hiddenArgumentBytes = 256;
/// Appends them to what a launch passes; `explicitBytes` is where the kernel's own end.
void appendHiddenArguments(simulator::Launch &launch, uint32_t explicitBytes);

} // namespace triton::simulator::amdgcn
