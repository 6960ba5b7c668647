// What the families of elementwise ops share: running a function of scalars on every register.
#pragma once

#include "compiler/llvm/gpu/Emitter.h"

namespace triton::simt {

/// Null: no such op.
using ScalarFunction = llvm::function_ref<llvm::Value *(llvm::ArrayRef<llvm::Value *>)>;

/// `function` on each register of the operands, a scalar operand beside every one of them. With `inPairs`, on two at a time as a vector if
/// their number is even. Empty if `function` gave null.
Registers onEachRegister(Emitter &emitter, mlir::Operation *op, bool inPairs, ScalarFunction function);

/// The same with floats narrower than 32 bits widened before and the result rounded back.
Registers onSingles(Emitter &emitter, mlir::Operation *op, ScalarFunction function);

/// The op's own flags, and `contract` where the options allow.
llvm::FastMathFlags fastMathFlags(const Emitter &emitter, mlir::Operation *op);

/// Maximum or minimum, -0.0 below +0.0. A NaN operand is ignored, or makes the result NaN.
llvm::Value *emitExtremum(Emitter &emitter, llvm::Value *a, llvm::Value *b, bool isMaximum, bool propagatesNan);

} // namespace triton::simt
