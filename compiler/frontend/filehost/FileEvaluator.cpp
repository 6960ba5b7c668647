// Expressions of a file's top level and of compile-time functions.
#include "compiler/frontend/filehost/FileEvaluator.h"
#include "compiler/frontend/Operators.h"
#include "compiler/frontend/filehost/PythonFunctions.h"
#include "compiler/frontend/values/Folding.h"
#include "compiler/frontend/values/Formatting.h"

#include "llvm/ADT/ScopeExit.h"

using namespace triton;
using namespace triton::frontend;
using llvm::dyn_cast;
using llvm::Error;
using llvm::Expected;
using llvm::isa;

/// A constexpr function that takes longer than this is taken for an endless loop.
static constexpr unsigned maxSteps = 10'000'000;
static constexpr unsigned maxDepth = 100;

Error FileEvaluator::unsupported(const syntax::Node *node) {
  LineColumn place = node->range.source->locate(node->range.begin);
  return hostError("RuntimeError",
                   "'" + node->range.text().split('\n').first.str() + "' (" + node->range.source->name().str() + ":" +
                       std::to_string(place.line) +
                       ") needs Python to evaluate; without Python only constant expressions, jitted functions, "
                       "constexpr functions, NamedTuples and enums are understood");
}

Error FileEvaluator::countStep() {
  return ++steps > maxSteps ? hostError("RuntimeError", "a compile-time function does not come to an end")
                            : Error::success();
}

Expected<Value> FileEvaluator::name(llvm::StringRef id) {
  if (auto found = locals.find(id); found != locals.end())
    return found->second;
  auto global = scope.global(file, id);
  if (!global)
    return global.takeError();
  if (*global)
    return **global;
  if (const Builtin *function = findPythonFunction(id))
    return Value(Value::Storage(function));
  return hostError("NameError", "name '" + id.str() + "' is not defined");
}

Expected<std::vector<Value>> FileEvaluator::iterate(const syntax::Expr *expression) {
  auto sequence = evaluate(expression);
  if (!sequence)
    return sequence.takeError();
  return elementsOf(*sequence);
}

Expected<std::vector<Value>> FileEvaluator::elements(llvm::ArrayRef<syntax::Expr *> expressions) {
  std::vector<Value> values;
  for (const syntax::Expr *expression : expressions) {
    if (auto *starred = dyn_cast<syntax::Starred>(expression)) {
      auto inner = iterate(starred->value);
      if (!inner)
        return inner.takeError();
      llvm::append_range(values, *inner);
      continue;
    }
    auto value = evaluate(expression);
    if (!value)
      return value.takeError();
    values.push_back(std::move(*value));
  }
  return values;
}

Expected<bool> FileEvaluator::test(const syntax::Expr *expression) {
  auto value = evaluate(expression);
  if (!value)
    return value.takeError();
  return truth(*value);
}

Expected<Value> FileEvaluator::compare(const syntax::Compare *expression) {
  auto left = evaluate(expression->left);
  if (!left)
    return left.takeError();
  Value last = Value::boolean(true);
  for (auto [op, comparator] : llvm::zip(expression->ops, expression->comparators)) {
    auto right = evaluate(comparator);
    if (!right)
      return right.takeError();
    using Syntax = syntax::CompareOperator;
    if (op == Syntax::Is || op == Syntax::IsNot) {
      last = Value::boolean(identical(*left, *right) == (op == Syntax::Is));
    } else if (op == Syntax::In || op == Syntax::NotIn) {
      auto found = foldContains(*right, *left);
      if (!found)
        return found.takeError();
      last = Value::boolean(*found == (op == Syntax::In));
    } else {
      auto value = fold(operationOf(op), *left, *right);
      if (!value)
        return value.takeError();
      last = std::move(*value);
    }
    auto holds = truth(last);
    if (!holds)
      return holds.takeError();
    if (!*holds)
      return last;
    left = std::move(right);
  }
  return last;
}

Expected<Value> FileEvaluator::shortCircuit(const syntax::BoolOp *expression) {
  Value last;
  for (const syntax::Expr *operand : expression->values) {
    auto value = evaluate(operand);
    if (!value)
      return value.takeError();
    last = std::move(*value);
    auto holds = truth(last);
    if (!holds)
      return holds.takeError();
    if (*holds == (expression->op == syntax::BoolOperator::Or))
      break;
  }
  return last;
}

Error FileEvaluator::openLoop(llvm::ArrayRef<syntax::Comprehension *> generators, const syntax::Expr *element,
                              std::vector<Value> &values) {
  if (generators.empty()) {
    auto value = evaluate(element);
    if (!value)
      return value.takeError();
    values.push_back(std::move(*value));
    return countStep();
  }
  const syntax::Comprehension *generator = generators.front();
  auto items = iterate(generator->iter);
  if (!items)
    return items.takeError();
  for (const Value &item : *items) {
    if (Error error = assign(generator->target, item))
      return error;
    bool isTaken = true;
    for (const syntax::Expr *condition : generator->ifs) {
      auto holds = test(condition);
      if (!holds)
        return holds.takeError();
      isTaken = *holds;
      if (!isTaken)
        break;
    }
    if (!isTaken)
      continue;
    if (Error error = openLoop(generators.drop_front(), element, values))
      return error;
  }
  return Error::success();
}

Expected<std::vector<Value>> FileEvaluator::comprehension(const syntax::Expr *element,
                                                          llvm::ArrayRef<syntax::Comprehension *> generators) {
  // Its names are its own.
  const llvm::StringMap<Value> outer = locals;
  std::vector<Value> values;
  Error error = openLoop(generators, element, values);
  locals = outer;
  if (error)
    return error;
  return values;
}

Expected<Value> FileEvaluator::call(const syntax::Call *expression) {
  CallArguments arguments;
  auto positional = elements(expression->args);
  if (!positional)
    return positional.takeError();
  arguments.positional = std::move(*positional);
  for (const syntax::Keyword *keyword : expression->keywords) {
    if (keyword->arg.empty())
      return unsupported(expression);
    auto value = evaluate(keyword->value);
    if (!value)
      return value.takeError();
    arguments.keywords.emplace_back(keyword->arg.str(), std::move(*value));
  }
  auto callable = evaluate(expression->func);
  if (!callable)
    return callable.takeError();
  return scope.callValue(*callable, arguments);
}

Expected<Value> FileEvaluator::attribute(const syntax::Attribute *expression) {
  auto object = evaluate(expression->value);
  if (!object)
    return object.takeError();
  auto value = scope.attributeOf(*object, expression->attr);
  if (!value)
    return value.takeError();
  if (*value)
    return **value;
  return hostError("AttributeError",
                   "'" + classNameOf(*object) + "' object has no attribute '" + expression->attr.str() + "'");
}

Expected<Value> FileEvaluator::subscript(const syntax::Subscript *expression) {
  auto sequence = evaluate(expression->value);
  if (!sequence)
    return sequence.takeError();
  auto *bounds = dyn_cast<syntax::Slice>(expression->slice);
  if (!bounds) {
    auto index = evaluate(expression->slice);
    if (!index)
      return index.takeError();
    return foldSubscript(*sequence, *index);
  }
  SliceValue slice;
  for (auto [bound, target] :
       {std::pair{bounds->lower, &slice.start}, {bounds->upper, &slice.stop}, {bounds->step, &slice.step}}) {
    if (!bound)
      continue;
    auto value = evaluate(bound);
    if (!value)
      return value.takeError();
    *target = std::move(*value);
  }
  return foldSubscript(*sequence, Value(Value::Storage(std::make_shared<const SliceValue>(std::move(slice)))));
}

Expected<Value> FileEvaluator::joinedString(const syntax::JoinedStr *expression) {
  std::string text;
  for (const syntax::Expr *part : expression->values) {
    auto *field = dyn_cast<syntax::FormattedValue>(part);
    auto value = evaluate(field ? field->value : part);
    if (!value)
      return value.takeError();
    if (!field) {
      text += value->str();
      continue;
    }
    Expected<Value> spec = field->formatSpec ? evaluate(field->formatSpec) : Value::string("");
    if (!spec)
      return spec.takeError();
    auto formatted = formatField(*value, field->conversion, spec->get<std::string>());
    if (!formatted)
      return formatted.takeError();
    text += *formatted;
  }
  return Value::string(std::move(text));
}

Expected<Value> FileEvaluator::evaluate(const syntax::Expr *expression) {
  if (Error error = countStep())
    return error;
  if (depth >= maxDepth)
    return hostError("RecursionError", "compile-time evaluation is nested too deeply");
  ++depth;
  llvm::scope_exit leave([&] { --depth; });
  if (auto *node = dyn_cast<syntax::Constant>(expression)) {
    if (auto value = constantValue(node))
      return *value;
    return unsupported(expression);
  }
  if (auto *node = dyn_cast<syntax::Name>(expression))
    return name(node->id);
  if (auto *node = dyn_cast<syntax::Attribute>(expression))
    return attribute(node);
  if (auto *node = dyn_cast<syntax::BinOp>(expression)) {
    auto left = evaluate(node->left);
    if (!left)
      return left.takeError();
    auto right = evaluate(node->right);
    if (!right)
      return right.takeError();
    return fold(operationOf(node->op), *left, *right);
  }
  if (auto *node = dyn_cast<syntax::UnaryOp>(expression)) {
    auto operand = evaluate(node->operand);
    if (!operand)
      return operand.takeError();
    return fold(operationOf(node->op), *operand);
  }
  if (auto *node = dyn_cast<syntax::Compare>(expression))
    return compare(node);
  if (auto *node = dyn_cast<syntax::BoolOp>(expression))
    return shortCircuit(node);
  if (auto *node = dyn_cast<syntax::IfExp>(expression)) {
    auto holds = test(node->test);
    if (!holds)
      return holds.takeError();
    return evaluate(*holds ? node->body : node->orelse);
  }
  if (isa<syntax::Tuple, syntax::List>(expression)) {
    auto *tuple = dyn_cast<syntax::Tuple>(expression);
    auto values = elements(tuple ? tuple->elts : llvm::cast<syntax::List>(expression)->elts);
    if (!values)
      return values.takeError();
    return tuple ? Value::tuple(std::move(*values)) : Value::list(std::move(*values));
  }
  if (isa<syntax::ListComp, syntax::GeneratorExp>(expression)) {
    auto *list = dyn_cast<syntax::ListComp>(expression);
    auto *generator = dyn_cast<syntax::GeneratorExp>(expression);
    auto values =
        list ? comprehension(list->elt, list->generators) : comprehension(generator->elt, generator->generators);
    if (!values)
      return values.takeError();
    return list ? Value::list(std::move(*values)) : Value::tuple(std::move(*values));
  }
  if (auto *node = dyn_cast<syntax::Subscript>(expression))
    return subscript(node);
  if (auto *node = dyn_cast<syntax::Call>(expression))
    return call(node);
  if (auto *node = dyn_cast<syntax::JoinedStr>(expression))
    return joinedString(node);
  return unsupported(expression);
}
