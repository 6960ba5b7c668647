#include "compiler/driver/GpuStages.h"

#include "compiler/gluon/Gluon.h"
#include "compiler/gpu/Buffers.h"
#include "compiler/gpu/Gpu.h"
#include "compiler/gpu/Records.h"
#include "compiler/gpu/SanitizerPlan.h"
#include "compiler/gpu/Scratch.h"
#include "compiler/gpu/passes/Pipeline.h"
#include "compiler/llvm/BitcodeLibraries.h"
#include "compiler/tensor/passes/Pipeline.h"
#include "dispatch/Shortage.h"

#include "llvm/Support/FormatVariadic.h"

using namespace triton;
using namespace triton::driver;

llvm::Expected<gpu::Target> triton::driver::targetOf(const Options &options) {
  if (options.architecture == "native") // only who launches knows a device to ask
    return llvm::createStringError("which GPU is the code for? name its architecture, such as " +
                                   llvm::StringRef(options.backend == "hip" ? "gfx942" : "sm_90a"));
  return options.backend == "hip" ? gpu::Target::amdByName(options.architecture)
                                  : gpu::Target::byName(options.architecture);
}

llvm::Expected<std::string> GpuTarget::architecture(const Options &options) const {
  auto target = targetOf(options);
  if (!target)
    return target.takeError();
  return target->cpu();
}

void GpuTarget::registerDialects(mlir::DialectRegistry &registry) const {
  tensor::registerTensorDialects(registry);
  gpu::registerGpuDialects(registry);
  gluon::registerGluonDialect(registry);
}

const frontend::LayoutPolicy *GpuTarget::layoutPolicy() const { return &gluon::layoutPolicy(); }

std::optional<layout::LinearLayout> GpuTarget::layoutOf(mlir::Type type) const {
  if (!gpu::hasLayout(type))
    return std::nullopt;
  return gpu::toLinear(mlir::cast<mlir::RankedTensorType>(type));
}

llvm::Error GpuTarget::link(llvm::Module &module, llvm::ArrayRef<std::string> libraries) const {
  return linkLibraries(module, libraries);
}

llvm::LogicalResult triton::driver::checkThreads(Compilation &compilation, int lanes) {
  constexpr int limit = 1024;
  const int required = lanes * compilation.options.numWarps;
  if (required <= limit)
    return mlir::success();
  const dispatch::Shortage shortage{uint64_t(required), limit, "threads"};
  compilation.diagnostics.report(
      {.range = compilation.kernel, .message = shortage.message(), .exception = "OutOfResources"});
  return mlir::failure();
}

mlir::FailureOr<std::string> triton::driver::runGpuPipeline(Compilation &compilation, const gpu::Target &target) {
  gpu::GpuOptions options{target,
                          compilation.options.numWarps,
                          compilation.options.numCtas,
                          compilation.options.numStages,
                          compilation.options.launchControl,
                          compilation.inspection.verifyEachPass};
  auto build = [&](mlir::OpPassManager &manager) { gpu::buildGpuPipeline(manager, options); };
  if (mlir::failed(compilation.runPasses(build)))
    return mlir::failure();
  return compilation.text();
}

llvm::LogicalResult triton::driver::runGluonPipeline(Compilation &compilation) {
  auto build = [&](mlir::OpPassManager &manager) { gluon::buildGluonPipeline(manager); };
  if (mlir::failed(compilation.runPasses(build)))
    return mlir::failure();
  gluon::shortenNames(*compilation.module);
  return mlir::success();
}

simt::CodegenOptions triton::driver::gpuCodegenOptions(Compilation &compilation, const gpu::Target &target) {
  const Options &options = compilation.options;
  return {.emit = {.target = target,
                   .fuseMultiplyAdd = options.enableFpFusion,
                   .debug = options.debug,
                   .lineInfo = options.lineInfo,
                   .variableInfo = options.variableInfo},
          .controls = compilation.llvmControls(),
          .interruption = &compilation.interruption,
          .libraries = options.libraries};
}

/// What a launch must know, left on the module by the allocation of shared memory.
static void readMetadata(Compilation &compilation) {
  mlir::ModuleOp module = *compilation.module;
  if (auto bytes = module->getAttrOfType<mlir::IntegerAttr>(gpu::sharedBytesName))
    compilation.artifact.sharedBytes =
        std::max<int64_t>(bytes.getInt(), compilation.options.minSharedBytes.value_or(0));
  compilation.artifact.numWarps = gpu::getTotalNumWarps(module);
  compilation.artifact.numCtas = gpu::getNumCtas(module);
  if (auto bytes = module->getAttrOfType<mlir::IntegerAttr>(gpu::globalScratchBytesName))
    compilation.artifact.globalScratchBytes = bytes.getInt();
  if (auto bytes = module->getAttrOfType<mlir::IntegerAttr>(gpu::globalScratchAlignmentName))
    compilation.artifact.globalScratchAlignment = bytes.getInt();
  if (std::optional<gpu::RecordsPlan> plan = gpu::RecordsPlan::of(module)) {
    artifact::Records &records = compilation.artifact.records;
    records.sliceBytes = plan->sliceBytes();
    records.warps.assign(plan->warps.begin(), plan->warps.end());
    records.is32Bit = plan->is32Bit;
    records.scopes.clear();
    for (auto name : module->getAttrOfType<mlir::ArrayAttr>(gpu::recordScopesName).getAsRange<mlir::StringAttr>())
      records.scopes.push_back(name.str());
  }
}

/// What an op that has been given shared memory takes of it.
static int64_t sharedBytesOf(mlir::Operation *op) {
  if (!op->hasAttr(gpu::allocationOffsetName))
    return 0;
  auto alloc = mlir::dyn_cast<gpu::LocalAllocOp>(op);
  return alloc ? gpu::getAllocationBytes(alloc.getType()) : gpu::scratchBytes(op);
}

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
  compilation.diagnostics.report(
      {.range = compilation.kernel,
       .message = dispatch::Shortage{uint64_t(required), uint64_t(limit), "shared memory"}.message(),
       .exception = "OutOfResources",
       .hint = std::move(hint)});
  return mlir::failure();
}

static void warnOfMissing(Compilation &compilation, const std::string &what) {
  llvm::errs() << render(Diagnostic{.severity = Severity::Warning,
                                    .range = compilation.kernel,
                                    .message = "the kernel is compiled without " + what},
                         /*color=*/false);
}

/// Has illegal instructions and races in global memory looked for, where that is asked for; makes room for the state of the concurrency sanitizer, likewise, and where it can do something.
static void planSanitizers(Compilation &compilation) {
  mlir::ModuleOp module = *compilation.module;
  module->removeAttr(gpu::instructionChecksName); // what a file says of it
  module->removeAttr(gpu::globalChecksName);
  mlir::Builder builder(module.getContext());
  for (auto [mode, what] : {std::pair("iisan", "the checks of illegal instructions"),
                            std::pair("gsan", "the detector of races in global memory")})
    if (compilation.options.asksFor(mode) && gpu::isForAmd(module))
      warnOfMissing(compilation, llvm::formatv("{0} ({1}): it knows NVIDIA GPUs", what, mode).str());
  if (compilation.options.asksFor("iisan"))
    module->setAttr(gpu::instructionChecksName, builder.getUnitAttr());
  if (compilation.options.asksFor("gsan") && !gpu::isForAmd(module)) {
    if (const int ctas = gpu::getNumCtas(module); ctas == 1)
      module->setAttr(gpu::globalChecksName, builder.getI32IntegerAttr(compilation.options.gsanClockBufferSize));
    else
      warnOfMissing(compilation, llvm::formatv("the detector of races in global memory (gsan): it checks programs of "
                                               "one CTA, those of this kernel have {0}",
                                               ctas)
                                     .str());
  }
  gpu::SanitizerPlan::detachFrom(module); // what a file says of it
  if (!compilation.options.asksFor("consan"))
    return;
  std::string why = gpu::isForAmd(module) ? "it knows NVIDIA GPUs" : "";
  std::optional<gpu::SanitizerPlan> plan;
  if (why.empty())
    plan = gpu::SanitizerPlan::make(module, why);
  if (plan)
    plan->attachTo(module);
  else
    warnOfMissing(compilation, "the concurrency sanitizer (consan): " + why);
}

llvm::LogicalResult triton::driver::allocateResources(Compilation &compilation, const gpu::Target &device) {
  auto build = [&](mlir::OpPassManager &manager) {
    gpu::buildResourcePipeline(manager, compilation.options.maxRegisters.value_or(0),
                               compilation.inspection.verifyEachPass, compilation.options.recordMode());
  };
  if (mlir::failed(compilation.runPasses(build)))
    return mlir::failure();
  planSanitizers(compilation);
  readMetadata(compilation);
  return checkShared(compilation, device);
}
