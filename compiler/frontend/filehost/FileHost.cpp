#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/filehost/FileEvaluator.h"
#include "compiler/frontend/filehost/FileHostImpl.h"
#include "compiler/frontend/values/Folding.h"
#include "compiler/support/Hash.h"
#include "compiler/syntax/Parser.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cmath>
#include <mutex>

using namespace triton;
using namespace triton::frontend;
using llvm::dyn_cast;
using llvm::Expected;
using llvm::StringRef;

using Kind = FileObject::Kind;

static bool isLanguagePath(StringRef path) { return path == "triton" || path.starts_with("triton."); }

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

/// The parameters that an argument of `jit` lists by name or position; a warning for what is none.
llvm::Error FileHostImpl::readList(const FileModule &file, const syntax::Keyword &keyword, Function &function,
                                   bool dispatch::Parameter::*flag) {
  auto given = FileEvaluator(*this, file).evaluate(keyword.value);
  if (!given)
    return given.takeError();
  if (given->isNone())
    return llvm::Error::success();
  const Value list = given->is<std::string>() ? Value::tuple({*given}) : *given; // a name alone
  auto *elements = list.tuple();
  if (!elements)
    return hostError("TypeError",
                     (keyword.arg + " is a list of names and positions of parameters, not " + list.repr()).str());
  std::vector<std::string> names;
  for (const Parameter &parameter : function.parameters)
    names.push_back(parameter.name);
  for (const Value &element : elements->elements) {
    auto *name = element.getIf<std::string>();
    auto *number = element.getIf<Integer>();
    auto position = number ? toInt64(*number) : std::nullopt;
    if (!name && !position)
      return hostError("TypeError",
                       (keyword.arg + " names parameters or gives their positions, not " + element.repr()).str());
    const dispatch::ParameterReference reference =
        name ? dispatch::ParameterReference(*name) : dispatch::ParameterReference(*position);
    if (auto index = dispatch::findParameter(names, reference))
      function.parameters[*index].*flag = false;
    else
      warn("UserWarning", keyword.value->range,
           dispatch::unknownParameterMessage(keyword.arg, reference, function.name));
  }
  return llvm::Error::success();
}

/// What the decorators of a jitted function say of it.
llvm::Error FileHostImpl::readDecorators(const FileModule &file, Function &function) {
  for (const syntax::Expr *decorator : function.definition->decoratorList) {
    auto *call = dyn_cast<syntax::Call>(decorator);
    std::string path = file.dottedPath(decorator);
    if (isLanguagePath(path) && StringRef(path).ends_with(".must_use_result")) {
      auto *text = call && !call->args.empty() ? dyn_cast<syntax::Constant>(call->args[0]) : nullptr;
      auto *string = text ? text->as<syntax::StringValue>() : nullptr;
      function.mustUseResult = string ? string->text.str() : std::string();
    }
    if (StringRef(path).starts_with("triton.experimental.gluon."))
      function.saysLayouts = true;
    if (!call || !isLanguagePath(path) || !StringRef(path).ends_with(".jit"))
      continue;
    for (const syntax::Keyword *keyword : call->keywords) {
      llvm::Error error = llvm::Error::success();
      if (auto *flag = dyn_cast<syntax::Constant>(keyword->value);
          flag && keyword->arg == "noinline" && flag->as<bool>())
        function.noinline = *flag->as<bool>();
      else if (keyword->arg == "do_not_specialize")
        error = readList(file, *keyword, function, &Parameter::specializesValue);
      else if (keyword->arg == "do_not_specialize_on_alignment")
        error = readList(file, *keyword, function, &Parameter::specializesAlignment);
      if (error)
        return error;
    }
  }
  return llvm::Error::success();
}

/// In the order in which Python's signatures list them: by position, `*args`, by keyword alone.
llvm::Error FileHostImpl::readParameters(const FileModule &file, Function &function) {
  const syntax::Arguments &declared = *function.definition->args;
  const auto add = [&](const syntax::Arg *argument, const syntax::Expr *defaultValue) -> llvm::Error {
    Parameter result;
    result.name = argument->arg.str();
    result.range = argument->range;
    if (argument->annotation)
      result.annotate(argument->annotation->range.text());
    if (defaultValue) {
      auto value = FileEvaluator(*this, file).evaluate(defaultValue);
      if (!value)
        return value.takeError();
      result.defaultValue = std::move(*value);
    }
    function.parameters.push_back(std::move(result));
    return llvm::Error::success();
  };
  llvm::SmallVector<const syntax::Arg *> byPosition(declared.posonlyargs.begin(), declared.posonlyargs.end());
  llvm::append_range(byPosition, declared.args);
  const size_t required = byPosition.size() - std::min(byPosition.size(), declared.defaults.size());
  for (auto [index, argument] : llvm::enumerate(byPosition))
    if (llvm::Error error = add(argument, index < required ? nullptr : declared.defaults[index - required]))
      return error;
  if (declared.vararg) {
    if (llvm::Error error = add(declared.vararg, nullptr))
      return error;
    function.parameters.back().defaultValue = Value::tuple({});
  }
  for (auto [argument, defaultValue] : llvm::zip_equal(declared.kwonlyargs, declared.kwDefaults))
    if (llvm::Error error = add(argument, defaultValue))
      return error;
  return llvm::Error::success();
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
  if (llvm::Error error = readParameters(file, *function))
    return error;
  if (llvm::Error error = readDecorators(file, *function))
    return error;
  return Value(Value::Storage(std::shared_ptr<const Function>(std::move(function))));
}

Expected<Value> FileHostImpl::makeClass(const FileModule &file, const syntax::ClassDef *definition) {
  FileObject object{Kind::PlainClass, definition->name.str(), &file, nullptr, {}, {}, {}};
  for (const syntax::Expr *base : definition->bases) {
    std::string path = file.dottedPath(base);
    if (path == "typing.NamedTuple") {
      object.kind = Kind::NamedTupleClass;
    } else if (path == "enum.Enum" || path == "enum.IntEnum") {
      object.kind = Kind::EnumClass;
      object.isIntEnum = path == "enum.IntEnum";
    }
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

std::string FileHostImpl::sourceKey() {
  std::lock_guard lock(mutex);
  std::string text;
  llvm::SmallVector<const FileModule *> reached{main};
  for (size_t index = 0; index < reached.size(); ++index) {
    const FileModule &file = *reached[index];
    text += std::to_string(file.source->text().size()) + " " + llvm::sys::path::filename(file.source->name()).str() +
            "\n" + file.source->text().str();
    for (StringRef path : file.importedPaths) {
      unsigned level = path.size() - path.ltrim('.').size();
      // `a.b.c` may be a file, or a name in the file `a.b`.
      for (StringRef rest = path.ltrim('.'); !rest.empty(); rest = rest.contains('.') ? rest.rsplit('.').first : "")
        if (const FileModule *imported = load(file, rest, level); imported && !llvm::is_contained(reached, imported))
          reached.push_back(imported);
    }
  }
  return sha256Hex(text);
}

/// What a dotted import path stands for: a name of the language, of `math`, or of a file beside this one.
Expected<Value> FileHostImpl::resolvePath(const FileModule &file, StringRef path) {
  std::lock_guard lock(mutex);
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
  return asInKernels(**value);
}

std::unique_ptr<FileHost> FileHost::create(std::shared_ptr<const Source> source, Diagnostics &diagnostics) {
  unsigned errorsBefore = diagnostics.errors();
  std::shared_ptr<const syntax::Tree> tree = syntax::parse(source, diagnostics);
  if (diagnostics.errors() != errorsBefore)
    return nullptr;
  return std::make_unique<FileHostImpl>(std::make_unique<FileModule>(std::move(source), std::move(tree)));
}
