#include "compiler/frontend/FileEvaluator.h"
#include "compiler/frontend/Folding.h"

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

static std::optional<BinaryOperation> operation(syntax::BinaryOperator op) {
  using Syntax = syntax::BinaryOperator;
  switch (op) {
  case Syntax::Add:
    return BinaryOperation::Add;
  case Syntax::Sub:
    return BinaryOperation::Sub;
  case Syntax::Mult:
    return BinaryOperation::Mul;
  case Syntax::Div:
    return BinaryOperation::TrueDiv;
  case Syntax::FloorDiv:
    return BinaryOperation::FloorDiv;
  case Syntax::Mod:
    return BinaryOperation::Mod;
  case Syntax::Pow:
    return BinaryOperation::Pow;
  case Syntax::LShift:
    return BinaryOperation::LShift;
  case Syntax::RShift:
    return BinaryOperation::RShift;
  case Syntax::BitAnd:
    return BinaryOperation::And;
  case Syntax::BitOr:
    return BinaryOperation::Or;
  case Syntax::BitXor:
    return BinaryOperation::Xor;
  case Syntax::MatMult:
    return BinaryOperation::MatMul;
  }
  return std::nullopt;
}

static UnaryOperation operation(syntax::UnaryOperator op) {
  using Syntax = syntax::UnaryOperator;
  switch (op) {
  case Syntax::Invert:
    return UnaryOperation::Invert;
  case Syntax::Not:
    return UnaryOperation::Not;
  case Syntax::UAdd:
    return UnaryOperation::Pos;
  case Syntax::USub:
    return UnaryOperation::Neg;
  }
  return UnaryOperation::Pos;
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
    return fold(*operation(node->op), *left, *right);
  }
  if (auto *node = dyn_cast<syntax::UnaryOp>(expression)) {
    auto operand = evaluate(node->operand);
    if (!operand)
      return operand.takeError();
    return fold(operation(node->op), *operand);
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

Error FileEvaluator::assign(const syntax::Expr *target, Value value) {
  if (auto *node = dyn_cast<syntax::Name>(target)) {
    locals[node->id] = std::move(value);
    return Error::success();
  }
  llvm::ArrayRef<syntax::Expr *> targets;
  if (auto *tuple = dyn_cast<syntax::Tuple>(target))
    targets = tuple->elts;
  else if (auto *list = dyn_cast<syntax::List>(target))
    targets = list->elts;
  else
    return unsupported(target);
  auto items = iterate(value);
  if (!items)
    return items.takeError();
  if (items->size() != targets.size())
    return hostError("ValueError", "cannot unpack " + std::to_string(items->size()) + " values into " +
                                       std::to_string(targets.size()) + " names");
  for (auto [element, item] : llvm::zip(targets, *items))
    if (Error error = assign(element, item))
      return error;
  return Error::success();
}

Expected<FileEvaluator::Flow> FileEvaluator::execute(llvm::ArrayRef<syntax::Stmt *> body) {
  for (const syntax::Stmt *statement : body) {
    auto flow = execute(statement);
    if (!flow || *flow != Flow::Next)
      return flow;
  }
  return Flow::Next;
}

Expected<FileEvaluator::Flow> FileEvaluator::execute(const syntax::Stmt *statement) {
  if (Error error = countStep())
    return error;
  if (isa<syntax::Pass>(statement))
    return Flow::Next;
  if (isa<syntax::Break>(statement))
    return Flow::Break;
  if (isa<syntax::Continue>(statement))
    return Flow::Continue;
  if (auto *node = dyn_cast<syntax::Return>(statement)) {
    if (node->value) {
      auto value = evaluate(node->value);
      if (!value)
        return value.takeError();
      result = std::move(*value);
    }
    return Flow::Return;
  }
  if (auto *node = dyn_cast<syntax::ExprStmt>(statement)) {
    auto value = evaluate(node->value);
    if (!value)
      return value.takeError();
    return Flow::Next;
  }
  if (auto *node = dyn_cast<syntax::If>(statement)) {
    auto holds = test(node->test);
    if (!holds)
      return holds.takeError();
    return execute(*holds ? node->body : node->orelse);
  }
  if (auto *node = dyn_cast<syntax::Assert>(statement)) {
    auto holds = test(node->test);
    if (!holds)
      return holds.takeError();
    if (*holds)
      return Flow::Next;
    std::string message = "assertion failed: " + node->test->range.text().str();
    if (node->msg) {
      if (auto text = evaluate(node->msg))
        message = text->str();
      else
        llvm::consumeError(text.takeError());
    }
    return hostError("AssertionError", message);
  }
  if (auto *node = dyn_cast<syntax::Raise>(statement))
    return hostError("RuntimeError", "raised by a compile-time function: " + node->range.text().str());
  const syntax::Expr *target = nullptr, *source = nullptr;
  if (auto *node = dyn_cast<syntax::Assign>(statement); node && node->targets.size() == 1) {
    target = node->targets.front();
    source = node->value;
  } else if (auto *node = dyn_cast<syntax::AnnAssign>(statement)) {
    if (!node->value)
      return Flow::Next;
    target = node->target;
    source = node->value;
  }
  if (target) {
    auto value = evaluate(source);
    if (!value)
      return value.takeError();
    if (Error error = assign(target, std::move(*value)))
      return error;
    return Flow::Next;
  }
  if (auto *node = dyn_cast<syntax::AugAssign>(statement)) {
    auto left = evaluate(node->target);
    if (!left)
      return left.takeError();
    auto right = evaluate(node->value);
    if (!right)
      return right.takeError();
    auto value = fold(*operation(node->op), *left, *right);
    if (!value)
      return value.takeError();
    if (Error error = assign(node->target, std::move(*value)))
      return error;
    return Flow::Next;
  }
  if (auto *node = dyn_cast<syntax::For>(statement)) {
    auto sequence = evaluate(node->iter);
    if (!sequence)
      return sequence.takeError();
    auto items = iterate(*sequence);
    if (!items)
      return items.takeError();
    for (const Value &item : *items) {
      if (Error error = assign(node->target, item))
        return error;
      auto flow = execute(node->body);
      if (!flow || *flow == Flow::Return)
        return flow;
      if (*flow == Flow::Break)
        return Flow::Next;
    }
    return execute(node->orelse);
  }
  if (auto *node = dyn_cast<syntax::While>(statement)) {
    while (true) {
      auto holds = test(node->test);
      if (!holds)
        return holds.takeError();
      if (!*holds)
        return execute(node->orelse);
      auto flow = execute(node->body);
      if (!flow || *flow == Flow::Return)
        return flow;
      if (*flow == Flow::Break)
        return Flow::Next;
    }
  }
  return unsupported(statement);
}

Error FileEvaluator::bindParameters(const syntax::FunctionDef *function, const CallArguments &arguments) {
  const syntax::Arguments *parameters = function->args;
  if (parameters->vararg || parameters->kwarg || !parameters->kwonlyargs.empty())
    return unsupported(function);
  llvm::SmallVector<const syntax::Arg *> all(parameters->posonlyargs.begin(), parameters->posonlyargs.end());
  llvm::append_range(all, parameters->args);
  std::string called = function->name.str() + "()";
  if (arguments.positional.size() > all.size())
    return hostError("TypeError", called + " takes " + std::to_string(all.size()) + " arguments, got " +
                                      std::to_string(arguments.positional.size()));
  for (auto [parameter, value] : llvm::zip(all, arguments.positional))
    locals[parameter->arg] = value;
  for (const auto &[keyword, value] : arguments.keywords) {
    if (llvm::none_of(all, [&](const syntax::Arg *parameter) { return parameter->arg == keyword; }))
      return hostError("TypeError", called + " has no parameter '" + keyword + "'");
    if (!locals.try_emplace(keyword, value).second)
      return hostError("TypeError", called + " got several values for '" + keyword + "'");
  }
  size_t firstDefault = all.size() - parameters->defaults.size();
  for (auto [index, parameter] : llvm::enumerate(all)) {
    if (locals.contains(parameter->arg))
      continue;
    if (index < firstDefault)
      return hostError("TypeError", called + " is missing argument '" + parameter->arg.str() + "'");
    auto value = FileEvaluator(scope, file).evaluate(parameters->defaults[index - firstDefault]);
    if (!value)
      return value.takeError();
    locals[parameter->arg] = std::move(*value);
  }
  return Error::success();
}

Expected<Value> FileEvaluator::run(const syntax::FunctionDef *function, const CallArguments &arguments) {
  if (Error error = bindParameters(function, arguments))
    return error;
  auto flow = execute(function->body);
  if (!flow)
    return flow.takeError();
  return result;
}
