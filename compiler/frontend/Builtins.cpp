#include "compiler/frontend/Builtins.h"

#include "compiler/frontend/builtins/Families.h"

#include "llvm/ADT/StringMap.h"

namespace triton::frontend {

static std::vector<llvm::ArrayRef<Builtin> (*)()> &registered() {
  static std::vector<llvm::ArrayRef<Builtin> (*)()> families;
  return families;
}

void registerBuiltins(llvm::ArrayRef<Builtin> (*family)()) { registered().push_back(family); }

llvm::ArrayRef<Builtin> builtins() {
  static const std::vector<Builtin> all = [] {
    std::vector<Builtin> table;
    for (llvm::ArrayRef<Builtin> family :
         {programBuiltins(),     creationBuiltins(), shapeBuiltins(),     elementwiseBuiltins(), mathBuiltins(),
          memoryBuiltins(),      atomicBuiltins(),   reductionBuiltins(), dotBuiltins(),         descriptorBuiltins(),
          higherOrderBuiltins(), loopBuiltins(),     hintBuiltins(),      debugBuiltins(),       classBuiltins(),
          dtypeMethodBuiltins(), pythonBuiltins(),   stringBuiltins(),    compileTimeBuiltins(), targetBuiltins(),
          libdeviceBuiltins()})
      table.insert(table.end(), family.begin(), family.end());
    for (llvm::ArrayRef<Builtin> (*family)() : registered())
      table.insert(table.end(), family().begin(), family().end());
    return table;
  }();
  return all;
}

static const llvm::StringMap<const Builtin *> &byQualifiedName() {
  static const llvm::StringMap<const Builtin *> map = [] {
    llvm::StringMap<const Builtin *> entries;
    for (const Builtin &builtin : builtins()) {
      const bool isNew = entries.try_emplace((builtin.module + "." + builtin.name).str(), &builtin).second;
      assert(isNew && "a name is registered once");
      (void)isNew;
    }
    return entries;
  }();
  return map;
}

// Names of `core` that `triton.language` itself does not have.
static bool isCoreOnly(llvm::StringRef name) {
  static constexpr llvm::StringLiteral names[] = {
      "item",       "builtin_min", "builtin_max", "get_int_dtype",          "extern_elementwise",         "dispatch",
      "base_value", "base_type",   "slice_type",  "tensor_descriptor_base", "tensor_descriptor_base_type"};
  return name.starts_with("_") || llvm::is_contained(names, name);
}

const Builtin *findBuiltin(llvm::StringRef module, llvm::StringRef name) {
  if (const Builtin *builtin = byQualifiedName().lookup((module + "." + name).str()))
    return builtin;
  if (module == "triton.language") {
    if (isCoreOnly(name))
      return nullptr;
    for (llvm::StringRef origin : {"triton.language.core", "triton.language.math"})
      if (const Builtin *builtin = byQualifiedName().lookup((origin + "." + name).str()))
        return builtin;
  }
  // The neutral libdevice is the backend's: there is one table of functions.
  if (module == "triton.language.extra.cuda.libdevice" || module == "triton.language.extra.hip.libdevice")
    return findBuiltin("triton.language.extra.libdevice", name);
  return nullptr;
}

const Builtin *findMethod(llvm::StringRef name) {
  static const llvm::StringMap<const Builtin *> methods = [] {
    llvm::StringMap<const Builtin *> entries;
    for (const Builtin &builtin : builtins())
      if (builtin.isMethod)
        entries.try_emplace(builtin.name, &builtin);
    return entries;
  }();
  return methods.lookup(name);
}

} // namespace triton::frontend
