#include "compiler/driver/HipTarget.h"
#include "compiler/driver/GpuStages.h"
#include "compiler/gluon/Gluon.h"
#include "compiler/gpu/DotPlan.h"
#include "compiler/gpu/Gpu.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/passes/Pipeline.h"

#include "llvm/Support/FormatVariadic.h"

using namespace triton;
using namespace triton::driver;

static llvm::Expected<gpu::Target> targetOf(const Options &options) {
  return gpu::Target::amdByName(options.architecture);
}

/// The architecture of the options, or the first of MI300 where they name none that there is: the compile says so.
static const gpu::AmdArchitecture &architectureOf(const Options &options) {
  auto target = targetOf(options);
  if (target)
    return *target->amd;
  llvm::consumeError(target.takeError());
  return *gpu::findAmdArchitecture("gfx942");
}

namespace {

class HipTarget : public Target {
public:
  llvm::StringRef name() const override { return "hip"; }

  llvm::Expected<std::string> architecture(const Options &options) const override {
    auto target = targetOf(options);
    if (!target)
      return target.takeError();
    return target->cpu();
  }

  frontend::LanguageOptions facts(const Options &options) const override;
  int warpSize(const Options &options) const override { return int(architectureOf(options).lanes); }
  Options defaults() const override {
    Options options;
    options.backend = "hip";
    options.numStages = 2;
    return options;
  }
  std::optional<std::string> findFault(const Options &options) const override;
  std::vector<Stage> stages(const Options &options, const Inspection &inspection) const override;

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
};

} // namespace

frontend::LanguageOptions HipTarget::facts(const Options &options) const {
  const gpu::AmdArchitecture &architecture = architectureOf(options);
  frontend::LanguageOptions facts;
  architecture.name.drop_front(3).getAsInteger(16, facts.capability); // the digits of gfx90a are hexadecimal
  facts.warpSize = int(architecture.lanes);
  facts.supportedFp8 = {"fp8e4nv", "fp8e5", "fp8e5b16", "fp8e4b8"};
  if (architecture.mfma == 4)
    facts.deprecatedFp8Dot = {"fp8e5b16", "fp8e4b8"};
  facts.allowedDotPrecisions = {"ieee", "bf16x3", "bf16x6"};
  if (architecture.mfma == 3) // xf32
    facts.allowedDotPrecisions.push_back("tf32");
  return facts;
}

std::optional<std::string> HipTarget::findFault(const Options &options) const {
  const gpu::AmdArchitecture &architecture = architectureOf(options);
  if (options.numCtas > 1)
    return llvm::formatv("num_ctas must be 1 for {0}, got {1}: it has no clusters", architecture.name, options.numCtas);
  if (options.warpSize && *options.warpSize != int(architecture.lanes))
    return llvm::formatv("warp_size must be {0} for {1}, got {2}", architecture.lanes, architecture.name,
                         *options.warpSize);
  return std::nullopt;
}

static mlir::FailureOr<std::string> makeTensorIr(Compilation &compilation) {
  auto target = targetOf(compilation.options);
  if (!target)
    return compilation.fail(target.takeError());
  if (mlir::failed(checkThreads(compilation, int(target->lanes()))))
    return mlir::failure();
  // Without TMA descriptors are pointers, sizes and strides.
  auto build = [&](mlir::OpPassManager &manager) {
    tensor::buildTensorPipeline(manager, tensor::TensorPipelineOptions());
  };
  if (mlir::failed(compilation.runPasses(build)))
    return mlir::failure();
  return compilation.text();
}

static mlir::FailureOr<std::string> makeGpuIr(Compilation &compilation) {
  auto target = targetOf(compilation.options);
  if (!target)
    return compilation.fail(target.takeError());
  mlir::Builder builder(&compilation.context);
  auto note = [&](llvm::StringRef name, int value, int usual) {
    if (value != usual)
      (*compilation.module)->setAttr(name, builder.getI32IntegerAttr(value));
  };
  note(gpu::mfmaSizeName, compilation.options.matrixInstructionSize, 0);
  note(gpu::kPackName, compilation.options.kPack, 1);
  return runGpuPipeline(compilation, *target);
}

static mlir::FailureOr<std::string> makeGpuIrOfGluon(Compilation &compilation) {
  auto target = targetOf(compilation.options);
  if (!target)
    return compilation.fail(target.takeError());
  if (mlir::failed(checkThreads(compilation, int(target->lanes()))))
    return mlir::failure();
  auto build = [&](mlir::OpPassManager &manager) { gluon::buildGluonPipeline(manager); };
  if (mlir::failed(compilation.runPasses(build)))
    return mlir::failure();
  gluon::shortenNames(*compilation.module);
  return compilation.text();
}

/// The story of a kernel on an AMD GPU.
std::vector<Stage> HipTarget::stages(const Options &options, const Inspection &) const {
  if (options.isGluon)
    return {{"ttgir", makeGpuIrOfGluon, resumeFromIr}};
  return {{"ttir", makeTensorIr, resumeFromIr}, {"ttgir", makeGpuIr, resumeFromIr}};
}

std::unique_ptr<Target> triton::driver::createHipTarget() { return std::make_unique<HipTarget>(); }
