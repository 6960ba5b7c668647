#include "compiler/driver/CudaTarget.h"
#include "compiler/driver/CodeText.h"
#include "compiler/gpu/CopyEngine.h"
#include "compiler/gpu/DotPlan.h"
#include "compiler/gpu/Gpu.h"
#include "compiler/gpu/passes/Pipeline.h"
#include "compiler/llvm/nvidia/Codegen.h"
#include "compiler/llvm/nvidia/Ptxas.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/passes/Pipeline.h"

using namespace triton;
using namespace triton::driver;

/// The architecture of the options: "native" is for surfaces that have asked the driver before.
static llvm::Expected<gpu::Target> targetOf(const Options &options) {
  return gpu::Target::byName(options.architecture);
}

/// What a launch must know, left on the module by the allocation of shared memory.
static void readMetadata(Compilation &compilation) {
  mlir::ModuleOp module = *compilation.module;
  if (auto bytes = module->getAttrOfType<mlir::IntegerAttr>(gpu::sharedBytesName))
    compilation.artifact.sharedBytes = bytes.getInt();
  compilation.artifact.numWarps = gpu::getNumWarps(module);
  compilation.artifact.numCtas = gpu::getNumCtas(module);
  if (auto bytes = module->getAttrOfType<mlir::IntegerAttr>(gpu::globalScratchBytesName))
    compilation.artifact.globalScratchBytes = bytes.getInt();
  if (auto bytes = module->getAttrOfType<mlir::IntegerAttr>(gpu::globalScratchAlignmentName))
    compilation.artifact.globalScratchAlignment = bytes.getInt();
}

static llvm::Expected<nvidia::CodegenOptions> codegenOptions(const Compilation &compilation) {
  const Options &options = compilation.options;
  auto target = targetOf(options);
  if (!target)
    return target.takeError();
  nvidia::CodegenOptions codegen;
  codegen.emit = {.target = *target,
                  .fuseMultiplyAdd = options.enableFpFusion,
                  .debug = options.debug,
                  .lineInfo = options.lineInfo,
                  .variableInfo = options.variableInfo,
                  .waitAtEntry = options.waitAtEntry && target->capability >= 90,
                  .maxRegisters = static_cast<unsigned>(options.maxRegisters)};
  codegen.flushDenormals = options.flushDenormals;
  codegen.controls = compilation.llvmControls();
  codegen.libraries = options.libraries;
  if (auto library = nvidia::findLibdevice())
    codegen.libraries.push_back(*library);
  else
    llvm::consumeError(library.takeError()); // a kernel that needs it gets to hear which function is missing
  codegen.ptxVersion = options.ptxVersion;
  if (codegen.ptxVersion)
    return codegen;
  // Text that the assembler can read; without one, what the driver of a recent release can.
  std::string path = options.assemblerPath;
  if (path.empty()) {
    auto found = nvidia::findAssembler(*target);
    if (found)
      path = *found;
    else
      llvm::consumeError(found.takeError());
  }
  codegen.ptxVersion = 86;
  if (!path.empty()) {
    auto version = nvidia::assemblerVersion(path);
    if (!version)
      return version.takeError();
    codegen.ptxVersion = nvidia::ptxVersionOf(*version);
  }
  return codegen;
}

namespace {

class CudaTarget : public Target {
public:
  llvm::StringRef name() const override { return "cuda"; }

  llvm::Expected<std::string> architecture(const Options &options) const override {
    auto target = targetOf(options);
    if (!target)
      return target.takeError();
    return target->cpu();
  }

  frontend::LanguageOptions language(const Options &options) const override;
  std::vector<Stage> stages(const Options &options, const Inspection &inspection) const override;

  llvm::Expected<KernelFacts> describe(llvm::StringRef stage, llvm::StringRef text) const override {
    return stage == "llir" ? describeLlvm(text) : stage == "ptx" ? describePtx(text) : Target::describe(stage, text);
  }

  void registerDialects(mlir::DialectRegistry &registry) const override {
    tensor::registerTensorDialects(registry);
    gpu::registerGpuDialects(registry);
  }
};

} // namespace

frontend::LanguageOptions CudaTarget::language(const Options &options) const {
  auto target = targetOf(options);
  unsigned capability = target ? target->capability : (llvm::consumeError(target.takeError()), 80u);
  frontend::LanguageOptions language;
  language.debug = options.debug;
  language.sanitizeOverflow = options.sanitizeOverflow;
  language.numWarps = options.numWarps;
  language.numCtas = options.numCtas;
  language.numStages = options.numStages;
  language.allowNonConstexprGlobals = options.allowNonConstexprGlobals;
  language.backend = "cuda";
  language.capability = capability;
  language.supportedFp8 = {"fp8e5", "fp8e4b15"};
  if (capability >= 89)
    language.supportedFp8.push_back("fp8e4nv");
  if (capability >= 90)
    language.deprecatedFp8Dot = {"fp8e4b15"};
  language.maxImpreciseAccDefault = capability / 10 == 9 ? int64_t(1) << 30 : 0;
  language.defaultDotPrecision = options.defaultDotPrecision.empty() ? "tf32" : options.defaultDotPrecision;
  language.minDotK = 16;
  language.minDotK8bit = 32;
  return language;
}

/// Whether a descriptor that is spelled out begins here, with the pointer to its tensor.
static bool isBase(llvm::ArrayRef<artifact::Argument> arguments) {
  llvm::StringRef name = arguments.front().name;
  return name.consume_back(".base") && arguments.size() > 1 &&
         llvm::StringRef(arguments[1].name).starts_with((name + ".extent").str());
}

/// An argument whose descriptor has been kept is not spelled out, but a map of the copy engine. Leaves a format for each descriptor, one without
/// elements for those that are spelled out, if there is a map at all.
static void describeTensorMaps(Compilation &compilation) {
  artifact::Artifact &artifact = compilation.artifact;
  tensor::FuncOp kernel;
  compilation.module->walk([&](tensor::FuncOp function) { kernel = function.isPublic() ? function : kernel; });
  if (!kernel)
    return;
  std::vector<artifact::TensorMap> formats;
  bool hasMaps = false;
  size_t next = 0;
  for (mlir::Type type : kernel.getArgumentTypes()) {
    if (next >= artifact.arguments.size())
      break;
    bool isSpelledOut = isBase(llvm::ArrayRef(artifact.arguments).drop_front(next));
    artifact::Argument &argument = artifact.arguments[next++];
    auto descriptor = mlir::dyn_cast<tensor::TensorDescType>(type);
    if (!descriptor && isSpelledOut)
      formats.emplace_back();
    if (!descriptor)
      continue;
    hasMaps = true;
    gpu::TensorMapFormat format = gpu::tensorMapFormat(descriptor);
    formats.push_back({format.swizzle, format.elementBytes, format.elementType,
                       std::vector<int64_t>(format.box.begin(), format.box.end())});
    if (!isSpelledOut)
      continue; // IR whose maps are arguments already
    argument = {llvm::StringRef(argument.name).drop_back(5).str(), "nvTmaDesc"};
    auto rest = artifact.arguments.begin() + next;
    artifact.arguments.erase(rest, rest + 2 * descriptor.getBlockType().getRank() + 1);
  }
  if (!hasMaps)
    return;
  artifact.tensorMaps = std::move(formats);
  artifact.argumentBytes = artifact::layOutArguments(artifact.arguments);
}

static mlir::FailureOr<std::string> makeTensorIr(Compilation &compilation) {
  auto target = targetOf(compilation.options);
  if (!target)
    return compilation.fail(llvm::toString(target.takeError()));
  tensor::TensorPipelineOptions options;
  if (compilation.options.tensorMaps && compilation.options.numCtas == 1)
    options.chooseDescriptors = [&](mlir::ModuleOp module) { gpu::chooseDescriptors(module, *target); };
  auto build = [&](mlir::OpPassManager &manager) { tensor::buildTensorPipeline(manager, options); };
  if (mlir::failed(compilation.runPasses(build)))
    return mlir::failure();
  describeTensorMaps(compilation);
  return compilation.text();
}

static mlir::FailureOr<std::string> makeGpuIr(Compilation &compilation) {
  auto target = targetOf(compilation.options);
  if (!target)
    return compilation.fail(llvm::toString(target.takeError()));
  if (!compilation.options.useWgmma)
    (*compilation.module)->setAttr(gpu::withoutWgmmaName, mlir::UnitAttr::get(&compilation.context));
  if (!compilation.options.useTcgen05)
    (*compilation.module)->setAttr(gpu::withoutTcgen05Name, mlir::UnitAttr::get(&compilation.context));
  gpu::GpuOptions options{*target, compilation.options.numWarps, compilation.options.numCtas,
                          compilation.options.numStages};
  auto build = [&](mlir::OpPassManager &manager) { gpu::buildGpuPipeline(manager, options); };
  if (mlir::failed(compilation.runPasses(build)))
    return mlir::failure();
  return compilation.text();
}

static mlir::FailureOr<nvidia::Code> emitCode(Compilation &compilation) {
  auto options = codegenOptions(compilation);
  if (!options)
    return compilation.fail(llvm::toString(options.takeError()));
  if (mlir::failed(compilation.runPasses([](mlir::OpPassManager &manager) { gpu::buildResourcePipeline(manager); })))
    return mlir::failure();
  readMetadata(compilation);
  auto handler = compilation.collectDiagnostics();
  auto code = nvidia::Code::emit(*compilation.module, *options);
  if (!code)
    return compilation.fail(llvm::toString(code.takeError()));
  if (llvm::Error error = code->optimise())
    return compilation.fail(llvm::toString(std::move(error)));
  writeFacts(code->module(), compilation.facts(compilation.artifact.sharedBytes));
  return std::move(*code);
}

static mlir::FailureOr<nvidia::Code> readCode(Compilation &compilation, const std::string &text) {
  auto options = codegenOptions(compilation);
  if (!options)
    return compilation.fail(llvm::toString(options.takeError()));
  auto code = nvidia::Code::parse(text, *options);
  if (!code)
    return compilation.fail(llvm::toString(code.takeError()));
  return std::move(*code);
}

static mlir::FailureOr<std::string> assemble(Compilation &compilation, const std::string &ptx) {
  const Options &options = compilation.options;
  // Read from the text, as it may be the user's own.
  compilation.artifact.waitsAtEntry = llvm::StringRef(ptx).contains(nvidia::waitAtEntryText);
  auto target = options.codeArchitecture.empty() ? targetOf(options) : gpu::Target::byName(options.codeArchitecture);
  if (!target)
    return compilation.fail(llvm::toString(target.takeError()));
  nvidia::AssemblerOptions assembler{.target = *target, .path = options.assemblerPath, .lineInfo = options.lineInfo};
  for (llvm::StringRef flag : llvm::split(options.assemblerOptions, ' '))
    if (!flag.empty())
      assembler.extra.push_back(flag.str());
  if (assembler.path.empty()) {
    auto path = nvidia::findAssembler(assembler.target);
    if (!path) { // the driver translates PTX when it loads it
      llvm::consumeError(path.takeError());
      return ptx;
    }
    assembler.path = *path;
  }
  auto assembled = nvidia::assemble(ptx, assembler);
  if (!assembled) {
    compilation.diagnostics.report(
        {.severity = Severity::Error, .message = llvm::toString(assembled.takeError()), .exception = "PTXASError"});
    return mlir::failure();
  }
  compilation.artifact.assemblerLog = assembled->log;
  compilation.artifact.registers = assembled->registers;
  compilation.artifact.spillBytes = assembled->spillStores;
  return std::move(assembled->cubin);
}

/// The story of a kernel on an NVIDIA GPU. The code generator's module lives from `llir` to `ptx`.
std::vector<Stage> CudaTarget::stages(const Options &options, const Inspection &inspection) const {
  auto code = std::make_shared<std::optional<nvidia::Code>>();
  auto ptx = std::make_shared<std::string>();
  return {
      {"ttir", makeTensorIr, resumeFromIr},
      {"ttgir", makeGpuIr, resumeFromIr},
      {"llir",
       [code](Compilation &compilation) -> mlir::FailureOr<std::string> {
         auto emitted = emitCode(compilation);
         if (mlir::failed(emitted))
           return mlir::failure();
         code->emplace(std::move(*emitted));
         return (*code)->llir();
       },
       [code](Compilation &compilation, const std::string &text) -> llvm::LogicalResult {
         auto parsed = readCode(compilation, text);
         if (mlir::succeeded(parsed))
           code->emplace(std::move(*parsed));
         return parsed;
       }},
      {"ptx",
       [code, ptx](Compilation &compilation) -> mlir::FailureOr<std::string> {
         auto text = (*code)->ptx();
         if (!text)
           return compilation.fail(llvm::toString(text.takeError()));
         return *ptx = *text + describeShared(compilation.artifact.sharedBytes);
       },
       [ptx](Compilation &, const std::string &text) {
         *ptx = text;
         return mlir::success();
       }},
      {"cubin", [ptx](Compilation &compilation) { return assemble(compilation, *ptx); },
       [](Compilation &compilation, const std::string &) {
         compilation.artifact.waitsAtEntry = false; // as far as one can tell
         return mlir::success();
       }},
  };
}

std::unique_ptr<Target> triton::driver::createCudaTarget() { return std::make_unique<CudaTarget>(); }
