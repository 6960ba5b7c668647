// Runs another program and waits for it, for as long as one is willing to wait.
//   In:  a command, files for what it prints, a time limit.
//   Out: how it ended.
// Fit for a library: no signal handler, no alarm, no change to the caller's process; several threads may wait at once. The program reads
// nothing, and hears the terminal's Ctrl-C as its parent does.
#pragma once

#include "compiler/support/Interruption.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <string>

namespace triton {

struct ChildEnd {
  enum class How {
    NotStarted,  // `problem` says why
    Exited,      // with `status`
    Killed,      // by the signal `status`
    OutOfTime,   // it was ended for running past the limit
    Interrupted, // it was ended since somebody interrupted us
    Unknown,     // somebody else took its status: SIGCHLD is ignored, or another thread waits for any child
  };
  How how = How::NotStarted;
  int status = 0;
  std::string problem; // what went wrong, in words; empty after an exit with 0

  bool isSuccess() const { return how == How::Exited && status == 0; }
};

struct ChildOptions {
  std::string output, errors; // files for what it prints, which may be the same; empty: nowhere
  /// It is killed after this time; zero: never.
  std::chrono::milliseconds limit{0};
  /// Called once if it runs for longer than `patience`; zero: never.
  std::chrono::milliseconds patience{0};
  llvm::function_ref<void()> impatient = nullptr;
  /// Asked while one waits: it is killed if the answer is yes. May be null.
  Interruption *interruption = nullptr;
};

/// `command` is the program's path and its arguments.
ChildEnd runChild(llvm::ArrayRef<std::string> command, const ChildOptions &options);

} // namespace triton
