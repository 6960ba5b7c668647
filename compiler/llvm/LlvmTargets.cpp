#include "compiler/llvm/LlvmTargets.h"

#include "compiler/support/ForkMutex.h"

#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"

#include <mutex>
#include <utility>

namespace triton {

/// Switches on an option that LLVM has for the whole process only; it stays on when options are reset.
static void alwaysSet(llvm::StringRef name) {
  auto &options = llvm::cl::getRegisteredOptions();
  if (auto found = options.find(name); found != options.end())
    static_cast<llvm::cl::opt<bool> *>(found->second)->setInitialValue(true);
}

llvm::Expected<const llvm::Target *> findLlvmTarget(const llvm::Triple &triple) {
  static ForkMutex mutex;
  static bool isReady = false; // under `mutex`
  if (std::lock_guard lock(mutex); !std::exchange(isReady, true)) {
#ifdef TRITON_HAS_AARCH64
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    LLVMInitializeAArch64AsmParser();
#endif
#ifdef TRITON_HAS_X86
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
#endif
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();
    // Shared addresses are 32 bits: half the registers, and sums that are part of the access.
    alwaysSet("nvptx-short-ptr");
    // Addresses already are one base and constants, or pointers that a loop moves on. In loops with many of them loop strength reduction takes
    // half of the time on CPUs, and on GPUs splits what the loop need not add off the pointers: 15 to 33 instructions more in attention's loop.
    alwaysSet("disable-lsr");
  }
  std::string problem;
  if (const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, problem))
    return found;
  return llvm::createStringError("no code generator for '" + triple.str() + "': " + problem);
}

} // namespace triton
