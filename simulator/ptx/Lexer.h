// PTX text to tokens. Comments and white space are gone; every token knows its line.
#pragma once

#include <cstdint>
#include <string_view>

namespace triton::simulator::ptx {

struct Token {
  enum class Kind : uint8_t { End, Word, Number, String, Punctuation };
  Kind kind = Kind::End;
  std::string_view text;
  uint32_t line = 1;
  bool is(char c) const { return kind == Kind::Punctuation && text[0] == c; }
  bool is(std::string_view word) const { return kind == Kind::Word && text == word; }
};

/// Words take in dots and double colons: `ld.global.v4.b32`, `.reg`, `%tid.x` and `mbarrier::complete_tx::bytes` are one token each.
class Lexer {
public:
  explicit Lexer(std::string_view text) : rest(text) {}
  Token next();

private:
  void skipSpace();
  std::string_view rest;
  uint32_t line = 1;
};

} // namespace triton::simulator::ptx
