#include "compiler/driver/CudaTarget.h"
#include "compiler/driver/CodeText.h"
#include "compiler/driver/GpuStages.h"
#include "compiler/driver/Toolkit.h"
#include "compiler/gpu/DotPlan.h"
#include "compiler/gpu/Gpu.h"
#include "compiler/gpu/Tma.h"
#include "compiler/gpu/passes/Pipeline.h"
#include "compiler/llvm/nvidia/Codegen.h"
#include "compiler/llvm/nvidia/Ptxas.h"
#include "compiler/support/KernelSymbols.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/passes/Pipeline.h"
#include "dispatch/CodeArguments.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Regex.h"

using namespace triton;
using namespace triton::driver;

/// The architecture of the device that code is for.
static llvm::Expected<gpu::Target> deviceOf(const Options &options) {
  return options.codeArchitecture.empty() ? targetOf(options) : gpu::Target::byName(options.codeArchitecture);
}

static llvm::Expected<nvidia::CodegenOptions> codegenOptions(Compilation &compilation) {
  const Options &options = compilation.options;
  auto target = targetOf(options), device = deviceOf(options);
  if (!target)
    return target.takeError();
  if (!device)
    return device.takeError();
  nvidia::CodegenOptions codegen{gpuCodegenOptions(compilation, *target)};
  codegen.device = *device;
  codegen.emit.waitAtEntry = options.waitAtEntry;
  codegen.emit.maxRegisters = options.maxRegisters.value_or(0);
  codegen.flushDenormals = options.flushDenormals;
  if (options.schedulesForRegisters)
    codegen.controls.flags.push_back("nvptx-sched4reg");
  const Toolkit toolkit = Toolkit::find(options, *device);
  if (!toolkit.problem.empty() && !options.ptxVersion)
    return llvm::createStringError(toolkit.problem);
  if (!toolkit.libdevice.empty()) // else a kernel that needs it gets to hear which function is missing
    codegen.libraries.push_back(toolkit.libdevice);
  codegen.ptxVersion = options.ptxVersion.value_or(toolkit.ptxVersion);
  return codegen;
}

namespace {

class CudaTarget : public GpuTarget {
public:
  llvm::StringRef name() const override { return "cuda"; }

  llvm::Expected<std::string> tools(const Options &options) const override;
  frontend::LanguageOptions facts(const Options &options) const override;
  int warpSize(const Options &) const override { return 32; }
  std::optional<std::string> findFault(const Options &options) const override;
  Options complete(Options options) const override;
  std::vector<Stage> stages(const Options &options, const Inspection &inspection) const override;

  llvm::Expected<KernelFacts> describe(llvm::StringRef stage, llvm::StringRef text) const override {
    return stage == "llir" ? describeLlvm(text) : stage == "ptx" ? describePtx(text) : Target::describe(stage, text);
  }
};

} // namespace

llvm::Expected<std::string> CudaTarget::tools(const Options &options) const {
  auto device = deviceOf(options);
  if (!device)
    return device.takeError();
  auto tools = Toolkit::find(options, *device).key();
  if (!tools)
    return tools.takeError();
  auto files = Target::tools(options);
  if (!files)
    return files.takeError();
  return *files + *tools;
}

frontend::LanguageOptions CudaTarget::facts(const Options &options) const {
  auto target = targetOf(options);
  const unsigned capability = target ? target->capability : (llvm::consumeError(target.takeError()), 80u);
  frontend::LanguageOptions facts;
  facts.capability = capability;
  facts.supportedFp8 = {"fp8e5", "fp8e4b15"};
  if (capability >= 89)
    facts.supportedFp8.push_back("fp8e4nv");
  if (capability >= 90)
    facts.deprecatedFp8Dot = {"fp8e4b15"};
  facts.maxImpreciseAccDefault = capability / 10 == 9 ? int64_t(1) << 30 : 0;
  facts.defaultDotPrecision = "tf32";
  facts.minDotBytesOfK = 32; // what one instruction takes: 32 of 8 bits, 4 of 64
  return facts;
}

std::optional<std::string> CudaTarget::findFault(const Options &options) const {
  auto target = targetOf(options);
  if (!target) {
    llvm::consumeError(target.takeError()); // the compile says it
    return std::nullopt;
  }
  if (options.numCtas > 1 && !target->hasClusters())
    return llvm::formatv("num_ctas > 1 requires NVIDIA SM90+ (Hopper). Current target is sm_{0}. This configuration "
                         "will fail. Please set num_ctas=1 or target an SM90+ GPU.",
                         target->capability)
        .str();
  if (options.launchControl && target->capability < 100)
    return llvm::formatv("clc=True requires NVIDIA SM100+ (Blackwell); current target is sm_{0}", target->capability)
        .str();
  return std::nullopt;
}

Options CudaTarget::complete(Options options) const {
  options = Target::complete(std::move(options));
  auto target = targetOf(options), device = deviceOf(options);
  if (target && device) {
    options.architecture = target->cpu();
    options.codeArchitecture = *device == *target ? "" : device->cpu();
    // Overlap is of no use before sm_90; with `launch_pdl` the kernel says itself where it waits.
    options.waitAtEntry &= std::min(target->capability, device->capability) >= 90 && !options.launchProgrammatic;
  }
  llvm::consumeError(target.takeError());
  llvm::consumeError(device.takeError());
  return options;
}

static llvm::SmallVector<mlir::Type> argumentTypes(mlir::ModuleOp module) {
  llvm::SmallVector<mlir::Type> types;
  module.walk([&](tensor::FuncOp function) {
    if (function.isPublic())
      types = llvm::to_vector(function.getArgumentTypes());
  });
  return types;
}

/// An argument whose descriptor the passes have kept is not spelled out, but a map of TMA. Leaves a format for each descriptor, one without elements for
/// those that are spelled out, if there is a map at all. `before`: the types of the kernel's arguments before the passes.
static llvm::LogicalResult describeTensorMaps(Compilation &compilation, llvm::ArrayRef<mlir::Type> before) {
  auto handler = compilation.collectDiagnostics();
  if (mlir::failed(gpu::checkDescriptors(*compilation.module)))
    return mlir::failure();
  artifact::Artifact &artifact = compilation.artifact;
  const llvm::SmallVector<mlir::Type> after = argumentTypes(*compilation.module);
  std::vector<artifact::Argument> arguments;
  std::vector<artifact::TensorMap> formats;
  bool hasMaps = false;
  size_t spelledOut = 0, next = 0; // of the artifact's arguments so far, of the kernel's now
  for (mlir::Type type : before) {
    if (spelledOut >= artifact.arguments.size() || next >= after.size())
      return mlir::success(); // IR of another kernel than the arguments are of
    auto descriptor = mlir::dyn_cast<tensor::TensorDescType>(type);
    auto first = artifact.arguments.begin() + spelledOut;
    // Parts as in tensor::RewriteDescriptors. IR may have maps as arguments from the start.
    const size_t parts = descriptor && first->type != "nvTmaDesc" ? 2 * descriptor.getBlockType().getRank() + 3 : 1;
    auto kept = mlir::dyn_cast<tensor::TensorDescType>(after[next]);
    if (descriptor)
      formats.emplace_back();
    if (descriptor && kept) {
      hasMaps = true;
      gpu::TensorMapFormat format = gpu::tensorMapFormat(kept);
      formats.back() = {format.swizzle, format.elementBytes, format.elementType,
                        std::vector<int64_t>(format.box.begin(), format.box.end())};
      arguments.push_back({first->name, "nvTmaDesc"});
    } else {
      arguments.insert(arguments.end(), first, first + std::min(parts, artifact.arguments.size() - spelledOut));
    }
    spelledOut += parts;
    next += kept ? 1 : parts;
  }
  if (!hasMaps)
    return mlir::success();
  artifact.tensorMaps = std::move(formats);
  artifact.arguments = std::move(arguments);
  artifact.argumentBytes = dispatch::layOutArguments(artifact.arguments);
  return mlir::success();
}

static mlir::FailureOr<std::string> makeTensorIr(Compilation &compilation) {
  auto target = targetOf(compilation.options);
  if (!target)
    return compilation.fail(target.takeError());
  if (mlir::failed(checkThreads(compilation, 32)))
    return mlir::failure();
  tensor::TensorPipelineOptions options;
  if (compilation.options.tensorMaps)
    options.chooseDescriptors = [&](mlir::ModuleOp module) { gpu::chooseDescriptors(module, *target); };
  const llvm::SmallVector<mlir::Type> before = argumentTypes(*compilation.module);
  auto build = [&](mlir::OpPassManager &manager) { tensor::buildTensorPipeline(manager, options); };
  if (mlir::failed(compilation.runPasses(build)))
    return mlir::failure();
  if (mlir::failed(describeTensorMaps(compilation, before)))
    return mlir::failure();
  gpu::dropImpliedLayouts(*compilation.module);
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
  return runGpuPipeline(compilation, *target);
}

/// The language with layouts is GPU IR already, but for those that are left to be inferred.
static mlir::FailureOr<std::string> makeGpuIrOfGluon(Compilation &compilation) {
  if (mlir::failed(checkThreads(compilation, 32)))
    return mlir::failure();
  if (int count = compilation.options.maxRegisters.value_or(0); count > 0)
    (*compilation.module)
        ->setAttr(gpu::entryRegistersName, mlir::Builder(compilation.module->getContext()).getI32IntegerAttr(count));
  const llvm::SmallVector<mlir::Type> before = argumentTypes(*compilation.module);
  if (mlir::failed(runGluonPipeline(compilation)))
    return mlir::failure();
  if (mlir::failed(describeTensorMaps(compilation, before)))
    return mlir::failure();
  return compilation.text();
}

static mlir::FailureOr<nvidia::Code> emitCode(Compilation &compilation) {
  auto options = codegenOptions(compilation);
  if (!options)
    return compilation.fail(options.takeError());
  compilation.artifact.waitsAtEntry = options->emit.waitAtEntry;
  return emitGpuCode<nvidia::Code>(compilation, *options, *options->device);
}

static mlir::FailureOr<nvidia::Code> readCode(Compilation &compilation, const std::string &text) {
  auto options = codegenOptions(compilation);
  if (!options)
    return compilation.fail(options.takeError());
  auto code = nvidia::Code::parse(text, *options);
  if (!code)
    return compilation.fail(code.takeError());
  compilation.artifact.waitsAtEntry = compilation.options.waitAtEntry && nvidia::waitsAtEntry(code->module());
  return std::move(*code);
}

static mlir::FailureOr<std::string> assemble(Compilation &compilation, const std::string &ptx) {
  const Options &options = compilation.options;
  auto device = deviceOf(options);
  if (!device)
    return compilation.fail(device.takeError());
  const Toolkit toolkit = Toolkit::find(options, *device);
  if (!toolkit.problem.empty())
    return compilation.fail(toolkit.problem);
  if (toolkit.ptxas.empty() && !toolkit.jitLink)
    return ptx; // the driver translates it
  unsigned seconds = compilation.inspection.assemblerSeconds;
  if (!seconds) {
    auto limit = assemblerSecondsOfEnvironment();
    if (!limit)
      return compilation.fail(limit.takeError(), "PTXASError");
    seconds = *limit;
  }
  nvidia::AssemblerOptions assembler{.target = *device,
                                     .path = toolkit.ptxas,
                                     .lineInfo = options.lineInfo,
                                     .optimise = options.optimiseAssembly,
                                     .fuseMultiplyAdd = options.enableFpFusion,
                                     .timeLimit = std::chrono::seconds(seconds),
                                     .interruption = &compilation.interruption};
  const std::string flags = options.assemblerOptions.value_or("");
  for (llvm::StringRef flag : llvm::split(flags, ' '))
    if (!flag.empty())
      assembler.extra.push_back(flag.str());
  auto assembled = toolkit.jitLink ? toolkit.jitLink->assemble(ptx, assembler) : nvidia::assemble(ptx, assembler);
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
         compilation.artifact.waitsAtEntry = compilation.options.waitAtEntry && nvidia::waitsAtEntry(text);
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
