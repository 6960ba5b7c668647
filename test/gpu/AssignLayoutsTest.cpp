// Layouts of random kernels: every module that comes out of layout assignment is valid, and every tensor in it has a layout.
#include "compiler/gpu/passes/Passes.h"
#include "compiler/gpu/passes/Pipeline.h"
#include "compiler/tensor/passes/Pipeline.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "test/differential/RandomKernel.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace triton;

namespace {

class AssignLayouts : public testing::Test {
protected:
  AssignLayouts() : context(dialects(), MLIRContext::Threading::DISABLED) { context.loadAllAvailableDialects(); }

  static DialectRegistry dialects() {
    DialectRegistry registry;
    tensor::registerTensorDialects(registry);
    gpu::registerGpuDialects(registry);
    return registry;
  }

  LogicalResult assign(ModuleOp module, StringRef target, int numWarps) {
    PassManager manager(&context);
    tensor::buildTensorPipeline(manager);
    manager.addPass(gpu::createSetTarget({target.str(), numWarps, 1}));
    manager.addPass(gpu::createLegalizeDots());
    manager.addPass(gpu::createAssignLayouts());
    return manager.run(module);
  }

  static bool everyTensorHasALayout(ModuleOp module) {
    return !module
                .walk([](Operation *op) -> WalkResult {
                  auto lacksLayout = [](Type type) { return isa<RankedTensorType>(type) && !gpu::hasLayout(type); };
                  bool isBad = llvm::any_of(op->getResultTypes(), lacksLayout);
                  for (Region &region : op->getRegions())
                    isBad |= llvm::any_of(region.getArgumentTypes(), lacksLayout);
                  return isBad ? WalkResult::interrupt() : WalkResult::advance();
                })
                .wasInterrupted();
  }

  MLIRContext context;
};

TEST_F(AssignLayouts, modulesOfRandomKernelsAreValid) {
  for (uint64_t seed = 1; seed <= 150; ++seed)
    for (int numWarps : {1, 4, 16}) {
      differential::RandomKernel kernel = differential::makeRandomKernel(context, seed);
      OwningOpRef<ModuleOp> original(kernel.module->clone());
      StringRef target = seed % 2 ? "cuda:80" : "cuda:90";
      const bool isAssigned = succeeded(assign(*kernel.module, target, numWarps));
      if (!isAssigned || !everyTensorHasALayout(*kernel.module)) {
        original->dump();
        kernel.module->dump();
        FAIL() << "seed " << seed << ", " << numWarps << " warps";
      }
    }
}

} // namespace
