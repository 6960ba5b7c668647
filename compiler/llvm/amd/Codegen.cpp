#include "compiler/llvm/amd/Codegen.h"

#include "compiler/llvm/BitcodeLibraries.h"
#include "compiler/llvm/LlvmTargets.h"
#include "compiler/llvm/amd/AmdMachine.h"
#include "compiler/llvm/amd/DirectCopy.h"

#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"

namespace triton::amd {

/// A target machine is not thread safe and takes a millisecond to make: each thread keeps those it has used.
static llvm::Expected<llvm::TargetMachine *> targetMachine(const gpu::Target &target) {
  thread_local std::vector<std::pair<std::string, std::unique_ptr<llvm::TargetMachine>>> cache;
  for (auto &[name, machine] : cache)
    if (name == target.cpu())
      return machine.get();
  llvm::Triple triple("amdgcn-amd-amdhsa");
  auto llvmTarget = findLlvmTarget(triple);
  if (!llvmTarget)
    return llvmTarget.takeError();
  // Multiplies and adds carry the `contract` flag where they may be fused.
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  cache.emplace_back(target.cpu(),
                     (*llvmTarget)->createTargetMachine(triple, target.cpu(), "", options, llvm::Reloc::PIC_));
  return cache.back().second.get();
}

llvm::Error Code::prepare() {
  auto machine = targetMachine(options.emit.target);
  if (!machine)
    return machine.takeError();
  setTarget(**machine);
  // Version 5: the newest that drivers of some years read.
  if (!llvmModule->getModuleFlag("amdhsa_code_object_version"))
    llvmModule->addModuleFlag(llvm::Module::Error, "amdhsa_code_object_version", 500);
  return llvm::Error::success();
}

llvm::Expected<Code> Code::emit(mlir::ModuleOp module, const CodegenOptions &options) {
  Code code(options);
  if (llvm::Error error = code.prepare())
    return error;
  if (llvm::Error error = code.write(module, options.emit, *createMachine(options.emit.target)))
    return error;
  separateCopies(*code.llvmModule);
  return code;
}

llvm::Expected<Code> Code::parse(llvm::StringRef text, const CodegenOptions &options) {
  Code code(options);
  if (llvm::Error error = code.llvmModule.parse(text))
    return error;
  if (llvm::Error error = code.prepare())
    return error;
  return code;
}

/// All of -O3: AMD's own passes, which say what a kernel does without, are part of it.
llvm::Error Code::optimise() {
  auto machine = targetMachine(options.emit.target);
  if (!machine)
    return machine.takeError();
  if (llvm::Error error = linkLibraries(*llvmModule, options.libraries))
    return error;
  return llvmModule.run(*machine, [&](llvm::PassBuilder &builder, llvm::ModulePassManager &passes) -> llvm::Error {
    passes = builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3);
    return llvm::Error::success();
  });
}

llvm::Expected<std::string> Code::assembly() {
  auto machine = targetMachine(options.emit.target);
  if (!machine)
    return machine.takeError();
  return printAssembly(**machine);
}

} // namespace triton::amd
