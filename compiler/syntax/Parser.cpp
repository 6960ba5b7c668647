// The entry point, and what all rules share: taking tokens, making names, reporting errors.
#include "compiler/syntax/Parser.h"

#include "compiler/support/DeepStack.h"
#include "compiler/syntax/GrammarParser.h"
#include "compiler/syntax/Identifiers.h"
#include "compiler/syntax/Walk.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace triton;
using namespace triton::syntax;
using llvm::StringRef;
using llvm::Twine;

// Enough for what people write, little enough for the stacks of those who walk the tree.
constexpr unsigned maxDepth = 1000;
// What the parser needs for that, wherever it runs.
constexpr size_t stackBytes = 6 << 20;

// More are of no use, and text that is no program at all can have one in every byte.
constexpr size_t maxErrors = 100;

/// A chain such as `a + b + c + ...` is parsed by a loop, yet makes a tree as deep as it is long.
static const Node *findTooDeep(const Node *node, unsigned depth) {
  if (depth > maxDepth)
    return node;
  const Node *found = nullptr;
  forEachChild(*node, [&](const Node *child) {
    if (!found)
      found = findTooDeep(child, depth + 1);
  });
  return found;
}

static std::unique_ptr<Tree> parseHere(std::shared_ptr<const Source> source, Diagnostics &diagnostics, ParseMode mode) {
  auto tree = std::make_unique<Tree>(std::move(source));
  std::vector<Diagnostic> errors;
  std::vector<Token> tokens = tokenize(*tree->source, errors);
  GrammarParser parser(*tree, tokens, errors);
  const Node *root;
  if (mode == ParseMode::Module)
    root = tree->module = parser.parseModule();
  else
    root = tree->expression = parser.parseExpressionOnly();

  if (const Node *deep = findTooDeep(root, 0)) {
    errors.push_back({.range = deep->range, .message = "nested too deeply", .exception = "SyntaxError"});
    if (tree->module)
      tree->module->body = {};
    else
      tree->expression->body = tree->make<Name>(0, 0);
  }
  // The lexer saw the whole text first; readers want the order of the text.
  std::vector<std::pair<uint32_t, size_t>> order;
  for (auto [number, error] : llvm::enumerate(errors))
    order.emplace_back(error.range.begin, number);
  llvm::sort(order);
  for (auto [begin, number] : llvm::ArrayRef(order).take_front(maxErrors))
    diagnostics.report(std::move(errors[number]));
  if (order.size() > maxErrors)
    diagnostics.report({.severity = Severity::Note,
                        .message = llvm::utostr(order.size() - maxErrors) + " more syntax errors are not shown"});
  return tree;
}

std::unique_ptr<Tree> syntax::parse(std::shared_ptr<const Source> source, Diagnostics &diagnostics, ParseMode mode) {
  std::unique_ptr<Tree> tree;
  if (llvm::Error error = runOnDeepStack(stackBytes, [&] { tree = parseHere(source, diagnostics, mode); })) {
    diagnostics.report({.message = llvm::toString(std::move(error)), .exception = "MemoryError"});
    tree = std::make_unique<Tree>(std::move(source));
    if (mode == ParseMode::Module) {
      tree->module = tree->make<Module>(0, 0);
    } else {
      tree->expression = tree->make<Expression>(0, 0);
      tree->expression->body = tree->make<Name>(0, 0);
    }
  }
  return tree;
}

GrammarParser::Level::Level(GrammarParser &parser) : parser(parser) {
  if (++parser.depth > maxDepth)
    parser.fail("nested too deeply");
}

void GrammarParser::moveTo(size_t tokenIndex) {
  index = tokenIndex;
  current = tokens[index];
  stopped = false;
}

void GrammarParser::advance() {
  if (stopped || index + 1 >= tokens.size())
    return;
  switch (current.kind) {
  case TokenKind::Newline:
  case TokenKind::Indent:
  case TokenKind::Dedent: // nodes end with the text they are made of
    break;
  default:
    previousEnd = current.end;
  }
  current = tokens[++index];
}

bool GrammarParser::take(TokenKind kind) {
  if (!at(kind))
    return false;
  advance();
  return true;
}

bool GrammarParser::expect(TokenKind kind, const Twine &message) {
  if (take(kind))
    return true;
  fail(message);
  return false;
}

StringRef GrammarParser::identifierText(Token token) {
  StringRef name = spelling(token);
  if (llvm::isASCII(name))
    return name;
  std::string normalized = normalizeIdentifier(name);
  return normalized == name ? name : tree.copy(StringRef(normalized));
}

StringRef GrammarParser::parseIdentifier(const Twine &message) {
  if (!at(TokenKind::Name)) {
    if (isKeyword(kind()))
      fail(message + ", but " + describe(kind()) + " is a keyword");
    else
      fail(message);
    return "";
  }
  StringRef name = identifierText(current);
  advance();
  return name;
}

void GrammarParser::report(SourceRange range, const Twine &message, std::string hint) {
  if (isTrial)
    return fail(range, message);
  errors.push_back({.range = range, .message = message.str(), .exception = "SyntaxError", .hint = std::move(hint)});
}

void GrammarParser::fail(SourceRange range, const Twine &message, std::string hint) {
  if (stopped)
    return;
  // Where the lexer already found something wrong with this line, a second message would be about its consequences.
  size_t ahead = index;
  while (!llvm::is_contained({TokenKind::Error, TokenKind::Newline, TokenKind::EndOfFile}, tokens[ahead].kind))
    ++ahead;
  if (tokens[ahead].kind != TokenKind::Error && !isTrial)
    errors.push_back({.range = range, .message = message.str(), .exception = "SyntaxError", .hint = std::move(hint)});
  stopped = true;
  current.kind = TokenKind::Error;
}

Expr *GrammarParser::failedExpression(const Twine &message, std::string hint) {
  fail(message, std::move(hint));
  return tree.make<Name>(begin(), begin());
}

std::string GrammarParser::describeCurrent() const {
  switch (kind()) {
  case TokenKind::Name:
  case TokenKind::Number:
    return (describe(kind()) + " '" + spelling(current).take_front(40) + "'").str();
  default:
    return describe(kind()).str();
  }
}

void GrammarParser::failUnexpected() { fail("invalid syntax: unexpected " + describeCurrent()); }
