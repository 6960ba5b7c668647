// The parts of the compiler that can be fuzzed: each takes a text, and must come back whatever it says, its promises kept.
#pragma once

#include "test/fuzz/Grammar.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"

#include <string>

namespace triton::fuzz {

struct Target {
  /// Whether the text was accepted: the report tells how many got that far.
  bool (*run)(const std::string &text) = nullptr;
  /// For texts made from a corpus; null where tokens are all that is known of them.
  std::unique_ptr<Grammar> (*grammar)(llvm::ArrayRef<std::string> corpus) = nullptr;
};

/// Ends the program if a promise is broken: that is found as a crash is.
inline void require(bool isKept, llvm::StringRef promise) {
  if (!isKept)
    llvm::report_fatal_error("broken promise: " + promise);
}

bool parseText(const std::string &text);
bool runPtx(const std::string &text);
bool runAmdgcn(const std::string &text);

/// "parser", "frontend", "signature", "ir", "gpu-ir", "passes", "ptx" or "amdgcn"; without `run` if there is no such target.
Target findTarget(llvm::StringRef name);

} // namespace triton::fuzz
