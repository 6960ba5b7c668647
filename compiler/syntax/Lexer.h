// Source text -> tokens, in the way of CPython's tokenizer.
//   In:  UTF-8 text.
//   Out: tokens with their places: lines and blocks as Newline, Indent and Dedent; f-strings and t-strings in pieces,
//   with the
//        tokens of their replacement fields between them. Comments, blank lines and joined lines leave no token.
// What is not a token is reported and becomes an Error token, which the parser passes over without a second message.
#pragma once

#include "compiler/support/Diagnostic.h"

#include <vector>

namespace triton::syntax {

enum class TokenKind : uint8_t {
#define TRITON_TOKEN(Kind, Description) Kind,
#include "compiler/syntax/Tokens.def"
};

struct Token {
  TokenKind kind;
  uint32_t begin;
  uint32_t end;
};

/// How messages name a token: `'('`, `'if'`, `end of line`.
llvm::StringRef describe(TokenKind kind);

/// True for `if`, `def`, `None`, ...; the soft keywords (`match`, `case`, `type`, `_`) are names.
bool isKeyword(TokenKind kind);

/// All tokens of the text; the last is EndOfFile, with what it needs of Newline and Dedent before it.
std::vector<Token> tokenize(const Source &source, std::vector<Diagnostic> &errors);

} // namespace triton::syntax
