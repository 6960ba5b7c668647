#include "compiler/tensor/passes/Pipeline.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

void triton::tensor::buildTensorPipeline(mlir::OpPassManager &passManager) {
  // Calls first: everything after sees whole kernels. The inliner simplifies nothing itself, that is the next pass's work.
  passManager.addPass(mlir::createInlinerPass({}, [](mlir::OpPassManager &) {}));
  passManager.addPass(mlir::createCanonicalizerPass());
  passManager.addPass(mlir::createCSEPass());
  passManager.addPass(mlir::createLoopInvariantCodeMotionPass());
  passManager.addPass(mlir::createSymbolDCEPass());
}
