#include "compiler/support/IrText.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace triton;
using llvm::StringRef;

/// The text with blanks in place of strings and comments, byte for byte.
static std::string codeOf(StringRef text, IrSyntax syntax) {
  const bool isMlir = syntax == IrSyntax::Mlir;
  std::string code = text.str();
  for (size_t at = 0; at < code.size(); ++at) {
    const size_t begin = at;
    if (code[at] == '"') {
      // MLIR's strings end with their line and escape quotes; LLVM's do neither.
      for (++at; at < code.size() && code[at] != '"' && !(isMlir && code[at] == '\n'); ++at)
        at += isMlir && code[at] == '\\';
    } else if (isMlir ? text.substr(at).starts_with("//") : code[at] == ';') {
      at = std::min(text.find('\n', at), code.size());
    } else {
      continue;
    }
    for (size_t blank = begin; blank < std::min(at + 1, code.size()); ++blank)
      if (code[blank] != '\n')
        code[blank] = ' ';
  }
  return code;
}

static bool isNameCharacter(char c) { return llvm::isAlnum(c) || StringRef("$._-").contains(c); }

namespace {

/// Counts open brackets, and through aliases: `!a = tuple<f32>` then `!b = tuple<!a>` is as deep as `tuple<tuple<f32>>`.
class Nesting {
public:
  explicit Nesting(StringRef code) : code(code) {}

  /// Where the text first is deeper than a reader may go; npos if nowhere.
  size_t findTooDeep() {
    for (size_t at = 0; at < code.size(); ++at) {
      const char c = code[at];
      if (const size_t kind = StringRef("([{<").find(c); kind != StringRef::npos)
        open.push_back(")]}>"[kind]);
      else if (!open.empty() && c == open.back() && !isArrow(at))
        open.pop_back();
      else if (c == '#' || c == '!')
        readAlias(at);
      else if (c == '\n' && open.empty() && !defined.empty() && !isEmpty)
        finishDefinition();
      deepest = std::max<unsigned>(deepest, open.size());
      isEmpty &= llvm::isSpace(c) || c == '=';
      if (deepest > maxIrNesting)
        return at;
    }
    return StringRef::npos;
  }

private:
  bool isArrow(size_t at) const { return at > 0 && code[at] == '>' && code[at - 1] == '-'; }

  /// A definition begins, or what the alias stands for counts here. `at` moves to the name's last character.
  void readAlias(size_t &at) {
    StringRef name = code.substr(at).take_front(1 + code.substr(at + 1).take_while(isNameCharacter).size());
    StringRef after = code.substr(at + name.size()).ltrim(" \t");
    if (open.empty() && after.starts_with("=")) {
      finishDefinition();
      defined = name;
      deepest = 0;
      isEmpty = true;
      at += name.size() - 1 + (after.begin() - code.substr(at + name.size()).begin()) + 1;
      return;
    }
    deepest = std::max<unsigned>(deepest, open.size() + aliases.lookup(name));
    isEmpty = false;
    at += name.size() - 1;
  }

  void finishDefinition() {
    if (!defined.empty())
      aliases[defined] = deepest;
    defined = {};
    deepest = 0;
  }

  StringRef code;
  llvm::SmallVector<char> open; // what closes each
  unsigned deepest = 0;         // of the definition at hand, or of all since the last one
  StringRef defined;            // the alias whose definition is being read
  bool isEmpty = true;          // nothing of it was read yet
  llvm::StringMap<unsigned> aliases;
};

} // namespace

/// MLIR's reader asks an array's element type for its width, which `index` has not, and crashes.
static SourceRange findIndexArray(const Source &source, StringRef code) {
  for (size_t at = code.find("array"); at != StringRef::npos; at = code.find("array", at + 1)) {
    StringRef rest = code.substr(at + 5).ltrim();
    if (rest.consume_front("<") && rest.ltrim().starts_with("index"))
      return {&source, static_cast<uint32_t>(at), static_cast<uint32_t>(at + 5)};
  }
  return {};
}

/// MLIR's reader makes room for as many results as `%x#N` names, before it finds that there are fewer: no op has this many.
static SourceRange findAbsurdResultNumber(const Source &source, StringRef code) {
  constexpr uint64_t most = 65535;
  for (size_t at = code.find('#'); at != StringRef::npos; at = code.find('#', at + 1)) {
    StringRef digits = code.substr(at + 1).take_while(llvm::isDigit);
    size_t name = at;
    while (name > 0 && isNameCharacter(code[name - 1]))
      --name;
    const bool isResult = name > 0 && code[name - 1] == '%';
    uint64_t number = 0;
    if (isResult && !digits.empty() && (digits.getAsInteger(10, number) || number > most))
      return {&source, static_cast<uint32_t>(at + 1), static_cast<uint32_t>(at + 1 + digits.size())};
  }
  return {};
}

/// Sums and signs in affine maps and sets nest without brackets.
static SourceRange findDeepAffine(const Source &source, StringRef code) {
  for (size_t at = code.find("affine_"); at != StringRef::npos; at = code.find("affine_", at + 1)) {
    unsigned steps = 0;
    for (size_t next = at + 1; next < code.size() && steps <= maxIrNesting; ++next) {
      StringRef rest = code.substr(next);
      if (rest.starts_with("->") || rest.starts_with(">="))
        ++next;
      else if (rest.front() == '>')
        break;
      else if (StringRef("+-*").contains(rest.front()) || rest.starts_with("mod") || rest.starts_with("div"))
        ++steps;
    }
    if (steps > maxIrNesting)
      return {&source, static_cast<uint32_t>(at), static_cast<uint32_t>(at + 7)};
  }
  return {};
}

bool triton::isReadable(const Source &source, IrSyntax syntax, Diagnostics &diagnostics) {
  const std::string code = codeOf(source.text(), syntax);
  auto refuse = [&](SourceRange range, std::string message) {
    diagnostics.report({.range = range, .message = std::move(message)});
    return false;
  };
  if (size_t at = Nesting(code).findTooDeep(); at != StringRef::npos)
    return refuse({&source, static_cast<uint32_t>(at), static_cast<uint32_t>(at + 1)},
                  "brackets are nested more than " + std::to_string(maxIrNesting) + " deep");
  if (syntax != IrSyntax::Mlir)
    return true;
  if (SourceRange range = findIndexArray(source, code); range.isValid())
    return refuse(range, "the elements of an array attribute are integers or floats, not index");
  if (SourceRange range = findAbsurdResultNumber(source, code); range.isValid())
    return refuse(range, "result number " + range.text().str() + " is larger than any op has results");
  if (SourceRange range = findDeepAffine(source, code); range.isValid())
    return refuse(range, "an affine expression has more than " + std::to_string(maxIrNesting) + " operations");
  return true;
}
