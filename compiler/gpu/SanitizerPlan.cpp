#include "compiler/gpu/SanitizerPlan.h"

#include "compiler/gpu/Buffers.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

#include <set>

using namespace mlir;

namespace triton::gpu {

static constexpr llvm::StringLiteral cutsName = "ttg.consan_buffers", barriersName = "ttg.consan_barriers",
                                     actorsName = "ttg.consan_actors", offsetName = "ttg.consan_offset";
static constexpr size_t mostBarriers = 64; // bits of the word that says at which of them an access ends
static constexpr int mostActors = 16;      // fit the four bits of what is under way

static bool isMbarrier(MemDescType type) {
  return isShared(type) && type.getElementType().isInteger(64) && getBufferBytes(type) == 8;
}

/// Columns of tensor memory that are used apart from others of their buffer: where they begin and end, whether or not elements are packed.
static void cutParts(ModuleOp module, std::set<int32_t> &cuts) {
  const BufferAliases aliases(module);
  module.walk([&](TMEMSubsliceOp part) {
    const int64_t bits = part.getSrc().getType().getElementBits(), size = part.getResult().getType().getShape().back();
    for (Operation *alloc : aliases.of(part.getSrc())) {
      auto offset = alloc->getAttrOfType<IntegerAttr>(tensorMemoryOffsetName);
      const MemDescType type = getAllocatedType(alloc);
      for (int64_t at = 0; offset && at < getAllocationColumns(type); at += getBufferColumns(type))
        for (int64_t column : {int64_t(part.getN()), part.getN() + size})
          for (int64_t width : {int64_t(32), bits})
            cuts.insert(SanitizerPlan::firstColumn + offset.getInt() + at + llvm::divideCeil(column * width, 32));
    }
  });
}

std::optional<SanitizerPlan> SanitizerPlan::make(ModuleOp module, std::string &why) {
  std::set<int32_t> cuts, barriers;
  int32_t actors = 1;
  module.walk([&](Operation *op) {
    if (auto specialized = dyn_cast<WarpSpecializeOp>(op))
      actors = std::max<int32_t>(actors, 1 + specialized.getPartitionRegions().size());
    if (!isAllocation(op))
      return;
    const MemDescType type = getAllocatedType(op);
    auto offset = op->getAttrOfType<IntegerAttr>(isShared(type) ? allocationOffsetName : tensorMemoryOffsetName);
    if (!offset)
      return;
    const int64_t begin = offset.getInt() + (isShared(type) ? 0 : firstColumn);
    const int64_t step = isShared(type) ? getBufferBytes(type) : getBufferColumns(type);
    const int64_t size = isShared(type) ? getAllocationBytes(type) : getAllocationColumns(type);
    const bool isBarrier = isMbarrier(type);
    for (int64_t at = 0; at <= size - (isBarrier ? step : 0); at += step)
      (isBarrier ? barriers : cuts).insert(begin + at);
  });
  cutParts(module, cuts);
  if (getNumCtas(module) > 1)
    why = "it checks kernels of one CTA, this one has " + std::to_string(getNumCtas(module));
  else if (barriers.size() > mostBarriers)
    why = "it tells " + std::to_string(mostBarriers) + " mbarriers apart, this kernel has " +
          std::to_string(barriers.size());
  else if (actors > mostActors)
    why = "it tells " + std::to_string(mostActors) + " partitions apart, this kernel has " + std::to_string(actors);
  if (!why.empty())
    return std::nullopt;
  SanitizerPlan plan;
  plan.cuts.assign(cuts.begin(), cuts.end());
  plan.barriers.assign(barriers.begin(), barriers.end());
  plan.actors = actors;
  return plan;
}

bool SanitizerPlan::isOn(ModuleOp module) { return module->hasAttr(actorsName); }

std::optional<SanitizerPlan> SanitizerPlan::of(ModuleOp module) {
  auto cuts = module->getAttrOfType<DenseI32ArrayAttr>(cutsName),
       barriers = module->getAttrOfType<DenseI32ArrayAttr>(barriersName);
  auto actors = module->getAttrOfType<IntegerAttr>(actorsName), offset = module->getAttrOfType<IntegerAttr>(offsetName);
  if (!cuts || !barriers || !actors || !offset)
    return std::nullopt;
  SanitizerPlan plan;
  plan.cuts.assign(cuts.asArrayRef().begin(), cuts.asArrayRef().end());
  plan.barriers.assign(barriers.asArrayRef().begin(), barriers.asArrayRef().end());
  plan.actors = actors.getInt();
  plan.offset = offset.getInt();
  return plan;
}

void SanitizerPlan::attachTo(ModuleOp module) {
  constexpr int64_t alignment = 16;
  auto numberOf = [&](llvm::StringRef name, int64_t otherwise) {
    auto given = module->getAttrOfType<IntegerAttr>(name);
    return given ? given.getInt() : otherwise;
  };
  offset = llvm::alignTo(numberOf(globalScratchBytesName, 0), alignment);
  const int64_t most = std::max(numberOf(globalScratchAlignmentName, 1), alignment);
  Builder builder(module.getContext());
  module->setAttr(globalScratchAlignmentName, builder.getI32IntegerAttr(most));
  module->setAttr(globalScratchBytesName, builder.getI32IntegerAttr(llvm::alignTo(offset + 4 * words(), most)));
  module->setAttr(cutsName, builder.getDenseI32ArrayAttr(cuts));
  module->setAttr(barriersName, builder.getDenseI32ArrayAttr(barriers));
  module->setAttr(actorsName, builder.getI32IntegerAttr(actors));
  module->setAttr(offsetName, builder.getI32IntegerAttr(offset));
}

void SanitizerPlan::detachFrom(ModuleOp module) {
  for (llvm::StringRef name : {cutsName, barriersName, actorsName, offsetName})
    module->removeAttr(name);
}

} // namespace triton::gpu
