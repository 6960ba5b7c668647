// `proton.record`: what a kernel notes of itself, in the buffer that the last of its parameters leads to (runtime/profiler/KernelRecords.h).
#pragma once

#include "compiler/llvm/nvidia/Families.h"
#include "compiler/tensor/Record.h"

namespace triton::nvidia {

/// At the entry of a kernel that has records: the CTA's slice gets its header, and each thread a count of its records.
void beginRecords(Emitter &emitter);

} // namespace triton::nvidia
