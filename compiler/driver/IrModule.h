// A kernel's IR with the context it lives in, for those who look at it rather than compile it; and the reading of IR text.
#pragma once

#include "compiler/driver/ContextPool.h"
#include "compiler/driver/Driver.h"
#include "compiler/driver/Target.h"

namespace triton::driver {

struct IrModule {
  ContextLease context; // before the module, so that it outlives it
  mlir::OwningOpRef<mlir::ModuleOp> module;
  SourceMap sources; // what its locations point into
};

/// What MLIR reports, at the lines that the IR comes from.
Diagnostic toDiagnostic(mlir::Diagnostic &diagnostic, const SourceMap &sources);

/// The kernel as the frontend leaves it; null after reporting errors.
std::shared_ptr<IrModule> emitModule(const CompileRequest &request, Diagnostics &diagnostics);
/// A module from its text; null after reporting errors.
std::shared_ptr<IrModule> parseModule(const std::shared_ptr<const Source> &source, Diagnostics &diagnostics);

/// How deep a stack is that passes may run on: some of the algorithms of LLVM and MLIR recurse along chains of operations, up to as many as there are.
size_t stackFor(size_t operations);
size_t countOperations(mlir::ModuleOp module);

/// False after reporting a kernel in the language that names layouts for a target without any.
bool checkLanguage(const CompileRequest &request, const Target &target, Diagnostics &diagnostics);
/// What the frontend is asked: the request's kernel with what its target and options show to the language.
frontend::KernelRequest kernelRequest(const CompileRequest &request, const Target &target);
/// Null after reporting errors, each at its line of `source`.
mlir::OwningOpRef<mlir::ModuleOp> parseIr(mlir::MLIRContext &context, const std::shared_ptr<const Source> &source,
                                          Diagnostics &diagnostics);

} // namespace triton::driver
