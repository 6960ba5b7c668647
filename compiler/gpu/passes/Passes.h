// The passes on GPU IR: `create…Pass()` for each line of Passes.td, and their registration for triton-opt.
#ifndef TRITON_COMPILER_GPU_PASSES_PASSES_H
#define TRITON_COMPILER_GPU_PASSES_PASSES_H

#include "compiler/gpu/Gpu.h"
#include "compiler/gpu/dialect/ContextVerifier.h"
#include "compiler/tensor/Stages.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Pass/Pass.h"

namespace triton::gpu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/gpu/passes/Passes.h.inc"

} // namespace triton::gpu

#endif
