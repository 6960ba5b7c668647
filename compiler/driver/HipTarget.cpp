#include "compiler/driver/HipTarget.h"
#include "compiler/driver/CodeText.h"
#include "compiler/driver/GpuStages.h"
#include "compiler/driver/Toolkit.h"
#include "compiler/gpu/DirectCopies.h"
#include "compiler/gpu/DotPlan.h"
#include "compiler/gpu/Gpu.h"
#include "compiler/llvm/amd/Assembler.h"
#include "compiler/llvm/amd/CodeObject.h"
#include "compiler/llvm/amd/Codegen.h"
#include "compiler/llvm/amd/Messages.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/passes/Pipeline.h"

#include "llvm/Support/FormatVariadic.h"

using namespace triton;
using namespace triton::driver;

/// The architecture of the options, or the first of MI300 where they name none that there is: the compile says so.
static const gpu::AmdArchitecture &architectureOf(const Options &options) {
  auto target = targetOf(options);
  if (target)
    return *target->amd;
  llvm::consumeError(target.takeError());
  return *gpu::findAmdArchitecture("gfx942");
}

namespace {

class HipTarget : public GpuTarget {
public:
  llvm::StringRef name() const override { return "hip"; }

  frontend::LanguageOptions facts(const Options &options) const override;
  int warpSize(const Options &options) const override { return int(architectureOf(options).lanes); }
  Options defaults() const override {
    Options options;
    options.backend = "hip";
    options.numStages = 2;
    return options;
  }
  std::optional<std::string> findFault(const Options &options) const override;
  Options complete(Options options) const override;
  std::vector<Stage> stages(const Options &options, const Inspection &inspection) const override;
  llvm::Expected<KernelFacts> describe(llvm::StringRef stage, llvm::StringRef text) const override {
    return stage == "llir"     ? describeLlvm(text)
           : stage == "amdgcn" ? describeAmdgcn(text)
                               : Target::describe(stage, text);
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
  auto target = targetOf(options);
  if (!target) {
    llvm::consumeError(target.takeError()); // the compile says it
    return std::nullopt;
  }
  const gpu::AmdArchitecture &architecture = *target->amd;
  if (options.numCtas > 1)
    return llvm::formatv("num_ctas must be 1 for {0}, got {1}: it has no clusters", architecture.name, options.numCtas);
  if (options.warpSize && *options.warpSize != int(architecture.lanes))
    return llvm::formatv("warp_size must be {0} for {1}, got {2}", architecture.lanes, architecture.name,
                         *options.warpSize);
  return std::nullopt;
}

/// That the code is for the simulator is a part of the key, whoever said so: what a GPU loads is something else.
Options HipTarget::complete(Options options) const {
  options = Target::complete(std::move(options));
  options.isSimulated |= isSimulated("gfx");
  return options;
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
  note(gpu::directCopiesName, compilation.options.directCopies, -1);
  return runGpuPipeline(compilation, *target);
}

static mlir::FailureOr<std::string> makeGpuIrOfGluon(Compilation &compilation) {
  auto target = targetOf(compilation.options);
  if (!target)
    return compilation.fail(target.takeError());
  if (mlir::failed(checkThreads(compilation, int(target->lanes()))))
    return mlir::failure();
  if (mlir::failed(runGluonPipeline(compilation)))
    return mlir::failure();
  return compilation.text();
}

static llvm::Expected<amd::CodegenOptions> codegenOptions(Compilation &compilation) {
  const Options &options = compilation.options;
  auto target = targetOf(options);
  if (!target)
    return target.takeError();
  amd::CodegenOptions codegen = gpuCodegenOptions(compilation, *target);
  codegen.emit.flushDenormals = options.allowFlushDenormals;
  codegen.emit.wavesPerEu = options.wavesPerEu;
  return codegen;
}

static mlir::FailureOr<amd::Code> emitCode(Compilation &compilation) {
  auto options = codegenOptions(compilation);
  if (!options)
    return compilation.fail(options.takeError());
  return emitGpuCode<amd::Code>(compilation, *options, options->emit.target);
}

/// Assembled from text: only that refuses what the GPU has no instruction for.
static mlir::FailureOr<std::string> makeCodeObject(Compilation &compilation, llvm::StringRef assembly) {
  auto target = targetOf(compilation.options);
  if (!target)
    return compilation.fail(target.takeError());
  auto object = amd::assemble(assembly, *target);
  if (!object)
    return compilation.fail(object.takeError());
  auto linked = amd::linkCodeObject(*object);
  if (!linked)
    return compilation.fail(linked.takeError());
  auto resources = amd::readResources(*linked);
  if (!resources)
    return compilation.fail(resources.takeError());
  compilation.artifact.name = resources->name;
  compilation.artifact.registers = resources->vectorRegisters;
  compilation.artifact.spillBytes = 4 * resources->spilledRegisters;
  return std::move(*linked);
}

/// The story of a kernel on an AMD GPU. The code generator's module lives from `llir` to `amdgcn`. The simulator runs LLVM IR, which then takes the place of a code object.
std::vector<Stage> HipTarget::stages(const Options &options, const Inspection &) const {
  auto code = std::make_shared<std::optional<amd::Code>>();
  auto assembly = std::make_shared<std::string>();
  std::vector<Stage> stages;
  if (options.isGluon)
    stages = {{"ttgir", makeGpuIrOfGluon, resumeFromIr}};
  else
    stages = {{"ttir", makeTensorIr, resumeFromIr}, {"ttgir", makeGpuIr, resumeFromIr}};
  stages.push_back({"llir",
                    [code](Compilation &compilation) -> mlir::FailureOr<std::string> {
                      auto emitted = emitCode(compilation);
                      if (mlir::failed(emitted))
                        return mlir::failure();
                      code->emplace(std::move(*emitted));
                      compilation.artifact.writesMessages = amd::writesMessages((*code)->module());
                      return (*code)->llir();
                    },
                    [code](Compilation &compilation, const std::string &text) -> llvm::LogicalResult {
                      auto options = codegenOptions(compilation);
                      if (!options)
                        return compilation.fail(options.takeError());
                      auto parsed = amd::Code::parse(text, *options);
                      if (!parsed)
                        return compilation.fail(parsed.takeError());
                      code->emplace(std::move(*parsed));
                      compilation.artifact.writesMessages = amd::writesMessages((*code)->module());
                      return mlir::success();
                    }});
  if (options.isSimulated) {
    stages.push_back({"hsaco",
                      [code](Compilation &compilation) -> mlir::FailureOr<std::string> {
                        for (const llvm::Function &function : (*code)->module())
                          if (function.getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL)
                            compilation.artifact.name = function.getName().str();
                        return (*code)->llir();
                      },
                      [](Compilation &, const std::string &) { return mlir::success(); }});
    return stages;
  }
  stages.push_back({"amdgcn",
                    [code, assembly](Compilation &compilation) -> mlir::FailureOr<std::string> {
                      auto text = (*code)->assembly();
                      if (!text)
                        return compilation.fail(text.takeError());
                      *assembly = *text + describeShared(compilation.artifact.sharedBytes);
                      return *assembly;
                    },
                    [assembly](Compilation &, const std::string &text) {
                      *assembly = text;
                      return mlir::success();
                    }});
  stages.push_back({"hsaco", [assembly](Compilation &compilation) { return makeCodeObject(compilation, *assembly); },
                    [](Compilation &, const std::string &) { return mlir::success(); }});
  return stages;
}

std::unique_ptr<Target> triton::driver::createHipTarget() { return std::make_unique<HipTarget>(); }
