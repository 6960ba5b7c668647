#include "compiler/tensor/passes/Pipeline.h"
#include "compiler/tensor/Record.h"

#include "compiler/tensor/Inlining.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/passes/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace triton::tensor {

void buildTensorPipeline(OpPassManager &manager, const TensorPipelineOptions &options) {
  // One function. A function of one block inlines anywhere, also into the branch of an `scf.if`: hence structure first.
  manager.addPass(createStructureControlFlow());
  manager.addPass(createInlineCalls());
  manager.addPass(createSimplify());

  // Plain pointers. Block pointers are a way to write addresses down; descriptors are too where hardware has none.
  manager.addPass(createRewriteTensorPointers());
  manager.addPass(createRewriteDescriptorsExcept(options.chooseDescriptors));

  // Scalars. What is the same for a whole tensor is computed once: first to see which steps of loops are uniform, then
  // again for what the loops carry now.
  manager.addPass(createHoistSplatMath());
  manager.addPass(createCombineOps());
  manager.addPass(createScalarizeCarriedPointers());
  manager.addPass(createHoistSplatMath());
  manager.addPass(createSimplify());

  // Loops. Unrolled before anything is hoisted out of them, so that what the copies share is seen to be the same.
  manager.addPass(createUnrollLoops());
  manager.addPass(createCSEPass()); // shows which carried values are the same in every iteration
  manager.addPass(createHoistInvariants());
  manager.addPass(createCSEPass());
  manager.addPass(createSymbolDCEPass());
}

void registerTensorDialects(DialectRegistry &registry) {
  registry.insert<TensorDialect, record::RecordDialect, arith::ArithDialect, math::MathDialect, scf::SCFDialect,
                  cf::ControlFlowDialect, ub::UBDialect, LLVM::LLVMDialect>();
  registerLlvmInlining(registry);
}

void registerTensorPipeline() {
  registerFloatSanitizer();
  registerStructureControlFlow();
  registerInlineCalls();
  registerSimplify();
  registerRewriteTensorPointers();
  registerRewriteDescriptors();
  registerDecomposeScaledDots();
  registerHoistSplatMath();
  registerCombineOps();
  registerScalarizeCarriedPointers();
  registerHoistInvariants();
  registerUnrollLoops();
  PassPipelineRegistration<>("tensor-pipeline", "what all targets do to tensor IR first",
                             [](OpPassManager &manager) { buildTensorPipeline(manager); });
}

} // namespace triton::tensor
