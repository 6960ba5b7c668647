// Expressions: constants fold, names resolve, everything that needs run-time values goes to Operations.
#include "compiler/frontend/Instead.h"
#include "compiler/frontend/Operations.h"
#include "compiler/frontend/Operators.h"
#include "compiler/frontend/emitter/KernelEmitter.h"
#include "compiler/frontend/values/Folding.h"
#include "compiler/frontend/values/Formatting.h"
#include "compiler/support/Suggestion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/StringSaver.h"

using namespace triton;
using namespace triton::frontend;
using llvm::dyn_cast;
using llvm::failure;
using llvm::LogicalResult;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::success;
using mlir::FailureOr;

static StringRef pythonName(syntax::NodeKind kind) {
  static constexpr llvm::StringLiteral names[] = {
#define TRITON_NODE(Struct, Base, PythonName) PythonName,
#include "compiler/syntax/Nodes.def"
  };
  return names[static_cast<size_t>(kind)];
}

/// What kernels have in place of a construct of Python; empty where there is nothing to say.
static StringRef insteadOf(syntax::NodeKind kind) {
  using Kind = syntax::NodeKind;
  switch (kind) {
  case Kind::Break:
    return "put the condition into a `while`";
  case Kind::Continue:
    return "put the rest of the loop's body under an `if`";
  case Kind::Try:
  case Kind::TryStar:
  case Kind::Raise:
    return "kernels raise nothing: tl.device_assert checks while they run, tl.static_assert while they are compiled";
  case Kind::Import:
  case Kind::ImportFrom:
  case Kind::ClassDef:
    return "move it out of the kernel, to the module's level";
  case Kind::Global:
  case Kind::Nonlocal:
    return "a kernel cannot change variables of the host: store the value to memory, or return it";
  case Kind::Delete:
    return "leave it out: values cost nothing once they are not used";
  case Kind::Match:
    return "use `if` and `elif`";
  case Kind::Lambda:
    return "define a function with @triton.jit at the module's level";
  case Kind::Dict:
  case Kind::DictComp:
  case Kind::Set:
  case Kind::SetComp:
    return "several values are held by a tuple, named ones by a class with @triton.aggregate";
  case Kind::GeneratorExp:
    return "a list in brackets is made at once, and may run over a tuple";
  case Kind::Yield:
  case Kind::YieldFrom:
    return "return a tuple";
  default:
    return "";
  }
}

FailureOr<Value> KernelEmitter::unsupported(const syntax::Node *node) {
  return error(node->range, "UnsupportedLanguageConstruct").hint(insteadOf(node->kind).str())
         << "unsupported AST node type: " << pythonName(node->kind);
}

/// Whether more than `limit` values are in `value`, at any depth: tuples may hold one and the same tuple many times.
static bool hasMoreParts(const Value &value, size_t limit) {
  llvm::SmallVector<const Value *> pending{&value};
  for (size_t count = 0; !pending.empty(); ++count) {
    if (count == limit)
      return true;
    const Value *next = pending.pop_back_val();
    if (auto *tuple = next->tuple())
      llvm::append_range(pending, llvm::make_pointer_range(tuple->elements));
    else if (auto *aggregate = next->aggregate())
      llvm::append_range(pending, llvm::make_pointer_range(aggregate->elements));
  }
  return false;
}

LogicalResult KernelEmitter::checkParts(const Value &value) {
  // Each becomes a value of the IR, or a part of a type: what doubles its size a few times is never done.
  constexpr size_t mostParts = 1 << 16;
  if (!hasMoreParts(value, mostParts))
    return success();
  return error("ValueError") << "this holds more than " << mostParts
                             << " values, counting those in its elements: kernels cannot compute with that many";
}

FailureOr<Value> KernelEmitter::evaluate(const syntax::Expr *expr) {
  At at(*this, expr->range);
  if (failed(checkDepth()))
    return failure();
  FailureOr<Value> value = evaluateNode(expr);
  const bool onlyReads = llvm::isa<syntax::Name, syntax::Attribute, syntax::Subscript>(expr);
  if (succeeded(value) && !onlyReads && failed(checkParts(*value)))
    return failure();
  return value;
}

/// `a + b + c + …`, which is as deep as it is long.
FailureOr<Value> KernelEmitter::evaluateChain(const syntax::BinOp *last) {
  SmallVector<const syntax::BinOp *> chain{last};
  while (auto *left = dyn_cast<syntax::BinOp>(chain.back()->left))
    chain.push_back(left);
  FailureOr<Value> value = evaluate(chain.back()->left);
  for (const syntax::BinOp *operation : llvm::reverse(chain)) {
    At at(*this, operation->range);
    // Both sides are evaluated even if one fails: their errors are independent.
    FailureOr<Value> right = evaluate(operation->right);
    if (failed(value) || failed(right) || failed(checkDepth()))
      value = failure();
    else if (value = combine(operationOf(operation->op), *value, *right);
             succeeded(value) && failed(checkParts(*value)))
      value = failure();
  }
  return value;
}

FailureOr<Value> KernelEmitter::evaluateNode(const syntax::Expr *expr) {
  using syntax::NodeKind;
  switch (expr->kind) {
  case NodeKind::Name:
    return evaluateName(llvm::cast<syntax::Name>(expr));
  case NodeKind::Constant:
    return evaluateConstant(llvm::cast<syntax::Constant>(expr));
  case NodeKind::Attribute:
    return evaluateAttribute(llvm::cast<syntax::Attribute>(expr));
  case NodeKind::Subscript:
    return evaluateSubscript(llvm::cast<syntax::Subscript>(expr));
  case NodeKind::Slice:
    return evaluateSlice(llvm::cast<syntax::Slice>(expr));
  case NodeKind::Tuple:
    return evaluateElements(llvm::cast<syntax::Tuple>(expr)->elts);
  case NodeKind::List:
    return evaluateElements(llvm::cast<syntax::List>(expr)->elts);
  case NodeKind::BinOp:
    return evaluateChain(llvm::cast<syntax::BinOp>(expr));
  case NodeKind::UnaryOp:
    return evaluateUnary(llvm::cast<syntax::UnaryOp>(expr));
  case NodeKind::Compare:
    return evaluateCompare(llvm::cast<syntax::Compare>(expr));
  case NodeKind::BoolOp:
    return evaluateBoolOp(llvm::cast<syntax::BoolOp>(expr));
  case NodeKind::IfExp:
    return evaluateConditional(llvm::cast<syntax::IfExp>(expr));
  case NodeKind::Call:
    return evaluateCall(llvm::cast<syntax::Call>(expr));
  case NodeKind::NamedExpr:
    return evaluateNamed(llvm::cast<syntax::NamedExpr>(expr));
  case NodeKind::ListComp:
    return evaluateComprehension(llvm::cast<syntax::ListComp>(expr)->elt,
                                 llvm::cast<syntax::ListComp>(expr)->generators);
  case NodeKind::GeneratorExp:
    return evaluateComprehension(llvm::cast<syntax::GeneratorExp>(expr)->elt,
                                 llvm::cast<syntax::GeneratorExp>(expr)->generators);
  case NodeKind::JoinedStr:
    return evaluateJoinedString(llvm::cast<syntax::JoinedStr>(expr));
  default:
    return unsupported(expr);
  }
}

FailureOr<Value> KernelEmitter::evaluateName(const syntax::Name *name) {
  if (const LocalBinding *binding = frame->scope.find(name->id)) {
    if (binding->state == LocalBinding::State::Unknown)
      return failure();
    if (binding->state == LocalBinding::State::LoopVariable) {
      warn("UserWarning", "the loop variable '" + name->id + "' has no defined value after the loop");
      llvm::SmallVector<mlir::Type> types;
      flattenTypes(binding->value.type(), context(), types);
      llvm::SmallVector<mlir::Value> values = llvm::map_to_vector(types, [&](mlir::Type type) { return poison(type); });
      mlir::ValueRange taken(values);
      return rebuild(binding->value, taken);
    }
    return binding->value;
  }
  auto value = outerValue(name->id, [&] { return frame->function.host->lookup(frame->function, name->id); });
  if (failed(value))
    return failure();
  if (*value)
    return **value;
  if (const Builtin *builtin = findBuiltin("builtins", name->id))
    return Value(Value::Storage(builtin));

  Diagnostic diagnostic{
      .range = name->range, .message = ("'" + name->id + "' is not defined").str(), .exception = "NameError"};
  if (auto vanished = frame->scope.whyVanished(name->id))
    diagnostic.notes.push_back({Severity::Note, vanished->first, vanished->second.str()});
  std::string closest = closestName(name->id, llvm::make_first_range(frame->scope.bindings));
  diagnostic.hint = closest.empty() ? insteadOfName(name->id) : "did you mean '" + closest + "'?";
  report(std::move(diagnostic));
  return failure();
}

FailureOr<std::optional<Value>>
KernelEmitter::outerValue(llvm::StringRef path, llvm::function_ref<llvm::Expected<std::optional<Value>>()> ask) {
  const std::pair place(&frame->function, path);
  if (auto known = hostNames.find(place); known != hostNames.end())
    return known->second;
  auto found = ask();
  if (!found)
    return fail(found.takeError());
  return hostNames[place] = *found;
}

std::optional<KernelEmitter::ProgramModule> KernelEmitter::programModule(const syntax::Expr *expr) {
  std::pair<const Function *, llvm::StringRef> place(&frame->function, "");
  std::optional<ProgramModule> parent;
  if (auto *name = llvm::dyn_cast<syntax::Name>(expr)) {
    if (frame->scope.find(name->id))
      return std::nullopt;
    place.second = name->id;
  } else if (auto *attribute = llvm::dyn_cast<syntax::Attribute>(expr)) {
    parent = programModule(attribute->value);
    if (!parent)
      return std::nullopt;
    place.second = llvm::StringSaver(pathStorage).save(parent->path + "." + attribute->attr);
  } else {
    return std::nullopt;
  }
  if (auto known = programModules.find(place); known != programModules.end())
    return ProgramModule{known->first.second, known->second};
  if (hostNames.contains(place)) // no module, or one that was also read as a value
    return std::nullopt;
  auto found = parent ? parent->object.host->attribute(parent->object, llvm::cast<syntax::Attribute>(expr)->attr)
                      : frame->function.host->lookup(frame->function, place.second);
  if (!found) { // whoever reads it is told why
    llvm::consumeError(found.takeError());
    return std::nullopt;
  }
  if (const HostObject *object = programModuleOf(*found)) {
    programModules[place] = *object;
    return ProgramModule{place.second, *object};
  }
  hostNames[place] = *found;
  return std::nullopt;
}

FailureOr<Value> KernelEmitter::evaluateConstant(const syntax::Constant *constant) {
  if (std::optional<Value> value = constantValue(constant))
    return *value;
  return error("UnsupportedLanguageConstruct") << "complex numbers and bytes are not supported in kernels";
}

FailureOr<Value> KernelEmitter::evaluateAttribute(const syntax::Attribute *attribute) {
  if (std::optional<ProgramModule> module = programModule(attribute->value)) {
    llvm::StringRef path = llvm::StringSaver(pathStorage).save(module->path + "." + attribute->attr);
    auto value = outerValue(path, [&] { return module->object.host->attribute(module->object, attribute->attr); });
    if (failed(value))
      return failure();
    if (*value)
      return **value;
  }
  auto object = evaluate(attribute->value);
  if (failed(object))
    return failure();
  auto value = valueAttribute(*this, *object, attribute->attr);
  if (failed(value))
    return failure();
  if (*value)
    return **value;
  // `.value` of a constexpr is what it wraps.
  if (attribute->attr == "value" && object->isCompileTime())
    return *object;
  auto *module = object->getIf<ModuleValue>();
  if (!module)
    return error("AttributeError").hint(insteadOfAttribute(classNameOf(*object), attribute->attr))
           << "'" << classNameOf(*object) << "' object has no attribute '" << attribute->attr << "'";
  // What only the host's module has: a function that works on the host's own classes, or one that a user put there.
  if (llvm::Expected<Value> found = host().import(module->path, attribute->attr))
    return *found;
  else
    llvm::consumeError(found.takeError());
  Diagnostic diagnostic{.range = currentRange,
                        .message = "module '" + module->path + "' has no attribute '" + attribute->attr.str() + "'",
                        .exception = "AttributeError"};
  diagnostic.hint = insteadOfLanguageName(module->path, attribute->attr);
  report(std::move(diagnostic));
  return failure();
}

FailureOr<Value> KernelEmitter::evaluateSlice(const syntax::Slice *slice) {
  auto part = [&](const syntax::Expr *expr) -> FailureOr<Value> {
    return expr ? evaluate(expr) : FailureOr<Value>(Value::none());
  };
  auto start = part(slice->lower), stop = part(slice->upper), step = part(slice->step);
  if (failed(start) || failed(stop) || failed(step))
    return failure();
  return Value(Value::Storage(std::make_shared<const SliceValue>(SliceValue{*start, *stop, *step})));
}

FailureOr<Value> KernelEmitter::evaluateSubscript(const syntax::Subscript *subscript) {
  auto object = evaluate(subscript->value);
  auto index = evaluate(subscript->slice);
  if (failed(object) || failed(index))
    return failure();
  if (object->isTensor())
    return subscriptTensor(*this, *object,
                           index->tuple() ? llvm::ArrayRef(index->tuple()->elements) : llvm::ArrayRef(*index));
  if (object->aggregate()) {
    auto method = valueAttribute(*this, *object, "__getitem__");
    if (failed(method))
      return failure();
    if (*method)
      return call(**method, CallArguments{{*index}, {}});
    return error("TypeError") << "'" << classNameOf(*object) << "' object is not subscriptable";
  }
  if (!index->isCompileTime())
    return error("TypeError") << "a " << classNameOf(*object)
                              << " is indexed while compiling, so the index must be a constexpr, got " << index->str();
  auto element = foldSubscript(*object, *index);
  if (!element)
    return fail(element.takeError());
  return *element;
}

FailureOr<Value> KernelEmitter::evaluateNamed(const syntax::NamedExpr *named) {
  auto value = evaluate(named->value);
  if (failed(value) || failed(assign(named->target, *value)))
    return failure();
  return evaluate(named->target);
}

FailureOr<std::vector<Value>> KernelEmitter::evaluateAll(llvm::ArrayRef<syntax::Expr *> expressions,
                                                         llvm::StringRef what) {
  std::vector<Value> values;
  bool anyFailed = false;
  for (const syntax::Expr *expression : expressions) {
    auto *starred = dyn_cast<syntax::Starred>(expression);
    auto value = evaluate(starred ? starred->value : expression);
    if (failed(value)) {
      anyFailed = true;
      continue;
    }
    if (!starred) {
      values.push_back(*value);
      continue;
    }
    auto parts = unpack(*value);
    if (failed(parts))
      return failure();
    if (!*parts)
      return error(expression->range, "TypeError")
             << "the " << what << " after * must be a tuple, got " << classNameOf(*value);
    llvm::append_range(values, **parts);
  }
  if (anyFailed)
    return failure();
  return values;
}

FailureOr<Value> KernelEmitter::evaluateElements(llvm::ArrayRef<syntax::Expr *> elements) {
  FailureOr<std::vector<Value>> values = evaluateAll(elements, "value");
  return failed(values) ? FailureOr<Value>() : Value::tuple(std::move(*values));
}

/// `__add__`, or `__radd__` of the right side; `__lt__`, which is `__gt__` of the right side.
static std::string methodOf(BinaryOperation operation, bool isReflected) {
  switch (operation) {
  case BinaryOperation::Eq:
    return "__eq__";
  case BinaryOperation::Ne:
    return "__ne__";
  case BinaryOperation::Lt:
    return isReflected ? "__gt__" : "__lt__";
  case BinaryOperation::Le:
    return isReflected ? "__ge__" : "__le__";
  case BinaryOperation::Gt:
    return isReflected ? "__lt__" : "__gt__";
  case BinaryOperation::Ge:
    return isReflected ? "__le__" : "__ge__";
  default:
    break;
  }
  static constexpr llvm::StringLiteral names[] = {"add",    "sub",    "mul", "truediv", "floordiv", "mod",   "pow",
                                                  "lshift", "rshift", "and", "or",      "xor",      "matmul"};
  const auto index = static_cast<size_t>(operation);
  assert(index < std::size(names) && "comparisons are listed above");
  return (isReflected ? "__r" : "__") + names[index].str() + "__";
}

/// What a method gives that leaves an operator to the other side.
static bool isNotImplemented(const Value &value) {
  return (value.is<const Builtin *>() || value.is<HostObject>()) && value.str() == "NotImplemented";
}

/// Whether a method is one that every object of Python has, such as `object.__eq__`.
static bool isInherited(const Value &method) {
  auto *bound = method.getIf<std::shared_ptr<const BoundMethod>>();
  auto *object = bound ? (*bound)->callable.getIf<HostObject>() : method.getIf<HostObject>();
  if (!object || !object->host)
    return false;
  const std::string kind = object->host->className(*object);
  return kind == "wrapper_descriptor" || kind == "method-wrapper";
}

FailureOr<std::optional<Value>> KernelEmitter::callOperator(const Value &object, StringRef name,
                                                            llvm::ArrayRef<Value> others) {
  if (!object.aggregate())
    return std::optional<Value>();
  auto method = valueAttribute(*this, object, name);
  if (failed(method))
    return failure();
  if (!*method || isInherited(**method))
    return std::optional<Value>();
  FailureOr<Value> result = call(**method, CallArguments{others.vec(), {}});
  if (failed(result))
    return failure();
  return isNotImplemented(*result) ? std::optional<Value>() : std::optional(*result);
}

/// Whether the class of `value` is another than that of `base`, and inherits from it.
static bool isOfSubclass(const Value &value, const Value &base) {
  const AggregateValue *derived = value.aggregate(), *original = base.aggregate();
  if (!derived || !original || !original->hostClass.host || derived->hostClass == original->hostClass)
    return false;
  auto isDerived = original->hostClass.host->isInstance(value, original->hostClass);
  if (isDerived)
    return *isDerived;
  llvm::consumeError(isDerived.takeError());
  return false;
}

FailureOr<std::optional<Value>> KernelEmitter::combineByMethod(StringRef forward, StringRef reflected, const Value &lhs,
                                                               const Value &rhs) {
  const bool rightFirst = isOfSubclass(rhs, lhs);
  for (bool isRight : {rightFirst, !rightFirst}) {
    auto result = isRight ? callOperator(rhs, reflected, lhs) : callOperator(lhs, forward, rhs);
    if (failed(result) || *result)
      return result;
  }
  return std::optional<Value>();
}

FailureOr<Value> KernelEmitter::combine(BinaryOperation operation, const Value &lhs, const Value &rhs) {
  if (lhs.aggregate() || rhs.aggregate()) {
    auto byMethod = combineByMethod(methodOf(operation, false), methodOf(operation, true), lhs, rhs);
    if (failed(byMethod))
      return failure();
    if (*byMethod)
      return **byMethod;
  }
  if (lhs.isTensor() || rhs.isTensor())
    return binary(*this, operation, lhs, rhs);
  const bool isSequence = lhs.tuple() || rhs.tuple();
  const bool compileTime = lhs.isCompileTime() && rhs.isCompileTime();
  if (compileTime || (isSequence && (operation == BinaryOperation::Add || operation == BinaryOperation::Mul)))
    return foldBinary(*this, operation, lhs, rhs);
  return error("TypeError") << "operator " << spelling(operation) << " is not implemented for " << classNameOf(lhs)
                            << " and " << classNameOf(rhs) << " with run-time values";
}

FailureOr<Value> KernelEmitter::evaluateUnary(const syntax::UnaryOp *operation) {
  auto operand = evaluate(operation->operand);
  if (failed(operand))
    return failure();
  const UnaryOperation op = operationOf(operation->op);
  static constexpr llvm::StringLiteral methods[] = {"__invert__", "__not__", "__pos__", "__neg__"};
  if (operand->aggregate()) {
    auto byMethod = callOperator(*operand, methods[static_cast<size_t>(operation->op)], {});
    if (failed(byMethod))
      return failure();
    if (*byMethod)
      return **byMethod;
  }
  if (operand->isTensor())
    return unary(*this, op, *operand);
  if (operand->tuple() || !operand->isCompileTime())
    return error() << "operator '" << spelling(op).trim() << "' is not implemented for " << classNameOf(*operand);
  return foldUnary(*this, op, *operand);
}

/// One comparison of two values.
FailureOr<Value> KernelEmitter::compare(syntax::CompareOperator op, const Value &lhs, const Value &rhs) {
  using Operator = syntax::CompareOperator;
  if (op == Operator::Is || op == Operator::IsNot)
    return Value::boolean(identical(lhs, rhs) == (op == Operator::Is));
  return combine(operationOf(op), lhs, rhs);
}

/// `a < b < c` is `a < b and b < c` with `b` evaluated once; what is false while compiling ends it.
FailureOr<Value> KernelEmitter::evaluateCompare(const syntax::Compare *comparison) {
  using Operator = syntax::CompareOperator;
  for (Operator op : comparison->ops)
    if (op == Operator::In || op == Operator::NotIn)
      return error("UnsupportedLanguageConstruct").hint("compare with each value, and join the results with `or`")
             << "unsupported AST node type: " << (op == Operator::In ? "In" : "NotIn");
  auto lhs = evaluate(comparison->left);
  std::optional<Value> runtime;
  Value last;
  for (auto [op, operand] : llvm::zip_equal(comparison->ops, comparison->comparators)) {
    auto rhs = evaluate(operand);
    if (failed(lhs) || failed(rhs))
      return failure();
    auto result = compare(op, *lhs, *rhs);
    if (failed(result) || comparison->ops.size() == 1)
      return result;
    last = *result;
    lhs = rhs;
    if (!result->isTensor()) {
      auto isTrue = truth(*result);
      if (!isTrue)
        return fail(isTrue.takeError());
      if (!*isTrue)
        return *result;
      continue;
    }
    result = runtime ? combineLogical(*this, /*isAnd=*/true, *runtime, *result) : result;
    if (failed(result))
      return failure();
    runtime = *result;
  }
  return runtime ? *runtime : last;
}

FailureOr<Value> KernelEmitter::evaluateBoolOp(const syntax::BoolOp *operation) {
  const bool isAnd = operation->op == syntax::BoolOperator::And;
  std::optional<Value> runtime;
  Value last;
  for (const syntax::Expr *expr : operation->values) {
    auto value = evaluate(expr);
    if (failed(value))
      return failure();
    last = *value;
    if (!value->isTensor() && !value->aggregate()) {
      // A tuple counts as its emptiness, whatever it holds.
      bool isTrue;
      if (auto *tuple = value->tuple())
        isTrue = !tuple->elements.empty();
      else if (auto folded = truth(*value))
        isTrue = *folded;
      else
        return fail(folded.takeError());
      if (isTrue != isAnd)
        return *value;
      continue;
    }
    if (!runtime) {
      runtime = *value;
      continue;
    }
    if (runtime->aggregate() || value->aggregate()) {
      const StringRef method = isAnd ? "logical_and" : "logical_or";
      auto byMethod = combineByMethod(method, method, *runtime, *value);
      if (failed(byMethod))
        return failure();
      if (!*byMethod)
        return error("TypeError") << "unsupported operand type for " << (isAnd ? "and" : "or") << ": "
                                  << classNameOf(*runtime) << " and " << classNameOf(*value);
      runtime = **byMethod;
      continue;
    }
    auto both = logical(*this, isAnd, *runtime, *value);
    if (failed(both))
      return failure();
    runtime = *both;
  }
  return runtime ? *runtime : last;
}

FailureOr<std::optional<std::vector<Value>>> KernelEmitter::unpack(const Value &value) {
  if (auto *tuple = value.tuple())
    return std::optional(tuple->elements);
  if (auto *object = value.getIf<HostObject>(); object && object->host) {
    auto elements = object->host->iterate(*object);
    if (!elements) {
      llvm::consumeError(elements.takeError());
      return std::optional<std::vector<Value>>();
    }
    return std::optional(std::move(*elements));
  }
  return std::optional<std::vector<Value>>();
}

FailureOr<bool> KernelEmitter::holds(llvm::ArrayRef<syntax::Expr *> conditions) {
  for (const syntax::Expr *condition : conditions) {
    auto value = evaluate(condition);
    if (failed(value))
      return failure();
    if (!value->isCompileTime())
      return error(condition->range, "TypeError")
             << "the condition of a comprehension must be known while compiling, got " << value->str();
    auto isTrue = truth(*value);
    if (!isTrue)
      return fail(isTrue.takeError());
    if (!*isTrue)
      return false;
  }
  return true;
}

FailureOr<Value> KernelEmitter::evaluateComprehension(const syntax::Expr *result,
                                                      llvm::ArrayRef<syntax::Comprehension *> generators) {
  if (generators.size() != 1)
    return error("UnsupportedLanguageConstruct") << "nested comprehensions are not supported";
  const syntax::Comprehension *generator = generators[0];
  if (generator->isAsync)
    return error("UnsupportedLanguageConstruct") << "asynchronous comprehensions are not supported";
  if (failed(checkTarget(generator->target)))
    return failure();
  auto iterable = evaluate(generator->iter);
  if (failed(iterable))
    return failure();
  auto elements = unpack(*iterable);
  if (failed(elements))
    return failure();
  if (!*elements)
    return error("NotImplementedError") << "only tuple comprehensions are supported, got " << classNameOf(*iterable);
  std::vector<StringRef> names;
  collectTargets(generator->target, names);
  const Scope::Saved saved = frame->scope.save(names);
  std::vector<Value> results;
  bool anyFailed = false;
  for (const Value &element : **elements) {
    // A name of a comprehension is what the element is: nothing materialises.
    auto bind = [&](const syntax::Name *name, const Value &part) {
      frame->scope.bind(name->id, {.value = part, .range = name->range});
      return success();
    };
    auto isTaken =
        failed(forEachName(generator->target, element, bind)) ? FailureOr<bool>(failure()) : holds(generator->ifs);
    anyFailed |= failed(isTaken);
    if (anyFailed)
      break;
    if (!*isTaken)
      continue;
    auto value = evaluate(result);
    anyFailed |= failed(value);
    if (anyFailed)
      break;
    results.push_back(*value);
  }
  frame->scope.restore(saved);
  if (anyFailed)
    return failure();
  return Value::tuple(std::move(results));
}

/// What the host's own class says; nullopt if it says nothing.
static FailureOr<std::optional<Value>> formatByHost(Emitter &emitter, const Value &value, int conversion,
                                                    const std::string &spec) {
  if (!value.is<HostObject>() || conversion == 'r' || conversion == 'a')
    return std::optional<Value>();
  const bool isString = conversion == 's';
  auto method = valueAttribute(emitter, value, isString ? "__str__" : "__format__");
  if (failed(method) || !*method)
    return method;
  FailureOr<Value> text = emitter.call(**method, isString ? CallArguments() : CallArguments{{Value::string(spec)}, {}});
  if (failed(text))
    return failure();
  return std::optional(*text);
}

FailureOr<std::string> KernelEmitter::evaluateField(const syntax::FormattedValue *field) {
  auto value = evaluate(field->value);
  if (failed(value))
    return failure();
  if (!value->isCompileTime())
    return error(field->range, "NotImplementedError")
           << "cannot evaluate f-string containing non-constexpr conversion values, found conversion of type "
           << classNameOf(*value);
  std::string spec;
  if (field->formatSpec) {
    auto text = evaluate(field->formatSpec);
    if (failed(text))
      return failure();
    spec = text->get<std::string>();
  }
  int conversion = field->conversion;
  auto byHost = formatByHost(*this, *value, conversion, spec);
  if (failed(byHost))
    return failure();
  if (*byHost) {
    value = **byHost;
    if (conversion != 's')
      return value->str();
  }
  auto text = formatField(*value, conversion, spec);
  if (!text)
    return fail(text.takeError());
  return std::move(*text);
}

FailureOr<Value> KernelEmitter::evaluateJoinedString(const syntax::JoinedStr *joined) {
  std::string text;
  for (const syntax::Expr *part : joined->values) {
    if (auto *constant = dyn_cast<syntax::Constant>(part)) {
      if (auto *literal = constant->as<syntax::StringValue>())
        text += literal->text;
      continue;
    }
    auto *field = dyn_cast<syntax::FormattedValue>(part);
    if (!field)
      return unsupported(part);
    auto value = evaluateField(field);
    if (failed(value))
      return failure();
    // By the rule for sums of strings, which says how long they may be.
    auto longer =
        foldBinary(*this, BinaryOperation::Add, Value::string(std::move(text)), Value::string(std::move(*value)));
    if (failed(longer))
      return failure();
    text = longer->get<std::string>();
  }
  return Value::string(std::move(text));
}
