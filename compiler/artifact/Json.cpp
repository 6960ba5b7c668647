#include "compiler/artifact/Json.h"

using llvm::StringRef;

constexpr int mostLevels = 100;

/// Brackets in strings do not count.
static bool isShallow(StringRef text) {
  bool isInString = false;
  int level = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"')
      isInString = !isInString;
    else if (isInString && c == '\\')
      ++i; // what is escaped ends no string
    else if (!isInString && (c == '[' || c == '{') && ++level > mostLevels)
      return false;
    else if (!isInString && (c == ']' || c == '}'))
      --level;
  }
  return true;
}

std::optional<llvm::json::Value> triton::artifact::parseJson(StringRef text) {
  if (!isShallow(text))
    return std::nullopt;
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(text);
  if (parsed)
    return std::move(*parsed);
  llvm::consumeError(parsed.takeError());
  return std::nullopt;
}
