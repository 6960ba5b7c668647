// The parts of the compiler that can be fuzzed: each takes a text, and must come back whatever it says.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace triton::fuzz {

/// Whether the text was accepted: the report tells how many got that far.
using Target = bool (*)(const std::string &text);

/// "parser", "frontend" or "ir"; null if there is no such target.
Target findTarget(llvm::StringRef name);

} // namespace triton::fuzz
