// The first line of a case, `// run: target=cuda; arch=sm_90a`, as settings.
#include "test/fuzz/Grammar.h"

namespace triton::fuzz {

llvm::StringMap<std::string> settingsOf(llvm::StringRef text) {
  llvm::StringMap<std::string> settings;
  llvm::StringRef line = text.take_until([](char c) { return c == '\n'; });
  if (!line.consume_front("// run:") && !line.consume_front("# run:") && !line.consume_front("; run:"))
    return settings;
  for (llvm::StringRef part : llvm::split(line, ';')) {
    auto [key, value] = part.split('=');
    settings[key.trim()] = value.trim().str();
  }
  return settings;
}

} // namespace triton::fuzz
