#include "compiler/frontend/Library.h"

#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/Host.h"
#include "compiler/frontend/LibraryText.h"
#include "compiler/frontend/values/Folding.h"
#include "compiler/syntax/Parser.h"

#include "llvm/ADT/StringMap.h"

#include <deque>
#include <mutex>

namespace triton::frontend {

using llvm::dyn_cast;
using llvm::StringRef;

namespace {
/// Resolves the free names of library functions: `tl`, functions beside them, and names of their own module. It makes no objects of its own.
class LibraryHost : public Host {
public:
  LibraryHost(StringRef module, StringRef alias, StringRef language)
      : module(module), alias(alias), language(language) {}

  std::string module;
  StringRef alias, language; // `tl` is `triton.language`
  std::vector<std::shared_ptr<Function>> functions;
  llvm::StringMap<std::shared_ptr<const Function>> byName;

  llvm::Expected<std::optional<Value>> lookup(const Function &, StringRef name) override { return resolve(name); }
  llvm::Expected<std::optional<Value>> attribute(const HostObject &, StringRef) override { return noObjects(); }
  llvm::Expected<Value> call(const HostObject &, const CallArguments &, Emitter &) override { return noObjects(); }
  llvm::Expected<bool> isInstance(const Value &, const HostObject &) override { return noObjects(); }
  llvm::Expected<Value> binary(BinaryOperation, const Value &, const Value &) override { return noObjects(); }
  llvm::Expected<Value> unary(UnaryOperation, const HostObject &) override { return noObjects(); }
  llvm::Expected<Value> subscript(const HostObject &, const Value &) override { return noObjects(); }
  llvm::Expected<Value> length(const HostObject &) override { return noObjects(); }
  llvm::Expected<bool> truth(const HostObject &) override { return noObjects(); }
  llvm::Expected<std::vector<Value>> iterate(const HostObject &) override { return noObjects(); }
  std::string describe(const HostObject &) override { return "<library>"; }
  std::string className(const HostObject &) override { return "object"; }
  std::string key(const HostObject &) override { return {}; }

  std::optional<Value> resolve(StringRef name) const {
    if (name == alias)
      return Value(Value::Storage(ModuleValue{language.str()}));
    if (std::shared_ptr<const Function> function = byName.lookup(name))
      return Value(Value::Storage(std::move(function)));
    // Not through languageAttribute: it would ask the library, which may be loading.
    if (const Builtin *builtin = findBuiltin(module, name))
      return Value(Value::Storage(builtin));
    if (module == "triton.language.random" && name == "N_ROUNDS_DEFAULT")
      return Value::integer(10);
    return std::nullopt;
  }

private:
  static llvm::Error noObjects() { return hostError("RuntimeError", "the library has no objects of its own"); }
};
} // namespace

// Defaults in the library are constants, or names of its module.
static Value defaultOf(const LibraryHost &host, const syntax::Expr *expression) {
  if (const auto *constant = dyn_cast<syntax::Constant>(expression)) {
    if (const auto *integer = constant->as<llvm::APInt>())
      return Value::integer(fromBits(*integer, /*isSigned=*/false));
    if (const auto *boolean = constant->as<bool>())
      return Value::boolean(*boolean);
    if (const auto *real = constant->as<double>())
      return Value::real(*real);
    assert(constant->as<syntax::NoneValue>() && "defaults in the library are numbers and None");
    return Value::none();
  }
  std::optional<Value> value = host.resolve(expression->range.text());
  assert(value && "a default in the library names something of its module");
  return *value;
}

static std::vector<Parameter> parametersOf(const LibraryHost &host, const syntax::Arguments &arguments) {
  std::vector<Parameter> parameters;
  const size_t required = arguments.args.size() - arguments.defaults.size();
  for (auto [index, argument] : llvm::enumerate(arguments.args)) {
    Parameter parameter;
    parameter.name = argument->arg.str();
    parameter.range = argument->range;
    if (argument->annotation)
      parameter.annotate(argument->annotation->range.text());
    if (index >= required)
      parameter.defaultValue = defaultOf(host, arguments.defaults[index - required]);
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

static void loadText(LibraryHost &host, StringRef name, StringRef text) {
  std::shared_ptr<const Source> source = Source::create(name.str(), text.str());
  Diagnostics diagnostics;
  std::shared_ptr<const syntax::Tree> tree = syntax::parse(source, diagnostics);
  assert(!diagnostics.hasErrors() && "the library is Python");
  for (const syntax::Stmt *statement : tree->module->body) {
    const auto *definition = dyn_cast<syntax::FunctionDef>(statement);
    if (!definition)
      continue;
    auto function = std::make_shared<Function>();
    function->name = definition->name.str();
    function->qualifiedName = host.module + "." + function->name;
    function->source = source;
    function->tree = tree;
    function->definition = definition;
    function->parameters = parametersOf(host, *definition->args);
    function->host = &host;
    host.byName[definition->name] = function;
    host.functions.push_back(std::move(function));
  }
}

/// A module of the library, from the texts it consists of, each with its name.
static const LibraryHost *load(StringRef module, std::initializer_list<std::pair<StringRef, StringRef>> texts,
                               StringRef alias = "tl", StringRef language = "triton.language") {
  // Never freed: functions point to their host, and may be held beyond the end of main.
  auto *host = new LibraryHost(module, alias, language);
  for (auto [name, text] : texts)
    loadText(*host, name, text);
  return host;
}

namespace {
struct Registered {
  explicit Registered(const LibraryModule &module) : declared(module) {}
  LibraryModule declared;
  const LibraryHost *host = nullptr;
  std::once_flag isLoaded;
};
} // namespace

static std::deque<Registered> &registered() {
  static std::deque<Registered> modules;
  return modules;
}

void registerLibrary(const LibraryModule &module) { registered().emplace_back(module); }

static const LibraryHost *libraryModule(StringRef module) {
  if (module == "triton.language.standard") {
    static const LibraryHost *const standard = load(module, {{"triton/language/standard.py", standardLibraryText}});
    return standard;
  }
  if (module == "triton.language.random") {
    static const LibraryHost *const random = load(module, {{"triton/language/random.py", randomLibraryText}});
    return random;
  }
  if (module == portableLibdevice) {
    static const LibraryHost *const libdevice =
        load(module, {{"triton/language/extra/libdevice.py", libdeviceLibraryText},
                      {"triton/language/extra/special.py", specialLibraryText},
                      {"triton/language/extra/bessel.py", besselLibraryText}});
    return libdevice;
  }
  for (Registered &other : registered())
    if (other.declared.module == module) {
      std::call_once(other.isLoaded, [&] {
        const LibraryModule &declared = other.declared;
        std::string file = declared.module.str();
        std::replace(file.begin(), file.end(), '.', '/');
        other.host = load(declared.module, {{file + ".py", declared.text}}, declared.alias, declared.language);
      });
      return other.host;
    }
  return nullptr;
}

std::shared_ptr<const Function> libraryFunction(StringRef module, StringRef name) {
  const LibraryHost *host = libraryModule(module);
  return host ? host->byName.lookup(name) : nullptr;
}

std::shared_ptr<const Function> libraryMethod(StringRef name) {
  std::shared_ptr<const Function> function = libraryFunction("triton.language.standard", name);
  if (!function)
    return nullptr;
  const bool isMethod = llvm::any_of(function->definition->decoratorList, [](const syntax::Expr *decorator) {
    return decorator->range.text().ends_with("_tensor_member_fn");
  });
  return isMethod ? function : nullptr;
}

std::vector<StringRef> libraryNames(StringRef module) {
  std::vector<StringRef> names;
  if (const LibraryHost *host = libraryModule(module))
    for (const std::shared_ptr<Function> &function : host->functions)
      names.push_back(function->name);
  return names;
}

} // namespace triton::frontend
