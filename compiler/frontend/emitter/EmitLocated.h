// `emitKernel` for those who report later what is wrong with the IR.
#pragma once

#include "compiler/frontend/emitter/Emitter.h"
#include "compiler/support/SourceMap.h"

namespace triton::frontend {

/// Also notes in `sources` what the IR's locations point into.
mlir::OwningOpRef<mlir::ModuleOp> emitKernel(mlir::MLIRContext &context, const KernelRequest &request,
                                             Diagnostics &diagnostics, SourceMap &sources);

} // namespace triton::frontend
