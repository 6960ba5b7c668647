// Texts with an instruction a line, PTX and LLVM IR: names, numbers, parts of opcodes and whole lines change places with their like.
#include "test/fuzz/Grammar.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>

namespace triton::fuzz {

static size_t below(Random &random, size_t bound) { return bound == 0 ? 0 : random() % bound; }
template <typename List> static auto &pick(const List &all, Random &random) {
  return all[below(random, std::size(all))];
}

namespace {

struct Token {
  size_t begin, end;
  llvm::StringRef of(llvm::StringRef text) const { return text.slice(begin, end); }
};

enum class Kind { Name, Number, Word };

} // namespace

static bool isPartOfToken(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$' || c == '%' || c == '@';
}

static std::vector<Token> findTokens(llvm::StringRef text) {
  std::vector<Token> tokens;
  for (size_t at = 0; at < text.size(); ++at) {
    const size_t begin = at;
    while (at < text.size() && isPartOfToken(text[at]))
      ++at;
    if (at > begin)
      tokens.push_back({begin, at});
  }
  return tokens;
}

static Kind kindOf(llvm::StringRef token) {
  if (token.size() > 1 && (token[0] == '%' || token[0] == '@' || token[0] == '$'))
    return Kind::Name;
  return llvm::isDigit(token[0]) ? Kind::Number : Kind::Word;
}

/// Names that differ by their numbers alone are of one kind: registers of PTX.
static llvm::StringRef familyOf(llvm::StringRef name) { return name.rtrim("0123456789"); }

static std::string replace(llvm::StringRef text, Token token, llvm::StringRef by) {
  return (text.take_front(token.begin) + by + text.drop_front(token.end)).str();
}

static constexpr llvm::StringLiteral numbers[] = {"0",
                                                  "1",
                                                  "-1",
                                                  "2",
                                                  "3",
                                                  "7",
                                                  "8",
                                                  "15",
                                                  "16",
                                                  "31",
                                                  "32",
                                                  "33",
                                                  "63",
                                                  "64",
                                                  "128",
                                                  "255",
                                                  "1024",
                                                  "65536",
                                                  "1048576",
                                                  "16777215",
                                                  "16777216",
                                                  "2147483647",
                                                  "2147483648",
                                                  "4294967295",
                                                  "4294967296",
                                                  "1099511627776",
                                                  "9223372036854775807",
                                                  "9223372036854775808",
                                                  "18446744073709551615",
                                                  "18446744073709551616",
                                                  "0f3F800000",
                                                  "0x",
                                                  "1e400",
                                                  "true",
                                                  "null",
                                                  "poison"};

namespace {
class AssemblyGrammar : public Grammar {
public:
  AssemblyGrammar(llvm::ArrayRef<std::string> corpus, Assembly kind);
  std::string withSettings(const std::string &text, Random &random) const override;
  std::string change(const std::string &text, Random &random) const override;

private:
  std::string changeToken(llvm::StringRef text, Random &random) const;
  std::string changeWord(llvm::StringRef text, Token token, Random &random) const;
  std::string changeName(llvm::StringRef text, llvm::ArrayRef<Token> tokens, Token token, Random &random) const;
  std::string changeLines(llvm::StringRef text, Random &random) const;
  std::string transplanted(llvm::StringRef text, Random &random) const;
  std::string nest(llvm::StringRef text, Random &random) const;

  Assembly kind;
  std::vector<std::string> lines, words, parts;
};
} // namespace

AssemblyGrammar::AssemblyGrammar(llvm::ArrayRef<std::string> corpus, Assembly kind) : kind(kind) {
  std::set<std::string> allLines, allWords, allParts;
  for (llvm::StringRef text : corpus) {
    for (llvm::StringRef line : llvm::split(text, '\n'))
      allLines.insert(line.str());
    for (Token token : findTokens(text))
      if (llvm::StringRef word = token.of(text); kindOf(word) == Kind::Word) {
        allWords.insert(word.str());
        if (word.contains('.'))
          for (llvm::StringRef part : llvm::split(word, '.'))
            allParts.insert(part.str());
      }
  }
  lines.assign(allLines.begin(), allLines.end());
  words.assign(allWords.begin(), allWords.end());
  parts.assign(allParts.begin(), allParts.end());
}

std::string AssemblyGrammar::withSettings(const std::string &text, Random &random) const {
  if (!settingsOf(text).empty())
    return text;
  if (kind == Assembly::Ptx) {
    static constexpr llvm::StringLiteral settings[] = {"threads=32", "threads=128", "threads=1; watch=1",
                                                       "threads=128; watch=1; seed=7", "threads=64; cluster=2"};
    return "// run: " + pick(settings, random).str() + "\n" + text;
  }
  static constexpr llvm::StringLiteral settings[] = {"arch=gfx942", "arch=gfx950; watch=1", "arch=gfx1200; watch=1",
                                                     "arch=gfx1250; seed=7"};
  return "; run: " + pick(settings, random).str() + "\n" + text;
}

std::string AssemblyGrammar::changeWord(llvm::StringRef text, Token token, Random &random) const {
  const llvm::StringRef word = token.of(text);
  if (!word.contains('.') || parts.empty() || below(random, 4) == 0)
    return replace(text, token, pick(words, random));
  llvm::SmallVector<llvm::StringRef> of;
  word.split(of, '.');
  const size_t at = below(random, of.size());
  switch (below(random, 6)) {
  case 0:
    of.erase(of.begin() + ptrdiff_t(at));
    break;
  case 1:
    of.insert(of.begin() + ptrdiff_t(at), pick(parts, random));
    break;
  default:
    of[at] = pick(parts, random);
  }
  return replace(text, token, llvm::join(of, "."));
}

std::string AssemblyGrammar::changeName(llvm::StringRef text, llvm::ArrayRef<Token> tokens, Token token,
                                        Random &random) const {
  std::vector<llvm::StringRef> others;
  const bool anyFamily = below(random, 6) == 0;
  for (Token other : tokens)
    if (llvm::StringRef name = other.of(text);
        kindOf(name) == Kind::Name && (anyFamily || familyOf(name) == familyOf(token.of(text))))
      others.push_back(name);
  return replace(text, token, pick(others, random));
}

std::string AssemblyGrammar::changeToken(llvm::StringRef text, Random &random) const {
  const std::vector<Token> tokens = findTokens(text);
  if (tokens.empty())
    return text.str();
  const Token token = pick(tokens, random);
  switch (kindOf(token.of(text))) {
  case Kind::Name:
    return changeName(text, tokens, token, random);
  case Kind::Number:
    return replace(text, token, pick(numbers, random));
  case Kind::Word:
    return changeWord(text, token, random);
  }
  return text.str();
}

/// A line of another text, on names of this one as far as it has their like.
std::string AssemblyGrammar::transplanted(llvm::StringRef text, Random &random) const {
  std::map<llvm::StringRef, std::vector<llvm::StringRef>> known;
  for (Token token : findTokens(text))
    if (llvm::StringRef name = token.of(text); kindOf(name) == Kind::Name)
      known[familyOf(name)].push_back(name);
  std::string line = pick(lines, random);
  const std::vector<Token> tokens = findTokens(line);
  for (Token token : llvm::reverse(tokens)) {
    const llvm::StringRef name = token.of(line);
    if (kindOf(name) != Kind::Name)
      continue;
    if (auto like = known.find(familyOf(name)); like != known.end())
      line = replace(line, token, pick(like->second, random));
  }
  return line;
}

std::string AssemblyGrammar::changeLines(llvm::StringRef text, Random &random) const {
  llvm::SmallVector<llvm::StringRef> all;
  text.split(all, '\n');
  const size_t at = 1 + below(random, all.size() - 1); // the first line is the settings'
  if (at >= all.size())
    return text.str();
  const std::string other = transplanted(text, random);
  switch (below(random, 8)) {
  case 0:
    all.erase(all.begin() + ptrdiff_t(at));
    break;
  case 1:
    all.insert(all.begin() + ptrdiff_t(at), llvm::StringRef(all[at]));
    break;
  case 2:
    std::swap(all[at], all[1 + below(random, all.size() - 1)]);
    break;
  default:
    all.insert(all.begin() + ptrdiff_t(at), other);
  }
  return llvm::join(all, "\n");
}

std::string AssemblyGrammar::nest(llvm::StringRef text, Random &random) const {
  const std::vector<Token> tokens = findTokens(text);
  if (tokens.empty())
    return text.str();
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> brackets[] = {
      {"(", ")"}, {"[", "]"}, {"{", "}"}, {"!", ""}, {"<", ">"}, {"[2 x ", "]"}, {"{ ", " }"}};
  const auto &[open, close] = pick(brackets, random);
  const size_t depth = 1 + below(random, below(random, 3) ? 300 : 100000);
  const Token token = pick(tokens, random);
  std::string piece;
  for (size_t i = 0; i < depth; ++i)
    piece += open;
  piece += token.of(text);
  for (size_t i = 0; i < depth; ++i)
    piece += close;
  return replace(text, token, piece);
}

std::string AssemblyGrammar::change(const std::string &text, Random &random) const {
  const size_t way = below(random, 100);
  return way < 65 ? changeToken(text, random) : way < 98 ? changeLines(text, random) : nest(text, random);
}

std::unique_ptr<Grammar> createAssemblyGrammar(llvm::ArrayRef<std::string> corpus, Assembly kind) {
  return std::make_unique<AssemblyGrammar>(corpus, kind);
}

} // namespace triton::fuzz
