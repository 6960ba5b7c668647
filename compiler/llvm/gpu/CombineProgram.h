// Emits a plan of a reduction or scan: the same steps in every thread, on tuples of one register per operand.
#pragma once

#include "compiler/layout/ThreadProgram.h"
#include "compiler/llvm/gpu/Emitter.h"

namespace triton::simt {

/// `operands[i]` are the registers of operand i. `combine` is the region of two groups of scalars; `buffer` is where operand i has its part
/// of shared memory (unused if the program has no buffer). Gives the result registers of each operand; empty if the region failed to emit.
std::vector<Registers> emitThreadProgram(Emitter &emitter, const layout::ThreadProgram &program, mlir::Region &combine,
                                         llvm::ArrayRef<Registers> operands, llvm::ArrayRef<llvm::Value *> buffers);

} // namespace triton::simt
