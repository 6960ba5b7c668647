// What each fuzz target does with a text: parse it, compile it, run passes on it.
#include "compiler/cpu/Pipeline.h"
#include "compiler/driver/Driver.h"
#include "compiler/driver/IrModule.h"
#include "compiler/driver/Specialization.h"
#include "compiler/frontend/filehost/FileHost.h"
#include "compiler/gluon/Gluon.h"
#include "compiler/gpu/passes/Pipeline.h"
#include "compiler/llvm/host/LowerToLlvm.h"
#include "compiler/tensor/passes/Pipeline.h"
#include "test/fuzz/Fuzz.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

namespace triton::fuzz {

/// A signature for the kernel: mostly what the names suggest, sometimes what they do not. The same for the same kernel
/// text.
static std::string chooseSignature(const frontend::Function &function, uint64_t random) {
  static constexpr llvm::StringLiteral types[] = {"i32",   "*fp32:16", "*fp16", "i64",  "fp32", "*i8",
                                                  "*bf16", "i1",       "fp64",  "*i64", "u8",   "None"};
  static constexpr llvm::StringLiteral constants[] = {"16", "64",  "128",  "1024", "1",     "0",          "-1",
                                                      "3",  "1.5", "True", "None", "\"x\"", "tl.float16", "(1, 2)"};
  std::vector<std::string> entries;
  for (const frontend::Parameter &parameter : function.parameters) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const uint64_t draw = random >> 33;
    const bool odd = draw % 32 == 0;
    if (llvm::StringRef(parameter.annotation).contains("constexpr"))
      entries.push_back(constants[odd ? draw / 32 % std::size(constants) : 1].str());
    else if (odd)
      entries.push_back(types[draw / 32 % std::size(types)].str());
    else
      entries.push_back(llvm::StringRef(parameter.name).ends_with("ptr") ? "*fp32:16" : "i32");
  }
  return llvm::join(entries, ", ");
}

/// What the frontend has to say of a kernel, it says itself: it leaves nothing for the checks of the IR to find.
static void checkMessages(const Diagnostics &diagnostics, bool isEmitted) {
  require(isEmitted || diagnostics.hasErrors(), "there is IR or an error");
  for (const Diagnostic &diagnostic : diagnostics.all()) {
    const llvm::StringRef message = diagnostic.message;
    require(!message.contains("' op ") && !message.contains("dominate"),
            "mistakes are found before the IR's own checks");
  }
}

/// Every kernel of the file to tensor IR; now and then to code.
static bool compileText(const std::string &text) {
  const uint64_t hash = llvm::xxh3_64bits(text);
  const auto source = Source::create("fuzz.py", text);
  Diagnostics diagnostics;
  auto host = frontend::FileHost::create(source, diagnostics);
  bool accepted = false;
  if (host) {
    for (const auto &kernel : host->kernels()) {
      auto arguments = driver::parseSignature(*kernel, chooseSignature(*kernel, hash));
      if (!arguments) {
        llvm::consumeError(arguments.takeError());
        continue;
      }
      driver::CompileRequest request;
      request.kernel.function = kernel;
      request.kernel.arguments = std::move(*arguments);
      if (hash % 4 == 0) {
        accepted |= driver::compile(request, diagnostics) != nullptr;
      } else {
        Diagnostics own;
        const bool isEmitted = driver::emitModule(request, own) != nullptr;
        checkMessages(own, isEmitted);
        (void)render(own.all(), /*color=*/true);
        accepted |= isEmitted;
      }
    }
  }
  (void)render(diagnostics.all(), /*color=*/true);
  return accepted;
}

/// What the first line of `text` says about how to compile it.
static driver::Options optionsOf(const llvm::StringMap<std::string> &settings) {
  driver::Options options;
  auto number = [&](llvm::StringRef key, int &field) {
    (void)llvm::StringRef(settings.lookup(key)).getAsInteger(10, field);
  };
  if (std::string target = settings.lookup("target"); !target.empty())
    options.backend = target;
  if (std::string architecture = settings.lookup("arch"); !architecture.empty())
    options.architecture = architecture;
  else if (options.backend == "cuda")
    options.architecture = "sm_90a";
  else if (options.backend == "hip")
    options.architecture = "gfx942";
  number("warps", options.numWarps);
  number("ctas", options.numCtas);
  number("stages", options.numStages);
  options.tensorMaps = settings.contains("maps");
  options.ptxVersion = 88; // no assembler is asked
  return options;
}

/// What is compiled to code of a GPU ends as PTX, whose assembler is a program of its own, or as AMD's assembly.
static std::string lastStage(const driver::Options &options) {
  return options.backend == "cuda" ? "ptx" : options.backend == "hip" ? "amdgcn" : "";
}

static bool compileIrText(const std::string &text) {
  auto settings = settingsOf(text);
  const auto source = Source::create("fuzz.ttir", text);
  Diagnostics diagnostics;
  const std::string stage = settings.lookup("stage");
  driver::IrCompileRequest request{
      .stage = stage.empty() ? "ttir" : stage, .source = source, .options = optionsOf(settings)};
  request.inspection.lastStage = lastStage(request.options);
  const bool accepted = driver::compileIr(request, diagnostics) != nullptr;
  (void)render(diagnostics.all(), /*color=*/true);
  return accepted;
}

/// The kernel, for the signature, that the first line names.
static bool compileSignature(const std::string &text) {
  auto settings = settingsOf(text);
  const auto source = Source::create("fuzz.py", text);
  Diagnostics diagnostics;
  auto host = frontend::FileHost::create(source, diagnostics);
  auto kernel = host ? host->kernel(settings.lookup("kernel")) : nullptr;
  if (!kernel)
    return false;
  auto arguments = driver::parseSignature(*kernel, settings.lookup("signature"));
  if (!arguments) {
    llvm::consumeError(arguments.takeError());
    return false;
  }
  driver::CompileRequest request;
  request.kernel.function = kernel;
  request.kernel.arguments = std::move(*arguments);
  request.options = optionsOf(settings);
  request.inspection.lastStage = lastStage(request.options);
  const bool accepted = driver::compile(request, diagnostics) != nullptr;
  (void)render(diagnostics.all(), /*color=*/true);
  return accepted;
}

/// Any passes on any IR, as `triton-opt` runs them.
static bool runPasses(const std::string &text) {
  [[maybe_unused]] static const bool isRegistered = [] {
    mlir::registerTransformsPasses();
    tensor::registerTensorPipeline();
    gpu::registerGpuPipeline();
    gluon::registerGluonPipeline();
    cpu::registerCpuPipeline();
    host::registerLowerToLlvm();
    return true;
  }();
  const auto source = Source::create("fuzz.mlir", text);
  Diagnostics diagnostics;
  auto parsed = driver::parseModule(source, diagnostics);
  (void)render(diagnostics.all(), /*color=*/true);
  if (!parsed)
    return false;
  mlir::PassManager manager(&*parsed->context);
  if (mlir::failed(mlir::parsePassPipeline(settingsOf(text).lookup("passes"), manager, llvm::nulls())))
    return false;
  mlir::ScopedDiagnosticHandler handler(&*parsed->context,
                                        [](mlir::Diagnostic &diagnostic) { (void)diagnostic.str(); });
  return mlir::succeeded(manager.run(*parsed->module));
}

Target findTarget(llvm::StringRef name) {
  if (name == "parser")
    return {parseText};
  if (name == "frontend")
    return {compileText};
  if (name == "signature")
    return {compileSignature, [](auto) { return createSignatureGrammar(); }};
  if (name == "ir")
    return {compileIrText, [](auto corpus) { return createIrGrammar(corpus, RunKind::CpuIr); }};
  if (name == "gpu-ir")
    return {compileIrText, [](auto corpus) { return createIrGrammar(corpus, RunKind::GpuIr); }};
  if (name == "passes")
    return {runPasses, [](auto corpus) { return createIrGrammar(corpus, RunKind::Passes); }};
  if (name == "ptx")
    return {runPtx, [](auto corpus) { return createAssemblyGrammar(corpus, Assembly::Ptx); }};
  if (name == "amdgcn")
    return {runAmdgcn, [](auto corpus) { return createAssemblyGrammar(corpus, Assembly::Llvm); }};
  return {};
}

} // namespace triton::fuzz
