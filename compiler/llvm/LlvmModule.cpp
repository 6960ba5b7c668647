#include "compiler/llvm/LlvmModule.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"

namespace triton {

LlvmModule::LlvmModule() : errors(std::make_unique<std::string>()), llvmContext(std::make_unique<llvm::LLVMContext>()) {
  // Without a handler LLVM prints the error and ends the process.
  llvmContext->setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo *info, void *errors) {
        if (info->getSeverity() != llvm::DS_Error)
          return;
        llvm::raw_string_ostream stream(*static_cast<std::string *>(errors));
        llvm::DiagnosticPrinterRawOStream printer(stream);
        info->print(printer);
        stream << '\n';
      },
      errors.get());
}

LlvmModule::LlvmModule(LlvmModule &&) = default;
LlvmModule &LlvmModule::operator=(LlvmModule &&) = default;
LlvmModule::~LlvmModule() = default;

void LlvmModule::set(std::unique_ptr<llvm::Module> made) { module = std::move(made); }

llvm::Error LlvmModule::parse(llvm::StringRef text) {
  llvm::SMDiagnostic diagnostic;
  module = llvm::parseAssembly(llvm::MemoryBufferRef(text, "llir"), diagnostic, *llvmContext);
  if (module)
    return llvm::Error::success();
  return llvm::createStringError("line " + llvm::Twine(diagnostic.getLineNo()) +
                                 " of the LLVM IR: " + diagnostic.getMessage());
}

std::string LlvmModule::text() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, nullptr);
  return text;
}

llvm::Error LlvmModule::run(llvm::TargetMachine &machine,
                            llvm::function_ref<llvm::Error(llvm::PassBuilder &, llvm::ModulePassManager &)> build) {
  llvm::PassBuilder builder(&machine);
  llvm::LoopAnalysisManager loopAnalyses;
  llvm::FunctionAnalysisManager functionAnalyses;
  llvm::CGSCCAnalysisManager callGraphAnalyses;
  llvm::ModuleAnalysisManager moduleAnalyses;
  builder.registerModuleAnalyses(moduleAnalyses);
  builder.registerCGSCCAnalyses(callGraphAnalyses);
  builder.registerFunctionAnalyses(functionAnalyses);
  builder.registerLoopAnalyses(loopAnalyses);
  builder.crossRegisterProxies(loopAnalyses, functionAnalyses, callGraphAnalyses, moduleAnalyses);
  llvm::ModulePassManager passes;
  if (llvm::Error error = build(builder, passes))
    return error;
  passes.run(*module, moduleAnalyses);
  return reported();
}

llvm::Error LlvmModule::reported() const {
  return errors->empty() ? llvm::Error::success() : llvm::createStringError(*errors);
}

} // namespace triton
