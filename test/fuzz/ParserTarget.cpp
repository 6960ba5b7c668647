// Whatever the text, parsing it ends, every range in the tree lies in the text and in that of its parent, and the tree and the messages can be printed.
#include "compiler/syntax/Dump.h"
#include "compiler/syntax/Encoding.h"
#include "compiler/syntax/Parser.h"
#include "compiler/syntax/Walk.h"
#include "test/fuzz/Fuzz.h"

using namespace triton::syntax;

namespace triton::fuzz {

static void checkRanges(const Node &node) {
  require(node.range.isValid() && node.range.begin <= node.range.end, "a range has a beginning and an end");
  require(node.range.end <= node.range.source->text().size(), "a range lies in the text");
  // Decorators stand before the range of what they decorate.
  bool isDecorated = llvm::isa<Function, ClassDef>(node);
  forEachChild(node, [&](const Node *child) {
    bool isInside = child->range.begin >= node.range.begin && child->range.end <= node.range.end;
    require(isInside || (isDecorated && child->range.end <= node.range.begin), "a child lies in its parent");
    checkRanges(*child);
  });
}

static bool parseAs(ParseMode mode, const std::string &text) {
  Diagnostics diagnostics;
  std::unique_ptr<Tree> tree = parse(Source::create("fuzz.py", text), diagnostics, mode);
  require(!render(diagnostics.all(), /*color=*/true).empty() == diagnostics.hasErrors(), "messages are errors");
  if (diagnostics.hasErrors())
    return false;
  const Node *root = tree->expression;
  if (!root)
    root = tree->module;
  checkRanges(*root);
  require(!dump(root, {.includeAttributes = true, .indent = 1}).empty(), "a tree can be printed");
  return true;
}

bool parseText(const std::string &bytes) {
  llvm::Expected<std::string> text = decodeSource(bytes);
  if (!text) {
    llvm::consumeError(text.takeError());
    return false;
  }
  constexpr size_t longestExpression = 200;
  return parseAs(ParseMode::Module, *text) ||
         (text->size() < longestExpression && parseAs(ParseMode::Expression, *text));
}

} // namespace triton::fuzz
