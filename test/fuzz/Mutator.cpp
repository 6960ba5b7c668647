#include "test/fuzz/Mutator.h"

#include "test/fuzz/Grammar.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <set>

namespace triton::fuzz {

/// Words, numbers, runs of blanks, and single characters for the rest: together the text again.
static std::vector<std::string> split(llvm::StringRef text) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; };
  auto isBlank = [](char c) { return c == ' ' || c == '\t'; };
  std::vector<std::string> tokens;
  while (!text.empty()) {
    size_t length = text.take_while(isWord).size();
    if (length == 0)
      length = text.take_while(isBlank).size();
    length = std::max<size_t>(length, 1);
    tokens.push_back(text.take_front(length).str());
    text = text.drop_front(length);
  }
  return tokens;
}

// What tends to lie on an edge: sizes, widths, nesting, encodings.
static const char *const awkward[] = {
    "0",
    "1",
    "-1",
    "3",
    "1048577",
    "2147483648",
    "9223372036854775808",
    "18446744073709551616",
    "1e400",
    "0x",
    "1_",
    "1j",
    "nan",
    "None",
    "True",
    "...",
    "()",
    "[]",
    "{}",
    "((((((((",
    "))))",
    "[[[[",
    "lambda: 0",
    "yield",
    "await",
    "async",
    "global",
    "nonlocal",
    "del",
    "return",
    "break",
    "continue",
    "pass",
    "raise",
    "try:",
    "with",
    "import",
    "class",
    "def f():",
    "while True:",
    "for i in range(2):",
    "if x:",
    "else:",
    "f'{",
    "'''",
    "\"",
    "\\",
    "\n",
    "\n    ",
    "\t",
    "\r",
    "#",
    "@",
    ":=",
    "->",
    "**",
    "//",
    "<<",
    ">>",
    "!=",
    "~",
    ";",
    "\xff\xfe",
    "\xc3\xa9",
    "\xf0\x9f\x98\x80",
    "tl.float32",
    "tl.constexpr",
    "tl.zeros((4,), tl.int8)",
    "tl.arange(0, 16)",
    "tensor<0xf32>",
    "tensor<3xf32>",
    "tensor<*xf32>",
    "tensor<?xi8>",
    "!tt.ptr<f32>",
    "i1",
    "i128",
    "index",
    "f80",
    "%0",
    "^bb0",
    "loc(unknown)",
    "dense<0>",
    "#map",
    "scf.yield",
    "tt.return",
    "affine_map<(d0) -> (d0)>",
};

/// Numbers, names, the rest.
static unsigned kindOf(llvm::StringRef token) {
  return llvm::isDigit(token.front()) ? 0 : llvm::isAlpha(token.front()) ? 1 : 2;
}

Mutator::Mutator(std::vector<std::string> given, uint64_t seed, const Grammar *grammar)
    : texts(std::move(given)), seed(seed), grammar(grammar) {
  std::set<std::string> seen(std::begin(awkward), std::end(awkward));
  for (const std::string &text : texts) {
    corpus.push_back(split(text));
    seen.insert(corpus.back().begin(), corpus.back().end());
  }
  vocabulary.assign(seen.begin(), seen.end());
  byKind.resize(3);
  for (const std::string &token : vocabulary)
    byKind[kindOf(token)].push_back(token);
}

static size_t below(std::mt19937_64 &random, size_t bound) { return bound == 0 ? 0 : random() % bound; }

void Mutator::replaceByItsLike(Tokens &tokens, Random &random) const {
  std::string &token = tokens[below(random, tokens.size())];
  const unsigned kind = kindOf(token);
  if (kind == 2 && below(random, 4) != 0)
    return replaceByItsLike(tokens, random); // most tokens are blanks and brackets, which matter least
  // A name of the same text is more likely to mean something there than one from elsewhere.
  const std::string &near = tokens[below(random, tokens.size())];
  const Tokens &others = byKind[kind];
  token = kindOf(near) == kind ? near : others[below(random, others.size())];
}

/// Deletes, repeats or moves a line.
static void changeLine(std::vector<std::string> &tokens, std::mt19937_64 &random) {
  std::vector<std::vector<std::string>> lines(1);
  for (std::string &token : tokens) {
    lines.back().push_back(token);
    if (token == "\n")
      lines.emplace_back();
  }
  const size_t at = below(random, lines.size());
  const auto line = lines[at];
  const size_t what = below(random, 3);
  if (what != 1)
    lines.erase(lines.begin() + at);
  if (what != 0)
    lines.insert(lines.begin() + below(random, lines.size() + 1), line);
  tokens.clear();
  for (auto &each : lines)
    tokens.insert(tokens.end(), each.begin(), each.end());
}

void Mutator::mutate(Tokens &tokens, Random &random) const {
  if (llvm::all_of(tokens, [](const std::string &token) { return kindOf(token) == 2; }))
    tokens.push_back("x");
  const size_t way = below(random, 10);
  if (way < 5)
    return replaceByItsLike(tokens, random);
  if (way < 6)
    return changeLine(tokens, random);
  const size_t at = below(random, tokens.size());
  const size_t length = std::min(tokens.size() - at, 1 + below(random, below(random, 3) == 0 ? 40 : 4));
  const auto begin = tokens.begin() + at, end = begin + length;
  switch (below(random, 9)) {
  case 0:
    tokens.erase(begin, end);
    break;
  case 1: {
    const Tokens piece(begin, end);
    tokens.insert(tokens.begin() + below(random, tokens.size()), piece.begin(), piece.end());
    break;
  }
  case 2:
    std::swap(*begin, tokens[below(random, tokens.size())]);
    break;
  case 3:
  case 4:
    *begin = vocabulary[below(random, vocabulary.size())];
    break;
  case 5:
    tokens.insert(begin, vocabulary[below(random, vocabulary.size())]);
    break;
  case 6: { // a stretch of another text
    const Tokens &other = corpus[below(random, corpus.size())];
    const size_t from = below(random, other.size());
    const size_t count = std::min(other.size() - from, 1 + below(random, 60));
    tokens.insert(begin, other.begin() + from, other.begin() + from + count);
    break;
  }
  case 7: { // one character
    std::string &token = *begin;
    token.insert(below(random, token.size() + 1), 1, static_cast<char>(below(random, 256)));
    break;
  }
  case 8: // nesting, and whatever else can be repeated
    if (below(random, 8) == 0) {
      const char *const brackets[] = {"(", "[", "{", "-", "not ", "    "};
      const std::string piece = below(random, 2) == 0 ? vocabulary[below(random, vocabulary.size())]
                                                      : brackets[below(random, std::size(brackets))];
      tokens.insert(begin, 1 + below(random, 3000), piece);
    } else {
      *begin = awkward[below(random, std::size(awkward))];
    }
    break;
  }
}

std::string Mutator::changeTokens(const std::string &text, Random &random) const {
  Tokens tokens = split(text);
  for (size_t left = 1 + below(random, below(random, 4) == 0 ? 16 : 2); left > 0; --left)
    mutate(tokens, random);
  return llvm::join(tokens, "");
}

std::string Mutator::make(uint64_t number) const {
  Random random(seed * 0x9e3779b97f4a7c15u + number);
  std::string text = texts[below(random, texts.size())];
  if (!grammar)
    return changeTokens(text, random);
  text = grammar->withSettings(text, random);
  // Mostly what a reader accepts: a text it refuses tells about the reader alone.
  for (size_t left = 1 + below(random, below(random, 4) == 0 ? 6 : 2); left > 0; --left)
    text = grammar->change(text, random);
  return below(random, 16) == 0 ? changeTokens(text, random) : text;
}

} // namespace triton::fuzz
