// Checks the layouts of a module against the threads that run it.
#ifndef TRITON_COMPILER_GPU_DIALECT_CONTEXTVERIFIER_H
#define TRITON_COMPILER_GPU_DIALECT_CONTEXTVERIFIER_H

#include "compiler/gpu/Gpu.h"

namespace triton::gpu {

/// Every layout in the module has the lanes, warps and CTAs that run the code, and elementwise ops keep the layout. Tensors without a
/// layout pass.
llvm::LogicalResult verifyLayoutContext(mlir::ModuleOp module);

/// Every tensor has a layout: what passes after AssignLayouts, and code generation, rely on.
llvm::LogicalResult requireLayouts(mlir::ModuleOp module);

/// What passes before AssignLayouts rely on: tensor IR.
llvm::LogicalResult checkUnassigned(mlir::ModuleOp module);
/// What passes after it rely on: values of kernels, tensors with layouts, and those of the threads that run the module.
llvm::LogicalResult checkAssigned(mlir::ModuleOp module);

} // namespace triton::gpu

#endif
