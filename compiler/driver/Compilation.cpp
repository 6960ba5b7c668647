// What stages of every target do with a compile in flight (Compilation of Target.h): run passes, collect diagnostics, fail.
#include "compiler/driver/CrashReproducer.h"
#include "compiler/driver/IrModule.h"
#include "compiler/driver/Target.h"
#include "compiler/tensor/Places.h"
#include "dispatch/Shortage.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/LocationSnapshot.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"

using namespace triton;
using namespace triton::driver;

Compilation::Compilation(mlir::MLIRContext &context, const Options &options, const Inspection &inspection,
                         Diagnostics &diagnostics)
    : context(context), options(options), inspection(inspection), diagnostics(diagnostics),
      interruption(inspection.isInterrupted) {
  // The context is lent: what an earlier compile wished to see does not matter.
  context.printOpOnDiagnostic(inspection.showOperations);
  context.printStackTraceOnDiagnostic(inspection.showStackTraces);
}

llvm::LogicalResult Compilation::fail(const llvm::Twine &message) {
  diagnostics.report({.severity = Severity::Error, .message = message.str(), .exception = "RuntimeError"});
  return mlir::failure();
}

llvm::LogicalResult Compilation::checkInterruption() {
  return interruption.ask() ? fail("the compile was interrupted") : mlir::success();
}

/// Below the IR often only the innermost place is kept: the calls that led there are those of an op that was written there.
static PlaceChain withCalls(const PlaceChain &chain, mlir::ModuleOp module) {
  PlaceChain whole = chain;
  if (chain.size() == 1 && module)
    module.walk([&](mlir::Operation *op) {
      PlaceChain places = tensor::placesOf(op->getLoc());
      if (places.size() < 2 || places.front() != chain.front())
        return mlir::WalkResult::advance();
      whole = std::move(places);
      return mlir::WalkResult::interrupt();
    });
  return whole;
}

llvm::LogicalResult Compilation::fail(llvm::Error error, llvm::StringRef exception) {
  auto report = [&](std::string message, const PlaceChain &chain, llvm::ArrayRef<PlacedError::Note> notes) {
    Diagnostic diagnostic{.message = std::move(message), .exception = exception.str()};
    sources.locate(diagnostic, withCalls(chain, module ? *module : mlir::ModuleOp()));
    for (const PlacedError::Note &note : notes) {
      diagnostic.notes.push_back({.severity = Severity::Note, .message = note.message});
      sources.locate(diagnostic.notes.back(), withCalls(note.chain, module ? *module : mlir::ModuleOp()));
    }
    diagnostics.report(std::move(diagnostic));
  };
  llvm::handleAllErrors(
      std::move(error), [&](const PlacedError &placed) { report(placed.message, placed.chain, placed.notes); },
      [&](const ReportedError &) { assert(diagnostics.hasErrors() && "the reason went to the context's diagnostics"); },
      [&](const llvm::ErrorInfoBase &other) { report(other.message(), {}, {}); });
  return mlir::failure();
}

static mlir::OpPrintingFlags printingFlags(const Inspection &inspection) {
  mlir::OpPrintingFlags flags;
  return flags.enableDebugInfo(inspection.keepLocations || inspection.printLocations)
      .useLocalScope(false)
      .printNameLocAsPrefix()
      .assumeVerified(); // between stages it is
}

std::string Compilation::text() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, printingFlags(inspection));
  return text;
}

triton::LlvmControls Compilation::llvmControls() const {
  return {.optimise = options.optimiseLlvm,
          .flags = options.llvmFlags,
          .passPlugin = options.llvmPlugin,
          .printAfterAll = inspection.printLlvmAfterAll,
          .timePasses = inspection.timeLlvmPasses,
          .machineIrFolder = inspection.machineIrFolder};
}

triton::KernelFacts Compilation::facts(uint64_t scratchBytes) const {
  KernelFacts facts{artifact.name, artifact.numWarps, scratchBytes, artifact.waitsForPrograms, artifact.polls, {}};
  for (const artifact::Argument &argument : artifact.arguments)
    facts.types.push_back(argument.type);
  return facts;
}

void Compilation::takeLocationsFromText(llvm::StringRef fileName) {
  llvm::raw_null_ostream nowhere; // the text is the stage's output already
  mlir::generateLocationsFromIR(nowhere, fileName, *module, printingFlags(inspection));
}

static bool isShown(mlir::DiagnosticSeverity severity, const Inspection &inspection) {
  return severity == mlir::DiagnosticSeverity::Warning  ? inspection.showWarnings
         : severity == mlir::DiagnosticSeverity::Remark ? inspection.showRemarks
                                                        : false;
}

/// `file.py:12:3: remark: text` and its notes, on standard error. Errors are the caller's to show.
static void print(mlir::Diagnostic &diagnostic) {
  const PlaceChain chain = tensor::placesOf(diagnostic.getLocation());
  std::string start = chain.empty() ? "" : chain.front().str() + ": ";
  llvm::errs() << start << (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Remark ? "remark: " : "warning: ")
               << diagnostic.str() << '\n';
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    llvm::errs() << start << "note: " << note.str() << '\n';
}

std::unique_ptr<mlir::ScopedDiagnosticHandler> Compilation::collectDiagnostics(llvm::StringRef prefix) {
  return std::make_unique<mlir::ScopedDiagnosticHandler>(&context, [this, prefix](mlir::Diagnostic &diagnostic) {
    Diagnostic converted = toDiagnostic(diagnostic, sources);
    if (converted.severity == Severity::Error && dispatch::Shortage::read(converted.message)) {
      converted.exception = "OutOfResources";
    } else if (converted.severity == Severity::Error) {
      converted.message = (prefix + converted.message).str();
      converted.exception = "RuntimeError";
    }
    if (isShown(diagnostic.getSeverity(), inspection))
      print(diagnostic);
    if (converted.severity != Severity::Note)
      diagnostics.report(std::move(converted));
  });
}

/// A file, or standard error for "-".
static void openForDump(std::optional<llvm::raw_fd_ostream> &stream, const std::string &path,
                        llvm::sys::fs::OpenFlags flags) {
  std::error_code ignored; // writing to a file that cannot be opened does nothing
  if (path == "-")
    stream.emplace(2, /*shouldClose=*/false);
  else
    stream.emplace(path, ignored, flags);
}

/// What MLIR's tools read again: the module, and the passes in its resources.
static std::string makeReproducer(Compilation &compilation, mlir::PassManager &passManager) {
  std::string pipeline, text;
  llvm::raw_string_ostream pipelineStream(pipeline), stream(text);
  passManager.printAsTextualPipeline(pipelineStream);
  compilation.module->print(stream, mlir::OpPrintingFlags().assumeVerified());
  stream << "\n{-#\n  external_resources: {\n    mlir_reproducer: {\n      pipeline: \"" << pipeline
         << "\",\n      disable_threading: true,\n      verify_each: true\n    }\n  }\n#-}\n";
  return text;
}

static void writeReproducer(Compilation &compilation, llvm::StringRef text) {
  const std::string &path = compilation.inspection.reproducerPath;
  std::optional<llvm::raw_fd_ostream> stream;
  openForDump(stream, path == "-" ? path : path + ".make_" + compilation.stage + ".repro.mlir", llvm::sys::fs::OF_None);
  *stream << text;
  stream->flush();
  stream->clear_error();
}

llvm::LogicalResult Compilation::runPasses(llvm::function_ref<void(mlir::OpPassManager &)> build) {
  mlir::PassManager passManager(&context);
  passManager.enableVerifier(inspection.verifyEachPass);
  std::optional<llvm::raw_fd_ostream> dump;
  if (!inspection.printAfterAll.empty() || !inspection.printAroundAll.empty()) {
    const bool isAround = !inspection.printAroundAll.empty();
    openForDump(dump, isAround ? inspection.printAroundAll : inspection.printAfterAll, llvm::sys::fs::OF_Append);
    passManager.enableIRPrinting([=](mlir::Pass *, mlir::Operation *) { return isAround; },
                                 [=](mlir::Pass *, mlir::Operation *) { return !isAround; }, /*printModuleScope=*/true,
                                 /*printAfterOnlyOnChange=*/true, /*printAfterOnlyOnFailure=*/false, *dump);
  }
  if (inspection.timePasses)
    passManager.enableTiming();
  build(passManager);
  std::string reproducer = makeReproducer(*this, passManager);
  if (!inspection.reproducerPath.empty())
    writeReproducer(*this, reproducer);
  CrashReproducer saved(inspection.reproducerPath.empty() ? std::move(reproducer) : "");
  auto handler = collectDiagnostics("PassManager::run failed: ");
  // A dump that could not be written is no reason to end the process, which the stream would do.
  llvm::scope_exit forgive([&] {
    if (dump) {
      dump->flush();
      dump->clear_error();
    }
  });
  // Once somebody has interrupted the compile, all passes that are left do nothing.
  context.registerActionHandler([&](llvm::function_ref<void()> pass, const mlir::tracing::Action &action) {
    if (!mlir::isa<mlir::PassExecutionAction>(action) || !interruption.ask())
      pass();
  });
  llvm::scope_exit forget([&] { context.registerActionHandler(nullptr); });
  const llvm::LogicalResult hasRun = passManager.run(*module);
  if (mlir::failed(checkInterruption()))
    return mlir::failure();
  // Between passes the verifier is for us; what a stage hands on is checked for everybody: code generators crash on broken IR.
  if (mlir::succeeded(hasRun) && mlir::succeeded(mlir::verify(*module)))
    return mlir::success();
  return diagnostics.hasErrors() ? mlir::failure() : fail("PassManager::run failed: a pass did not say why");
}

llvm::LogicalResult triton::driver::resumeFromIr(Compilation &compilation, const std::string &text) {
  // Rendered here: a diagnostic does not keep its source.
  auto source = Source::create("<replaced IR>", text);
  Diagnostics diagnostics;
  compilation.module = parseIr(compilation.context, source, diagnostics);
  if (compilation.module)
    return mlir::success();
  return compilation.fail("the IR put in place of a stage's cannot be read\n" +
                          render(diagnostics.all(), /*color=*/false));
}
