#include "compiler/driver/IrModule.h"

#include "compiler/frontend/emitter/EmitLocated.h"
#include "compiler/support/DeepStack.h"
#include "compiler/support/IrText.h"
#include "compiler/tensor/Places.h"
#include "compiler/tensor/Stages.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

using namespace triton;
using namespace triton::driver;

frontend::KernelRequest triton::driver::kernelRequest(const CompileRequest &request, const Target &target) {
  frontend::KernelRequest kernel = request.kernel;
  kernel.options = target.language(request.options);
  if (request.options.isGluon)
    kernel.layouts = target.layoutPolicy();
  if (kernel.symbol.empty())
    kernel.symbol = kernel.function->name;
  return kernel;
}

bool triton::driver::checkLanguage(const CompileRequest &request, const Target &target, Diagnostics &diagnostics) {
  if (!request.options.isGluon || target.layoutPolicy())
    return true;
  diagnostics.report({.message = "Gluon kernels run on GPUs, not on the target '" + target.name().str() + "'",
                      .exception = "RuntimeError"});
  return false;
}

std::shared_ptr<IrModule> triton::driver::emitModule(const CompileRequest &request, Diagnostics &diagnostics) {
  const Target *target = findTarget(request.options.backend);
  if (!target) {
    diagnostics.report({.message = "there is no target '" + request.options.backend + "'", .exception = "ValueError"});
    return nullptr;
  }
  if (!checkLanguage(request, *target, diagnostics))
    return nullptr;
  auto result = std::make_shared<IrModule>();
  frontend::Reads reads;
  result->module =
      frontend::emitKernel(*result->context, kernelRequest(request, *target), diagnostics, result->sources, reads);
  return result->module ? result : nullptr;
}

std::shared_ptr<IrModule> triton::driver::parseModule(const std::shared_ptr<const Source> &source,
                                                      Diagnostics &diagnostics) {
  auto result = std::make_shared<IrModule>();
  result->sources.add(source);
  result->module = parseIr(*result->context, source, diagnostics);
  return result->module ? result : nullptr;
}

Diagnostic triton::driver::toDiagnostic(mlir::Diagnostic &diagnostic, const SourceMap &sources) {
  Diagnostic converted{.message = diagnostic.str()};
  converted.severity = diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error     ? Severity::Error
                       : diagnostic.getSeverity() == mlir::DiagnosticSeverity::Warning ? Severity::Warning
                                                                                       : Severity::Note;
  const PlaceChain chain = tensor::placesOf(diagnostic.getLocation());
  for (mlir::Diagnostic &note : diagnostic.getNotes()) {
    converted.notes.push_back({.severity = Severity::Note, .message = note.str()});
    if (PlaceChain places = tensor::placesOf(note.getLocation()); places != chain)
      sources.locate(converted.notes.back(), places);
  }
  sources.locate(converted, chain);
  return converted;
}

size_t triton::driver::stackFor(size_t operations) {
  constexpr size_t atLeast = 64 << 20, perOperation = 2 << 10;
  return atLeast + operations * perOperation;
}

size_t triton::driver::countOperations(mlir::ModuleOp module) {
  size_t count = 0;
  module->walk([&](mlir::Operation *) { ++count; });
  return count;
}

mlir::OwningOpRef<mlir::ModuleOp> triton::driver::parseIr(mlir::MLIRContext &context,
                                                          const std::shared_ptr<const Source> &source,
                                                          Diagnostics &diagnostics) {
  if (!isReadable(*source, IrSyntax::Mlir, diagnostics))
    return nullptr;
  SourceMap sources;
  sources.add(source);
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) { diagnostics.report(toDiagnostic(diagnostic, sources)); });
  // MLIR's reader and verifier recurse into everything that nests.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  if (llvm::Error error = runOnDeepStack(stackFor(0), [&] {
        module = mlir::parseSourceString<mlir::ModuleOp>(
            source->text(), mlir::ParserConfig(&context, /*verifyAfterParse=*/false), source->name());
        if (module && (mlir::failed(tensor::checkVerifiable(*module)) || mlir::failed(mlir::verify(*module))))
          module = nullptr;
      }))
    diagnostics.report({.message = llvm::toString(std::move(error)), .exception = "RuntimeError"});
  return module;
}
