#include "compiler/llvm/LlvmControls.h"

#include "llvm/IR/PassTimingInfo.h"
#include "llvm/Pass.h"
#include "llvm/Support/CommandLine.h"

namespace triton {

llvm::Error LlvmControlScope::set(llvm::StringRef name, llvm::StringRef value) {
  auto &options = llvm::cl::getRegisteredOptions();
  auto found = options.find(name);
  if (found == options.end())
    return llvm::createStringError("LLVM has no option '" + name + "'");
  llvm::cl::Option *option = found->second;
  changed.push_back(option);
  if (option->addOccurrence(/*pos=*/0, name, value))
    return llvm::createStringError("LLVM's option '" + name + "' cannot be '" + value + "'");
  return llvm::Error::success();
}

llvm::Error LlvmControlScope::enter(const LlvmControls &controls) {
  if (controls.flags.empty() && !controls.printAfterAll && !controls.timePasses && controls.machineIrFolder.empty())
    return llvm::Error::success();
  static ForkMutex mutex(ForkMutex::Nesting::Outer);
  lock = std::unique_lock(mutex);
  for (const std::string &flag : controls.flags)
    if (llvm::Error error = set(flag, "true"))
      return error;
  if (controls.printAfterAll)
    if (llvm::Error error = set("print-after-all", "true"))
      return error;
  timed = controls.timePasses;
  if (timed)
    llvm::TimePassesIsEnabled = true;
  return llvm::Error::success();
}

LlvmControlScope::~LlvmControlScope() {
  if (timed) {
    llvm::reportAndResetTimings();
    llvm::TimePassesIsEnabled = false;
  }
  for (llvm::cl::Option *option : changed)
    option->reset();
}

} // namespace triton
