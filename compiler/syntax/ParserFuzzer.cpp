// The entry point of libFuzzer, and of the test that feeds it mutated programs: whatever the text, parsing it ends,
// every range in the tree lies in the text and in that of its parent, and the tree and the messages can be printed.
#include "compiler/syntax/Dump.h"
#include "compiler/syntax/Encoding.h"
#include "compiler/syntax/Parser.h"
#include "compiler/syntax/Walk.h"

#include <cstdio>
#include <cstdlib>

using namespace triton;
using namespace triton::syntax;

static void require(bool condition, const char *promise) {
  if (condition)
    return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

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

static void checkParse(const std::string &text, ParseMode mode) {
  Diagnostics diagnostics;
  std::unique_ptr<Tree> tree = parse(Source::create("fuzz.py", text), diagnostics, mode);
  require(!render(diagnostics.all(), /*color=*/false).empty() == diagnostics.hasErrors(), "messages are errors");
  if (diagnostics.hasErrors())
    return;
  const Node *root = tree->expression;
  if (!root)
    root = tree->module;
  checkRanges(*root);
  require(!dump(root, {.includeAttributes = true, .indent = 1}).empty(), "a tree can be printed");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  llvm::Expected<std::string> text = decodeSource(bytes);
  if (!text) {
    llvm::consumeError(text.takeError());
    return 0;
  }
  checkParse(*text, ParseMode::Module);
  if (size < 200)
    checkParse(*text, ParseMode::Expression);
  return 0;
}
