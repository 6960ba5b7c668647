#include "compiler/driver/CudaTarget.h"
#include "compiler/artifact/BuildId.h"
#include "compiler/driver/CodeText.h"
#include "compiler/gluon/Gluon.h"
#include "compiler/gpu/Buffers.h"
#include "compiler/gpu/DotPlan.h"
#include "compiler/gpu/Gpu.h"
#include "compiler/gpu/Scratch.h"
#include "compiler/gpu/Tma.h"
#include "compiler/gpu/passes/Pipeline.h"
#include "compiler/llvm/nvidia/Codegen.h"
#include "compiler/llvm/nvidia/JitLink.h"
#include "compiler/llvm/nvidia/Ptxas.h"
#include "compiler/support/KernelSymbols.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/passes/Pipeline.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Regex.h"

using namespace triton;
using namespace triton::driver;

/// The architecture of the options: "native" is for surfaces that have asked the driver before.
static llvm::Expected<gpu::Target> targetOf(const Options &options) {
  return gpu::Target::byName(options.architecture);
}

/// The architecture of the device that code is for.
static llvm::Expected<gpu::Target> deviceOf(const Options &options) {
  return options.codeArchitecture.empty() ? targetOf(options) : gpu::Target::byName(options.codeArchitecture);
}

/// What a launch must know, left on the module by the allocation of shared memory.
static void readMetadata(Compilation &compilation) {
  mlir::ModuleOp module = *compilation.module;
  if (auto bytes = module->getAttrOfType<mlir::IntegerAttr>(gpu::sharedBytesName))
    compilation.artifact.sharedBytes = bytes.getInt();
  compilation.artifact.numWarps = gpu::getTotalNumWarps(module);
  compilation.artifact.numCtas = gpu::getNumCtas(module);
  if (auto bytes = module->getAttrOfType<mlir::IntegerAttr>(gpu::globalScratchBytesName))
    compilation.artifact.globalScratchBytes = bytes.getInt();
  if (auto bytes = module->getAttrOfType<mlir::IntegerAttr>(gpu::globalScratchAlignmentName))
    compilation.artifact.globalScratchAlignment = bytes.getInt();
}

namespace {
/// Who makes a cubin of PTX, and the PTX it reads.
struct Assembler {
  std::string ptxas;                        // its path; empty: `jitLink`, else the driver when it loads the kernel
  const nvidia::JitLink *jitLink = nullptr; //
  unsigned ptxVersion = 86;                 // what the driver of a recent release reads

  /// Which build it is. The driver's does not matter: what it is given is PTX.
  llvm::Expected<std::string> build() const {
    if (!ptxas.empty())
      return nvidia::assemblerBuild(ptxas);
    return jitLink ? "nvJitLink " + jitLink->version() + " " + artifact::identityOf(jitLink->address()) : "driver";
  }
};
} // namespace

static llvm::Expected<Assembler> findAssembler(const Options &options, const gpu::Target &device) {
  Assembler assembler{.ptxas = options.assemblerPath};
  std::string places;
  if (assembler.ptxas.empty() && options.linkerPath.empty()) {
    auto path = nvidia::findAssembler(device);
    if (path)
      assembler.ptxas = *path;
    else
      places = llvm::toString(path.takeError());
  }
  if (!assembler.ptxas.empty()) {
    auto version = nvidia::assemblerVersion(assembler.ptxas);
    if (!version)
      return version.takeError();
    assembler.ptxVersion = nvidia::ptxVersionOf(*version);
    return assembler;
  }
  auto linker = nvidia::JitLink::open(options.linkerPath);
  if (linker) {
    assembler.jitLink = *linker;
    assembler.ptxVersion = nvidia::ptxVersionOf((*linker)->version());
    return assembler;
  }
  places += (places.empty() ? "" : "; ") + llvm::toString(linker.takeError());
  if (nvidia::driverIsPresent())
    return assembler;
  return llvm::createStringError("nothing can assemble PTX: " + places +
                                 "; and there is no driver, libcuda.so.1, that would translate it");
}

static llvm::Expected<nvidia::CodegenOptions> codegenOptions(Compilation &compilation) {
  const Options &options = compilation.options;
  auto target = targetOf(options), device = deviceOf(options);
  if (!target)
    return target.takeError();
  if (!device)
    return device.takeError();
  nvidia::CodegenOptions codegen;
  codegen.device = *device;
  codegen.emit = {.target = *target,
                  .fuseMultiplyAdd = options.enableFpFusion,
                  .debug = options.debug,
                  .lineInfo = options.lineInfo,
                  .variableInfo = options.variableInfo,
                  .waitAtEntry = options.waitAtEntry && target->capability >= 90,
                  .maxRegisters = static_cast<unsigned>(options.maxRegisters)};
  codegen.flushDenormals = options.flushDenormals;
  codegen.controls = compilation.llvmControls();
  codegen.interruption = &compilation.interruption;
  codegen.libraries = options.libraries;
  if (auto library = nvidia::findLibdevice())
    codegen.libraries.push_back(*library);
  else
    llvm::consumeError(library.takeError()); // a kernel that needs it gets to hear which function is missing
  codegen.ptxVersion = options.ptxVersion;
  if (codegen.ptxVersion)
    return codegen;
  auto assembler = findAssembler(options, *device);
  if (!assembler)
    return assembler.takeError();
  codegen.ptxVersion = assembler->ptxVersion;
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

  llvm::Expected<std::string> tools(const Options &options) const override;
  frontend::LanguageOptions language(const Options &options) const override;
  std::vector<Stage> stages(const Options &options, const Inspection &inspection) const override;

  llvm::Expected<KernelFacts> describe(llvm::StringRef stage, llvm::StringRef text) const override {
    return stage == "llir" ? describeLlvm(text) : stage == "ptx" ? describePtx(text) : Target::describe(stage, text);
  }

  void registerDialects(mlir::DialectRegistry &registry) const override {
    tensor::registerTensorDialects(registry);
    gpu::registerGpuDialects(registry);
    gluon::registerGluonDialect(registry);
  }

  const frontend::LayoutPolicy *layoutPolicy() const override { return &gluon::layoutPolicy(); }
  std::optional<layout::LinearLayout> layoutOf(mlir::Type type) const override {
    if (!gpu::hasLayout(type))
      return std::nullopt;
    return gpu::toLinear(mlir::cast<mlir::RankedTensorType>(type));
  }
  llvm::Error link(llvm::Module &module, llvm::ArrayRef<std::string> libraries) const override {
    return nvidia::linkLibraries(module, libraries);
  }
};

} // namespace

llvm::Expected<std::string> CudaTarget::tools(const Options &options) const {
  auto device = deviceOf(options);
  if (!device)
    return device.takeError();
  auto assembler = findAssembler(options, *device);
  if (!assembler)
    return assembler.takeError();
  auto build = assembler->build();
  if (!build)
    return build.takeError();
  auto files = Target::tools(options);
  if (!files)
    return files.takeError();
  std::string text = *files + *build + ";";
  if (auto library = nvidia::findLibdevice())
    text += "libdevice " + artifact::digestFiles(*library, "") + ";";
  else
    llvm::consumeError(library.takeError()); // most kernels do without it
  return text;
}

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

/// An argument whose descriptor has been kept is not spelled out, but a map of TMA. Leaves a format for each descriptor, one without
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
    return compilation.fail(target.takeError());
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
    return compilation.fail(target.takeError());
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

/// The language with layouts is GPU IR already, but for those that are left to be inferred.
static mlir::FailureOr<std::string> makeGpuIrOfGluon(Compilation &compilation) {
  if (int count = compilation.options.maxRegisters; count > 0)
    (*compilation.module)
        ->setAttr(gpu::entryRegistersName, mlir::Builder(compilation.module->getContext()).getI32IntegerAttr(count));
  auto build = [&](mlir::OpPassManager &manager) { gluon::buildGluonPipeline(manager); };
  if (mlir::failed(compilation.runPasses(build)))
    return mlir::failure();
  gluon::shortenNames(*compilation.module);
  describeTensorMaps(compilation);
  return compilation.text();
}

/// What an op that has been given shared memory takes of it.
static int64_t sharedBytesOf(mlir::Operation *op) {
  if (!op->hasAttr(gpu::allocationOffsetName))
    return 0;
  auto alloc = mlir::dyn_cast<gpu::LocalAllocOp>(op);
  return alloc ? gpu::getAllocationBytes(alloc.getType()) : gpu::scratchBytes(op);
}

/// Refuses a kernel that no device of its architecture has shared memory for, before minutes go into code for tiles of that size. In the words of the
/// launch, which looks at the device itself.
static llvm::LogicalResult checkShared(Compilation &compilation, const gpu::Target &device) {
  const int64_t required = compilation.artifact.sharedBytes, limit = device.sharedBytes();
  if (required <= limit)
    return mlir::success();
  mlir::Operation *largest = nullptr;
  compilation.module->walk([&](mlir::Operation *op) {
    if (sharedBytesOf(op) > (largest ? sharedBytesOf(largest) : 0))
      largest = op;
  });
  std::string hint;
  if (auto place = largest ? largest->getLoc()->findInstanceOf<mlir::FileLineColLoc>() : mlir::FileLineColLoc())
    hint = llvm::formatv("{0}:{1}:{2} takes {3} bytes of it", place.getFilename().getValue(), place.getLine(),
                         place.getColumn(), sharedBytesOf(largest));
  compilation.diagnostics.report({.message = llvm::formatv("out of resource: shared memory, Required: {0}, Hardware "
                                                           "limit: {1}. Reducing block sizes or `num_stages` may help.",
                                                           required, limit),
                                  .exception = "OutOfResources",
                                  .hint = std::move(hint)});
  return mlir::failure();
}

static mlir::FailureOr<nvidia::Code> emitCode(Compilation &compilation) {
  auto options = codegenOptions(compilation);
  if (!options)
    return compilation.fail(options.takeError());
  auto build = [&](mlir::OpPassManager &manager) {
    gpu::buildResourcePipeline(manager, compilation.options.maxRegisters);
  };
  if (mlir::failed(compilation.runPasses(build)))
    return mlir::failure();
  readMetadata(compilation);
  if (mlir::failed(checkShared(compilation, *options->device)))
    return mlir::failure();
  auto handler = compilation.collectDiagnostics();
  auto code = nvidia::Code::emit(*compilation.module, *options);
  if (!code)
    return compilation.fail(code.takeError());
  if (llvm::Error error = code->optimise())
    return compilation.fail(std::move(error));
  writeFacts(code->module(), compilation.facts(compilation.artifact.sharedBytes));
  return std::move(*code);
}

static mlir::FailureOr<nvidia::Code> readCode(Compilation &compilation, const std::string &text) {
  auto options = codegenOptions(compilation);
  if (!options)
    return compilation.fail(options.takeError());
  auto code = nvidia::Code::parse(text, *options);
  if (!code)
    return compilation.fail(code.takeError());
  return std::move(*code);
}

static mlir::FailureOr<std::string> assemble(Compilation &compilation, const std::string &ptx) {
  const Options &options = compilation.options;
  // Read from the text, as it may be the user's own.
  compilation.artifact.waitsAtEntry = llvm::StringRef(ptx).contains(nvidia::waitAtEntryText);
  auto device = deviceOf(options);
  if (!device)
    return compilation.fail(device.takeError());
  auto found = findAssembler(options, *device);
  if (!found)
    return compilation.fail(found.takeError());
  if (found->ptxas.empty() && !found->jitLink)
    return ptx; // the driver translates it
  nvidia::AssemblerOptions assembler{.target = *device,
                                     .path = found->ptxas,
                                     .lineInfo = options.lineInfo,
                                     .optimise = options.optimiseAssembly,
                                     .fuseMultiplyAdd = options.enableFpFusion,
                                     .timeLimit = std::chrono::seconds(compilation.inspection.assemblerSeconds),
                                     .interruption = &compilation.interruption};
  for (llvm::StringRef flag : llvm::split(options.assemblerOptions, ' '))
    if (!flag.empty())
      assembler.extra.push_back(flag.str());
  auto assembled = found->jitLink ? found->jitLink->assemble(ptx, assembler) : nvidia::assemble(ptx, assembler);
  if (!assembled)
    return compilation.fail(assembled.takeError(), "PTXASError");
  compilation.artifact.assemblerLog = assembled->log;
  compilation.artifact.registers = assembled->registers;
  compilation.artifact.spillBytes = assembled->spillStores;
  return std::move(assembled->cubin);
}

/// The kernel's name is that of the one function which PTX lets be launched.
static llvm::LogicalResult takeName(Compilation &compilation, llvm::StringRef ptx) {
  llvm::SmallVector<llvm::StringRef> names;
  llvm::Regex entry("\\.visible[ \t\n]+\\.entry[ \t\n]+([A-Za-z0-9_$.%@?]+)");
  for (llvm::SmallVector<llvm::StringRef> groups; entry.match(ptx, &groups);) {
    names.push_back(groups[1]);
    ptx = ptx.drop_front(groups[1].end() - ptx.begin());
  }
  if (names.size() != 1)
    return compilation.fail("PTX must have exactly one `.visible .entry`, this has " +
                            (names.empty() ? std::string("none") : llvm::join(names, ", ")));
  compilation.artifact.name = nameOfPtxSymbol(names[0]);
  return mlir::success();
}

/// The story of a kernel on an NVIDIA GPU. The code generator's module lives from `llir` to `ptx`.
std::vector<Stage> CudaTarget::stages(const Options &options, const Inspection &inspection) const {
  auto code = std::make_shared<std::optional<nvidia::Code>>();
  auto ptx = std::make_shared<std::string>();
  std::vector<Stage> stages;
  if (options.isGluon)
    stages = {{"ttgir", makeGpuIrOfGluon, resumeFromIr}};
  else
    stages = {{"ttir", makeTensorIr, resumeFromIr}, {"ttgir", makeGpuIr, resumeFromIr}};
  std::vector<Stage> below = {
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
           return compilation.fail(text.takeError());
         *ptx = *text + describeShared(compilation.artifact.sharedBytes);
         if (mlir::failed(takeName(compilation, *ptx)))
           return mlir::failure();
         return *ptx;
       },
       [ptx](Compilation &compilation, const std::string &text) {
         *ptx = text;
         return takeName(compilation, text);
       }},
      {"cubin", [ptx](Compilation &compilation) { return assemble(compilation, *ptx); },
       [](Compilation &compilation, const std::string &) {
         compilation.artifact.waitsAtEntry = false; // as far as one can tell
         return mlir::success();
       }},
  };
  stages.insert(stages.end(), std::make_move_iterator(below.begin()), std::make_move_iterator(below.end()));
  return stages;
}

std::unique_ptr<Target> triton::driver::createCudaTarget() { return std::make_unique<CudaTarget>(); }
