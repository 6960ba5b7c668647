// Checks what later passes and code generation rely on, when a stage of the GPU pipeline ends. An error names the op and the promise that is broken:
// it is ours, not the user's.
//   layouts  every tensor has a layout, of the threads that run the module
//   loops    the same; no access through a tensor descriptor is left
//   code     the same; every buffer and every op that needs scratch has an offset inside of what the kernel asks for, every partition its warps,
//            and every tcgen05 dot an mbarrier or a commit that says when it is done
// and at each that private attributes are where PrivateAttributes.h says. Changes nothing. The pipelines of triton-opt run it; those of the compiler
// where every pass is verified (`tritonc --verify-each`).
#include "compiler/gpu/Buffers.h"
#include "compiler/gpu/PrivateAttributes.h"
#include "compiler/gpu/Scratch.h"
#include "compiler/gpu/passes/Passes.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_CHECKSTAGE
#include "compiler/gpu/passes/Passes.h.inc"

namespace {

struct Check {
  ModuleOp module;
  Stage stage;

  static std::optional<Stage> parse(StringRef name) {
    return llvm::StringSwitch<std::optional<Stage>>(name)
        .Case("layouts", Stage::Layouts)
        .Case("loops", Stage::Loops)
        .Case("code", Stage::Code)
        .Default(std::nullopt);
  }

  LogicalResult run() {
    WalkResult result = module->walk([&](Operation *op) {
      bool isRight = succeeded(checkAttributes(op)) && (stage < Stage::Loops || succeeded(checkLowered(op))) &&
                     (stage < Stage::Code || succeeded(checkPlaced(op)));
      return isRight ? WalkResult::advance() : WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  LogicalResult checkAttributes(Operation *op) {
    for (NamedAttribute attribute : op->getDiscardableAttrs()) {
      StringRef name = attribute.getName();
      const auto *known =
          llvm::find_if(privateAttributes, [&](const PrivateAttribute &each) { return each.name == name; });
      bool isKnown = known != std::end(privateAttributes);
      if (!isKnown && name.starts_with("gpu."))
        return op->emitOpError() << "has a private attribute that PrivateAttributes.h does not declare: " << name;
      if (isKnown && (stage < known->first || stage > known->last))
        return op->emitOpError() << "has a private attribute at a stage where it is not read: " << name;
    }
    return success();
  }

  LogicalResult checkLowered(Operation *op) {
    if (isa<tensor::DescriptorLoadOp, tensor::DescriptorStoreOp, tensor::DescriptorReduceOp, tensor::DescriptorGatherOp,
            tensor::DescriptorScatterOp, tensor::MakeTensorDescOp>(op))
      return op->emitOpError() << "is left behind the lowering of descriptors";
    return success();
  }

  /// That `op` has an offset by this name, and ends before the end that the module says by the other.
  LogicalResult checkOffset(Operation *op, StringRef offsetName, int64_t size, StringRef totalName) {
    auto offset = op->getAttrOfType<IntegerAttr>(offsetName);
    auto total = module->getAttrOfType<IntegerAttr>(totalName);
    if (!offset)
      return op->emitOpError() << "has no offset: " << offsetName;
    if (!total || offset.getInt() < 0 || offset.getInt() + size > total.getInt())
      return op->emitOpError() << "has " << size << " units at " << offset.getInt() << ", outside of " << totalName;
    return success();
  }

  LogicalResult checkPlaced(Operation *op) {
    if (auto alloc = dyn_cast<LocalAllocOp>(op); alloc && isShared(alloc.getType()))
      return checkOffset(op, allocationOffsetName, getAllocationBytes(alloc.getType()), sharedBytesName);
    if (auto alloc = dyn_cast<TMEMAllocOp>(op))
      return checkOffset(op, tensorMemoryOffsetName, getAllocationColumns(alloc.getResult().getType()),
                         tensorMemoryColumnsName);
    if (auto alloc = dyn_cast<GlobalScratchAllocOp>(op))
      return checkOffset(op, globalScratchOffsetName, alloc.getNbytes(), globalScratchBytesName);
    if (int64_t bytes = scratchBytes(op))
      return checkOffset(op, allocationOffsetName, bytes, sharedBytesName);
    if (auto specialize = dyn_cast<WarpSpecializeOp>(op); specialize && !specialize.getWarpGroupStartIds())
      return op->emitOpError() << "has partitions without warps";
    if (isa<TCGen5MMAOp, TCGen5MMAScaledOp>(op) && !op->hasAttr("is_async"))
      return op->emitOpError() << "is not waited for";
    return success();
  }
};

struct CheckStage : impl::CheckStageBase<CheckStage> {
  using CheckStageBase::CheckStageBase;

  void run() override {
    std::optional<Stage> known = Check::parse(stage);
    if (!known) {
      getOperation().emitError() << "there is no stage '" << stage << "': layouts, loops or code";
      return signalPassFailure();
    }
    if (failed(Check{getOperation(), *known}.run()))
      signalPassFailure();
  }
};

} // namespace

} // namespace triton::gpu
