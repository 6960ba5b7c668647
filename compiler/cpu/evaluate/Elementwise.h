// Elementwise operations on registers.
//   In:  an operation of tensor IR that works element by element (`arith`, `math`, `tt.fp_to_fp`, …) and its operands
//   as scalars or
//        as vectors of one length.
//   Out: the same operation on those operands.
// f16 and bf16 compute in f32 and round after each operation. Integer division never traps: a zero divisor, or the one
// quotient that overflows, gives some value.
#pragma once

#include "compiler/cpu/Target.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

namespace triton::cpu {

/// Whether `emitElementwise` can do `op`: it has one result, no effect, and maps elements to elements.
bool isElementwise(mlir::Operation *op);

/// The result of `op` on `operands`. Fails, with an error at `op`, when there is no such function on the CPU.
mlir::FailureOr<mlir::Value> emitElementwise(mlir::OpBuilder &builder, mlir::Operation *op,
                                             mlir::ArrayRef<mlir::Value> operands, const HostTarget &target);

/// A rough count of instructions that recomputing `op` costs per vector: 0 for what is free, 1 for simple arithmetic, 8
/// and more for division and transcendental functions.
int getElementwiseCost(mlir::Operation *op);

} // namespace triton::cpu
