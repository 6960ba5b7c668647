// Assembly that a kernel brings along, run on groups of elements.
#pragma once

#include "compiler/llvm/gpu/Emitter.h"
#include "compiler/tensor/Tensor.h"

namespace triton::simt {

/// A group is `packed_element` registers of each operand; elements narrower than 32 bits share a register of the assembly, the first in the
/// lowest bits. What the constraints and the operands do not agree on is a diagnostic.
llvm::LogicalResult emitInlineAssembly(Emitter &emitter, tensor::ElementwiseInlineAsmOp op);

} // namespace triton::simt
