#include "dispatch/Text.h"

namespace triton::dispatch {

std::string_view trim(std::string_view text) {
  constexpr std::string_view space = " \t\r\n\v\f";
  const size_t begin = text.find_first_not_of(space);
  if (begin == text.npos)
    return {};
  return text.substr(begin, text.find_last_not_of(space) + 1 - begin);
}

std::vector<std::string_view> splitEntries(std::string_view text) {
  constexpr std::string_view opening = "([{<", closing = ")]}>";
  std::vector<std::string_view> entries;
  int depth = 0;
  char quote = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote) {
      quote = c == quote ? 0 : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == ',' && depth == 0) {
      entries.push_back(trim(text.substr(begin, i - begin)));
      begin = i + 1;
    } else {
      depth += (opening.find(c) != opening.npos) - (closing.find(c) != closing.npos);
    }
  }
  if (std::string_view last = trim(text.substr(begin)); !last.empty())
    entries.push_back(last);
  return entries;
}

} // namespace triton::dispatch
