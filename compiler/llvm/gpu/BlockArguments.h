// The arguments of blocks: what a loop carries and what branches bring along. A phi for each register; elements of a tensor-core operand that
// make up one word are carried as that word.
#pragma once

#include "compiler/llvm/gpu/Emitter.h"

namespace triton::simt {

llvm::SmallVector<Registers> gatherRegisters(Emitter &emitter, mlir::ValueRange values);

/// Defines the arguments, in the block that the builder is at the start of.
void defineAsPhis(Emitter &emitter, llvm::ArrayRef<mlir::BlockArgument> arguments);

/// What arguments so defined are where control comes from the block `from`.
void addIncoming(Emitter &emitter, llvm::ArrayRef<mlir::BlockArgument> arguments, llvm::ArrayRef<Registers> values,
                 llvm::BasicBlock *from);

} // namespace triton::simt
