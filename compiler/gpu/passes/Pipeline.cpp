#include "compiler/gpu/passes/Pipeline.h"

#include "compiler/gpu/passes/Passes.h"
#include "compiler/tensor/passes/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace triton::gpu {

static void buildPipeline(OpPassManager &manager, std::string target, int numWarps, int numCtas, int numStages,
                          bool launchControl, bool checkStages) {
  const bool isAmd = llvm::StringRef(target).starts_with("hip:");
  auto endStage = [&](StringRef stage) {
    if (checkStages)
      manager.addPass(createCheckStage({stage.str()}));
  };
  manager.addPass(createSetTarget({std::move(target), numWarps, /*numCtas=*/1}));

  // Loops, while tensors have no layouts that these would have to keep.
  manager.addPass(createFlattenLoops());
  manager.addPass(createAccumulateReductions());

  // Layouts. Dots first become what some instruction does: instructions say what their operands look like.
  manager.addPass(createLegalizeDots());
  if (numCtas == 1 && !isAmd)
    manager.addPass(createTransposeDots());
  manager.addPass(createAssignLayouts());
  manager.addPass(createSpreadOverCtas({numCtas}));
  manager.addPass(createCSEPass());
  endStage("layouts");

  // Programs become iterations of a loop, which those that follow treat like any other.
  if (launchControl)
    manager.addPass(createLoopOverPrograms());

  // Sums over loops, once it is known what a thread holds.
  manager.addPass(createReduceInThreads());

  // Shared memory: operands of warpgroup dots, then copies that run ahead. But for loads ahead, all is by NVIDIA's own instructions.
  if (!isAmd)
    manager.addPass(createLowerDots());
  manager.addPass(createPipelineLoops({numStages}));
  if (!isAmd) {
    manager.addPass(createLowerDescriptors()); // after loops: those run copies ahead
    manager.addPass(createOrderCopies());
    manager.addPass(createMakeTensorMaps()); // what tensor a map describes is not seen any more behind this
  }
  manager.addPass(tensor::createSimplify());
  manager.addPass(createCSEPass());

  // Branches around what most iterations can do without: behind everything that wants loops without branches.
  manager.addPass(createSkipMasks());
  manager.addPass(createFactorMaxima());
  manager.addPass(createCSEPass());
  endStage("loops");
}

void buildGpuPipeline(OpPassManager &manager, const GpuOptions &options) {
  buildPipeline(manager, options.target.str(), options.numWarps, options.numCtas, options.numStages,
                options.launchControl, options.checkStages);
}

void buildResourcePipeline(OpPassManager &manager, int maxRegisters, bool checkStages, llvm::StringRef recordMode) {
  manager.addPass(createLowerBufferAccesses());
  manager.addPass(createExpandMath());
  manager.addPass(createWaitForDots());
  manager.addPass(createAllocateTensorMemory());
  manager.addPass(createAllocateGlobalScratch());
  manager.addPass(createAllocateShared());
  manager.addPass(createInsertBarriers()); // which bytes conflict is known only now
  manager.addPass(createPlacePartitions({maxRegisters}));
  manager.addPass(createAllocateRecords({recordMode.str()})); // all warps are known
  if (checkStages)
    manager.addPass(createCheckStage({"code"}));
}

namespace {
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> target{*this, "target", llvm::cl::desc("cuda:80, cuda:90, hip:gfx942, …"),
                             llvm::cl::init("cuda:90")};
  Option<int> numWarps{*this, "num-warps", llvm::cl::init(4)};
  Option<int> numCtas{*this, "num-ctas", llvm::cl::init(1)};
  Option<int> numStages{*this, "num-stages", llvm::cl::init(3)};
};
} // namespace

void registerGpuPipeline() {
  registerGpuPasses();
  PassPipelineRegistration<PipelineOptions>(
      "gpu-pipeline", "tensor IR to GPU IR", [](OpPassManager &manager, const PipelineOptions &options) {
        buildPipeline(manager, options.target, options.numWarps, options.numCtas, options.numStages,
                      /*launchControl=*/false, /*checkStages=*/true);
      });
  PassPipelineRegistration<>("gpu-resources", "shared memory and barriers of GPU IR",
                             [](OpPassManager &manager) { buildResourcePipeline(manager, 0, /*checkStages=*/true); });
}

} // namespace triton::gpu
