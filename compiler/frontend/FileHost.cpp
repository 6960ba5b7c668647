#include "compiler/frontend/FileHost.h"
#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/FileEvaluator.h"
#include "compiler/frontend/Folding.h"
#include "compiler/syntax/Parser.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cmath>
#include <mutex>

using namespace triton;
using namespace triton::frontend;
using llvm::dyn_cast;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

using Kind = FileObject::Kind;

class FileHostImpl : public FileHost, FileScope {
public:
  explicit FileHostImpl(std::unique_ptr<FileModule> file) : main(file.get()) { files.push_back(std::move(file)); }

  std::vector<std::shared_ptr<const Function>> kernels() override;
  std::shared_ptr<const Function> kernel(StringRef name) override;

  Expected<std::optional<Value>> lookup(const Function &function, StringRef name) override;
  Expected<std::optional<Value>> attribute(const HostObject &object, StringRef name) override;
  Expected<Value> call(const HostObject &callable, const CallArguments &arguments, Emitter &emitter) override;
  Expected<bool> isInstance(const Value &value, const HostObject &hostClass) override;
  Expected<Value> binary(BinaryOperation operation, const Value &lhs, const Value &rhs) override;
  Expected<Value> unary(UnaryOperation operation, const HostObject &operand) override;
  Expected<Value> subscript(const HostObject &object, const Value &index) override;
  Expected<Value> length(const HostObject &object) override;
  Expected<bool> truth(const HostObject &) override { return true; }
  Expected<std::vector<Value>> iterate(const HostObject &object) override;
  std::string describe(const HostObject &object) override;
  std::string className(const HostObject &object) override;
  std::string key(const HostObject &object) override { return describe(object); }

private:
  Expected<std::optional<Value>> global(const FileModule &file, StringRef name) override;
  Expected<std::optional<Value>> attributeOf(const Value &value, StringRef name) override;
  Expected<Value> callValue(const Value &callable, const CallArguments &arguments) override;
  Expected<Value> callObject(const FileObject &object, const HostObject &handle, const CallArguments &arguments);

  Expected<Value> evaluateBinding(const FileModule &file, StringRef name, const Binding &binding);
  Expected<Value> makeFunction(const FileModule &file, const syntax::FunctionDef *definition, StringRef prefix = "");
  Expected<Value> makeClass(const FileModule &file, const syntax::ClassDef *definition);
  Expected<Value> resolvePath(const FileModule &file, StringRef path);
  const FileModule *load(const FileModule &from, StringRef moduleName, unsigned level);
  /// Whether kernels may read it (semantics.md 3): not a plain Python value.
  bool isReadable(const FileModule &file, const Binding &binding, const Value &value);

  HostObject handle(std::shared_ptr<const FileObject> object) { return {this, std::move(object)}; }
  Value wrap(std::shared_ptr<const FileObject> object) { return Value(Value::Storage(handle(std::move(object)))); }
  static const FileObject &get(const HostObject &object) {
    return *static_cast<const FileObject *>(object.handle.get());
  }

  std::recursive_mutex mutex; // a host may serve several compiles at once
  const FileModule *main;
  std::vector<std::unique_ptr<FileModule>> files;
  llvm::StringMap<const FileModule *> filesByPath; // null: could not be read
  std::map<std::pair<const FileModule *, std::string>, Value> values;
  std::vector<std::pair<const FileModule *, std::string>> pending; // being evaluated: finds cycles
  unsigned callDepth = 0;
};

} // namespace

static bool isLanguagePath(StringRef path) { return path == "triton" || path.starts_with("triton."); }

/// `triton.cdiv` and `triton.next_power_of_2` on numbers, as the host computes them.
static std::optional<Expected<Value>> callHostFunction(StringRef name, llvm::ArrayRef<Value> arguments) {
  if (!llvm::all_of(arguments, [](const Value &argument) { return argument.is<Integer>(); }))
    return std::nullopt;
  if (name == "cdiv" && arguments.size() == 2 && arguments[1].get<Integer>() > 0)
    return Value::integer(ceilDiv(arguments[0].get<Integer>(), arguments[1].get<Integer>()));
  if (name == "next_power_of_2" && arguments.size() == 1) {
    Integer number = arguments[0].get<Integer>();
    return number <= 0 ? Value::integer(int64_t(0))
                       : Value::integer(fromBits(llvm::APInt::getOneBitSet(4096, bitLength(number - 1)), false));
  }
  return std::nullopt;
}

/// The decorators that make a function known to the language, by their dotted paths.
static bool hasDecorator(const FileModule &file, const syntax::FunctionDef *definition, StringRef name) {
  return llvm::any_of(definition->decoratorList, [&](const syntax::Expr *decorator) {
    std::string path = file.dottedPath(decorator);
    return isLanguagePath(path) && StringRef(path).rsplit('.').second == name;
  });
}

std::vector<std::shared_ptr<const Function>> FileHostImpl::kernels() {
  std::vector<std::shared_ptr<const Function>> result;
  for (const syntax::FunctionDef *definition : main->functions)
    if (hasDecorator(*main, definition, "jit"))
      if (auto function = kernel(definition->name))
        result.push_back(std::move(function));
  return result;
}

std::shared_ptr<const Function> FileHostImpl::kernel(StringRef name) {
  std::lock_guard lock(mutex);
  auto value = global(*main, name);
  if (!value) {
    llvm::consumeError(value.takeError());
    return nullptr;
  }
  auto *function = *value ? (*value)->getIf<std::shared_ptr<const Function>>() : nullptr;
  return function ? *function : nullptr;
}

Expected<Value> FileHostImpl::makeFunction(const FileModule &file, const syntax::FunctionDef *definition,
                                           StringRef prefix) {
  bool jitted = hasDecorator(file, definition, "jit");
  if (!jitted) {
    FileObject object{hasDecorator(file, definition, "constexpr_function") ? Kind::ConstexprFunction
                                                                           : Kind::PythonFunction,
                      (prefix + definition->name).str(),
                      &file,
                      definition,
                      {},
                      {},
                      {}};
    return wrap(std::make_shared<const FileObject>(std::move(object)));
  }
  auto function = std::make_shared<Function>();
  function->name = definition->name.str();
  function->qualifiedName = (llvm::sys::path::stem(file.source->name()) + "." + prefix + definition->name).str();
  function->source = file.source;
  function->tree = file.tree;
  function->definition = definition;
  function->host = this;
  function->scope = std::shared_ptr<const void>(std::shared_ptr<const void>(), &file);
  for (const syntax::Expr *decorator : definition->decoratorList) {
    auto *call = dyn_cast<syntax::Call>(decorator);
    std::string path = file.dottedPath(decorator);
    if (isLanguagePath(path) && StringRef(path).ends_with(".must_use_result")) {
      auto *text = call && !call->args.empty() ? dyn_cast<syntax::Constant>(call->args[0]) : nullptr;
      auto *string = text ? text->as<syntax::StringValue>() : nullptr;
      function->mustUseResult = string ? string->text.str() : std::string();
    }
    if (call && isLanguagePath(path) && StringRef(path).ends_with(".jit"))
      for (const syntax::Keyword *keyword : call->keywords)
        if (auto *flag = dyn_cast<syntax::Constant>(keyword->value);
            flag && keyword->arg == "noinline" && flag->as<bool>())
          function->noinline = *flag->as<bool>();
  }
  const syntax::Arguments *arguments = definition->args;
  size_t firstDefault = arguments->args.size() - std::min(arguments->args.size(), arguments->defaults.size());
  for (auto [index, parameter] : llvm::enumerate(arguments->args)) {
    Parameter result;
    result.name = parameter->arg.str();
    result.range = parameter->range;
    if (parameter->annotation) {
      result.annotation = parameter->annotation->range.text().str();
      result.isConstexpr = StringRef(result.annotation).contains("constexpr");
    }
    if (index >= firstDefault) {
      auto value = FileEvaluator(*this, file).evaluate(arguments->defaults[index - firstDefault]);
      if (!value)
        return value.takeError();
      result.defaultValue = std::move(*value);
    }
    function->parameters.push_back(std::move(result));
  }
  return Value(Value::Storage(std::shared_ptr<const Function>(std::move(function))));
}

Expected<Value> FileHostImpl::makeClass(const FileModule &file, const syntax::ClassDef *definition) {
  FileObject object{Kind::PlainClass, definition->name.str(), &file, nullptr, {}, {}, {}};
  for (const syntax::Expr *base : definition->bases) {
    std::string path = file.dottedPath(base);
    if (path == "typing.NamedTuple")
      object.kind = Kind::NamedTupleClass;
    else if (path == "enum.Enum" || path == "enum.IntEnum")
      object.kind = Kind::EnumClass;
  }
  auto result = std::make_shared<FileObject>(std::move(object));
  for (const syntax::Stmt *statement : definition->body) {
    StringRef name;
    const syntax::Expr *source = nullptr;
    if (auto *assign = dyn_cast<syntax::Assign>(statement); assign && assign->targets.size() == 1) {
      if (auto *target = dyn_cast<syntax::Name>(assign->targets[0]))
        name = target->id;
      source = assign->value;
    } else if (auto *annotated = dyn_cast<syntax::AnnAssign>(statement)) {
      if (auto *target = dyn_cast<syntax::Name>(annotated->target))
        name = target->id;
      source = annotated->value;
    } else if (auto *function = dyn_cast<syntax::FunctionDef>(statement)) {
      auto value = makeFunction(file, function, (definition->name + ".").str());
      if (!value)
        return value.takeError();
      result->members.emplace_back(function->name.str(), std::move(*value));
      continue;
    }
    if (name.empty() || (!source && result->kind != Kind::NamedTupleClass))
      continue;
    std::optional<Value> value;
    if (source) {
      auto evaluated = FileEvaluator(*this, file).evaluate(source);
      if (!evaluated)
        return evaluated.takeError();
      value = std::move(*evaluated);
    }
    if (result->kind == Kind::EnumClass)
      value = wrap(std::make_shared<const FileObject>(
          FileObject{Kind::EnumMember, name.str(), &file, nullptr, {}, result, *value}));
    result->members.emplace_back(name.str(), std::move(value));
  }
  return wrap(std::move(result));
}

const FileModule *FileHostImpl::load(const FileModule &from, StringRef moduleName, unsigned level) {
  llvm::SmallString<128> path(llvm::sys::path::parent_path(from.source->name()));
  for (unsigned i = 1; i < level; ++i)
    path = llvm::sys::path::parent_path(path);
  llvm::SmallVector<StringRef> parts;
  moduleName.split(parts, '.', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts)
    llvm::sys::path::append(path, part);
  path += ".py";
  auto [entry, isNew] = filesByPath.try_emplace(path, nullptr);
  if (!isNew)
    return entry->second;
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return nullptr;
  auto source = Source::create(path.str().str(), (*buffer)->getBuffer().str());
  Diagnostics diagnostics;
  std::shared_ptr<const syntax::Tree> tree = syntax::parse(source, diagnostics);
  if (diagnostics.hasErrors())
    return nullptr;
  files.push_back(std::make_unique<FileModule>(source, tree));
  filesByPath[path] = files.back().get();
  return files.back().get();
}

/// What a dotted import path stands for: a name of the language, of `math`, or of a file beside this one.
Expected<Value> FileHostImpl::resolvePath(const FileModule &file, StringRef path) {
  if (isLanguagePath(path)) {
    if (path == "triton")
      return Value(Value::Storage(ModuleValue{path.str()}));
    auto [module, name] = path.rsplit('.');
    if (auto value = languageAttribute(module, name))
      return *value;
    return hostError("AttributeError", ("module '" + module + "' has no name '" + name + "'").str());
  }
  if (path == "math" || path.starts_with("math.")) {
    StringRef name = path.substr(path == "math" ? 4 : 5);
    if (name == "pi" || name == "e" || name == "inf" || name == "nan")
      return Value::real(name == "pi" ? M_PI : name == "e" ? M_E : name == "inf" ? INFINITY : NAN);
    if (name.empty() || isMathFunction(name))
      return wrap(std::make_shared<const FileObject>(
          FileObject{name.empty() ? Kind::Module : Kind::MathFunction, path.str(), nullptr, nullptr, {}, {}, {}}));
  }
  unsigned level = path.size() - path.ltrim('.').size();
  StringRef rest = path.ltrim('.');
  if (const FileModule *module = load(file, rest, level))
    return wrap(std::make_shared<const FileObject>(FileObject{Kind::Module, rest.str(), module, nullptr, {}, {}, {}}));
  auto [moduleName, name] = rest.rsplit('.');
  if (!name.empty() || level > 0)
    if (const FileModule *module = load(file, name.empty() ? StringRef() : moduleName, level)) {
      auto value = global(*module, name.empty() ? moduleName : name);
      if (!value)
        return value.takeError();
      if (*value)
        return **value;
    }
  return wrap(std::make_shared<const FileObject>(FileObject{Kind::Module, path.str(), nullptr, nullptr, {}, {}, {}}));
}

Expected<Value> FileHostImpl::evaluateBinding(const FileModule &file, StringRef name, const Binding &binding) {
  if (auto *function = dyn_cast<syntax::FunctionDef>(binding.statement))
    return makeFunction(file, function);
  if (auto *classDef = dyn_cast<syntax::ClassDef>(binding.statement))
    return makeClass(file, classDef);
  if (llvm::isa<syntax::Import, syntax::ImportFrom>(binding.statement)) {
    syntax::Name local;
    local.id = name;
    return resolvePath(file, file.dottedPath(&local));
  }
  if (!binding.value)
    return hostError("RuntimeError",
                     "'" + name.str() +
                         "' is changed in place at the file's top level, which needs Python to evaluate");
  auto value = FileEvaluator(*this, file).evaluate(binding.value);
  if (!value || binding.tupleIndex < 0)
    return value;
  return foldSubscript(*value, Value::integer(int64_t(binding.tupleIndex)));
}

Expected<std::optional<Value>> FileHostImpl::global(const FileModule &file, StringRef name) {
  std::lock_guard lock(mutex);
  std::pair<const FileModule *, std::string> place(&file, name.str());
  if (auto found = values.find(place); found != values.end())
    return found->second;
  const Binding *binding = file.find(name);
  if (!binding)
    return std::nullopt;
  if (llvm::is_contained(pending, place))
    return hostError("RuntimeError", "the value of '" + name.str() + "' depends on itself");
  pending.push_back(place);
  auto value = evaluateBinding(file, name, *binding);
  pending.pop_back();
  if (!value)
    return value.takeError();
  values.emplace(place, *value);
  return *value;
}

bool FileHostImpl::isReadable(const FileModule &file, const Binding &binding, const Value &value) {
  if (!value.isNumber() && !value.is<std::string>() && !value.tuple())
    return true;
  if (!binding.value)
    return llvm::isa<syntax::Import, syntax::ImportFrom>(binding.statement);
  std::string path = file.dottedPath(binding.value);
  if (llvm::isa<syntax::Call>(binding.value) && isLanguagePath(path) && StringRef(path).ends_with(".constexpr"))
    return true;
  auto *alias = dyn_cast<syntax::Name>(binding.value);
  const Binding *target = alias ? file.find(alias->id) : nullptr;
  return target && target != &binding && isReadable(file, *target, value);
}

Expected<std::optional<Value>> FileHostImpl::lookup(const Function &function, StringRef name) {
  const auto &file = *static_cast<const FileModule *>(function.scope.get());
  auto value = global(file, name);
  if (!value || !*value)
    return value;
  if (!isReadable(file, *file.find(name), **value))
    return globalNotConstexpr(name);
  return value;
}

Expected<std::optional<Value>> FileHostImpl::attribute(const HostObject &object, StringRef name) {
  const FileObject &file = get(object);
  if (file.kind == Kind::Module) {
    if (file.file)
      return global(*file.file, name);
    if (file.name == "math") {
      auto value = resolvePath(*main, ("math." + name).str());
      if (!value)
        return value.takeError();
      return *value;
    }
    return hostError("RuntimeError", ("'" + file.name + "." + name +
                                      "' cannot be read without Python: only triton's modules, math and "
                                      "files beside this one can be imported")
                                         .str());
  }
  if (file.kind == Kind::EnumMember) {
    if (name == "value")
      return file.value;
    if (name == "name")
      return Value::string(file.name);
  }
  for (const auto &[member, value] : file.members)
    if (member == name && file.kind != Kind::NamedTupleClass)
      return value;
  return std::nullopt;
}

Expected<std::optional<Value>> FileHostImpl::attributeOf(const Value &value, StringRef name) {
  if (auto *object = value.getIf<HostObject>())
    return object->host->attribute(*object, name);
  if (auto *module = value.getIf<ModuleValue>())
    return languageAttribute(module->path, name);
  if (auto *tuple = value.tuple())
    for (auto [field, element] : llvm::zip(tuple->fields, tuple->elements))
      if (field == name)
        return element;
  if (value.is<Type>() && name == "primitive_bitwidth")
    return Value::integer(int64_t(value.get<Type>().bitWidth()));
  return std::nullopt;
}

Expected<Value> FileHostImpl::callObject(const FileObject &object, const HostObject &handle,
                                         const CallArguments &arguments) {
  switch (object.kind) {
  case Kind::MathFunction:
    return callMath(StringRef(object.name).rsplit('.').second, arguments.positional);
  case Kind::ConstexprFunction:
  case Kind::PythonFunction: {
    if (callDepth >= 50)
      return hostError("RecursionError", "compile-time functions call each other too deeply");
    ++callDepth;
    llvm::scope_exit leave([&] { --callDepth; });
    return FileEvaluator(*this, *object.file).run(object.function, arguments);
  }
  case Kind::NamedTupleClass: {
    std::vector<Value> elements;
    std::vector<std::string> fields;
    if (arguments.positional.size() > object.members.size())
      return hostError("TypeError", object.name + "() takes " + std::to_string(object.members.size()) + " fields");
    for (const auto &[keyword, value] : arguments.keywords)
      if (llvm::none_of(object.members, [&](const auto &member) { return member.first == keyword; }))
        return hostError("TypeError", object.name + "() has no field '" + keyword + "'");
    for (auto [index, member] : llvm::enumerate(object.members)) {
      auto keyword = llvm::find_if(arguments.keywords, [&](const auto &item) { return item.first == member.first; });
      fields.push_back(member.first);
      if (index < arguments.positional.size())
        elements.push_back(arguments.positional[index]);
      else if (keyword != arguments.keywords.end())
        elements.push_back(keyword->second);
      else if (member.second)
        elements.push_back(*member.second);
      else
        return hostError("TypeError", object.name + "() is missing field '" + member.first + "'");
    }
    return Value::tuple(std::move(elements), std::move(fields), handle);
  }
  default:
    return hostError("TypeError", "'" + object.name + "' cannot be called without Python");
  }
}

Expected<Value> FileHostImpl::call(const HostObject &callable, const CallArguments &arguments, Emitter &) {
  std::lock_guard lock(mutex);
  const FileObject &object = get(callable);
  if (object.kind == Kind::PythonFunction)
    return hostError("RuntimeError", "Unsupported function referenced: " + object.name +
                                         " is not jitted; decorate it with @triton.jit or @triton.constexpr_function");
  return callObject(object, callable, arguments);
}

Expected<Value> FileHostImpl::callValue(const Value &callable, const CallArguments &arguments) {
  if (auto *object = callable.getIf<HostObject>())
    return callObject(get(*object), *object, arguments);
  if (auto *builtin = callable.getIf<const Builtin *>()) {
    // `tl.constexpr(value)` is its value; dtype constructors are the only others that make compile-time values.
    if ((*builtin)->name == "constexpr" && arguments.positional.size() == 1)
      return arguments.positional.front();
    if ((*builtin)->name == "pointer_type" && !arguments.positional.empty() && arguments.positional[0].is<Type>())
      return Value::dtype(Type::pointer(arguments.positional[0].get<Type>()));
    if (auto folded = callHostFunction((*builtin)->name, arguments.positional))
      return std::move(*folded);
  }
  return hostError("TypeError", callable.repr() + " cannot be called at a file's top level without Python");
}

Expected<bool> FileHostImpl::isInstance(const Value &value, const HostObject &hostClass) {
  if (auto *tuple = value.tuple())
    return tuple->hostClass.handle == hostClass.handle;
  auto *object = value.getIf<HostObject>();
  return object && get(*object).enumClass == hostClass.handle;
}

Expected<Value> FileHostImpl::binary(BinaryOperation operation, const Value &lhs, const Value &rhs) {
  auto *a = lhs.getIf<HostObject>(), *b = rhs.getIf<HostObject>();
  bool same = a && b && a->handle == b->handle;
  if (operation == BinaryOperation::Eq || operation == BinaryOperation::Ne)
    return Value::boolean(same == (operation == BinaryOperation::Eq));
  return hostError("TypeError",
                   ("operator " + spelling(operation) + " is not defined on " + (a ? describe(*a) : rhs.repr())).str());
}

Expected<Value> FileHostImpl::unary(UnaryOperation operation, const HostObject &operand) {
  return hostError("TypeError", ("operator " + spelling(operation) + " is not defined on " + describe(operand)).str());
}

Expected<Value> FileHostImpl::subscript(const HostObject &object, const Value &index) {
  const FileObject &file = get(object);
  if (file.kind == Kind::EnumClass && index.is<std::string>())
    for (const auto &[member, value] : file.members)
      if (member == index.get<std::string>())
        return *value;
  return hostError("TypeError", describe(object) + " cannot be subscripted");
}

Expected<Value> FileHostImpl::length(const HostObject &object) {
  const FileObject &file = get(object);
  if (file.kind == Kind::EnumClass)
    return Value::integer(int64_t(file.members.size()));
  return hostError("TypeError", describe(object) + " has no len()");
}

Expected<std::vector<Value>> FileHostImpl::iterate(const HostObject &object) {
  const FileObject &file = get(object);
  if (file.kind != Kind::EnumClass)
    return hostError("TypeError", describe(object) + " is not iterable");
  std::vector<Value> members;
  for (const auto &[name, value] : file.members)
    members.push_back(*value);
  return members;
}

std::string FileHostImpl::describe(const HostObject &object) {
  const FileObject &file = get(object);
  switch (file.kind) {
  case Kind::Module:
    return "<module '" + file.name + "'>";
  case Kind::EnumMember:
    return "<" + file.enumClass->name + "." + file.name + ": " + file.value.repr() + ">";
  case Kind::NamedTupleClass:
  case Kind::EnumClass:
  case Kind::PlainClass:
    return "<class '" + file.name + "'>";
  default:
    return "<function " + file.name + ">";
  }
}

std::string FileHostImpl::className(const HostObject &object) {
  const FileObject &file = get(object);
  switch (file.kind) {
  case Kind::Module:
    return "module";
  case Kind::EnumMember:
    return file.enumClass->name;
  case Kind::NamedTupleClass:
  case Kind::EnumClass:
  case Kind::PlainClass:
    return "type";
  default:
    return "function";
  }
}

std::unique_ptr<FileHost> FileHost::create(std::shared_ptr<const Source> source, Diagnostics &diagnostics) {
  unsigned errorsBefore = diagnostics.errors();
  std::shared_ptr<const syntax::Tree> tree = syntax::parse(source, diagnostics);
  if (diagnostics.errors() != errorsBefore)
    return nullptr;
  return std::make_unique<FileHostImpl>(std::make_unique<FileModule>(std::move(source), std::move(tree)));
}
