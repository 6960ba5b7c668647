// The families of ops, one file each. A family takes an op it knows and says whether it succeeded; it says nothing of others.
#pragma once

#include "compiler/llvm/nvidia/Emitter.h"

#include <optional>

namespace triton::nvidia {

/// Nullopt: not an op of this family.
using Emitted = std::optional<llvm::LogicalResult>;

Emitted emitElementwise(Emitter &, mlir::Operation *);    // arith, tt.addptr, tt.bitcast, …
Emitted emitMath(Emitter &, mlir::Operation *);           // math, tt.extern_elementwise, tt.precise_sqrt, …
Emitted emitCasts(Emitter &, mlir::Operation *);          // between number formats
Emitted emitMemory(Emitter &, mlir::Operation *);         // tt.load, tt.store
Emitted emitAtomics(Emitter &, mlir::Operation *);        // tt.atomic_rmw, tt.atomic_cas
Emitted emitControlFlow(Emitter &, mlir::Operation *);    // scf, cf
Emitted emitCalls(Emitter &, mlir::Operation *);          // tt.call, tt.return
Emitted emitProgram(Emitter &, mlir::Operation *);        // tt.get_program_id, tt.print, tt.assert, inline assembly, …
Emitted emitShape(Emitter &, mlir::Operation *);          // tt.splat, tt.make_range, arith.constant, tt.reshape, …
Emitted emitConvert(Emitter &, mlir::Operation *);        // ttg.convert_layout
Emitted emitReduce(Emitter &, mlir::Operation *);         // tt.reduce
Emitted emitScan(Emitter &, mlir::Operation *);           // tt.scan
Emitted emitGather(Emitter &, mlir::Operation *);         // tt.gather, tt.histogram
Emitted emitShared(Emitter &, mlir::Operation *);         // ttg.local_*, ttg.memdesc_*, ttg.barrier, fences
Emitted emitAsync(Emitter &, mlir::Operation *);          // ttg.async_*
Emitted emitMbarrier(Emitter &, mlir::Operation *);       // ttng.*_barrier, ttng.cluster_*
Emitted emitTma(Emitter &, mlir::Operation *);            // ttng.async_tma_*
Emitted emitTmaRows(Emitter &, mlir::Operation *);        // ttng.async_tma_gather, ttng.async_tma_scatter
Emitted emitTensorMaps(Emitter &, mlir::Operation *);     // ttng.tensormap_*, ttg.global_scratch_alloc
Emitted emitTensorMemory(Emitter &, mlir::Operation *);   // ttng.tmem_*, views of tensor memory
Emitted emitTcgen05(Emitter &, mlir::Operation *);        // ttng.tc_gen5_*
Emitted emitWarpSpecialize(Emitter &, mlir::Operation *); // ttg.warp_specialize
Emitted emitSharedIndexed(Emitter &, mlir::Operation *);  // ttg.local_gather, ttg.local_scatter, …
Emitted emitThreadAssembly(Emitter &, mlir::Operation *); // ttg.inline_asm
Emitted emitLaunchControl(Emitter &, mlir::Operation *);  // ttng.clc_*
Emitted emitDot(Emitter &, mlir::Operation *);            // tt.dot, ttng.warp_group_dot, …

/// A region of any number of blocks: its arguments are `arguments`, `results` what its terminators that leave it bring along. Goes on behind it.
llvm::LogicalResult emitRegion(Emitter &, mlir::Region &, llvm::ArrayRef<Registers> arguments,
                               mlir::ValueRange results);

/// Whether this thread is the one that does what a CTA does once; with a predicate (may be null), whether it does it now.
llvm::Value *isFirstThread(Emitter &, mlir::Value predicate);

} // namespace triton::nvidia
