// Tensor IR in, GPU IR out that is ready to be emitted: every tensor has a layout, shared memory has offsets, barriers are in place.
#ifndef TRITON_COMPILER_GPU_PASSES_PIPELINE_H
#define TRITON_COMPILER_GPU_PASSES_PIPELINE_H

#include "compiler/gpu/Target.h"
#include "mlir/Pass/PassManager.h"

namespace triton::gpu {

struct GpuOptions {
  Target target;
  int numWarps = 4, numCtas = 1, numStages = 3;
  bool launchControl = false; // a program that ends takes one that has not begun
  bool checkStages = false;   // what one stage promises the next; for tests and for those who look for a bug of ours
};

/// What `ttgir` shows: layouts, tensor cores, pipelined loops.
void buildGpuPipeline(mlir::OpPassManager &manager, const GpuOptions &options);
/// Shared memory, barriers and warps, for IR that came through the above or was written by hand. `maxRegisters` of a thread; 0: as many as there are.
/// `recordMode` says how kernels note their scopes, if they do (compiler/gpu/Records.h).
void buildResourcePipeline(mlir::OpPassManager &manager, int maxRegisters = 0, bool checkStages = false,
                           llvm::StringRef recordMode = "proton");

/// Makes the passes known by name, and the pipelines as `--gpu-pipeline` and `--gpu-resources`.
void registerGpuPipeline();

} // namespace triton::gpu

#endif
