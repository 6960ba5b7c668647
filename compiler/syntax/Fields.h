// The fields of each node, in CPython's order and under its names: the one list behind everything that treats nodes
// alike.
//
//   visitFields(node, [](llvm::StringRef name, const auto &field) { ... });
#pragma once

#include "compiler/syntax/Ast.h"

#include "llvm/Support/ErrorHandling.h"

namespace triton::syntax {

template <typename V> void fields(const Module &n, V &&visit) { visit("body", n.body); }
template <typename V> void fields(const Expression &n, V &&visit) { visit("body", n.body); }

template <typename V> void fields(const Function &n, V &&visit) {
  visit("name", n.name), visit("args", n.args), visit("body", n.body), visit("decorator_list", n.decoratorList);
  visit("returns", n.returns), visit("type_comment", n.typeComment), visit("type_params", n.typeParams);
}
template <typename V> void fields(const ClassDef &n, V &&visit) {
  visit("name", n.name), visit("bases", n.bases), visit("keywords", n.keywords), visit("body", n.body);
  visit("decorator_list", n.decoratorList), visit("type_params", n.typeParams);
}
template <typename V> void fields(const Return &n, V &&visit) { visit("value", n.value); }
template <typename V> void fields(const Delete &n, V &&visit) { visit("targets", n.targets); }
template <typename V> void fields(const Assign &n, V &&visit) {
  visit("targets", n.targets), visit("value", n.value), visit("type_comment", n.typeComment);
}
template <typename V> void fields(const TypeAlias &n, V &&visit) {
  visit("name", n.name), visit("type_params", n.typeParams), visit("value", n.value);
}
template <typename V> void fields(const AugAssign &n, V &&visit) {
  visit("target", n.target), visit("op", n.op), visit("value", n.value);
}
template <typename V> void fields(const AnnAssign &n, V &&visit) {
  visit("target", n.target), visit("annotation", n.annotation), visit("value", n.value), visit("simple", int(n.simple));
}
template <typename V> void fields(const ForLoop &n, V &&visit) {
  visit("target", n.target), visit("iter", n.iter), visit("body", n.body), visit("orelse", n.orelse);
  visit("type_comment", n.typeComment);
}
template <typename V> void fields(const While &n, V &&visit) {
  visit("test", n.test), visit("body", n.body), visit("orelse", n.orelse);
}
template <typename V> void fields(const If &n, V &&visit) {
  visit("test", n.test), visit("body", n.body), visit("orelse", n.orelse);
}
template <typename V> void fields(const WithBlock &n, V &&visit) {
  visit("items", n.items), visit("body", n.body), visit("type_comment", n.typeComment);
}
template <typename V> void fields(const Match &n, V &&visit) { visit("subject", n.subject), visit("cases", n.cases); }
template <typename V> void fields(const Raise &n, V &&visit) { visit("exc", n.exc), visit("cause", n.cause); }
template <typename V> void fields(const TryBlock &n, V &&visit) {
  visit("body", n.body), visit("handlers", n.handlers), visit("orelse", n.orelse), visit("finalbody", n.finalbody);
}
template <typename V> void fields(const Assert &n, V &&visit) { visit("test", n.test), visit("msg", n.msg); }
template <typename V> void fields(const Import &n, V &&visit) { visit("names", n.names); }
template <typename V> void fields(const ImportFrom &n, V &&visit) {
  visit("module", n.module), visit("names", n.names), visit("level", int(n.level));
}
template <typename V> void fields(const Global &n, V &&visit) { visit("names", n.names); }
template <typename V> void fields(const Nonlocal &n, V &&visit) { visit("names", n.names); }
template <typename V> void fields(const ExprStmt &n, V &&visit) { visit("value", n.value); }
template <typename V> void fields(const Pass &, V &&) {}
template <typename V> void fields(const Break &, V &&) {}
template <typename V> void fields(const Continue &, V &&) {}

template <typename V> void fields(const BoolOp &n, V &&visit) { visit("op", n.op), visit("values", n.values); }
template <typename V> void fields(const NamedExpr &n, V &&visit) { visit("target", n.target), visit("value", n.value); }
template <typename V> void fields(const BinOp &n, V &&visit) {
  visit("left", n.left), visit("op", n.op), visit("right", n.right);
}
template <typename V> void fields(const UnaryOp &n, V &&visit) { visit("op", n.op), visit("operand", n.operand); }
template <typename V> void fields(const Lambda &n, V &&visit) { visit("args", n.args), visit("body", n.body); }
template <typename V> void fields(const IfExp &n, V &&visit) {
  visit("test", n.test), visit("body", n.body), visit("orelse", n.orelse);
}
template <typename V> void fields(const Dict &n, V &&visit) { visit("keys", n.keys), visit("values", n.values); }
template <typename V> void fields(const Set &n, V &&visit) { visit("elts", n.elts); }
template <typename V> void fields(const ListComp &n, V &&visit) {
  visit("elt", n.elt), visit("generators", n.generators);
}
template <typename V> void fields(const SetComp &n, V &&visit) {
  visit("elt", n.elt), visit("generators", n.generators);
}
template <typename V> void fields(const DictComp &n, V &&visit) {
  visit("key", n.key), visit("value", n.value), visit("generators", n.generators);
}
template <typename V> void fields(const GeneratorExp &n, V &&visit) {
  visit("elt", n.elt), visit("generators", n.generators);
}
template <typename V> void fields(const Await &n, V &&visit) { visit("value", n.value); }
template <typename V> void fields(const Yield &n, V &&visit) { visit("value", n.value); }
template <typename V> void fields(const YieldFrom &n, V &&visit) { visit("value", n.value); }
template <typename V> void fields(const Compare &n, V &&visit) {
  visit("left", n.left), visit("ops", n.ops), visit("comparators", n.comparators);
}
template <typename V> void fields(const Call &n, V &&visit) {
  visit("func", n.func), visit("args", n.args), visit("keywords", n.keywords);
}
template <typename V> void fields(const FormattedValue &n, V &&visit) {
  visit("value", n.value), visit("conversion", n.conversion), visit("format_spec", n.formatSpec);
}
template <typename V> void fields(const Interpolation &n, V &&visit) {
  visit("value", n.value), visit("str", StringValue{n.str}), visit("conversion", n.conversion);
  visit("format_spec", n.formatSpec);
}
template <typename V> void fields(const JoinedStr &n, V &&visit) { visit("values", n.values); }
template <typename V> void fields(const TemplateStr &n, V &&visit) { visit("values", n.values); }
template <typename V> void fields(const Constant &n, V &&visit) {
  visit("value", n.value), visit("kind", n.unicodePrefix ? llvm::StringRef("u") : llvm::StringRef());
}
template <typename V> void fields(const Attribute &n, V &&visit) {
  visit("value", n.value), visit("attr", n.attr), visit("ctx", n.ctx);
}
template <typename V> void fields(const Subscript &n, V &&visit) {
  visit("value", n.value), visit("slice", n.slice), visit("ctx", n.ctx);
}
template <typename V> void fields(const Starred &n, V &&visit) { visit("value", n.value), visit("ctx", n.ctx); }
template <typename V> void fields(const Name &n, V &&visit) { visit("id", n.id), visit("ctx", n.ctx); }
template <typename V> void fields(const List &n, V &&visit) { visit("elts", n.elts), visit("ctx", n.ctx); }
template <typename V> void fields(const Tuple &n, V &&visit) { visit("elts", n.elts), visit("ctx", n.ctx); }
template <typename V> void fields(const Slice &n, V &&visit) {
  visit("lower", n.lower), visit("upper", n.upper), visit("step", n.step);
}

template <typename V> void fields(const MatchValue &n, V &&visit) { visit("value", n.value); }
template <typename V> void fields(const MatchSingleton &n, V &&visit) { visit("value", n.value); }
template <typename V> void fields(const MatchSequence &n, V &&visit) { visit("patterns", n.patterns); }
template <typename V> void fields(const MatchMapping &n, V &&visit) {
  visit("keys", n.keys), visit("patterns", n.patterns), visit("rest", n.rest);
}
template <typename V> void fields(const MatchClass &n, V &&visit) {
  visit("cls", n.cls), visit("patterns", n.patterns), visit("kwd_attrs", n.kwdAttrs);
  visit("kwd_patterns", n.kwdPatterns);
}
template <typename V> void fields(const MatchStar &n, V &&visit) { visit("name", n.name); }
template <typename V> void fields(const MatchAs &n, V &&visit) { visit("pattern", n.pattern), visit("name", n.name); }
template <typename V> void fields(const MatchOr &n, V &&visit) { visit("patterns", n.patterns); }

template <typename V> void fields(const TypeVar &n, V &&visit) {
  visit("name", n.name), visit("bound", n.bound), visit("default_value", n.defaultValue);
}
template <typename V> void fields(const ParamSpec &n, V &&visit) {
  visit("name", n.name), visit("default_value", n.defaultValue);
}
template <typename V> void fields(const TypeVarTuple &n, V &&visit) {
  visit("name", n.name), visit("default_value", n.defaultValue);
}

template <typename V> void fields(const Comprehension &n, V &&visit) {
  visit("target", n.target), visit("iter", n.iter), visit("ifs", n.ifs), visit("is_async", int(n.isAsync));
}
template <typename V> void fields(const ExceptHandler &n, V &&visit) {
  visit("type", n.type), visit("name", n.name), visit("body", n.body);
}
template <typename V> void fields(const Arguments &n, V &&visit) {
  visit("posonlyargs", n.posonlyargs), visit("args", n.args), visit("vararg", n.vararg);
  visit("kwonlyargs", n.kwonlyargs), visit("kw_defaults", n.kwDefaults), visit("kwarg", n.kwarg);
  visit("defaults", n.defaults);
}
template <typename V> void fields(const Arg &n, V &&visit) {
  visit("arg", n.arg), visit("annotation", n.annotation), visit("type_comment", n.typeComment);
}
template <typename V> void fields(const Keyword &n, V &&visit) { visit("arg", n.arg), visit("value", n.value); }
template <typename V> void fields(const Alias &n, V &&visit) { visit("name", n.name), visit("asname", n.asname); }
template <typename V> void fields(const WithItem &n, V &&visit) {
  visit("context_expr", n.contextExpr), visit("optional_vars", n.optionalVars);
}
template <typename V> void fields(const MatchCase &n, V &&visit) {
  visit("pattern", n.pattern), visit("guard", n.guard), visit("body", n.body);
}

/// Calls `visit(name, field)` for each field of the node.
template <typename V> void visitFields(const Node &node, V &&visit) {
  switch (node.kind) {
#define TRITON_NODE(Struct, Base, PythonName)                                                                          \
  case NodeKind::Struct:                                                                                               \
    return fields(llvm::cast<Struct>(node), visit);
#include "compiler/syntax/Nodes.def"
  }
  llvm_unreachable("every kind of node is in the table");
}

} // namespace triton::syntax
