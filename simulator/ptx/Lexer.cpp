#include "simulator/ptx/Lexer.h"

#include <algorithm>

namespace triton::simulator::ptx {

static bool isDigit(char c) { return c >= '0' && c <= '9'; }
static bool isWordStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%' || c == '.';
}
static bool isWordPart(char c) { return isWordStart(c) || isDigit(c); }

void Lexer::skipSpace() {
  while (!rest.empty()) {
    if (rest[0] == '\n')
      ++line;
    if (rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r' || rest[0] == '\n') {
      rest.remove_prefix(1);
    } else if (rest.starts_with("//") || rest.starts_with("#")) { // the latter: lines of a preprocessor
      rest.remove_prefix(std::min(rest.find('\n'), rest.size()));
    } else if (rest.starts_with("/*")) {
      size_t end = rest.find("*/", 2);
      std::string_view comment = rest.substr(0, end == rest.npos ? rest.size() : end + 2);
      line += uint32_t(std::count(comment.begin(), comment.end(), '\n'));
      rest.remove_prefix(comment.size());
    } else {
      return;
    }
  }
}

Token Lexer::next() {
  skipSpace();
  Token token{.line = line};
  auto take = [&](Token::Kind kind, size_t count) {
    token.kind = kind;
    token.text = rest.substr(0, count);
    rest.remove_prefix(count);
    return token;
  };
  if (rest.empty())
    return token;
  if (isWordStart(rest[0]) && !(rest[0] == '.' && rest.size() > 1 && isDigit(rest[1]))) {
    size_t end = 1;
    while (end < rest.size()) {
      if (isWordPart(rest[end]))
        ++end;
      else if (rest.substr(end).starts_with("::") && end + 2 < rest.size() && isWordPart(rest[end + 2]))
        end += 2;
      else
        break;
    }
    return take(Token::Kind::Word, end);
  }
  if (isDigit(rest[0]) || rest[0] == '.') {
    size_t end = 1;
    while (end < rest.size() && (isDigit(rest[end]) || rest[end] == '.' || (rest[end] >= 'a' && rest[end] <= 'z') ||
                                 (rest[end] >= 'A' && rest[end] <= 'Z') ||
                                 ((rest[end] == '+' || rest[end] == '-') && (rest[end - 1] == 'e') && rest[0] != '0')))
      ++end;
    return take(Token::Kind::Number, end);
  }
  if (rest[0] == '"') {
    size_t end = 1;
    while (end < rest.size() && rest[end] != '"' && rest[end] != '\n')
      end += rest[end] == '\\' && end + 1 < rest.size() ? 2 : 1;
    Token string = take(Token::Kind::String, std::min(end + 1, rest.size()));
    string.text.remove_prefix(1);
    if (string.text.ends_with('"'))
      string.text.remove_suffix(1);
    return string;
  }
  return take(Token::Kind::Punctuation, 1);
}

} // namespace triton::simulator::ptx
