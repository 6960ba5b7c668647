// NVIDIA's GPUs as the emitter sees them: PTX's registers, barriers, shuffles, predicated accesses, atomics, conversions and tensor cores.
#pragma once

#include "compiler/gpu/Target.h"
#include "compiler/llvm/gpu/Machine.h"

namespace triton::nvidia {

std::unique_ptr<simt::Machine> createMachine(const gpu::Target &target);

} // namespace triton::nvidia
