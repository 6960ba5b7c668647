#include "compiler/frontend/Reads.h"

#include "compiler/frontend/Builtins.h"
#include "compiler/support/Hash.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace triton;
using namespace triton::frontend;

static std::string sized(llvm::StringRef text) { return std::to_string(text.size()) + ":" + text.str(); }

static std::string describe(const Function &function, bool &isPortable) {
  const SourceRange &range = function.definition->range;
  std::string text = sized(function.name) + std::to_string(function.source->locate(range.begin).line) +
                     (function.noinline ? ";noinline;" : ";") + sized(function.mustUseResult.value_or("")) +
                     sized(range.text());
  for (const Parameter &parameter : function.parameters) {
    std::optional<std::string> value =
        parameter.defaultValue ? fingerprint(*parameter.defaultValue, function.host) : std::string();
    isPortable &= value.has_value();
    text += sized(value.value_or("object"));
  }
  return sha256Hex(text);
}

std::string triton::frontend::identityOf(const Function &function) {
  bool isPortable = true;
  return describe(function, isPortable);
}

std::optional<std::string> triton::frontend::fingerprint(const Value &value, const Host *host) {
  if (value.isNone() || value.isNumber() || value.is<std::string>() || value.is<Type>() || value.is<EllipsisValue>())
    return value.key();
  if (auto *module = value.getIf<ModuleValue>())
    return "module " + module->path;
  if (auto *builtin = value.getIf<const Builtin *>())
    return "builtin " + ((*builtin)->module + "." + (*builtin)->name).str();
  if (auto *function = value.getIf<std::shared_ptr<const Function>>()) {
    if ((*function)->host != host) // of the library, which is part of the compiler
      return "library " + (*function)->qualifiedName;
    bool isPortable = true;
    std::string identity = describe(**function, isPortable);
    return isPortable ? std::optional("function " + identity) : std::nullopt;
  }
  const TupleValue *tuple = value.tuple();
  if (!tuple || tuple->hostClass.handle)
    return std::nullopt;
  std::string text = "(";
  for (const auto &[index, element] : llvm::enumerate(tuple->elements)) {
    std::optional<std::string> part = fingerprint(element, host);
    if (!part)
      return std::nullopt;
    text += (index < tuple->fields.size() ? tuple->fields[index] + "=" : "") + sized(*part);
  }
  return text + ")";
}

const HostObject *triton::frontend::programModuleOf(const std::optional<Value> &value) {
  auto *object = value ? value->getIf<HostObject>() : nullptr;
  return object && object->host->className(*object) == "module" ? object : nullptr;
}

/// The value of a name, or of a path through modules of the program.
static llvm::Expected<std::optional<Value>> lookUp(const Function &function, llvm::StringRef path) {
  auto [name, rest] = path.split('.');
  llvm::Expected<std::optional<Value>> value = function.host->lookup(function, name);
  while (value && !rest.empty()) {
    const HostObject *module = programModuleOf(*value);
    if (!module)
      return std::nullopt;
    std::tie(name, rest) = rest.split('.');
    value = module->host->attribute(HostObject(*module), name);
  }
  return value;
}

static std::optional<std::string> answerOf(const std::optional<Value> &value, const Host *host) {
  return value ? fingerprint(*value, host) : std::string("nothing");
}

/// Adds the function that a value is, unless it is known or the library's.
static void addFunction(const std::optional<Value> &value, const Host *host,
                        std::vector<std::shared_ptr<const Function>> &functions) {
  auto *function = value ? value->getIf<std::shared_ptr<const Function>>() : nullptr;
  if (function && (*function)->host == host && !llvm::is_contained(functions, *function))
    functions.push_back(*function);
}

Reads triton::frontend::readsOf(const Function &kernel, const LookedUp &names) {
  std::map<const Function *, std::map<std::string, const std::optional<Value> *>> byFunction;
  for (const auto &[place, value] : names)
    if (place.first->host == kernel.host)
      byFunction[place.first][place.second.str()] = &value;
  Reads reads;
  reads.isPortable = true;
  // The kernel itself is nobody's answer; it is only looked at, never kept.
  std::vector<std::shared_ptr<const Function>> functions{
      std::shared_ptr<const Function>(std::shared_ptr<const Function>(), &kernel)};
  size_t found = 0;
  for (size_t index = 0; index < functions.size(); ++index) {
    auto place = byFunction.find(functions[index].get());
    if (place == byFunction.end())
      continue;
    ++found;
    for (const auto &[name, value] : place->second) {
      std::optional<std::string> answer = answerOf(*value, kernel.host);
      reads.isPortable &= answer.has_value();
      reads.all.push_back({unsigned(index), name, answer.value_or("object")});
      addFunction(*value, kernel.host, functions);
    }
  }
  reads.isPortable &= found == byFunction.size(); // else some function came by another way: an argument, a class
  return reads;
}

bool triton::frontend::confirm(const std::shared_ptr<const Function> &kernel, const Reads &reads) {
  if (!reads.isPortable)
    return false;
  std::vector<std::shared_ptr<const Function>> functions{kernel};
  for (const Reads::Read &read : reads.all) {
    if (read.function >= functions.size())
      return false;
    const Function &function = *functions[read.function];
    llvm::Expected<std::optional<Value>> value = lookUp(function, read.name);
    if (!value) { // no longer to be read: the compile says so
      llvm::consumeError(value.takeError());
      return false;
    }
    if (answerOf(*value, kernel->host) != read.answer)
      return false;
    addFunction(*value, kernel->host, functions);
  }
  return true;
}
