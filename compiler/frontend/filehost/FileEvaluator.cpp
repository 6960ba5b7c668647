// Expressions of a file's top level and of compile-time functions.
#include "compiler/frontend/filehost/FileEvaluator.h"
#include "compiler/frontend/Operators.h"
#include "compiler/frontend/values/Folding.h"

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

static std::optional<Value> constant(const syntax::Constant *node) {
  if (node->as<syntax::NoneValue>())
    return Value::none();
  if (auto *value = node->as<bool>())
    return Value::boolean(*value);
  if (auto *value = node->as<llvm::APInt>())
    return Value::integer(fromBits(*value, /*isSigned=*/false));
  if (auto *value = node->as<double>())
    return Value::real(*value);
  if (auto *value = node->as<syntax::StringValue>())
    return Value::string(value->text.str());
  if (node->as<syntax::EllipsisValue>())
    return Value(Value::Storage(EllipsisValue{}));
  return std::nullopt;
}

Expected<Value> FileEvaluator::name(llvm::StringRef id) {
  if (auto found = locals.find(id); found != locals.end())
    return found->second;
  auto global = scope.global(file, id);
  if (!global)
    return global.takeError();
  if (*global)
    return **global;
  return hostError("NameError", "name '" + id.str() + "' is not defined");
}

Expected<std::vector<Value>> FileEvaluator::elements(llvm::ArrayRef<syntax::Expr *> expressions) {
  std::vector<Value> values;
  for (const syntax::Expr *expression : expressions) {
    if (auto *starred = dyn_cast<syntax::Starred>(expression)) {
      auto sequence = evaluate(starred->value);
      if (!sequence)
        return sequence.takeError();
      auto inner = iterate(*sequence);
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

Expected<std::vector<Value>> FileEvaluator::iterate(const Value &value) {
  if (auto *tuple = value.tuple())
    return tuple->elements;
  if (auto *text = value.getIf<std::string>()) {
    std::vector<Value> letters;
    for (char letter : *text)
      letters.push_back(Value::string(std::string(1, letter)));
    return letters;
  }
  if (auto *object = value.getIf<HostObject>())
    return object->host->iterate(*object);
  return hostError("TypeError", "'" + value.repr() + "' is not iterable");
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
      last = Value::boolean(equalConstants(*left, *right) == (op == Syntax::Is));
    } else if (op == Syntax::In || op == Syntax::NotIn) {
      auto items = iterate(*right);
      if (!items)
        return items.takeError();
      bool found = llvm::any_of(*items, [&](const Value &item) { return equalConstants(item, *left); });
      last = Value::boolean(found == (op == Syntax::In));
    } else {
      static constexpr BinaryOperation operations[] = {BinaryOperation::Eq, BinaryOperation::Ne, BinaryOperation::Lt,
                                                       BinaryOperation::Le, BinaryOperation::Gt, BinaryOperation::Ge};
      auto value = fold(operations[static_cast<unsigned>(op)], *left, *right);
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

Expected<Value> FileEvaluator::comprehension(const syntax::Expr *element,
                                             llvm::ArrayRef<syntax::Comprehension *> generators) {
  std::vector<Value> values;
  std::function<Error(size_t)> loop = [&](size_t level) -> Error {
    if (level == generators.size()) {
      auto value = evaluate(element);
      if (!value)
        return value.takeError();
      values.push_back(std::move(*value));
      return countStep();
    }
    auto sequence = evaluate(generators[level]->iter);
    if (!sequence)
      return sequence.takeError();
    auto items = iterate(*sequence);
    if (!items)
      return items.takeError();
    for (const Value &item : *items) {
      if (Error error = assign(generators[level]->target, item))
        return error;
      bool taken = true;
      for (const syntax::Expr *condition : generators[level]->ifs) {
        auto holds = test(condition);
        if (!holds)
          return holds.takeError();
        taken &= *holds;
      }
      if (taken)
        if (Error error = loop(level + 1))
          return error;
    }
    return Error::success();
  };
  if (Error error = loop(0))
    return error;
  return Value::tuple(std::move(values));
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
  if (auto *callee = dyn_cast<syntax::Name>(expression->func);
      callee && !locals.contains(callee->id) && !file.find(callee->id))
    if (auto result = callPythonBuiltin(callee->id, arguments))
      return std::move(*result);
  auto callable = evaluate(expression->func);
  if (!callable)
    return callable.takeError();
  return scope.callValue(*callable, arguments);
}

Expected<Value> FileEvaluator::evaluate(const syntax::Expr *expression) {
  if (Error error = countStep())
    return error;
  if (depth >= maxDepth)
    return hostError("RecursionError", "compile-time evaluation is nested too deeply");
  ++depth;
  llvm::scope_exit leave([&] { --depth; });
  if (auto *node = dyn_cast<syntax::Constant>(expression)) {
    if (auto value = constant(node))
      return *value;
    return unsupported(expression);
  }
  if (auto *node = dyn_cast<syntax::Name>(expression))
    return name(node->id);
  if (auto *node = dyn_cast<syntax::Attribute>(expression)) {
    auto object = evaluate(node->value);
    if (!object)
      return object.takeError();
    auto value = scope.attributeOf(*object, node->attr);
    if (!value)
      return value.takeError();
    if (*value)
      return **value;
    return hostError("AttributeError", "'" + object->repr() + "' has no attribute '" + node->attr.str() + "'");
  }
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
    return Value::tuple(std::move(*values));
  }
  if (auto *node = dyn_cast<syntax::ListComp>(expression))
    return comprehension(node->elt, node->generators);
  if (auto *node = dyn_cast<syntax::GeneratorExp>(expression))
    return comprehension(node->elt, node->generators);
  if (auto *node = dyn_cast<syntax::Subscript>(expression)) {
    auto sequence = evaluate(node->value);
    if (!sequence)
      return sequence.takeError();
    if (auto *bounds = dyn_cast<syntax::Slice>(node->slice)) {
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
    auto index = evaluate(node->slice);
    if (!index)
      return index.takeError();
    return foldSubscript(*sequence, *index);
  }
  if (auto *node = dyn_cast<syntax::Call>(expression))
    return call(node);
  if (auto *node = dyn_cast<syntax::JoinedStr>(expression)) {
    std::string text;
    for (const syntax::Expr *part : node->values) {
      auto *field = dyn_cast<syntax::FormattedValue>(part);
      auto value = evaluate(field ? field->value : part);
      if (!value)
        return value.takeError();
      text += field && field->conversion == 'r' ? value->repr() : value->str();
    }
    return Value::string(std::move(text));
  }
  return unsupported(expression);
}
