#include "compiler/gpu/passes/loops/SwizzledLayouts.h"

#include "compiler/layout/Conversion.h"

using namespace mlir;

namespace triton::gpu {

unsigned fastestDim(RankedTensorType type) {
  const layout::LinearLayout &map = toLinear(type);
  if (map.inputSize("register") > 1)
    for (auto [dim, component] : llvm::enumerate(map.basis("register", 0)))
      if (component == 1)
        return dim;
  return type.getRank() - 1;
}

Attribute swizzledLayout(RankedTensorType type) {
  if (type.getRank() == 1)
    return SwizzledSharedAttr::get(type.getContext(), 1, 1, 1, {0}); // one row
  unsigned fastest = fastestDim(type);
  int64_t bytes = std::max(8u, type.getElementTypeBitWidth()) / 8, rowBytes = type.getDimSize(fastest) * bytes;
  int64_t vec = std::max<int64_t>(1, std::min<int64_t>(16, rowBytes) / bytes);
  int64_t perPhase = std::max<int64_t>(1, 128 / rowBytes);
  int64_t maxPhase = std::max<int64_t>(1, std::min<int64_t>(8 / perPhase, rowBytes / 16));
  SmallVector<unsigned> order = {fastest};
  for (unsigned dim = type.getRank(); dim-- > 0;)
    if (dim != fastest)
      order.push_back(dim);
  return SwizzledSharedAttr::get(type.getContext(), vec, std::min<int64_t>(perPhase, 8), maxPhase, order);
}

Attribute swizzledLayout(RankedTensorType type, ArrayRef<RankedTensorType> read) {
  auto narrow = cast<SwizzledSharedAttr>(swizzledLayout(type));
  if (type.getRank() != 2)
    return narrow;
  auto costOf = [&](Attribute layout) {
    auto buffer = MemDescType::get(type.getShape(), type.getElementType(), layout,
                                   SharedMemoryAttr::get(type.getContext()), /*mutableMemory=*/true);
    unsigned cost = 0;
    for (RankedTensorType each : read) {
      auto offsets = toLinear(each).invertAndCompose(toLinear(buffer));
      if (!offsets)
        return ~0u;
      cost += layout::accessCost(offsets->sublayout({"register", "lane", "warp"}, {"offset"}),
                                 std::max(8u, type.getElementTypeBitWidth()));
    }
    return cost;
  };
  SwizzledSharedAttr best = narrow;
  unsigned least = costOf(narrow);
  for (unsigned width = 2; width <= narrow.getMaxPhase() / 2; width *= 2) {
    auto wide = SwizzledSharedAttr::get(type.getContext(), narrow.getVec() * width, narrow.getPerPhase(),
                                        narrow.getMaxPhase() / width, narrow.getOrder());
    if (unsigned cost = costOf(wide); cost < least) {
      least = cost;
      best = wide;
    }
  }
  return best;
}

Attribute transposingLayout(RankedTensorType type, unsigned held, int numWarps) {
  unsigned across = 1 - held;
  SmallVector<int64_t> perThread = {1, 1}, lanes = {1, 1}, warps = {1, 1};
  perThread[held] = std::min<int64_t>(type.getDimSize(held), 128 / type.getElementTypeBitWidth());
  lanes[across] = std::min<int64_t>(32, type.getDimSize(across));
  lanes[held] = 32 / lanes[across];
  warps[across] = std::min<int64_t>(numWarps, std::max<int64_t>(1, type.getDimSize(across) / 32));
  warps[held] = numWarps / warps[across];
  return BlockedAttr::get(type.getContext(), perThread, lanes, warps, {held, across});
}

Attribute pairTransposingLayout(RankedTensorType type, unsigned held, int numWarps) {
  unsigned across = 1 - held;
  auto basis = [&](unsigned dim, int64_t value) {
    layout::Coordinates result(2, 0);
    result[dim] = value;
    return result;
  };
  // The second bit of `held` first: with the lanes it makes the rows of a piece, which then lie in different banks of the buffer.
  layout::LinearLayout::Input registers{"register", {basis(held, 2), basis(held, 1), basis(across, 1)}},
      lanes{"lane", {basis(held, 4), basis(held, 8), basis(across, 2), basis(across, 4), basis(across, 8)}},
      warps{"warp", {}};
  SmallVector<layout::Coordinates> rest;
  for (unsigned dim : {across, held})
    for (int64_t value = 16; value < type.getDimSize(dim); value *= 2)
      rest.push_back(basis(dim, value));
  for (int count = 1; count < numWarps; count *= 2) {
    warps.bases.push_back(rest.empty() ? layout::Coordinates(2, 0) : rest.front());
    if (!rest.empty())
      rest.erase(rest.begin());
  }
  registers.bases.insert(registers.bases.end(), rest.begin(), rest.end());
  return LinearAttr::get(type.getContext(),
                         layout::LinearLayout::fromBases({registers, lanes, warps, {"block", {}}},
                                                         {layout::dimension(0), layout::dimension(1)}));
}

} // namespace triton::gpu
