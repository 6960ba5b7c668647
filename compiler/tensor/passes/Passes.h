// The passes on tensor IR: `create…Pass()` for each line of Passes.td, and their registration for triton-opt.
#ifndef TRITON_COMPILER_TENSOR_PASSES_PASSES_H
#define TRITON_COMPILER_TENSOR_PASSES_PASSES_H

#include "compiler/tensor/Stages.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace triton::tensor {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/tensor/passes/Passes.h.inc"

/// `choose` (may be null) runs first: descriptors whose blocks it gives a layout are left alone.
std::unique_ptr<mlir::Pass> createRewriteDescriptorsExcept(std::function<void(mlir::ModuleOp)> choose);

/// What `tensor-decompose-scaled-dots` does to each. Fails with a diagnostic for formats that nobody has.
llvm::LogicalResult decomposeScaledDot(DotScaledOp dot);

} // namespace triton::tensor

#endif
