// `emitKernel` for those who report later what is wrong with the IR.
#pragma once

#include "compiler/frontend/Reads.h"
#include "compiler/frontend/emitter/Emitter.h"
#include "compiler/support/SourceMap.h"

namespace triton::frontend {

/// Also notes in `sources` what the IR's locations point into, and in `reads` what the kernel read of the program.
mlir::OwningOpRef<mlir::ModuleOp> emitKernel(mlir::MLIRContext &context, const KernelRequest &request,
                                             Diagnostics &diagnostics, SourceMap &sources, Reads &reads);

} // namespace triton::frontend
