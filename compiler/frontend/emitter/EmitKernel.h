// For tests: kernel text and a signature in, IR text or rendered errors out.
#pragma once

#include "compiler/frontend/emitter/Emitter.h"

#include <string>

namespace triton::frontend {

struct Emitted {
  std::string ir;      // empty after errors
  std::string located; // the same with locations
  std::string errors;  // rendered
  std::vector<std::string> messages;
};

/// Emits `kernel` (default: the last jitted function) of a file's text. `signature` is as for tritonc: `*fp32:16, i32,
/// 1024`, constants being ints, floats, quoted strings, True, False or None. `import triton` and `tl` are in front of
/// the text already; line 1 is the text's first.
Emitted emitText(llvm::StringRef text, llvm::StringRef signature, llvm::StringRef kernel = "",
                 LanguageOptions options = {});

} // namespace triton::frontend
