// What the stages of GPU targets have in common, whoever made the GPU.
#pragma once

#include "compiler/driver/Target.h"
#include "compiler/gpu/Target.h"
#include "compiler/llvm/KernelFacts.h"
#include "compiler/llvm/gpu/Codegen.h"

namespace triton::driver {

/// The architecture of the options, of the vendor that their target is for: "native" is for surfaces that have asked the driver before.
llvm::Expected<gpu::Target> targetOf(const Options &options);

/// What IR a GPU target reads, and what it says of it.
class GpuTarget : public Target {
public:
  llvm::Expected<std::string> architecture(const Options &options) const override;
  void registerDialects(mlir::DialectRegistry &registry) const override;
  const frontend::LayoutPolicy *layoutPolicy() const override;
  std::optional<layout::LinearLayout> layoutOf(mlir::Type type) const override;
  llvm::Error link(llvm::Module &module, llvm::ArrayRef<std::string> libraries) const override;
};

/// Refuses what no CTA has threads for, in the words of the launch.
llvm::LogicalResult checkThreads(Compilation &compilation, int lanes);

/// `ttgir`: tensor IR to GPU IR.
mlir::FailureOr<std::string> runGpuPipeline(Compilation &compilation, const gpu::Target &target);

/// Shared memory, barriers, and what a launch must know of them. Refuses a kernel that no device of its architecture has shared memory for, before minutes
/// go into code for tiles of that size: in the words of the launch, which looks at the device itself.
llvm::LogicalResult allocateResources(Compilation &compilation, const gpu::Target &device);

/// `ttgir` of the language with layouts: what is left to be inferred of them.
llvm::LogicalResult runGluonPipeline(Compilation &compilation);

/// What every code generator of GPUs is told.
simt::CodegenOptions gpuCodegenOptions(Compilation &compilation, const gpu::Target &target);

/// `llir`: GPU IR to optimised LLVM IR, for a device that must have the shared memory.
template <typename Code, typename Options>
mlir::FailureOr<Code> emitGpuCode(Compilation &compilation, const Options &options, const gpu::Target &device) {
  if (mlir::failed(allocateResources(compilation, device)))
    return mlir::failure();
  auto handler = compilation.collectDiagnostics();
  auto code = Code::emit(*compilation.module, options);
  if (!code)
    return compilation.fail(code.takeError());
  if (llvm::Error error = code->optimise())
    return compilation.fail(std::move(error));
  writeFacts(code->module(), compilation.facts(compilation.artifact.sharedBytes));
  return std::move(*code);
}

} // namespace triton::driver
