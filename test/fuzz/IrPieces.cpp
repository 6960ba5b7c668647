#include "test/fuzz/IrPieces.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

namespace triton::fuzz {

using llvm::StringRef;

static bool isWord(char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$'; }

/// Behind the bracket that closes the one at `open`; behind that one where none near does: some texts are all brackets.
static size_t behindBrackets(StringRef text, size_t open) {
  constexpr size_t near = 2000;
  int depth = 0;
  for (size_t at = open; at < std::min(text.size(), open + near); ++at) {
    if (StringRef("(<[{").contains(text[at]))
      ++depth;
    else if (StringRef(")>]}").contains(text[at]) && !(text[at] == '>' && text[at - 1] == '-') && --depth == 0)
      return at + 1;
  }
  return open + 1;
}

static bool isScalarType(StringRef word) {
  if (word == "index" || word == "none" || word == "bf16" || word == "tf32" || word.starts_with("f8E"))
    return true;
  word.consume_front("s") || word.consume_front("u");
  return (word.consume_front("i") || word.consume_front("f")) && !word.empty() && llvm::all_of(word, llvm::isDigit);
}

std::vector<Span> findTypes(StringRef text) {
  static constexpr llvm::StringLiteral heads[] = {"tensor", "vector", "memref", "tuple", "complex"};
  std::vector<Span> found;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '!') {
      size_t end = at + 1 + text.substr(at + 1).take_while(isWord).size();
      if (end < text.size() && text[end] == '<')
        end = behindBrackets(text, end);
      found.push_back({at, end});
      ++at;
      continue;
    }
    if (!isWord(c)) {
      at += c == '%' || c == '@' || c == '#' ? 1 + text.substr(at + 1).take_while(isWord).size() : 1;
      continue;
    }
    StringRef word = text.substr(at).take_while(isWord);
    // The element behind the sizes of `tensor<128x64xf16>`.
    StringRef element = word.rsplit('x').second;
    if (llvm::isDigit(c) && isScalarType(element))
      found.push_back({at + word.size() - element.size(), at + word.size()});
    else if (llvm::is_contained(heads, word) && text.substr(at + word.size()).starts_with("<"))
      found.push_back({at, behindBrackets(text, at + word.size())});
    else if (isScalarType(word))
      found.push_back({at, at + word.size()});
    at += word.size();
  }
  return found;
}

std::vector<Span> findNumbers(StringRef text) {
  std::vector<Span> found;
  for (size_t at = 0; at < text.size(); ++at) {
    if (!llvm::isDigit(text[at]))
      continue;
    const size_t end = at + text.substr(at).take_while(llvm::isDigit).size();
    const char before = at == 0 ? ' ' : text[at - 1];
    const bool isSize = before == 'x' && at > 1 && llvm::isDigit(text[at - 2]);
    if (isSize || !(isWord(before) || before == '%' || before == '#' || before == '@' || before == '^'))
      found.push_back({at - (before == '-'), end});
    at = end - 1;
  }
  return found;
}

static std::vector<Span> findLines(StringRef text) {
  std::vector<Span> lines;
  for (size_t at = 0; at < text.size(); at = lines.back().end + 1)
    lines.push_back({at, std::min(text.find('\n', at), text.size())});
  return lines;
}

std::vector<Span> findOps(StringRef text) {
  std::vector<Span> found;
  for (const Span &line : findLines(text)) {
    size_t at = line.begin;
    if (size_t equals = line.of(text).find(" = "); line.of(text).ltrim().starts_with("%") && equals != StringRef::npos)
      at += equals + 3;
    at += text.slice(at, line.end).take_while([](char c) { return c == ' ' || c == '"'; }).size();
    StringRef word = text.slice(at, line.end).take_while(isWord);
    if (word.contains('.') && llvm::isAlpha(word.front()))
      found.push_back({at, at + word.size()});
  }
  return found;
}

std::vector<Span> findValues(StringRef text) {
  std::vector<Span> found;
  for (size_t at = text.find('%'); at != StringRef::npos; at = text.find('%', at + 1)) {
    auto isName = [](char c) { return isWord(c) || c == '-' || c == '#'; };
    if (size_t length = text.substr(at + 1).take_while(isName).size())
      found.push_back({at, at + 1 + length});
  }
  return found;
}

std::vector<Attribute> findAttributes(StringRef text) {
  std::vector<Attribute> found;
  for (size_t at = text.find(" = "); at != StringRef::npos; at = text.find(" = ", at + 3)) {
    size_t name = at;
    while (name > 0 && (isWord(text[name - 1]) || text[name - 1] == '-' || text[name - 1] == '"'))
      --name;
    if (name == at || (name > 0 && StringRef("%#!").contains(text[name - 1])))
      continue;
    size_t end = at + 3;
    while (end < text.size() && !StringRef(",})]>\n").contains(text[end]))
      end = StringRef("[{(<").contains(text[end]) ? behindBrackets(text, end) : end + 1;
    found.push_back({{name, at}, {at + 3, end}});
  }
  return found;
}

std::vector<Span> findOpLines(StringRef text) {
  std::vector<Span> found;
  for (const Span &op : findOps(text)) {
    const size_t before = text.take_front(op.begin).rfind('\n');
    const Span line{before == StringRef::npos ? 0 : before + 1, std::min(text.find('\n', op.begin), text.size())};
    const StringRef content = line.of(text);
    if (content.count('{') == content.count('}') && content.count('(') == content.count(')') &&
        !content.contains("func"))
      found.push_back(line);
  }
  return found;
}

std::string valueOfTypeIn(StringRef text, StringRef line, llvm::ArrayRef<Span> values, uint64_t random) {
  const std::vector<Span> types = findTypes(line);
  Span value = values[random % values.size()];
  for (int tries = 0; tries < 6 && !types.empty(); ++tries) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    value = values[(random >> 20) % values.size()];
    const StringRef rest = text.substr(value.end).take_until([](char c) { return c == '\n'; });
    if (rest.contains(types[(random >> 8) % types.size()].of(line)))
      break;
  }
  return value.of(text).str();
}

template <typename T> static std::vector<T> once(std::vector<T> all) {
  std::set<T> seen(all.begin(), all.end());
  return {seen.begin(), seen.end()};
}

IrPieces::IrPieces(llvm::ArrayRef<std::string> corpus) {
  for (const std::string &text : corpus) {
    for (const Span &span : findTypes(text))
      types.push_back(span.of(text).str());
    for (const Span &span : findOps(text))
      ops.push_back(span.of(text).str());
    for (const Span &span : findOpLines(text))
      lines.push_back(span.of(text).str());
    for (const Attribute &attribute : findAttributes(text))
      attributes.emplace_back(attribute.name.of(text).str(), attribute.value.of(text).str());
  }
  types = once(std::move(types));
  ops = once(std::move(ops));
  lines = once(std::move(lines));
  attributes = once(std::move(attributes));
}

} // namespace triton::fuzz
