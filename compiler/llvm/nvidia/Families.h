// The families of ops that only NVIDIA GPUs have, one file each. A family takes an op it knows and says whether it succeeded; it says nothing of others.
#pragma once

#include "compiler/llvm/gpu/Families.h"

namespace triton::nvidia {

using namespace simt;

Emitted emitAsync(Emitter &, mlir::Operation *);          // ttg.async_*
Emitted emitMbarrier(Emitter &, mlir::Operation *);       // ttng.*_barrier, ttng.cluster_*
Emitted emitTma(Emitter &, mlir::Operation *);            // ttng.async_tma_*
Emitted emitTmaRows(Emitter &, mlir::Operation *);        // ttng.async_tma_gather, ttng.async_tma_scatter
Emitted emitTensorMaps(Emitter &, mlir::Operation *);     // ttng.tensormap_*, ttg.global_scratch_alloc
Emitted emitTensorMemory(Emitter &, mlir::Operation *);   // ttng.tmem_*, views of tensor memory
Emitted emitTcgen05(Emitter &, mlir::Operation *);        // ttng.tc_gen5_*
Emitted emitWarpSpecialize(Emitter &, mlir::Operation *); // ttg.warp_specialize
Emitted emitSharedUpdates(Emitter &, mlir::Operation *);  // ttg.local_atomic_scatter_rmw
Emitted emitThreadAssembly(Emitter &, mlir::Operation *); // ttg.inline_asm
Emitted emitLaunchControl(Emitter &, mlir::Operation *);  // ttng.clc_*
Emitted emitWarpGroupDots(Emitter &, mlir::Operation *);  // ttng.warp_group_dot, …
Emitted emitRecords(Emitter &, mlir::Operation *);        // scopes that a profiler sees

/// Whether this thread is the one that does what a CTA does once; with a predicate (may be null), whether it does it now.
llvm::Value *isFirstThread(Emitter &, mlir::Value predicate);

/// What other threads did to tensor memory "before" a barrier is seen "after" it only with these on both sides; nothing if none is used.
void fenceTensorMemory(Emitter &, llvm::StringRef side);

} // namespace triton::nvidia
