// The parts of the compiler that can be fuzzed: each takes a text, and must come back whatever it says.
#pragma once

#include "test/fuzz/Grammar.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace triton::fuzz {

struct Target {
  /// Whether the text was accepted: the report tells how many got that far.
  bool (*run)(const std::string &text) = nullptr;
  /// For texts made from a corpus; null where tokens are all that is known of them.
  std::unique_ptr<Grammar> (*grammar)(llvm::ArrayRef<std::string> corpus) = nullptr;
};

/// "parser", "frontend", "signature", "ir", "gpu-ir" or "passes"; without `run` if there is no such target.
Target findTarget(llvm::StringRef name);

} // namespace triton::fuzz
