#include "compiler/cpu/Pipeline.h"

#include "compiler/cpu/passes/CheckAccesses.h"
#include "compiler/cpu/passes/ExpandMath.h"
#include "compiler/cpu/passes/LowerToLoops.h"
#include "compiler/cpu/passes/ReduceInsideLoops.h"
#include "compiler/cpu/passes/SplitLongBlocks.h"
#include "compiler/tensor/passes/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace triton::cpu {

void buildCpuPipeline(OpPassManager &manager, const CpuOptions &options) {
  // What the user wrote is what is checked, so before anything else.
  if (options.checkAccesses)
    manager.addPass(createCheckAccesses());

  // Calls take and return scalars.
  manager.addPass(tensor::createInlineCalls({/*inlinesBlocks=*/true}));

  // Still tensors. Formats no processor has become arithmetic, which is computed while a product's operands are staged.
  // Blocks that only exist to be reduced go, before the plan gives them buffers.
  manager.addPass(tensor::createDecomposeScaledDots());
  manager.addPass(createReduceInsideLoops());

  // Loops. From here on no tensor is left.
  manager.addPass(createLowerToLoops(options.target));

  // Lowering repeats constants and address arithmetic wherever they are needed: merging them here is cheaper than in
  // LLVM, and before functions are expanded there is less to look at.
  manager.addPass(createCSEPass());
  manager.addPass(createExpandMath(options.target));
  manager.addPass(createSplitLongBlocks()); // LLVM takes it from here, and wants functions that are not too long
}

void registerCpuPipeline() {
  registerCheckAccesses();
  registerLowerToLoops();
  registerReduceInsideLoops();
  registerExpandMath();
  registerSplitLongBlocks();
  PassPipelineRegistration<>("cpu-pipeline", "tensor IR to loops over vectors, for this machine",
                             [](OpPassManager &manager) { buildCpuPipeline(manager, CpuOptions()); });
}

} // namespace triton::cpu
