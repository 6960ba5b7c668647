// Tensor IR in, loops over vectors out: the CPU's own part of the walk, after the tensor pipeline and before the LLVM
// dialect.
#pragma once

#include "compiler/cpu/Target.h"

namespace mlir {
class OpPassManager;
}

namespace triton::cpu {

struct CpuOptions {
  HostTarget target = HostTarget::detect();
  bool checkAccesses = false; // report every memory access to the runtime before it happens
};

/// From what `tensor::buildTensorPipeline` leaves to what `host::buildLowerToLlvm` takes. Afterwards each kernel is a
/// `func.func` with the launch ABI (`args, grid, begin, end, arena`), and `cpu.arena_bytes` on it says how large an
/// arena it needs.
void buildCpuPipeline(mlir::OpPassManager &manager, const CpuOptions &options);

/// Makes the passes and `--cpu-pipeline` known to triton-opt.
void registerCpuPipeline();

} // namespace triton::cpu
