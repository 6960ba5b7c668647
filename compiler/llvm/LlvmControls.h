// What a user can change and see of LLVM's part of a compile: passes left out, options switched on, passes of a plugin; the IR after every
// pass, the time each took, machine IR. Most of it can only be asked of LLVM through options of the whole process.
#pragma once

#include "compiler/support/ForkMutex.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <mutex>
#include <string>
#include <vector>

namespace llvm::cl {
class Option;
}

namespace triton {

struct LlvmControls {
  bool optimise = true;           // false: no passes before the code generator
  std::vector<std::string> flags; // boolean options of LLVM that are switched on: "disable-lsr"
  std::string passPlugin;         // a library whose passes join the whole of -O3
  bool printAfterAll = false;     // prints the IR after every pass to standard error
  bool timePasses = false;        // prints what each pass took to standard error
  std::string machineIrFolder;    // receives `<kernel>.mir`: the machine IR after instruction selection
  bool operator==(const LlvmControls &) const = default;
};

/// While it lives, LLVM's process-wide options are as the controls say. One lives at a time, others wait; without controls nothing waits.
class LlvmControlScope {
public:
  LlvmControlScope() = default;
  LlvmControlScope(const LlvmControlScope &) = delete;
  ~LlvmControlScope();

  /// Fails, naming it, if LLVM has no such flag.
  llvm::Error enter(const LlvmControls &controls);
  /// Sets an option for as long as this lives.
  llvm::Error set(llvm::StringRef name, llvm::StringRef value);

private:
  std::unique_lock<ForkMutex> lock;
  std::vector<llvm::cl::Option *> changed;
  bool timed = false;
};

} // namespace triton
