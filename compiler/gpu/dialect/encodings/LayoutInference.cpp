#include "compiler/gpu/dialect/encodings/LayoutInference.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace triton::gpu {

using layout::LinearLayout;

static SmallVector<StringRef> references(ArrayRef<std::string> names) {
  return SmallVector<StringRef>(names.begin(), names.end());
}

LinearLayout reshapeDimensions(const LinearLayout &map, ArrayRef<int64_t> shape) {
  // Row-major: the last dim is the fastest, which in a flattened map stands first.
  SmallVector<std::string> names;
  for (size_t dim = map.outputs().size(); dim-- > 0;)
    names.push_back(layout::dimension(dim));
  SmallVector<layout::DimensionSize> dimensions;
  for (size_t dim = shape.size(); dim-- > 0;)
    dimensions.emplace_back(layout::dimension(dim), shape[dim]);
  LinearLayout reshaped = map.transposeOutputs(references(names)).reshapeOutputs(dimensions);
  names.clear();
  for (size_t dim = 0; dim < shape.size(); ++dim)
    names.push_back(layout::dimension(dim));
  return reshaped.transposeOutputs(references(names));
}

LinearLayout transposeDimensions(const LinearLayout &map, ArrayRef<int32_t> order) {
  SmallVector<std::string> names;
  for (int32_t dim : order)
    names.push_back(layout::dimension(dim));
  LinearLayout transposed = map.transposeOutputs(references(names));
  // The dims keep their places in the new order, under new names.
  std::vector<LinearLayout::Output> outputs(transposed.outputs());
  for (auto [index, output] : llvm::enumerate(outputs))
    output.name = layout::dimension(index);
  return LinearLayout(std::vector<LinearLayout::Input>(transposed.inputs()), std::move(outputs));
}

/// The dims along which the bases of `input` go, in the order in which they come first.
static void appendDims(const LinearLayout &map, StringRef input, SmallVectorImpl<unsigned> &order) {
  for (const LinearLayout::Input &part : map.inputs())
    if (part.name == input)
      for (const layout::Coordinates &basis : part.bases)
        for (auto [dim, component] : llvm::enumerate(basis))
          if (component && !llvm::is_contained(order, dim))
            order.push_back(dim);
}

/// How many elements along each dim the bases of `input` reach; bases that do not move count along `idle`.
static SmallVector<int64_t> extents(const LinearLayout &map, StringRef input, unsigned idle) {
  SmallVector<int64_t> result(map.outputs().size(), 1);
  for (const LinearLayout::Input &part : map.inputs())
    if (part.name == input)
      for (const layout::Coordinates &basis : part.bases) {
        auto moved = llvm::find_if(basis, [](int64_t component) { return component != 0; });
        result[moved == basis.end() ? idle : moved - basis.begin()] *= 2;
      }
  return result;
}

/// The only blocked layout that could have this map, where one has.
static BlockedAttr findBlocked(MLIRContext *context, const LinearLayout &map) {
  unsigned rank = map.outputs().size();
  SmallVector<int64_t> shape;
  for (const LinearLayout::Output &output : map.outputs())
    shape.push_back(output.size);
  SmallVector<unsigned> order;
  appendDims(map, "register", order);
  for (unsigned dim = rank; dim-- > 0;)
    if (!llvm::is_contained(order, dim))
      order.push_back(dim);
  // A tile's registers go along order[0] first, but with one element per thread the first to tell the order are the lanes.
  SmallVector<unsigned> lanesFirst;
  appendDims(map, "lane", lanesFirst);
  appendDims(map, "warp", lanesFirst);
  appendDims(map, "register", lanesFirst);
  for (unsigned dim = rank; dim-- > 0;)
    if (!llvm::is_contained(lanesFirst, dim))
      lanesFirst.push_back(dim);
  for (ArrayRef<unsigned> candidate : {ArrayRef<unsigned>(order), ArrayRef<unsigned>(lanesFirst)}) {
    SmallVector<int64_t> lanes = extents(map, "lane", candidate.back()), warps = extents(map, "warp", candidate.back());
    // Registers below the first lane of their dim are the tile, those above repeat it.
    SmallVector<int64_t> registers(rank, 1);
    for (const LinearLayout::Input &part : map.inputs())
      if (part.name == "register")
        for (const layout::Coordinates &basis : part.bases)
          for (auto [dim, component] : llvm::enumerate(basis))
            if (component == registers[dim])
              registers[dim] *= 2;
    auto blocked = BlockedAttr::get(context, registers, lanes, warps, candidate);
    if (blocked.toLinear(shape) == map)
      return blocked;
  }
  return {};
}

DistributedAttr nameLayout(MLIRContext *context, const LinearLayout &map) {
  if (!map.hasInput("block") || map.inputSize("block") == 1)
    if (BlockedAttr blocked = findBlocked(context, map))
      return blocked;
  return LinearAttr::get(context, map);
}

static DistributedAttr layoutOf(RankedTensorType tensor) { return cast<DistributedAttr>(tensor.getEncoding()); }

DistributedAttr expandDimsLayout(RankedTensorType tensor, int64_t axis) {
  if (auto slice = dyn_cast<SliceAttr>(tensor.getEncoding()); slice && slice.getDim() == axis)
    return slice.getParent();
  SmallVector<int64_t> shape(tensor.getShape());
  shape.insert(shape.begin() + axis, 1);
  return nameLayout(tensor.getContext(), reshapeDimensions(toLinear(tensor), shape));
}

template <typename ElementT> static SmallVector<ElementT> permute(ArrayRef<ElementT> list, ArrayRef<int32_t> order) {
  return llvm::map_to_vector(order, [&](int32_t dim) { return list[dim]; });
}

static SmallVector<int32_t> invert(ArrayRef<int32_t> order) {
  SmallVector<int32_t> inverse(order.size());
  for (auto [index, dim] : llvm::enumerate(order))
    inverse[dim] = index;
  return inverse;
}

DistributedAttr transLayout(RankedTensorType tensor, ArrayRef<int32_t> order) {
  if (auto blocked = dyn_cast<BlockedAttr>(tensor.getEncoding())) {
    SmallVector<int32_t> inverse = invert(order);
    SmallVector<unsigned> fastest;
    for (unsigned dim : blocked.getOrder())
      fastest.push_back(inverse[dim]);
    SmallVector<int64_t> cluster;
    for (const layout::Coordinates &basis : blocked.getClusterBases())
      cluster.append(permute(ArrayRef<int64_t>(basis), order));
    return BlockedAttr::get(tensor.getContext(), permute(blocked.getSizePerThread(), order),
                            permute(blocked.getThreadsPerWarp(), order), permute(blocked.getWarpsPerCTA(), order),
                            fastest, cluster);
  }
  return nameLayout(tensor.getContext(), transposeDimensions(toLinear(tensor), order));
}

DistributedAttr reshapeLayout(RankedTensorType tensor, ArrayRef<int64_t> shape) {
  if (tensor.getShape() == shape)
    return layoutOf(tensor);
  return nameLayout(tensor.getContext(), reshapeDimensions(toLinear(tensor), shape));
}

namespace {
/// Dims `first` to `last` - 1 of a shape.
struct DimRange {
  unsigned first, last;
};
} // namespace

/// Which dims become which: the smallest groups of as many elements on both sides, the innermost first.
static SmallVector<std::pair<DimRange, DimRange>> groupDims(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  SmallVector<std::pair<DimRange, DimRange>> groups;
  unsigned source = from.size(), target = to.size();
  while (source && target) {
    DimRange left{source - 1, source}, right{target - 1, target};
    int64_t held = from[left.first], wanted = to[right.first];
    while (held != wanted)
      held < wanted ? held *= from[--left.first] : wanted *= to[--right.first];
    source = left.first;
    target = right.first;
    groups.push_back({left, right});
  }
  groups.back().first.first = groups.back().second.first = 0; // sizes of 1 in front
  return groups;
}

/// The dims of `range`, the innermost first.
static auto innermostFirst(DimRange range) { return llvm::reverse(llvm::seq(range.first, range.last)); }

BlockedAttr reshapeBlocked(RankedTensorType tensor, ArrayRef<int64_t> shape) {
  auto blocked = cast<BlockedAttr>(tensor.getEncoding());
  if (!blocked.getCluster().empty())
    return {};
  const unsigned rank = shape.size();
  SmallVector<int64_t> registers(rank, 1), lanes(rank, 1), warps(rank, 1);
  SmallVector<SmallVector<unsigned>> innermost(blocked.getRank()); // what a dim that leads its group becomes
  SmallVector<bool> follows(blocked.getRank(), false);
  for (auto [from, to] : groupDims(tensor.getShape(), shape)) {
    // The dims of a group must lie one behind the other in memory, the innermost first.
    ArrayRef<unsigned> order = blocked.getOrder();
    auto place = llvm::find(order, from.last - 1);
    for (unsigned dim : innermostFirst(from)) {
      if (place == order.end() || *place++ != dim)
        return {};
      follows[dim] = dim != from.last - 1;
    }
    innermost[from.last - 1] = llvm::to_vector(innermostFirst(to));
    // Registers fill the innermost dim first, then lanes, then warps; the outermost takes what is left.
    for (auto [sizes, left] :
         {std::pair(&registers, blocked.getSizePerThread()), std::pair(&lanes, blocked.getThreadsPerWarp()),
          std::pair(&warps, blocked.getWarpsPerCTA())}) {
      int64_t rest = llvm::product_of(left.slice(from.first, from.last - from.first));
      for (unsigned dim : innermostFirst(to)) {
        const int64_t room = std::max<int64_t>(1, shape[dim] / (registers[dim] * lanes[dim] * warps[dim]));
        (*sizes)[dim] = dim == to.first ? rest : std::min(rest, room);
        rest /= (*sizes)[dim];
      }
    }
  }
  SmallVector<unsigned> order;
  for (unsigned dim : blocked.getOrder())
    if (!follows[dim])
      llvm::append_range(order, innermost[dim]);
  auto result = BlockedAttr::get(tensor.getContext(), registers, lanes, warps, order);
  return result.toLinear(shape) == reshapeDimensions(toLinear(tensor), shape) ? result : BlockedAttr();
}

/// `map` with one more register bit, before or behind its own, that goes one step along `dim`.
static LinearLayout addRegister(const LinearLayout &map, unsigned dim, bool first) {
  LinearLayout one = LinearLayout::identity(2, "register", layout::dimension(dim));
  LinearLayout result = first ? one * map : map * one;
  SmallVector<std::string> names;
  for (size_t index = 0; index < result.outputs().size(); ++index)
    names.push_back(layout::dimension(index));
  return result.transposeOutputs(references(names));
}

DistributedAttr joinLayout(RankedTensorType tensor) {
  unsigned last = tensor.getRank();
  SmallVector<int64_t> shape(tensor.getShape());
  shape.push_back(2);
  if (auto slice = dyn_cast<SliceAttr>(tensor.getEncoding()); slice && slice.getDim() == last) {
    auto whole = RankedTensorType::get(shape, tensor.getElementType(), slice.getParent());
    if (splitLayout(whole) == slice)
      return slice.getParent();
  }
  if (auto blocked = dyn_cast<BlockedAttr>(tensor.getEncoding())) {
    auto extended = [](ArrayRef<int64_t> list, int64_t size) {
      SmallVector<int64_t> result(list);
      result.push_back(size);
      return result;
    };
    SmallVector<unsigned> order = {last};
    llvm::append_range(order, blocked.getOrder());
    SmallVector<int64_t> cluster;
    for (const layout::Coordinates &basis : blocked.getClusterBases())
      cluster.append(extended(basis, 0));
    return BlockedAttr::get(tensor.getContext(), extended(blocked.getSizePerThread(), 2),
                            extended(blocked.getThreadsPerWarp(), 1), extended(blocked.getWarpsPerCTA(), 1), order,
                            cluster);
  }
  return LinearAttr::get(tensor.getContext(), addRegister(toLinear(tensor), last, /*first=*/true));
}

DistributedAttr catLayout(RankedTensorType tensor) {
  return nameLayout(tensor.getContext(), addRegister(toLinear(tensor), 0, /*first=*/false));
}

/// `map` without its last output and the register bits that step along nothing else. Registers that are copies of others stay copies, so that
/// a half has the registers that were joined.
static LinearLayout dropPair(const LinearLayout &map) {
  LinearLayout half = map.removeOutput(map.outputs().back().name);
  std::vector<LinearLayout::Input> inputs(half.inputs().begin(), half.inputs().end());
  for (LinearLayout::Input &input : inputs) {
    if (input.name != "register")
      continue;
    std::vector<layout::Coordinates> kept;
    for (auto [bit, basis] : llvm::enumerate(input.bases))
      if (llvm::any_of(basis, [](int64_t step) { return step != 0; }) || map.basis("register", bit).back() == 0)
        kept.push_back(basis);
    input.bases = std::move(kept);
  }
  return LinearLayout(std::move(inputs), half.outputs());
}

DistributedAttr splitLayout(RankedTensorType tensor) {
  unsigned last = tensor.getRank() - 1;
  std::string name = layout::dimension(last);
  const LinearLayout &map = toLinear(tensor);
  if (!map.isZeroOn({"lane", "warp", "block"}, {name}))
    return {};
  auto slice = SliceAttr::get(last, layoutOf(tensor));
  LinearLayout half = dropPair(map);
  if (slice.toLinear(tensor.getShape().drop_back()) == half)
    return slice;
  return nameLayout(tensor.getContext(), half);
}

} // namespace triton::gpu
