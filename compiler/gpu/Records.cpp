#include "compiler/gpu/Records.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace triton::gpu {

static constexpr llvm::StringLiteral warpsName = "proton.warps", warpsPerUnitName = "proton.warps_per_unit",
                                     capacityName = "proton.capacity", shortClockName = "proton.clock32";
static constexpr unsigned usualCapacity = 128;

std::optional<RecordsPlan> RecordsPlan::parse(llvm::StringRef mode, unsigned numWarps) {
  llvm::SmallVector<llvm::StringRef> options;
  mode.split(options, ':', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  if (options.empty() || options.front() != "proton")
    return std::nullopt;
  RecordsPlan plan;
  unsigned bufferBytes = 0;
  for (llvm::StringRef option : llvm::drop_begin(options)) {
    auto [name, value] = option.split('=');
    unsigned number = 0;
    if (name == "warps") {
      for (llvm::StringRef warp : llvm::split(value, '+'))
        if (!warp.getAsInteger(10, number) && number < numWarps)
          plan.warps.push_back(int32_t(number));
      continue;
    }
    if (value.getAsInteger(10, number))
      return std::nullopt;
    if (name == "buffer_size")
      bufferBytes = number;
    else if (name == "warps_per_unit")
      plan.warpsPerUnit = std::max(1u, number);
    else if (name == "clock32")
      plan.is32Bit = number != 0;
    else
      return std::nullopt;
  }
  if (plan.warps.empty())
    for (unsigned warp = 0; warp < numWarps; warp += plan.warpsPerUnit)
      plan.warps.push_back(int32_t(warp));
  llvm::sort(plan.warps);
  plan.warps.erase(std::unique(plan.warps.begin(), plan.warps.end()), plan.warps.end());
  unsigned perUnit = bufferBytes / 8 / unsigned(plan.warps.size());
  plan.capacity = bufferBytes ? llvm::bit_floor(std::max(perUnit, 2u)) : usualCapacity;
  return plan;
}

std::optional<RecordsPlan> RecordsPlan::of(ModuleOp module) {
  auto warps = module->getAttrOfType<DenseI32ArrayAttr>(warpsName);
  auto warpsPerUnit = module->getAttrOfType<IntegerAttr>(warpsPerUnitName),
       capacity = module->getAttrOfType<IntegerAttr>(capacityName);
  if (!warps || !warpsPerUnit || !warpsPerUnit.getType().isInteger(32) || !capacity ||
      !capacity.getType().isInteger(32) || !llvm::isPowerOf2_32(capacity.getInt()))
    return std::nullopt;
  RecordsPlan plan;
  plan.warps.assign(warps.asArrayRef().begin(), warps.asArrayRef().end());
  plan.warpsPerUnit = warpsPerUnit.getInt();
  plan.capacity = capacity.getInt();
  plan.is32Bit = module->hasAttr(shortClockName);
  return plan;
}

void RecordsPlan::attachTo(ModuleOp module) const {
  Builder builder(module.getContext());
  module->setAttr(warpsName, builder.getDenseI32ArrayAttr(warps));
  module->setAttr(warpsPerUnitName, builder.getI32IntegerAttr(warpsPerUnit));
  module->setAttr(capacityName, builder.getI32IntegerAttr(capacity));
  if (is32Bit)
    module->setAttr(shortClockName, builder.getUnitAttr());
  module->setAttr(profileScratchBytesName, builder.getI32IntegerAttr(sliceBytes()));
  module->setAttr(profileScratchAlignmentName, builder.getI32IntegerAttr(128));
}

void RecordsPlan::detachFrom(ModuleOp module) {
  for (llvm::StringRef name : {warpsName, warpsPerUnitName, capacityName, shortClockName, profileScratchBytesName,
                               profileScratchAlignmentName, recordScopesName})
    module->removeAttr(name);
}

} // namespace triton::gpu
