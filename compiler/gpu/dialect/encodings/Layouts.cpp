// The linear maps of types, computed once per context, and what else one asks of layouts and modules.
#include "compiler/gpu/dialect/encodings/LayoutCache.h"

using namespace mlir;

namespace triton::gpu {

using layout::LinearLayout;

const LinearLayout &GpuDialect::LayoutCache::find(Type type, llvm::function_ref<LinearLayout()> compute) {
  {
    std::shared_lock lock(mutex);
    if (auto found = maps.find(type); found != maps.end())
      return *found->second;
  }
  auto map = std::make_unique<LinearLayout>(compute());
  std::unique_lock lock(mutex);
  // Another thread may have been faster: its map stays, since references to it are out.
  return *maps.try_emplace(type, std::move(map)).first->second;
}

static GpuDialect::LayoutCache &cacheOf(Type type) {
  return type.getContext()->getLoadedDialect<GpuDialect>()->getLayoutCache();
}

const LinearLayout &toLinear(RankedTensorType type) {
  assert(hasLayout(type) && "AssignLayouts ran before, so every tensor has a layout");
  return cacheOf(type).find(type, [&] { return cast<LayoutAttr>(type.getEncoding()).toLinear(type.getShape()); });
}

const LinearLayout &toLinear(MemDescType type) {
  return cacheOf(type).find(type, [&] { return type.getLayout().toLinear(type.getAllocBufferShape()); });
}

DistributedAttr getLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_or_null<DistributedAttr>(tensor.getEncoding()) : DistributedAttr();
}

bool hasLayout(Type type) { return getLayout(type) != nullptr; }

RankedTensorType withLayout(RankedTensorType type, Attribute layout) {
  return RankedTensorType::get(type.getShape(), type.getElementType(), layout);
}

/// The i32 attribute `name` of `op`, or `fallback`.
static int getNumber(Operation *op, StringRef name, int fallback) {
  auto number = op->getAttrOfType<IntegerAttr>(name);
  return number ? static_cast<int>(number.getInt()) : fallback;
}

int getNumWarps(ModuleOp module) { return getNumber(module, numWarpsName, 4); }
int getTotalNumWarps(ModuleOp module) { return getNumber(module, totalNumWarpsName, getNumWarps(module)); }
int getNumCtas(ModuleOp module) { return getNumber(module, numCtasName, 1); }
int getThreadsPerWarp(ModuleOp module) { return getNumber(module, threadsPerWarpName, 32); }

int getNumWarps(Operation *op) {
  for (; op; op = op->getParentOp()) {
    if (op->hasAttr(numWarpsName))
      return getNumber(op, numWarpsName, 4);
    if (Region *region = op->getParentRegion())
      if (std::optional<int> warps = getPartitionWarps(*region))
        return *warps;
  }
  return 4;
}

CtaThreads getThreads(Operation *op) {
  auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  return {getNumWarps(op), module ? getThreadsPerWarp(module) : 32};
}

std::optional<int> getPartitionWarps(Region &region) {
  auto partitions = dyn_cast<WarpSpecializePartitionsOp>(region.getParentOp());
  auto op = partitions ? dyn_cast<WarpSpecializeOp>(partitions->getParentOp()) : WarpSpecializeOp();
  if (!op || region.getRegionNumber() >= op.getPartitionNumWarps().size())
    return std::nullopt;
  return op.getPartitionNumWarps()[region.getRegionNumber()];
}

std::optional<int> getComputeCapability(ModuleOp module) {
  auto target = module->getAttrOfType<StringAttr>(targetName);
  int capability;
  if (!target || !target.getValue().starts_with("cuda:") ||
      target.getValue().drop_front(5).getAsInteger(10, capability))
    return std::nullopt;
  return capability;
}

bool isForAmd(ModuleOp module) {
  auto target = module->getAttrOfType<StringAttr>(targetName);
  return target && target.getValue().starts_with("hip:");
}

BlockedAttr getBlockedLayout(MLIRContext *context, ArrayRef<int64_t> shape, int64_t sizePerThread,
                             ArrayRef<unsigned> order, CtaThreads threads) {
  SmallVector<int64_t> registers(shape.size(), 1), lanes(shape.size(), 1), warps(shape.size(), 1);
  registers[order[0]] = std::min(sizePerThread, shape[order[0]]);
  int64_t lanesLeft = threads.lanes, warpsLeft = threads.warps;
  for (unsigned dim : order) {
    int64_t left = shape[dim] / registers[dim];
    lanes[dim] = std::min(lanesLeft, left);
    lanesLeft /= lanes[dim];
    warps[dim] = std::min(warpsLeft, left / lanes[dim]);
    warpsLeft /= warps[dim];
  }
  // Threads that the tensor has nothing for hold copies; the slowest dim counts them.
  lanes[order.back()] *= lanesLeft;
  warps[order.back()] *= warpsLeft;
  return BlockedAttr::get(context, registers, lanes, warps, order);
}

BlockedAttr getDefaultBlockedLayout(MLIRContext *context, ArrayRef<int64_t> shape, CtaThreads threads) {
  auto order = llvm::to_vector(llvm::reverse(llvm::seq<unsigned>(0, shape.size())));
  return getBlockedLayout(context, shape, 1, order, threads);
}

} // namespace triton::gpu
