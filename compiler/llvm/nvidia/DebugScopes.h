// Source locations of the source's ops as LLVM debug locations: `.file` and `.loc` lines in PTX, calls that were inlined included.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Module.h"

namespace triton::nvidia {

class DebugScopes {
public:
  DebugScopes(llvm::Module &module, mlir::ModuleOp source);

  void enter(mlir::FunctionOpInterface op, llvm::Function &function);
  /// Empty if the location names no line of a file.
  llvm::DebugLoc location(mlir::Location location, llvm::Function *function);
  void finish();

private:
  llvm::DILocation *resolve(mlir::Location location, llvm::DIScope *scope, llvm::DILocation *inlinedAt);
  llvm::DIFile *file(llvm::StringRef path);
  /// A scope for lines of `file` that were inlined from elsewhere.
  llvm::DISubprogram *subprogram(llvm::StringRef name, llvm::DIFile *file, unsigned line);

  llvm::Module &module;
  llvm::DIBuilder builder;
  llvm::DICompileUnit *unit = nullptr;
  llvm::DISubprogram *current = nullptr;
  llvm::StringMap<llvm::DIFile *> files;
  llvm::StringMap<llvm::DISubprogram *> subprograms;
  llvm::DenseMap<mlir::Location, llvm::DebugLoc> known; // of the current function
};

} // namespace triton::nvidia
