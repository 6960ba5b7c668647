#include "compiler/llvm/amd/Codegen.h"

#include "compiler/llvm/BitcodeLibraries.h"
#include "compiler/llvm/LlvmTargets.h"
#include "compiler/llvm/amd/AmdMachine.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
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

Code::Code(const CodegenOptions &options) : options(options) {
  llvmModule.controls = options.controls;
  llvmModule.interruption = options.interruption;
}

llvm::Error Code::prepare() {
  auto machine = targetMachine(options.emit.target);
  if (!machine)
    return machine.takeError();
  llvmModule->setTargetTriple((*machine)->getTargetTriple());
  llvmModule->setDataLayout((*machine)->createDataLayout());
  // Version 5: the newest that drivers of some years read.
  if (!llvmModule->getModuleFlag("amdhsa_code_object_version"))
    llvmModule->addModuleFlag(llvm::Module::Error, "amdhsa_code_object_version", 500);
  return llvm::Error::success();
}

llvm::Expected<Code> Code::emit(mlir::ModuleOp module, const CodegenOptions &options) {
  Code code(options);
  code.llvmModule.set(std::make_unique<llvm::Module>("kernel", code.llvmModule.context()));
  if (llvm::Error error = code.prepare())
    return error;
  const std::unique_ptr<simt::Machine> machine = createMachine(code.options.emit.target);
  simt::Emitter emitter(*code.llvmModule, module, code.options.emit, *machine);
  if (failed(emitter.emitModule()))
    return llvm::make_error<ReportedError>();
  if (!code.options.emit.lineInfo && !code.options.emit.variableInfo)
    llvm::StripDebugInfo(*code.llvmModule);
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(*code.llvmModule, &stream))
    return llvm::createStringError("the code generator made invalid LLVM IR: " + problem);
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
  llvm::SmallVector<char, 0> bytes;
  if (llvm::Error error = llvmModule.generate(**machine, llvm::CodeGenFileType::AssemblyFile, /*onCopy=*/false, bytes))
    return error;
  return std::string(bytes.begin(), bytes.end());
}

} // namespace triton::amd
