#include "compiler/llvm/gpu/DebugScopes.h"

#include "compiler/tensor/Tensor.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace triton::simt {

DebugScopes::DebugScopes(llvm::Module &module, bool variables) : module(module), variables(variables), builder(module) {
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
}

llvm::DIFile *DebugScopes::file(llvm::StringRef path) {
  llvm::DIFile *&made = files[path];
  if (!made)
    made = builder.createFile(llvm::sys::path::filename(path), llvm::sys::path::parent_path(path));
  return made;
}

llvm::DISubprogram *DebugScopes::subprogram(llvm::StringRef name, llvm::DIFile *file, unsigned line) {
  llvm::DISubprogram *&made = subprograms[(name + "@" + file->getFilename() + file->getDirectory()).str()];
  if (!made) {
    auto *signature = builder.createSubroutineType(builder.getOrCreateTypeArray({}));
    made = builder.createFunction(file, name, name, file, line, signature, line, llvm::DINode::FlagZero,
                                  llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized);
  }
  return made;
}

/// The innermost file, line and column of a location.
static FileLineColLoc place(Location location) {
  if (auto file = dyn_cast<FileLineColLoc>(location))
    return file;
  if (auto name = dyn_cast<NameLoc>(location))
    return place(name.getChildLoc());
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return place(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (FileLineColLoc found = place(part))
        return found;
  return {};
}

void DebugScopes::enter(FunctionOpInterface op, llvm::Function &function) {
  known.clear();
  declared.clear();
  current = nullptr;
  FileLineColLoc start = place(op->getLoc());
  if (!start)
    return;
  llvm::DIFile *source = file(start.getFilename());
  if (!unit)
    unit = builder.createCompileUnit(llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_C), source, "triton.cpp",
                                     /*isOptimized=*/true, "", 0, "",
                                     variables ? llvm::DICompileUnit::DebugEmissionKind::FullDebug
                                               : llvm::DICompileUnit::DebugEmissionKind::DebugDirectivesOnly);
  current = subprogram(op.getName(), source, start.getLine());
  function.setSubprogram(current);
}

llvm::DILocation *DebugScopes::resolve(Location location, llvm::DIScope *scope, llvm::DILocation *inlinedAt) {
  if (auto name = dyn_cast<NameLoc>(location))
    return resolve(name.getChildLoc(), scope, inlinedAt);
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    llvm::DILocation *caller = resolve(call.getCaller(), scope, inlinedAt);
    FileLineColLoc callee = place(call.getCallee());
    if (!caller || !callee)
      return caller;
    return resolve(call.getCallee(), subprogram("inlined", file(callee.getFilename()), 0), caller);
  }
  FileLineColLoc line = place(location);
  return line ? llvm::DILocation::get(module.getContext(), line.getLine(), line.getColumn(), scope, inlinedAt)
              : nullptr;
}

llvm::DebugLoc DebugScopes::location(Location location, llvm::Function *) {
  if (!current)
    return {};
  auto [found, isNew] = known.try_emplace(location);
  if (isNew)
    found->second = resolve(location, current, nullptr);
  return found->second;
}

llvm::DIType *DebugScopes::elementType(Type type) {
  if (auto pointer = dyn_cast<tensor::PointerType>(type))
    return builder.createPointerType(elementType(pointer.getPointeeType()), 64);
  std::string name;
  llvm::raw_string_ostream(name) << type;
  llvm::DIType *&made = types[name];
  if (!made) {
    unsigned bits = type.isIndex() ? 32 : type.getIntOrFloatBitWidth();
    unsigned encoding = isa<FloatType>(type) ? llvm::dwarf::DW_ATE_float
                        : bits == 1          ? llvm::dwarf::DW_ATE_boolean
                                             : llvm::dwarf::DW_ATE_signed;
    made = builder.createBasicType(name, llvm::alignTo(bits, 8), encoding);
  }
  return made;
}

llvm::DILocalVariable *DebugScopes::variable(llvm::StringRef name, Type type, unsigned count, llvm::DILocation *place) {
  std::string key;
  llvm::raw_string_ostream(key) << name << ' ' << type << ' ' << count << ' ' << place->getScope() << ' '
                                << place->getInlinedAt();
  llvm::DILocalVariable *&made = declared[key];
  if (!made) {
    llvm::DIType *debugType = elementType(getElementTypeOrSelf(type));
    if (count > 1) {
      llvm::Metadata *range = builder.getOrCreateSubrange(0, count);
      debugType =
          builder.createArrayType(count * debugType->getSizeInBits(), 0, debugType, builder.getOrCreateArray(range));
    }
    made = builder.createAutoVariable(place->getScope(), name, place->getFile(), place->getLine(), debugType,
                                      /*AlwaysPreserve=*/false);
  }
  return made;
}

void DebugScopes::declare(NameLoc name, Value value, llvm::ArrayRef<llvm::Value *> registers, llvm::IRBuilderBase &at) {
  Type element = getElementTypeOrSelf(value.getType());
  llvm::DILocation *place = location(name, nullptr).get();
  if (!variables || !place || registers.empty() ||
      !(element.isIntOrIndexOrFloat() || isa<tensor::PointerType>(element)))
    return;
  llvm::DILocalVariable *named = variable(name.getName(), value.getType(), registers.size(), place);
  uint64_t bits = elementType(element)->getSizeInBits();
  for (auto [index, held] : llvm::enumerate(registers)) {
    llvm::DIExpression *part = builder.createExpression();
    if (registers.size() > 1)
      part = *llvm::DIExpression::createFragmentExpression(part, index * bits, bits);
    builder.insertDbgValueIntrinsic(held, named, part, place, at.GetInsertBlock()->end());
  }
}

void DebugScopes::finish() { builder.finalize(); }

} // namespace triton::simt
