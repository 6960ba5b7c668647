// Calls. A jitted function is emitted once per kind of its arguments (types of run-time values, the values of the
// others), as a private `tt.func`; inlining is the optimiser's business.
#include "compiler/frontend/LayoutPolicy.h"
#include "compiler/frontend/Operations.h"
#include "compiler/frontend/emitter/KernelEmitter.h"
#include "compiler/frontend/emitter/Mangling.h"
#include "compiler/frontend/values/Folding.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"

using namespace triton;
using namespace triton::frontend;
using llvm::dyn_cast;
using llvm::failure;
using llvm::LogicalResult;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::success;
using mlir::FailureOr;

LogicalResult KernelEmitter::evaluateKeywords(const syntax::Call *call,
                                              std::vector<std::pair<std::string, Value>> &values) {
  bool anyFailed = false;
  for (const syntax::Keyword *keyword : call->keywords) {
    if (keyword->arg.empty())
      return error(keyword->range, "UnsupportedLanguageConstruct") << "`**` arguments are not supported";
    auto value = evaluate(keyword->value);
    if (failed(value)) {
      anyFailed = true;
      continue;
    }
    values.emplace_back(keyword->arg.str(), *value);
  }
  return success(!anyFailed);
}

FailureOr<CallArguments> KernelEmitter::evaluateArguments(const syntax::Call *call) {
  CallArguments arguments;
  // Not Python's order, but the one in which the reference numbers what it emits.
  const bool keywordsFirst = showsSteps();
  if (keywordsFirst && failed(evaluateKeywords(call, arguments.keywords)))
    return failure();
  FailureOr<std::vector<Value>> positional = evaluateAll(call->args, "argument");
  if (!keywordsFirst && failed(evaluateKeywords(call, arguments.keywords)))
    return failure();
  if (failed(positional))
    return failure();
  arguments.positional = std::move(*positional);
  return arguments;
}

/// The text that a discarded result of `callable` calls for.
static std::optional<std::string> mustUse(Emitter &emitter, const Value &callable) {
  if (auto *function = callable.getIf<std::shared_ptr<const Function>>())
    return (*function)->mustUseResult;
  if (auto *builtin = callable.getIf<const Builtin *>())
    return (*builtin)->mustUseResult ? std::optional<std::string>("") : std::nullopt;
  if (auto *method = callable.getIf<std::shared_ptr<const BoundMethod>>())
    return mustUse(emitter, (*method)->callable);
  if (auto *object = callable.getIf<HostObject>(); object && object->host) { // a constexpr_function
    FailureOr<std::optional<Value>> mark = valueAttribute(emitter, callable, "_must_use_result");
    if (failed(mark) || !*mark || (*mark)->isNone())
      return std::nullopt;
    return (*mark)->is<std::string>() ? (*mark)->get<std::string>() : "";
  }
  return std::nullopt;
}

FailureOr<Value> KernelEmitter::evaluateCall(const syntax::Call *call, bool isDiscarded) {
  auto callee = evaluate(call->func);
  if (failed(callee))
    return failure();
  if (isDiscarded)
    if (auto text = mustUse(*this, *callee))
      return error("RuntimeError") << "The result of " << call->func->range.text() << " is not being used"
                                   << (text->empty() ? "" : ". ") << *text;
  // The message of a static_assert that holds is not looked at.
  if (auto *builtin = callee->getIf<const Builtin *>();
      builtin && (*builtin)->name == "static_assert" && call->args.size() == 2 && call->keywords.empty()) {
    auto condition = evaluate(call->args[0]);
    if (failed(condition))
      return failure();
    if (auto *holds = condition->getIf<bool>(); holds && *holds)
      return Value::none();
    auto message = evaluate(call->args[1]);
    if (failed(message))
      return failure();
    return callBuiltin(**builtin, CallArguments{{*condition, *message}, {}});
  }
  auto arguments = evaluateArguments(call);
  if (failed(arguments))
    return failure();
  changedReceiver.reset();
  auto result = this->call(*callee, *arguments);
  if (std::optional<Value> changed = std::exchange(changedReceiver, std::nullopt); changed && succeeded(result))
    if (auto *method = dyn_cast<syntax::Attribute>(call->func))
      rebind(method->value, *changed);
  return result;
}

void KernelEmitter::rebind(const syntax::Expr *target, const Value &value) {
  if (auto *name = dyn_cast<syntax::Name>(target)) {
    if (frame->scope.find(name->id))
      frame->scope.bind(name->id, {.value = value, .range = target->range});
    return;
  }
  // A field of an aggregate: the aggregate with another value in it.
  auto *field = dyn_cast<syntax::Attribute>(target);
  auto owner = field ? evaluate(field->value) : FailureOr<Value>(failure());
  if (failed(owner) || !owner->aggregate())
    return;
  AggregateValue changed = *owner->aggregate();
  for (auto [name, element] : llvm::zip_equal(changed.fields, changed.elements))
    if (name == field->attr)
      element = value;
  rebind(field->value, Value(std::make_shared<const AggregateValue>(std::move(changed))));
}

FailureOr<Value> KernelEmitter::call(const Value &callable, const CallArguments &arguments) {
  if (auto *function = callable.getIf<std::shared_ptr<const Function>>()) {
    keptFunctions.push_back(*function);
    return callFunction(**function, arguments);
  }
  if (auto *builtin = callable.getIf<const Builtin *>())
    return callBuiltin(**builtin, arguments);
  if (auto *method = callable.getIf<std::shared_ptr<const BoundMethod>>()) {
    CallArguments withSelf = arguments;
    withSelf.positional.insert(withSelf.positional.begin(), (*method)->self);
    return call((*method)->callable, withSelf);
  }
  if (auto *object = callable.getIf<HostObject>(); object && object->host) {
    auto result = object->host->call(*object, arguments, *this);
    if (!result)
      return fail(result.takeError());
    return *result;
  }
  std::string hint = callable.is<Type>() ? "x.to(dtype) converts, tl.full(shape, value, dtype) makes a block" : "";
  return error("TypeError").hint(std::move(hint)) << "'" << classNameOf(callable) << "' object is not callable";
}

FailureOr<Value> KernelEmitter::callScalar(const Value &function, llvm::ArrayRef<Value> scalars) {
  auto result = call(function, CallArguments{scalars.vec(), {}});
  return failed(result) ? result : materialize(*this, *result);
}

FailureOr<Value> KernelEmitter::callBuiltin(const Builtin &builtin, const CallArguments &arguments) {
  auto bound = signatureOf(builtin).bind(builtin.name, arguments);
  if (!bound)
    return fail(bound.takeError());
  const BoundArguments *outer = std::exchange(builtinArguments, &*bound);
  llvm::scope_exit leave([&] { builtinArguments = outer; });
  return builtin.emit(*this, *bound);
}

LogicalResult KernelEmitter::checkDeclaration(const Function &function) {
  const syntax::Arguments &declared = *function.definition->args;
  auto reject = [&](const syntax::Arg *argument, StringRef what) -> LogicalResult {
    return error(argument->range, "UnsupportedLanguageConstruct")
           << what << " parameters are not supported in jitted functions: '" << argument->arg << "'";
  };
  if (declared.kwarg)
    return reject(declared.kwarg, "`**`");
  return success();
}

FailureOr<Value> KernelEmitter::callFunction(const Function &function, const CallArguments &arguments) {
  auto bound = signatureOf(function).bind(function.name, arguments);
  if (!bound)
    return fail(bound.takeError());
  for (auto [parameter, value] : llvm::zip_equal(function.parameters, bound->values)) {
    if (auto *method = value.getIf<std::shared_ptr<const BoundMethod>>(); method && !value.isCompileTime())
      return error("TypeError") << "a method of a run-time value cannot be passed as an argument: '" << parameter.name
                                << "' of " << function.name;
    SmallVector<mlir::Value> parts;
    flatten(value, parts);
    const bool hasBlock = llvm::any_of(parts, [](mlir::Value part) {
      auto block = llvm::dyn_cast<mlir::RankedTensorType>(part.getType());
      return block && block.getNumElements() > 1;
    });
    if (function.noinline && hasBlock)
      return error("UnsupportedLanguageConstruct")
             << "function " << function.name << " is marked noinline, but was called with non-scalar argument "
             << parameter.name << ":" << value.type().str();
  }
  SmallVector<bool> isDefault;
  for (auto [i, parameter] : llvm::enumerate(function.parameters))
    isDefault.push_back(i >= arguments.positional.size() && llvm::none_of(arguments.keywords, [&](const auto &keyword) {
                          return keyword.first == parameter.name;
                        }));
  auto specialization = specialize(function, bound->values, isDefault);
  if (failed(specialization))
    return failure();
  SmallVector<mlir::Value> operands;
  for (const Value &value : bound->values)
    flatten(value, operands);
  auto op = tensor::CallOp::create(opBuilder, location(), (*specialization)->op, operands);
  mlir::ValueRange results = op->getResults();
  return rebuild((*specialization)->result, results);
}

std::string KernelEmitter::symbolFor(const Function &function, llvm::ArrayRef<Value> arguments,
                                     llvm::ArrayRef<bool> isDefault) {
  std::string symbol;
  for (char c : function.qualifiedName.empty() ? function.name : function.qualifiedName)
    symbol += llvm::isAlnum(c) || c == '.' ? c : '_';
  symbol += "__";
  symbol += mangleArguments(*this, arguments, isDefault);
  // Host objects may print at any length.
  if (!layoutPolicy && symbol.size() > 200)
    symbol.resize(200);
  if (currentPartitionWarps)
    symbol += "_NW" + std::to_string(currentPartitionWarps);
  const unsigned copies = symbols[symbol]++;
  return copies == 0 ? symbol : symbol + "." + std::to_string(copies);
}

FailureOr<KernelEmitter::Specialization *>
KernelEmitter::specialize(const Function &function, llvm::ArrayRef<Value> arguments, llvm::ArrayRef<bool> isDefault) {
  std::string key = std::to_string(reinterpret_cast<uintptr_t>(function.identity()));
  for (const Value &argument : arguments)
    key += "/" + argument.key();
  key += "/warps" + std::to_string(currentPartitionWarps);
  auto [entry, isNew] = specializations.try_emplace(std::move(key));
  Specialization &specialization = entry->second;
  if (!isNew) {
    if (specialization.state == Specialization::State::Failed)
      return failure();
    if (specialization.state == Specialization::State::InProgress)
      return error("RecursionError")
                 .hint("recursion works only if each level has other argument types or other constants")
             << "function " << function.name << " calls itself with the same argument types and constants";
    return &specialization;
  }

  mlir::OpBuilder::InsertionGuard guard(opBuilder);
  opBuilder.setInsertionPointToEnd(moduleOp->getBody());
  Frame callee{.function = function, .caller = frame, .callSite = currentRange};
  Frame *caller = std::exchange(frame, &callee);
  At at(*this, function.definition ? function.definition->range : currentRange);
  llvm::scope_exit leave([&] { frame = caller; });

  SmallVector<mlir::Value> values;
  for (const Value &argument : arguments)
    flatten(argument, values);
  SmallVector<mlir::Type> types = llvm::map_to_vector(values, [](mlir::Value value) { return value.getType(); });
  callee.op = tensor::FuncOp::create(opBuilder, location(), symbolFor(function, arguments, isDefault),
                                     opBuilder.getFunctionType(types, {}));
  callee.op.setPrivate();
  callee.op->setAttr("noinline", opBuilder.getBoolAttr(function.noinline));
  if (currentPartitionWarps)
    layoutPolicy->markPartition(callee.op, currentPartitionWarps);
  specialization.op = callee.op;
  specialization.state = Specialization::State::Failed;
  if (failed(checkDeclaration(function)))
    return failure();
  specialization.state = Specialization::State::InProgress;

  mlir::Block *entryBlock = callee.op.addEntryBlock();
  mlir::ValueRange received = entryBlock->getArguments();
  for (auto [parameter, argument] : llvm::zip_equal(function.parameters, arguments)) {
    At place(*this, parameter.range.isValid() ? parameter.range : currentRange);
    Value value = rebuild(argument, received);
    nameValue(value, parameter.name);
    callee.scope.bind(parameter.name, {.value = std::move(value), .range = currentRange});
  }
  opBuilder.setInsertionPointToEnd(entryBlock);
  const bool isDone = succeeded(emitBody(callee));
  specialization.state = isDone ? Specialization::State::Done : Specialization::State::Failed;
  if (!isDone)
    return failure();
  specialization.result = callee.result ? callee.returned : Value::none();
  return &specialization;
}

/// Takes the parts of `results` away that callers know as constants: `result` has a run-time value there, `returned` has none.
static void dropConstants(const Value &result, const Value &returned, SmallVector<mlir::Value> &results) {
  SmallVector<mlir::Value> kept;
  mlir::ValueRange all(results);
  const auto visit = [&](auto &visit, const Value &pattern, const Value &known) -> void {
    auto *tuple = pattern.tuple(), *knownTuple = known.tuple();
    if (tuple && knownTuple) {
      for (auto [element, knownElement] : llvm::zip_equal(tuple->elements, knownTuple->elements))
        visit(visit, element, knownElement);
      return;
    }
    SmallVector<mlir::Value> parts;
    flatten(pattern, parts);
    if (!known.isCompileTime())
      llvm::append_range(kept, all.take_front(parts.size()));
    all = all.drop_front(parts.size());
  };
  visit(visit, result, returned);
  if (kept.size() == results.size())
    return;
  SmallVector<mlir::Value> dropped(results.begin(), results.end());
  results = kept;
  for (mlir::Value value : dropped)
    if (mlir::Operation *op = value.getDefiningOp();
        op && op->hasTrait<mlir::OpTrait::ConstantLike>() && op->use_empty() && !llvm::is_contained(kept, value))
      op->erase();
}

/// Emits the statements of the current function and its one return. Fails if an error was reported within.
LogicalResult KernelEmitter::emitBody(Frame &current) {
  const unsigned errorsBefore = diagnostics.errors();
  if (current.function.source)
    sources.add(current.function.source);
  Flow flow = emitStatements(current.function.definition->body, /*isFunctionBody=*/true);
  // Later dead code may use values of earlier dead code.
  for (mlir::Operation *op : llvm::reverse(current.dead))
    op->erase();
  SmallVector<mlir::Value> results = resultsOrPoison(flow);
  if (current.result)
    dropConstants(*current.result, current.returned, results);
  tensor::ReturnOp::create(opBuilder, location(), results);
  // Behind a return comes code that cannot run, which falls off the end.
  if (showsSteps() && flow.kind == Flow::Kind::Returns && !results.empty()) {
    mlir::OpBuilder::InsertionGuard guard(opBuilder);
    opBuilder.createBlock(&current.op.getBody());
    tensor::ReturnOp::create(opBuilder, location(),
                             llvm::map_to_vector(results, [&](mlir::Value value) { return poison(value.getType()); }));
  }
  current.op.setFunctionType(
      opBuilder.getFunctionType(current.op.getArgumentTypes(), mlir::ValueRange(results).getTypes()));
  return success(diagnostics.errors() == errorsBefore && !current.failed);
}
