// The target-independent part of the way: tensor IR as the frontend wrote it -> tensor IR as every target wants it.
#pragma once

namespace mlir {
class OpPassManager;
}

namespace triton::tensor {

/// In: a module with one public kernel and private functions. Out: the kernel and the `noinline` functions, simplified.
void buildTensorPipeline(mlir::OpPassManager &passManager);

} // namespace triton::tensor
