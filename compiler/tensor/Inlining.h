// What may be inlined where, in tensor IR.
#ifndef TRITON_COMPILER_TENSOR_INLINING_H
#define TRITON_COMPILER_TENSOR_INLINING_H

#include "mlir/IR/DialectRegistry.h"

namespace triton::tensor {

class TensorDialect;

/// Calls of `tt` functions are inlined unless the function says `noinline`, or has several blocks and the call stands
/// where only one block fits.
void addInlinerInterface(TensorDialect *dialect);

/// Lets `llvm.intr.assume`, which is how the language assumes, move with the function it stands in.
void registerLlvmInlining(mlir::DialectRegistry &registry);

} // namespace triton::tensor

#endif
