// The parts of the registry, one per file of this folder.
#pragma once

#include "compiler/frontend/Builtins.h"

namespace triton::frontend {

llvm::ArrayRef<Builtin> programBuiltins();
llvm::ArrayRef<Builtin> creationBuiltins();
llvm::ArrayRef<Builtin> shapeBuiltins();
llvm::ArrayRef<Builtin> elementwiseBuiltins();
llvm::ArrayRef<Builtin> mathBuiltins();
llvm::ArrayRef<Builtin> memoryBuiltins();
llvm::ArrayRef<Builtin> atomicBuiltins();
llvm::ArrayRef<Builtin> reductionBuiltins();
llvm::ArrayRef<Builtin> dotBuiltins();
llvm::ArrayRef<Builtin> descriptorBuiltins();
llvm::ArrayRef<Builtin> higherOrderBuiltins();
llvm::ArrayRef<Builtin> loopBuiltins();
llvm::ArrayRef<Builtin> hintBuiltins();
llvm::ArrayRef<Builtin> debugBuiltins();
llvm::ArrayRef<Builtin> classBuiltins();
llvm::ArrayRef<Builtin> dtypeMethodBuiltins();
llvm::ArrayRef<Builtin> pythonBuiltins();
llvm::ArrayRef<Builtin> stringBuiltins();
llvm::ArrayRef<Builtin> compileTimeBuiltins();
llvm::ArrayRef<Builtin> targetBuiltins();
llvm::ArrayRef<Builtin> libdeviceBuiltins();

} // namespace triton::frontend
