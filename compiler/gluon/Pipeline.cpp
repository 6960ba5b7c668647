// The passes of a Gluon kernel, from what the frontend emits to GPU IR with every layout known; and their registration.
#include "compiler/gluon/Gluon.h"
#include "compiler/gluon/Passes.h"
#include "compiler/gpu/passes/Passes.h"
#include "compiler/tensor/passes/Passes.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace triton::gluon {

void buildGluonPipeline(OpPassManager &manager) {
  // One function: layouts are inferred across calls by there being none.
  manager.addPass(tensor::createStructureControlFlow());
  manager.addPass(tensor::createInlineCalls());
  manager.addPass(createSettle());

  // Every tensor gets its layout. Accesses first: what they find anchors the rest. Nothing is merged before: two ranges that are alike may get
  // different layouts.
  manager.addPass(createInferCoalesced());
  manager.addPass(createResolveAuto());

  // The kernel says what happens when: what follows only tidies up.
  manager.addPass(gpu::createMakeTensorMaps());
  manager.addPass(tensor::createSimplify());
  manager.addPass(createSCCPPass());
  manager.addPass(createCSEPass());
  manager.addPass(tensor::createSimplify());
}

void shortenNames(ModuleOp module) {
  SymbolTable symbols(module);
  for (auto function : llvm::make_early_inc_range(module.getOps<FunctionOpInterface>())) {
    std::string name = function.getName().str();
    const bool isPlain = llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
    if (function.isPublic() || (isPlain && name.size() <= 200))
      continue;
    for (char &c : name)
      c = llvm::isAlnum(c) || c == '.' ? c : '_';
    name.resize(std::min<size_t>(name.size(), 200));
    while (symbols.lookup(name))
      name += "_";
    (void)symbols.rename(function, name);
  }
}

void registerGluonPipeline() {
  registerSettle();
  registerInferCoalesced();
  registerResolveAuto();
  PassPipelineRegistration<>("gluon-pipeline", "what kernels that name layouts go through",
                             [](OpPassManager &manager) { buildGluonPipeline(manager); });
}

} // namespace triton::gluon
