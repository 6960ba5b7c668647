#include "compiler/llvm/LlvmTargets.h"

#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"

#include <mutex>

namespace triton {

llvm::Expected<const llvm::Target *> findLlvmTarget(const llvm::Triple &triple) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    // Shared addresses are 32 bits: half the registers, and sums that are part of the access.
    auto &options = llvm::cl::getRegisteredOptions();
    if (auto found = options.find("nvptx-short-ptr"); found != options.end())
      static_cast<llvm::cl::opt<bool> *>(found->second)->setValue(true);
  });
  std::string problem;
  if (const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, problem))
    return found;
  return llvm::createStringError("no code generator for '" + triple.str() + "': " + problem);
}

} // namespace triton
