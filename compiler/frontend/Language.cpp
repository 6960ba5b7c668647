// The module tree of the language: what `tl.<name>` means, for every host.
#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/Library.h"
#include "compiler/frontend/emitter/Function.h"
#include "compiler/tensor/rules/Rules.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace triton::frontend {

static constexpr llvm::StringLiteral dtypeNames[] = {
    "void",        "int1",    "int8",     "int16",    "int32",       "int64",      "uint8",
    "uint16",      "uint32",  "uint64",   "float8e5", "float8e5b16", "float8e4nv", "float8e4b8",
    "float8e4b15", "float16", "bfloat16", "float32",  "float64",     "pi32_t"};

static std::optional<Value> dtypeNamed(llvm::StringRef name) {
  if (!llvm::is_contained(dtypeNames, name))
    return std::nullopt;
  return Value::dtype(name == "pi32_t" ? Type::pointer(Type::int32())
                                       : Type::scalar(*dispatch::scalarTypeByName(name)));
}

namespace {
/// A name of a module that is neither builtin nor library function.
struct Entry {
  llvm::StringLiteral module, name;
  enum { Module, Integer, String, Names } kind; // Names: words of `text`, as a tuple
  int64_t integer = 0;
  llvm::StringLiteral text = "";
};
} // namespace

static constexpr Entry entries[] = {
    {"triton", "language", Entry::Module},
    {"triton", "profiler", Entry::Module},
    {"triton.profiler", "language", Entry::Module},
    {"triton.language", "math", Entry::Module},
    {"triton.language", "core", Entry::Module},
    {"triton.language", "standard", Entry::Module},
    {"triton.language", "random", Entry::Module},
    {"triton.language", "extra", Entry::Module},
    {"triton.language", "target_info", Entry::Module},
    {"triton.language", "semantic", Entry::Module},
    {"triton.language", "PropagateNan", Entry::Module},
    {"triton.language.PropagateNan", "NONE", Entry::Integer, 0},
    {"triton.language.PropagateNan", "ALL", Entry::Integer, 65535},
    {"triton.language.extra", "libdevice", Entry::Module},
    {"triton.language.extra", "cuda", Entry::Module},
    {"triton.language.extra.cuda", "libdevice", Entry::Module},
    {"triton.language.extra", "hip", Entry::Module},
    {"triton.language.extra.hip", "libdevice", Entry::Module},
    {"triton.language.core.dtype", "SINT_TYPES", Entry::Names, 0, "int8 int16 int32 int64"},
    {"triton.language.core.dtype", "UINT_TYPES", Entry::Names, 0, "int1 uint8 uint16 uint32 uint64"},
    {"triton.language.core.dtype", "FP_TYPES", Entry::Names, 0,
     "fp8e4b15 fp8e4nv fp8e4b8 fp8e5 fp8e5b16 fp16 bf16 fp32 fp64"},
    {"triton.language.core.dtype", "STANDARD_FP_TYPES", Entry::Names, 0, "fp16 bf16 fp32 fp64"},
    {"triton.language.core.dtype", "OTHER_TYPES", Entry::Names, 0, "void"},
    {"triton.language.core.dtype", "SIGNEDNESS", Entry::Module},
    {"triton.language.core.dtype", "KIND", Entry::Module},
    {"triton.language.core.dtype.SIGNEDNESS", "SIGNED", Entry::Integer, 0},
    {"triton.language.core.dtype.SIGNEDNESS", "UNSIGNED", Entry::Integer, 1},
    {"triton.language.core.dtype.KIND", "BOOLEAN", Entry::Integer, 0},
    {"triton.language.core.dtype.KIND", "INTEGRAL", Entry::Integer, 1},
    {"triton.language.core.dtype.KIND", "FLOATING", Entry::Integer, 2},
    {"triton.language", "TRITON_MAX_TENSOR_NUMEL", Entry::Integer, tensor::maxTensorElements},
    {"triton.language.core", "CONSTEXPR_0", Entry::Integer, 0},
    {"triton.language.core", "TRITON_BUILTIN", Entry::String, 0, "__triton_builtin__"},
    {"triton.language.random", "N_ROUNDS_DEFAULT", Entry::Integer, 10},
};

static Value namesOf(llvm::StringRef text) {
  std::vector<Value> names;
  for (llvm::StringRef name : llvm::split(text, ' '))
    names.push_back(Value::string(name.str()));
  return Value::tuple(std::move(names));
}

static Value valueOf(const Entry &entry) {
  switch (entry.kind) {
  case Entry::Module:
    return Value(Value::Storage(ModuleValue{(entry.module + "." + entry.name).str()}));
  case Entry::Integer:
    return Value::integer(entry.integer);
  case Entry::String:
    return Value::string(entry.text.str());
  case Entry::Names:
    return namesOf(entry.text);
  }
  llvm_unreachable("all kinds are listed");
}

/// The modules of library functions that `triton.language` shows as its own.
static constexpr llvm::StringLiteral libraryModules[] = {"triton.language.standard", "triton.language.random"};

using Resolver = std::optional<Value> (*)(llvm::StringRef module, llvm::StringRef name);

static std::vector<Resolver> &resolvers() {
  static std::vector<Resolver> all;
  return all;
}

void registerModules(Resolver resolve) { resolvers().push_back(resolve); }

std::optional<Value> languageAttribute(llvm::StringRef modulePath, llvm::StringRef name) {
  for (const Entry &entry : entries)
    if (entry.module == modulePath && entry.name == name)
      return valueOf(entry);
  if (const Builtin *builtin = findBuiltin(modulePath, name))
    return Value(Value::Storage(builtin));
  if (modulePath == "triton.language" || modulePath == "triton.language.core")
    if (std::optional<Value> dtype = dtypeNamed(name))
      return dtype;
  if (std::shared_ptr<const Function> function = libraryFunction(modulePath, name))
    return Value(Value::Storage(std::move(function)));
  if (modulePath == "triton.language" && !name.starts_with("_"))
    for (llvm::StringRef module : libraryModules)
      if (std::shared_ptr<const Function> function = libraryFunction(module, name))
        return Value(Value::Storage(std::move(function)));
  // `tl.core.PropagateNan` and the like: imported there.
  if (modulePath == "triton.language.core" && (name == "PropagateNan" || name == "TRITON_MAX_TENSOR_NUMEL"))
    return languageAttribute("triton.language", name);
  for (Resolver resolve : resolvers())
    if (std::optional<Value> found = resolve(modulePath, name))
      return found;
  return std::nullopt;
}

std::vector<std::string> languageNames(llvm::StringRef modulePath) {
  std::vector<std::string> names;
  llvm::StringSet<> seen;
  const auto add = [&](llvm::StringRef name) {
    if (seen.insert(name).second)
      names.push_back(name.str());
  };
  for (const Entry &entry : entries)
    if (entry.module == modulePath)
      add(entry.name);
  if (modulePath == "triton.language" || modulePath == "triton.language.core")
    for (llvm::StringRef name : dtypeNames)
      add(name);
  for (const Builtin &builtin : builtins())
    if (findBuiltin(modulePath, builtin.name) == &builtin)
      add(builtin.name);
  std::vector<llvm::StringRef> modules = {modulePath};
  if (modulePath == "triton.language")
    llvm::append_range(modules, libraryModules);
  for (llvm::StringRef module : modules)
    for (llvm::StringRef name : libraryNames(module))
      if (module == modulePath || !name.starts_with("_"))
        add(name);
  return names;
}

} // namespace triton::frontend
