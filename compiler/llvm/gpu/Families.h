// The families of ops, one file each. A family takes an op it knows and says whether it succeeded; it says nothing of others.
#pragma once

#include "compiler/llvm/gpu/Emitter.h"

namespace triton::simt {

Emitted emitElementwise(Emitter &, mlir::Operation *);   // arith, tt.addptr, tt.bitcast, …
Emitted emitMath(Emitter &, mlir::Operation *);          // math, tt.extern_elementwise, tt.precise_sqrt, …
Emitted emitCasts(Emitter &, mlir::Operation *);         // between number formats
Emitted emitMemory(Emitter &, mlir::Operation *);        // tt.load, tt.store
Emitted emitAtomics(Emitter &, mlir::Operation *);       // tt.atomic_rmw, tt.atomic_cas
Emitted emitControlFlow(Emitter &, mlir::Operation *);   // scf, cf
Emitted emitCalls(Emitter &, mlir::Operation *);         // tt.call, tt.return
Emitted emitProgram(Emitter &, mlir::Operation *);       // tt.get_program_id, tt.print, tt.assert, inline assembly, …
Emitted emitShape(Emitter &, mlir::Operation *);         // tt.splat, tt.make_range, arith.constant, tt.reshape, …
Emitted emitConvert(Emitter &, mlir::Operation *);       // ttg.convert_layout
Emitted emitReduce(Emitter &, mlir::Operation *);        // tt.reduce
Emitted emitScan(Emitter &, mlir::Operation *);          // tt.scan
Emitted emitGather(Emitter &, mlir::Operation *);        // tt.gather, tt.histogram
Emitted emitShared(Emitter &, mlir::Operation *);        // ttg.local_*, ttg.memdesc_*, ttg.barrier, fences
Emitted emitSharedIndexed(Emitter &, mlir::Operation *); // ttg.local_gather, ttg.local_scatter
Emitted emitDot(Emitter &, mlir::Operation *);           // tt.dot

/// A region of any number of blocks: its arguments are `arguments`, `results` what its terminators that leave it bring along. Goes on behind it.
llvm::LogicalResult emitRegion(Emitter &, mlir::Region &, llvm::ArrayRef<Registers> arguments,
                               mlir::ValueRange results);

} // namespace triton::simt
