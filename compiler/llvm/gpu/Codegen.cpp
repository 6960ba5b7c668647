#include "compiler/llvm/gpu/Codegen.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Target/TargetMachine.h"

namespace triton::simt {

Code::Code(const CodegenOptions &options) {
  llvmModule.controls = options.controls;
  llvmModule.interruption = options.interruption;
  llvmModule.set(std::make_unique<llvm::Module>("kernel", llvmModule.context()));
}

void Code::setTarget(const llvm::TargetMachine &machine) {
  llvmModule->setTargetTriple(machine.getTargetTriple());
  llvmModule->setDataLayout(machine.createDataLayout());
}

llvm::Error Code::write(mlir::ModuleOp module, const EmitOptions &options, const Machine &machine) {
  Emitter emitter(*llvmModule, module, options, machine);
  if (failed(emitter.emitModule()))
    return llvm::make_error<ReportedError>();
  if (!options.lineInfo && !options.variableInfo)
    llvm::StripDebugInfo(*llvmModule);
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(*llvmModule, &stream))
    return llvm::createStringError("the code generator made invalid LLVM IR: " + problem);
  return llvm::Error::success();
}

llvm::Expected<std::string> Code::printAssembly(llvm::TargetMachine &machine) {
  llvm::SmallVector<char, 0> bytes;
  if (llvm::Error error = llvmModule.generate(machine, llvm::CodeGenFileType::AssemblyFile, /*onCopy=*/false, bytes))
    return error;
  return std::string(bytes.begin(), bytes.end());
}

} // namespace triton::simt
