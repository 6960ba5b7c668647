#include "compiler/driver/CpuTarget.h"
#include "compiler/cpu/Pipeline.h"
#include "compiler/cpu/Target.h"
#include "compiler/driver/CodeText.h"
#include "compiler/llvm/host/Codegen.h"
#include "compiler/llvm/host/LowerToLlvm.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/passes/Pipeline.h"

#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"

using namespace triton;
using namespace triton::driver;

/// What a launch must know, left by the entry lowering on the kernel's function.
static void readMetadata(Compilation &compilation) {
  compilation.module->walk([&](mlir::Operation *op) {
    if (auto bytes = op->getAttrOfType<mlir::IntegerAttr>(cpu::arenaBytesName))
      compilation.artifact.arenaBytes = bytes.getInt();
    compilation.artifact.waitsForPrograms |= op->hasAttr(cpu::waitsForProgramsName);
    compilation.artifact.polls |= op->hasAttr(cpu::pollsName);
  });
}

namespace {

class CpuTarget : public Target {
public:
  llvm::StringRef name() const override { return "cpu"; }

  llvm::Expected<std::string> architecture(const Options &options) const override {
    auto host = cpu::HostTarget::byName(options.architecture);
    if (!host)
      return host.takeError();
    return host->str();
  }

  frontend::LanguageOptions facts(const Options &) const override { return {}; }

  std::optional<std::string> findFault(const Options &options) const override {
    if (options.numCtas > 1)
      return "num_ctas > 1 requires NVIDIA SM90+ (Hopper); on the CPU a program is not spread over several blocks";
    return std::nullopt;
  }

  std::vector<Stage> stages(const Options &options, const Inspection &inspection) const override;

  llvm::Expected<KernelFacts> describe(llvm::StringRef stage, llvm::StringRef text) const override {
    return stage == "llir" ? describeLlvm(text) : Target::describe(stage, text);
  }

  void registerDialects(mlir::DialectRegistry &registry) const override {
    tensor::registerTensorDialects(registry);
    registry.insert<mlir::func::FuncDialect, mlir::vector::VectorDialect>();
    host::registerTranslations(registry);
  }
};

} // namespace

static host::CodegenOptions codegenOptions(Compilation &compilation) {
  return {.fuseMultiplyAdd = compilation.options.enableFpFusion,
          .controls = compilation.llvmControls(),
          .interruption = &compilation.interruption};
}

/// The story of a kernel on the CPU. The code generator's module lives from `llir` on.
std::vector<Stage> CpuTarget::stages(const Options &options, const Inspection &inspection) const {
  auto code = std::make_shared<std::optional<host::Code>>();
  std::vector<Stage> stages;

  stages.push_back({"ttir",
                    [](Compilation &compilation) -> mlir::FailureOr<std::string> {
                      if (mlir::failed(compilation.runPasses(
                              [](mlir::OpPassManager &passManager) { tensor::buildTensorPipeline(passManager); })))
                        return mlir::failure();
                      return compilation.text();
                    },
                    resumeFromIr});

  stages.push_back({"llir",
                    [code](Compilation &compilation) -> mlir::FailureOr<std::string> {
                      auto target = cpu::HostTarget::byName(compilation.options.architecture);
                      if (!target)
                        return compilation.fail(target.takeError());
                      cpu::CpuOptions options{.target = *target, .checkAccesses = compilation.options.checkAccesses};
                      if (mlir::failed(compilation.runPasses([&](mlir::OpPassManager &passManager) {
                            cpu::buildCpuPipeline(passManager, options);
                            host::buildLowerToLlvm(passManager);
                            if (compilation.inspection.keepLocations)
                              passManager.addPass(mlir::LLVM::createDIScopeForLLVMFuncOpPass());
                          })))
                        return mlir::failure();
                      readMetadata(compilation);
                      auto handler = compilation.collectDiagnostics();
                      auto translated =
                          host::Code::translate(*compilation.module, *target, codegenOptions(compilation));
                      if (!translated)
                        return compilation.fail(translated.takeError());
                      code->emplace(std::move(*translated));
                      if (llvm::Error error = (*code)->optimise())
                        return compilation.fail(std::move(error));
                      writeFacts((*code)->module(), compilation.facts(compilation.artifact.arenaBytes));
                      return (*code)->llir();
                    },
                    [code](Compilation &compilation, const std::string &text) -> llvm::LogicalResult {
                      auto target = cpu::HostTarget::byName(compilation.options.architecture);
                      if (!target)
                        return compilation.fail(target.takeError());
                      auto parsed = host::Code::parse(text, *target, codegenOptions(compilation));
                      if (!parsed)
                        return compilation.fail(parsed.takeError());
                      code->emplace(std::move(*parsed));
                      return mlir::success();
                    }});

  if (inspection.emitAssembly)
    stages.push_back({"asm", [code](Compilation &compilation) -> mlir::FailureOr<std::string> {
                        auto text = (*code)->assembly();
                        if (!text)
                          return compilation.fail(text.takeError());
                        return std::move(*text);
                      }});

  stages.push_back({"obj",
                    [code](Compilation &compilation) -> mlir::FailureOr<std::string> {
                      auto bytes = (*code)->object();
                      if (!bytes)
                        return compilation.fail(bytes.takeError());
                      return std::string(bytes->begin(), bytes->end());
                    },
                    [](Compilation &, const std::string &) { return mlir::success(); }});
  return stages;
}

std::unique_ptr<Target> triton::driver::createCpuTarget() { return std::make_unique<CpuTarget>(); }
