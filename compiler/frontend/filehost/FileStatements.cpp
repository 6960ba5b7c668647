// Statements of compile-time functions, and running one.
#include "compiler/frontend/Operators.h"
#include "compiler/frontend/filehost/FileEvaluator.h"
#include "compiler/frontend/values/Folding.h"

using namespace triton;
using namespace triton::frontend;
using llvm::dyn_cast;
using llvm::Error;
using llvm::Expected;
using llvm::isa;

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
  auto items = elementsOf(value);
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
    auto value = fold(operationOf(node->op), *left, *right);
    if (!value)
      return value.takeError();
    if (Error error = assign(node->target, std::move(*value)))
      return error;
    return Flow::Next;
  }
  if (auto *node = dyn_cast<syntax::For>(statement)) {
    auto items = iterate(node->iter);
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
