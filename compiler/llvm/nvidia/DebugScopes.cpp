#include "compiler/llvm/nvidia/DebugScopes.h"

#include "mlir/IR/Location.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace triton::nvidia {

DebugScopes::DebugScopes(llvm::Module &module, ModuleOp) : module(module), builder(module) {
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
  current = nullptr;
  FileLineColLoc start = place(op->getLoc());
  if (!start)
    return;
  llvm::DIFile *source = file(start.getFilename());
  if (!unit)
    unit = builder.createCompileUnit(llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_C), source, "triton.cpp",
                                     /*isOptimized=*/true, "", 0, "",
                                     llvm::DICompileUnit::DebugEmissionKind::DebugDirectivesOnly);
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

void DebugScopes::finish() { builder.finalize(); }

} // namespace triton::nvidia
