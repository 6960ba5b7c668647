// The parts of the language's own builtins, one per file of this folder. What it shares with the language without layouts is registered there.
#pragma once

#include "compiler/frontend/Builtins.h"

namespace triton::gluon {

llvm::ArrayRef<frontend::Builtin> coreBuiltins();
llvm::ArrayRef<frontend::Builtin> queryBuiltins();
llvm::ArrayRef<frontend::Builtin> sharedBuiltins();
llvm::ArrayRef<frontend::Builtin> asyncBuiltins();
llvm::ArrayRef<frontend::Builtin> amdBufferBuiltins();
llvm::ArrayRef<frontend::Builtin> amdDotBuiltins();
llvm::ArrayRef<frontend::Builtin> gfx1250Builtins();
llvm::ArrayRef<frontend::Builtin> cachePolicyBuiltins();
llvm::ArrayRef<frontend::Builtin> tmaBuiltins();
llvm::ArrayRef<frontend::Builtin> dotBuiltins();
llvm::ArrayRef<frontend::Builtin> tensorMemoryBuiltins();
llvm::ArrayRef<frontend::Builtin> tensorMemoryRegisterBuiltins();

} // namespace triton::gluon
