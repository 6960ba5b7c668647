// Tensor IR in, simpler tensor IR out: the part of the walk that all targets share.
#ifndef TRITON_COMPILER_TENSOR_PASSES_PIPELINE_H
#define TRITON_COMPILER_TENSOR_PASSES_PIPELINE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

#include <functional>

namespace triton::tensor {

struct TensorPipelineOptions {
  /// Gives the tensor descriptors that are kept, for targets whose hardware has them, a layout of their blocks; null: none are.
  std::function<void(mlir::ModuleOp)> chooseDescriptors;
};

/// From what the frontend emits to what a target lowers. Afterwards functions that may be inlined are, control flow is
/// `scf`, and there are no block pointers (nor descriptors, unless chosen): only loads and stores through pointers with
/// masks.
void buildTensorPipeline(mlir::OpPassManager &manager, const TensorPipelineOptions &options = {});

/// Every dialect tensor IR is written in, and what those dialects need for the passes above.
void registerTensorDialects(mlir::DialectRegistry &registry);

/// Makes the passes known by name, and the pipeline as `--tensor-pipeline`.
void registerTensorPipeline();

} // namespace triton::tensor

#endif
