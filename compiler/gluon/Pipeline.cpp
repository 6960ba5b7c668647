#include "compiler/gluon/Gluon.h"
#include "compiler/gluon/Passes.h"
#include "compiler/gpu/passes/Passes.h"
#include "compiler/tensor/passes/Passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace triton::gluon {

void buildGluonPipeline(OpPassManager &manager) {
  // One function: layouts are inferred across calls by there being none.
  manager.addPass(tensor::createStructureControlFlow());
  manager.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  manager.addPass(createSymbolDCEPass());

  // Every tensor gets its layout. Accesses first: what they find anchors the rest. Nothing is merged before: two ranges that are alike may get
  // different layouts.
  manager.addPass(createInferCoalesced());
  manager.addPass(createResolveAuto());

  // The kernel says what happens when: what follows only tidies up.
  manager.addPass(gpu::createMakeTensorMaps());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createSCCPPass());
  manager.addPass(createCSEPass());
  manager.addPass(createCanonicalizerPass());
}

void registerGluonPipeline() {
  registerInferCoalesced();
  registerResolveAuto();
  PassPipelineRegistration<>("gluon-pipeline", "what kernels that name layouts go through",
                             [](OpPassManager &manager) { buildGluonPipeline(manager); });
}

} // namespace triton::gluon
