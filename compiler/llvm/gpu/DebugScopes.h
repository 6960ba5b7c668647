// Source locations of the source's ops as LLVM debug locations: `.file` and `.loc` lines in PTX, calls that were inlined included;
// on request also the source's variables, a tensor as the array of the elements that a thread holds.
#pragma once

#include "mlir/IR/Location.h"
#include "mlir/IR/Value.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace triton::simt {

class DebugScopes {
public:
  DebugScopes(llvm::Module &module, bool variables);

  void enter(mlir::FunctionOpInterface op, llvm::Function &function);
  /// Empty if the location names no line of a file.
  llvm::DebugLoc location(mlir::Location location, llvm::Function *function);
  /// From the builder's place on, the variable of that name is in `registers`.
  void declare(mlir::NameLoc name, mlir::Value value, llvm::ArrayRef<llvm::Value *> registers, llvm::IRBuilderBase &at);
  void finish();

private:
  llvm::DILocation *resolve(mlir::Location location, llvm::DIScope *scope, llvm::DILocation *inlinedAt);
  llvm::DIFile *file(llvm::StringRef path);
  /// A scope for lines of `file` that were inlined from elsewhere.
  llvm::DISubprogram *subprogram(llvm::StringRef name, llvm::DIFile *file, unsigned line);

  llvm::DIType *elementType(mlir::Type type);
  llvm::DILocalVariable *variable(llvm::StringRef name, mlir::Type type, unsigned count, llvm::DILocation *place);

  llvm::Module &module;
  const bool variables;
  llvm::DIBuilder builder;
  llvm::DICompileUnit *unit = nullptr;
  llvm::DISubprogram *current = nullptr;
  llvm::StringMap<llvm::DIFile *> files;
  llvm::StringMap<llvm::DISubprogram *> subprograms;
  llvm::DenseMap<mlir::Location, llvm::DebugLoc> known; // of the current function
  llvm::StringMap<llvm::DILocalVariable *> declared;    // of the current function, by name, scope and type
  llvm::StringMap<llvm::DIType *> types;
};

} // namespace triton::simt
