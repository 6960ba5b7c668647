// The syntax tree of Python 3.14: one struct per node of CPython's `ast` module, with its name and its fields.
// Differences: field names are camelCase; the expression statement is `ExprStmt`, since `Expr` is the base of
// expressions; an optional child is a null pointer, an optional identifier an empty string. Nodes, their lists and
// their strings live in the arena of a Tree and are never freed one by one. Every node has a range; those without one
// in CPython (arguments, comprehension, withitem, match_case) cover what they were parsed from.
//
//   if (auto *call = llvm::dyn_cast<Call>(expr))
//     for (Expr *argument : call->args) ...
#pragma once

#include "compiler/support/Source.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Casting.h"

#include <variant>

namespace triton::syntax {

enum class NodeKind : uint8_t {
#define TRITON_NODE(Struct, Base, PythonName) Struct,
#include "compiler/syntax/Nodes.def"
};

struct Node {
  const NodeKind kind;
  SourceRange range;

protected:
  explicit Node(NodeKind kind) : kind(kind) {}
};

/// A base that stands for the kinds `First` to `Last`.
template <NodeKind First, NodeKind Last> struct NodeGroup : Node {
  using Node::Node;
  static bool classof(const Node *node) { return node->kind >= First && node->kind <= Last; }
};
struct Stmt : NodeGroup<NodeKind::FunctionDef, NodeKind::Continue> {
  using NodeGroup::NodeGroup;
};
struct Expr : NodeGroup<NodeKind::BoolOp, NodeKind::Slice> {
  using NodeGroup::NodeGroup;
};
struct Pattern : NodeGroup<NodeKind::MatchValue, NodeKind::MatchOr> {
  using NodeGroup::NodeGroup;
};
struct TypeParam : NodeGroup<NodeKind::TypeVar, NodeKind::TypeVarTuple> {
  using NodeGroup::NodeGroup;
  llvm::StringRef name;
  Expr *defaultValue = nullptr;
};

/// Gives a node its kind and `classof`.
template <typename Base, NodeKind Kind> struct NodeOf : Base {
  NodeOf() : Base(Kind) {}
  static bool classof(const Node *node) { return node->kind == Kind; }
};
template <NodeKind Kind> using PlainNode = NodeOf<Node, Kind>;
template <NodeKind Kind> using StmtNode = NodeOf<Stmt, Kind>;
template <NodeKind Kind> using ExprNode = NodeOf<Expr, Kind>;
template <NodeKind Kind> using PatternNode = NodeOf<Pattern, Kind>;
template <NodeKind Kind> using TypeParamNode = NodeOf<TypeParam, Kind>;

enum class ExprContext : uint8_t { Load, Store, Del };
enum class BoolOperator : uint8_t { And, Or };
enum class UnaryOperator : uint8_t { Invert, Not, UAdd, USub };
enum class BinaryOperator : uint8_t {
  Add,
  Sub,
  Mult,
  MatMult,
  Div,
  Mod,
  Pow,
  LShift,
  RShift,
  BitOr,
  BitXor,
  BitAnd,
  FloorDiv
};
enum class CompareOperator : uint8_t { Eq, NotEq, Lt, LtE, Gt, GtE, Is, IsNot, In, NotIn };

struct Arguments;
struct Comprehension;
struct ExceptHandler;
struct Keyword;
struct Alias;
struct WithItem;
struct MatchCase;

// What is parsed as a whole.

struct Module : PlainNode<NodeKind::Module> {
  llvm::ArrayRef<Stmt *> body;
};

struct Expression : PlainNode<NodeKind::Expression> {
  Expr *body = nullptr;
};

// Statements.

/// What `def` and `async def` share. `range` begins at `def`, not at the decorators.
struct Function : Stmt {
  using Stmt::Stmt;
  llvm::StringRef name;
  Arguments *args = nullptr;
  llvm::ArrayRef<Stmt *> body;
  llvm::ArrayRef<Expr *> decoratorList;
  Expr *returns = nullptr;
  llvm::StringRef typeComment; // always empty: comments are not parsed
  llvm::ArrayRef<TypeParam *> typeParams;
  SourceRange nameRange;
  static bool classof(const Node *node) {
    return node->kind == NodeKind::FunctionDef || node->kind == NodeKind::AsyncFunctionDef;
  }
};
struct FunctionDef : NodeOf<Function, NodeKind::FunctionDef> {};
struct AsyncFunctionDef : NodeOf<Function, NodeKind::AsyncFunctionDef> {};

struct ClassDef : StmtNode<NodeKind::ClassDef> {
  llvm::StringRef name;
  llvm::ArrayRef<Expr *> bases;
  llvm::ArrayRef<Keyword *> keywords;
  llvm::ArrayRef<Stmt *> body;
  llvm::ArrayRef<Expr *> decoratorList;
  llvm::ArrayRef<TypeParam *> typeParams;
  SourceRange nameRange;
};

struct Return : StmtNode<NodeKind::Return> {
  Expr *value = nullptr;
};

struct Delete : StmtNode<NodeKind::Delete> {
  llvm::ArrayRef<Expr *> targets;
};

struct Assign : StmtNode<NodeKind::Assign> {
  llvm::ArrayRef<Expr *> targets; // `a = b = value` has two
  Expr *value = nullptr;
  llvm::StringRef typeComment;
};

struct TypeAlias : StmtNode<NodeKind::TypeAlias> {
  Expr *name = nullptr;
  llvm::ArrayRef<TypeParam *> typeParams;
  Expr *value = nullptr;
};

struct AugAssign : StmtNode<NodeKind::AugAssign> {
  Expr *target = nullptr;
  BinaryOperator op = BinaryOperator::Add;
  Expr *value = nullptr;
};

struct AnnAssign : StmtNode<NodeKind::AnnAssign> {
  Expr *target = nullptr;
  Expr *annotation = nullptr;
  Expr *value = nullptr;
  bool simple = false; // the target is a name without parentheses
};

struct ForLoop : Stmt {
  using Stmt::Stmt;
  Expr *target = nullptr;
  Expr *iter = nullptr;
  llvm::ArrayRef<Stmt *> body;
  llvm::ArrayRef<Stmt *> orelse;
  llvm::StringRef typeComment;
  static bool classof(const Node *node) { return node->kind == NodeKind::For || node->kind == NodeKind::AsyncFor; }
};
struct For : NodeOf<ForLoop, NodeKind::For> {};
struct AsyncFor : NodeOf<ForLoop, NodeKind::AsyncFor> {};

struct While : StmtNode<NodeKind::While> {
  Expr *test = nullptr;
  llvm::ArrayRef<Stmt *> body;
  llvm::ArrayRef<Stmt *> orelse;
};

struct If : StmtNode<NodeKind::If> {
  Expr *test = nullptr;
  llvm::ArrayRef<Stmt *> body;
  llvm::ArrayRef<Stmt *> orelse; // `elif` is an If alone in here
};

struct WithBlock : Stmt {
  using Stmt::Stmt;
  llvm::ArrayRef<WithItem *> items;
  llvm::ArrayRef<Stmt *> body;
  llvm::StringRef typeComment;
  static bool classof(const Node *node) { return node->kind == NodeKind::With || node->kind == NodeKind::AsyncWith; }
};
struct With : NodeOf<WithBlock, NodeKind::With> {};
struct AsyncWith : NodeOf<WithBlock, NodeKind::AsyncWith> {};

struct Match : StmtNode<NodeKind::Match> {
  Expr *subject = nullptr;
  llvm::ArrayRef<MatchCase *> cases;
};

struct Raise : StmtNode<NodeKind::Raise> {
  Expr *exc = nullptr;
  Expr *cause = nullptr;
};

struct TryBlock : Stmt {
  using Stmt::Stmt;
  llvm::ArrayRef<Stmt *> body;
  llvm::ArrayRef<ExceptHandler *> handlers;
  llvm::ArrayRef<Stmt *> orelse;
  llvm::ArrayRef<Stmt *> finalbody;
  static bool classof(const Node *node) { return node->kind == NodeKind::Try || node->kind == NodeKind::TryStar; }
};
struct Try : NodeOf<TryBlock, NodeKind::Try> {};
struct TryStar : NodeOf<TryBlock, NodeKind::TryStar> {};

struct Assert : StmtNode<NodeKind::Assert> {
  Expr *test = nullptr;
  Expr *msg = nullptr;
};

struct Import : StmtNode<NodeKind::Import> {
  llvm::ArrayRef<Alias *> names;
};

struct ImportFrom : StmtNode<NodeKind::ImportFrom> {
  llvm::StringRef module; // empty in `from . import x`
  llvm::ArrayRef<Alias *> names;
  unsigned level = 0; // number of leading dots
};

struct Global : StmtNode<NodeKind::Global> {
  llvm::ArrayRef<llvm::StringRef> names;
};

struct Nonlocal : StmtNode<NodeKind::Nonlocal> {
  llvm::ArrayRef<llvm::StringRef> names;
};

struct ExprStmt : StmtNode<NodeKind::ExprStmt> {
  Expr *value = nullptr;
};

struct Pass : StmtNode<NodeKind::Pass> {};
struct Break : StmtNode<NodeKind::Break> {};
struct Continue : StmtNode<NodeKind::Continue> {};

// Expressions.

struct BoolOp : ExprNode<NodeKind::BoolOp> {
  BoolOperator op = BoolOperator::And;
  llvm::ArrayRef<Expr *> values;
};

struct NamedExpr : ExprNode<NodeKind::NamedExpr> {
  Expr *target = nullptr;
  Expr *value = nullptr;
};

struct BinOp : ExprNode<NodeKind::BinOp> {
  Expr *left = nullptr;
  BinaryOperator op = BinaryOperator::Add;
  Expr *right = nullptr;
};

struct UnaryOp : ExprNode<NodeKind::UnaryOp> {
  UnaryOperator op = UnaryOperator::Not;
  Expr *operand = nullptr;
};

struct Lambda : ExprNode<NodeKind::Lambda> {
  Arguments *args = nullptr;
  Expr *body = nullptr;
};

struct IfExp : ExprNode<NodeKind::IfExp> {
  Expr *test = nullptr;
  Expr *body = nullptr;
  Expr *orelse = nullptr;
};

struct Dict : ExprNode<NodeKind::Dict> {
  llvm::ArrayRef<Expr *> keys; // null where `**value` stands
  llvm::ArrayRef<Expr *> values;
};

struct Set : ExprNode<NodeKind::Set> {
  llvm::ArrayRef<Expr *> elts;
};

struct ListComp : ExprNode<NodeKind::ListComp> {
  Expr *elt = nullptr;
  llvm::ArrayRef<Comprehension *> generators;
};

struct SetComp : ExprNode<NodeKind::SetComp> {
  Expr *elt = nullptr;
  llvm::ArrayRef<Comprehension *> generators;
};

struct DictComp : ExprNode<NodeKind::DictComp> {
  Expr *key = nullptr;
  Expr *value = nullptr;
  llvm::ArrayRef<Comprehension *> generators;
};

struct GeneratorExp : ExprNode<NodeKind::GeneratorExp> {
  Expr *elt = nullptr;
  llvm::ArrayRef<Comprehension *> generators;
};

struct Await : ExprNode<NodeKind::Await> {
  Expr *value = nullptr;
};

struct Yield : ExprNode<NodeKind::Yield> {
  Expr *value = nullptr;
};

struct YieldFrom : ExprNode<NodeKind::YieldFrom> {
  Expr *value = nullptr;
};

struct Compare : ExprNode<NodeKind::Compare> {
  Expr *left = nullptr;
  llvm::ArrayRef<CompareOperator> ops;
  llvm::ArrayRef<Expr *> comparators;
};

struct Call : ExprNode<NodeKind::Call> {
  Expr *func = nullptr;
  llvm::ArrayRef<Expr *> args;
  llvm::ArrayRef<Keyword *> keywords;
};

/// `{value!r:spec}` in an f-string. `conversion` is -1 or one of 's', 'r', 'a'.
struct FormattedValue : ExprNode<NodeKind::FormattedValue> {
  Expr *value = nullptr;
  int conversion = -1;
  Expr *formatSpec = nullptr;
};

/// The same in a t-string; `str` is the text of the expression.
struct Interpolation : ExprNode<NodeKind::Interpolation> {
  Expr *value = nullptr;
  llvm::StringRef str;
  int conversion = -1;
  Expr *formatSpec = nullptr;
};

struct JoinedStr : ExprNode<NodeKind::JoinedStr> {
  llvm::ArrayRef<Expr *> values;
};

struct TemplateStr : ExprNode<NodeKind::TemplateStr> {
  llvm::ArrayRef<Expr *> values;
};

struct NoneValue {};
struct EllipsisValue {};
struct ImaginaryValue {
  double value;
};
/// UTF-8, in which a surrogate written as an escape is encoded like any other code point (WTF-8).
struct StringValue {
  llvm::StringRef text;
};
struct BytesValue {
  llvm::StringRef data;
};

/// An integer is never negative, and as wide as it needs to be: at least 64 bits.
using ConstantValue =
    std::variant<NoneValue, EllipsisValue, bool, llvm::APInt, double, ImaginaryValue, StringValue, BytesValue>;

struct Constant : ExprNode<NodeKind::Constant> {
  ConstantValue value;
  bool unicodePrefix = false; // Python's `kind`: the literal was written u"..."

  /// The value if it is of this type, else null: `constant->as<StringValue>()`.
  template <typename T> const T *as() const { return std::get_if<T>(&value); }
};

struct Attribute : ExprNode<NodeKind::Attribute> {
  Expr *value = nullptr;
  llvm::StringRef attr;
  ExprContext ctx = ExprContext::Load;
  SourceRange attrRange;
};

struct Subscript : ExprNode<NodeKind::Subscript> {
  Expr *value = nullptr;
  Expr *slice = nullptr;
  ExprContext ctx = ExprContext::Load;
};

struct Starred : ExprNode<NodeKind::Starred> {
  Expr *value = nullptr;
  ExprContext ctx = ExprContext::Load;
};

struct Name : ExprNode<NodeKind::Name> {
  llvm::StringRef id;
  ExprContext ctx = ExprContext::Load;
};

struct List : ExprNode<NodeKind::List> {
  llvm::ArrayRef<Expr *> elts;
  ExprContext ctx = ExprContext::Load;
};

struct Tuple : ExprNode<NodeKind::Tuple> {
  llvm::ArrayRef<Expr *> elts;
  ExprContext ctx = ExprContext::Load;
};

struct Slice : ExprNode<NodeKind::Slice> {
  Expr *lower = nullptr;
  Expr *upper = nullptr;
  Expr *step = nullptr;
};

// Patterns of `match`.

struct MatchValue : PatternNode<NodeKind::MatchValue> {
  Expr *value = nullptr;
};

struct MatchSingleton : PatternNode<NodeKind::MatchSingleton> {
  ConstantValue value; // none or bool
};

struct MatchSequence : PatternNode<NodeKind::MatchSequence> {
  llvm::ArrayRef<Pattern *> patterns;
};

struct MatchMapping : PatternNode<NodeKind::MatchMapping> {
  llvm::ArrayRef<Expr *> keys;
  llvm::ArrayRef<Pattern *> patterns;
  llvm::StringRef rest;
};

struct MatchClass : PatternNode<NodeKind::MatchClass> {
  Expr *cls = nullptr;
  llvm::ArrayRef<Pattern *> patterns;
  llvm::ArrayRef<llvm::StringRef> kwdAttrs;
  llvm::ArrayRef<Pattern *> kwdPatterns;
};

struct MatchStar : PatternNode<NodeKind::MatchStar> {
  llvm::StringRef name; // empty for `*_`
};

struct MatchAs : PatternNode<NodeKind::MatchAs> {
  Pattern *pattern = nullptr;
  llvm::StringRef name; // empty for `_`
};

struct MatchOr : PatternNode<NodeKind::MatchOr> {
  llvm::ArrayRef<Pattern *> patterns;
};

// Type parameters; `name` and `defaultValue` are in TypeParam.

struct TypeVar : TypeParamNode<NodeKind::TypeVar> {
  Expr *bound = nullptr;
};
struct ParamSpec : TypeParamNode<NodeKind::ParamSpec> {};
struct TypeVarTuple : TypeParamNode<NodeKind::TypeVarTuple> {};

// Parts.

struct Comprehension : PlainNode<NodeKind::Comprehension> {
  Expr *target = nullptr;
  Expr *iter = nullptr;
  llvm::ArrayRef<Expr *> ifs;
  bool isAsync = false;
};

struct ExceptHandler : PlainNode<NodeKind::ExceptHandler> {
  Expr *type = nullptr;
  llvm::StringRef name;
  llvm::ArrayRef<Stmt *> body;
};

struct Arg : PlainNode<NodeKind::Arg> {
  llvm::StringRef arg;
  Expr *annotation = nullptr;
  llvm::StringRef typeComment;
};

struct Arguments : PlainNode<NodeKind::Arguments> {
  llvm::ArrayRef<Arg *> posonlyargs;
  llvm::ArrayRef<Arg *> args;
  Arg *vararg = nullptr;
  llvm::ArrayRef<Arg *> kwonlyargs;
  llvm::ArrayRef<Expr *> kwDefaults; // one per kwonlyargs, null where there is none
  Arg *kwarg = nullptr;
  llvm::ArrayRef<Expr *> defaults; // of the last of posonlyargs + args
};

struct Keyword : PlainNode<NodeKind::Keyword> {
  llvm::StringRef arg; // empty for `**value`
  Expr *value = nullptr;
};

struct Alias : PlainNode<NodeKind::Alias> {
  llvm::StringRef name;
  llvm::StringRef asname;
};

struct WithItem : PlainNode<NodeKind::WithItem> {
  Expr *contextExpr = nullptr;
  Expr *optionalVars = nullptr;
};

struct MatchCase : PlainNode<NodeKind::MatchCase> {
  Pattern *pattern = nullptr;
  Expr *guard = nullptr;
  llvm::ArrayRef<Stmt *> body;
};

} // namespace triton::syntax
