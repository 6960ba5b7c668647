// The recursive-descent parser behind `parse`: one member function per rule of Python's grammar, spread over files by
// subject. Operators are parsed by precedence climbing, targets as expressions that are then checked.
//
// After the first error in a statement the parser is `stopped`: it sees an Error token, which no rule accepts, and
// takes no more tokens, so every rule returns by itself (with whatever it has) to the list of statements, where reading
// goes on behind the broken line. So rules need no error paths, and one mistake gives one message.
#pragma once

#include "compiler/syntax/Lexer.h"
#include "compiler/syntax/Parser.h"
#include "compiler/syntax/Tree.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

#include <initializer_list>

namespace triton::syntax {

class GrammarParser {
public:
  GrammarParser(Tree &tree, llvm::ArrayRef<Token> tokens, std::vector<Diagnostic> &errors)
      : tree(tree), text(tree.source->text()), tokens(tokens), errors(errors), current(tokens.front()) {}

  Module *parseModule();
  Expression *parseExpressionOnly();

private:
  template <typename T> using List = llvm::SmallVector<T, 8>;
  using StringRef = llvm::StringRef;

  // Tokens.
  TokenKind kind() const { return current.kind; }
  bool at(TokenKind kind) const { return current.kind == kind; }
  bool atAny(std::initializer_list<TokenKind> kinds) const { return llvm::is_contained(kinds, current.kind); }
  bool atWord(StringRef word) const { return at(TokenKind::Name) && spelling(current) == word; }
  Token peek(size_t ahead = 1) const { return tokens[std::min(index + ahead, tokens.size() - 1)]; }
  StringRef spelling(Token token) const { return text.slice(token.begin, token.end); }
  void advance();
  bool take(TokenKind kind);
  bool expect(TokenKind kind, const llvm::Twine &message);
  void moveTo(size_t tokenIndex);
  uint32_t begin() const { return current.begin; }
  uint32_t end() const { return previousEnd; }
  bool startsExpression() const;

  // Nodes.
  template <typename NodeType> NodeType *make(uint32_t begin) {
    return tree.make<NodeType>(begin, std::max(begin, previousEnd));
  }
  template <typename NodeType> NodeType *finish(NodeType *node) {
    node->range.end = std::max(node->range.begin, previousEnd);
    return node;
  }
  template <typename T> llvm::ArrayRef<T> copy(const List<T> &list) { return tree.copy(llvm::ArrayRef<T>(list)); }
  StringRef identifierText(Token token);
  /// A name, or an error that says what was expected.
  StringRef parseIdentifier(const llvm::Twine &message);

  // Errors.
  SourceRange rangeOf(Token token) const { return {tree.source.get(), token.begin, token.end}; }
  void fail(SourceRange range, const llvm::Twine &message, std::string hint = {});
  void fail(const llvm::Twine &message, std::string hint = {}) { fail(rangeOf(current), message, std::move(hint)); }
  /// Reports without stopping: what follows is still understood.
  void report(SourceRange range, const llvm::Twine &message, std::string hint = {});
  Expr *failedExpression(const llvm::Twine &message, std::string hint = {});
  std::string describeCurrent() const;
  void failUnexpected();

  // Statements.
  void parseStatements(List<Stmt *> &body);
  void parseStatement(List<Stmt *> &body);
  void recover();
  void parseSimpleStatements(List<Stmt *> &body);
  llvm::ArrayRef<Stmt *> parseBlock(StringRef after, uint32_t headerBegin);
  Stmt *parseCompoundStatement();
  Stmt *parseSimpleStatement();
  Stmt *parseExpressionStatement();
  Stmt *parseAssignment(uint32_t start, Expr *first);
  Stmt *parseAugmentedAssignment(uint32_t start, Expr *target, BinaryOperator op);
  Stmt *parseAnnotatedAssignment(uint32_t start, Expr *target, bool isParenthesized);
  Expr *parseAssignedValue();
  Stmt *parseDelete();
  Stmt *parseImport();
  Stmt *parseImportFrom();
  Alias *parseAlias(bool isDotted);
  StringRef parseDottedName();
  template <typename NodeType> Stmt *parseNameList();
  Stmt *parseRaise();
  Stmt *parseAssert();
  Stmt *parseTypeAlias();
  Stmt *parseIf();
  Stmt *parseWhile();
  Stmt *parseFor(uint32_t start, bool isAsync);
  Stmt *parseWith(uint32_t start, bool isAsync);
  void parseWithItems(List<WithItem *> &items, TokenKind close);
  bool withItemsAreParenthesized(bool &mustBe);
  Stmt *parseTry();
  ExceptHandler *parseExceptHandler(bool &isStar);
  Stmt *parseDecorated();
  Stmt *parseAsync();
  Stmt *parseFunction(uint32_t start, llvm::ArrayRef<Expr *> decorators, bool isAsync);
  Stmt *parseClass(llvm::ArrayRef<Expr *> decorators);
  llvm::ArrayRef<Stmt *> parseElse(StringRef after);
  llvm::ArrayRef<TypeParam *> parseTypeParams();
  TypeParam *parseTypeParam();

  // Patterns.
  bool atMatchStatement() const;
  Stmt *parseMatch();
  MatchCase *parseCase();
  Pattern *parsePatterns();
  Pattern *parseStarOrPattern();
  Pattern *parsePattern();
  Pattern *parseClosedPattern();
  Pattern *parseLiteralPattern();
  Expr *parsePatternNumber();
  Pattern *parseNamePattern();
  Pattern *parseClassPattern(Expr *cls, uint32_t start);
  Pattern *parseSequencePattern(TokenKind close);
  Pattern *parseMappingPattern();

  // Expressions.
  Expr *parseExpression();
  Expr *parseNamedExpression();
  Expr *parseStarExpression();
  Expr *parseStarNamedExpression();
  Expr *parseStarExpressions();
  Expr *parseYield();
  Expr *parseCondition(StringRef statement);
  Expr *parseLambda();
  Expr *parseDisjunction();
  Expr *parseConjunction();
  Expr *parseInversion();
  Expr *parseComparison();
  Expr *parseBinary(unsigned minimum);
  Expr *parseBitwiseOr() { return parseBinary(1); }
  Expr *parseUnary();
  Expr *parsePower();
  Expr *parsePrimary();
  Expr *parseAtom();
  Expr *parseParenthesized();
  List<Expr *> parseFurtherElements(Expr *first, TokenKind close);
  Expr *parseListDisplay();
  Expr *parseBraceDisplay();
  Expr *parseDictDisplay(uint32_t start, Expr *firstKey, bool isUnpacking);
  Expr *parseSubscript(uint32_t start, Expr *value);
  Expr *parseSlice();
  Expr *parseCall(uint32_t start, Expr *function);
  void parseArguments(List<Expr *> &args, List<Keyword *> &keywords, uint32_t open, bool allowsGenerator);
  bool atComprehension() const;
  llvm::ArrayRef<Comprehension *> parseComprehensionClauses();
  void checkComprehensionElement(Expr *element);
  void expectClose(TokenKind close, Expr *last);
  Expr *constantFromToken(ConstantValue value);

  // Parameters.
  Arguments *parseParameters(bool isLambda);
  Arg *parseParameter(bool isLambda, bool allowsStarAnnotation);

  // Strings.
  Expr *parseStrings();
  Constant *parsePlainString();
  Expr *joinStrings(uint32_t start, llvm::ArrayRef<Expr *> pieces, bool isFormat, bool isTemplate);
  Constant *joinConstants(llvm::ArrayRef<Expr *> run);
  void parseFormatString(List<Expr *> &pieces);
  Constant *parseFormatText(bool isRaw, bool isSpecifier);
  void parseReplacementField(List<Expr *> &pieces, char letter, bool isRaw);
  Expr *parseFormatSpecifier(char letter, bool isRaw);
  StringRef fieldText(uint32_t begin, uint32_t end);
  StringRef decodeLiteral(uint32_t begin, uint32_t end, bool isBytes, bool isRaw, bool hasBraces);

  // Targets.
  enum class TargetUse { Assignment, Loop, Deletion, WithItem };
  void makeTarget(Expr *expr, TargetUse use);
  Expr *parseTargetList(TargetUse use);

  /// Counts one level of recursion; past the limit it stops the parser.
  struct Level {
    explicit Level(GrammarParser &parser);
    ~Level() { --parser.depth; }
    GrammarParser &parser;
  };

  Tree &tree;
  StringRef text;
  llvm::ArrayRef<Token> tokens;
  std::vector<Diagnostic> &errors;
  size_t index = 0;
  Token current; // tokens[index], or Error once stopped
  uint32_t previousEnd = 0;
  bool stopped = false;
  bool isTrial = false; // errors stop the parser but are not reported
  unsigned depth = 0;
};

/// How messages name the kind of an expression: "function call", "literal".
llvm::StringRef describe(const Expr *expr);

} // namespace triton::syntax
