// Tensor IR in, loops over vectors out: the CPU's own part of the walk, after the tensor pipeline and before the LLVM
// dialect.
#pragma once

#include "compiler/cpu/Target.h"

namespace mlir {
class OpPassManager;
}

namespace triton::cpu {

/// Attributes of a kernel that a launch asks for: how large an arena it needs; whether its programs may wait for what others write; whether they ask, in loops that
/// may never end by themselves, whether to stop.
inline constexpr llvm::StringLiteral arenaBytesName = "cpu.arena_bytes";
inline constexpr llvm::StringLiteral waitsForProgramsName = "cpu.waits_for_programs";
inline constexpr llvm::StringLiteral pollsName = "cpu.polls";

struct CpuOptions {
  HostTarget target = HostTarget::detect();
  bool checkAccesses = false; // report every memory access to the runtime before it happens
};

/// From what `tensor::buildTensorPipeline` leaves to what `host::buildLowerToLlvm` takes. Afterwards each kernel is a
/// `func.func` with the launch ABI (`args, grid, begin, end, arena`) and the attributes above.
void buildCpuPipeline(mlir::OpPassManager &manager, const CpuOptions &options);

/// Makes the passes and `--cpu-pipeline` known to triton-opt.
void registerCpuPipeline();

} // namespace triton::cpu
