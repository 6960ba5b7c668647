#include "compiler/layout/NamedLayouts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace triton::layout;
using llvm::ArrayRef;
using llvm::StringRef;

std::string triton::layout::dimension(unsigned index) { return "dim" + std::to_string(index); }

/// dim0, dim1, … in order, whatever order the product made them in.
static LinearLayout inOrder(const LinearLayout &layout, unsigned rank) {
  LinearLayout all = layout;
  std::vector<std::string> names;
  for (unsigned d = 0; d < rank; ++d) {
    names.push_back(dimension(d));
    if (!all.hasOutput(names.back()))
      all = all * LinearLayout({}, {{names.back(), 1}});
  }
  return all.transposeOutputs(llvm::SmallVector<StringRef>(names.begin(), names.end()));
}

static unsigned indexOf(StringRef dimensionName) {
  unsigned index = 0;
  dimensionName.drop_front(3).getAsInteger(10, index);
  return index;
}

LinearLayout triton::layout::grow(const LinearLayout &layout, ArrayRef<int64_t> shape) {
  LinearLayout result = layout;
  std::string first = layout.inputs().front().name;
  for (const LinearLayout::Output &output : layout.outputs()) {
    int64_t wanted = shape[indexOf(output.name)];
    if (output.size < wanted)
      result = result * LinearLayout::identity(wanted / output.size, first, output.name);
  }
  return result;
}

LinearLayout triton::layout::shrink(const LinearLayout &layout, ArrayRef<int64_t> shape) {
  LinearLayout result = layout;
  for (const LinearLayout::Output &output : layout.outputs())
    if (output.size > shape[indexOf(output.name)])
      result = result.withOutputSize(output.name, shape[indexOf(output.name)]);
  return result;
}

LinearLayout triton::layout::finish(const LinearLayout &layout, const ClusterBases &cluster, ArrayRef<int64_t> shape) {
  std::vector<std::string> names;
  for (unsigned d = 0; d < shape.size(); ++d)
    names.push_back(dimension(d));
  LinearLayout blocks = shrink(LinearLayout::fromBases({{"block", cluster}}, names), shape);
  llvm::SmallVector<int64_t> ctaShape;
  for (unsigned d = 0; d < shape.size(); ++d)
    ctaShape.push_back(shape[d] / blocks.outputSize(names[d]));
  LinearLayout cta = layout;
  for (const std::string &name : names)
    if (!cta.hasOutput(name))
      cta = cta * LinearLayout({}, {{name, 1}});
  return inOrder(shrink(grow(cta, ctaShape), ctaShape) * blocks, shape.size());
}

LinearLayout triton::layout::identityNd(StringRef input, ArrayRef<int64_t> sizes, ArrayRef<unsigned> order) {
  LinearLayout result;
  for (unsigned d : order)
    result = result * LinearLayout::identity(sizes[d], input, dimension(d));
  return result;
}

LinearLayout BlockedLayout::toLinear(ArrayRef<int64_t> shape) const {
  return finish(identityNd("register", sizePerThread, order) * identityNd("lane", threadsPerWarp, order) *
                    identityNd("warp", warpsPerCta, order),
                cluster, shape);
}

LinearLayout triton::layout::sliceLayout(const LinearLayout &parent, unsigned removed) {
  LinearLayout result = parent.removeOutput(dimension(removed)).removeZeroBases("register");
  for (unsigned d = removed + 1; d < parent.outputs().size(); ++d)
    result = result.renameOutput(dimension(d), dimension(d - 1));
  return result;
}

/// `rank` dims, `first` fastest, then from the last to the first of the others.
static llvm::SmallVector<unsigned> orderWith(unsigned first, unsigned rank) {
  llvm::SmallVector<unsigned> order = {first};
  for (unsigned d = rank; d-- > 0;)
    if (d != first)
      order.push_back(d);
  return order;
}

/// Down M first for wgmma, along the last dim first for mma.sync.
static LinearLayout warpsOf(const MmaLayout &layout, std::optional<unsigned> broadcast = std::nullopt) {
  unsigned rank = layout.warpsPerCta.size();
  LinearLayout warps;
  for (unsigned d : orderWith(layout.version >= 3 ? rank - 2 : rank - 1, rank))
    warps = warps * (broadcast == d ? LinearLayout::zeros(layout.warpsPerCta[d], "warp", dimension(d))
                                    : LinearLayout::identity(layout.warpsPerCta[d], "warp", dimension(d)));
  return warps;
}

/// One instruction's fragment: pairs (or kWidth) along `inner`, 4 lanes along it, 8 lanes across, then registers.
static LinearLayout fragment(StringRef inner, StringRef outer, int64_t width, int64_t outerRepeats,
                             int64_t innerRepeats) {
  return LinearLayout::identity(width, "register", inner) * LinearLayout::identity(4, "lane", inner) *
         LinearLayout::identity(8, "lane", outer) * LinearLayout::identity(outerRepeats, "register", outer) *
         LinearLayout::identity(innerRepeats, "register", inner);
}

/// Orders the outputs so that `grow` repeats along `order[0]` first.
static LinearLayout repeatingAlong(const LinearLayout &layout, ArrayRef<unsigned> order) {
  LinearLayout all = inOrder(layout, order.size());
  std::vector<std::string> names;
  for (unsigned d : order)
    names.push_back(dimension(d));
  return all.transposeOutputs(llvm::SmallVector<StringRef>(names.begin(), names.end()));
}

LinearLayout MmaLayout::toLinear(ArrayRef<int64_t> shape) const {
  unsigned rank = warpsPerCta.size();
  std::string inner = dimension(rank - 1), outer = dimension(rank - 2);
  bool wgmma = version >= 3;
  int64_t m = wgmma ? instructionShape[0] : instructionShape[instructionShape.size() - 2];
  int64_t n = wgmma ? instructionShape[1] : instructionShape.back();
  LinearLayout tile = fragment(inner, outer, 2, m / 8, n / 8);
  return finish(repeatingAlong(tile * warpsOf(*this), orderWith(rank - 1, rank)), cluster, shape);
}

LinearLayout DotOperandLayout::toLinear(ArrayRef<int64_t> shape) const {
  unsigned rank = parent.warpsPerCta.size();
  unsigned k = operand == 0 ? rank - 1 : rank - 2, other = operand == 0 ? rank - 2 : rank - 1;
  LinearLayout tile = fragment(dimension(k), dimension(other), kWidth, operand == 0 ? 2 : 1, 2);
  ClusterBases bases = parent.cluster;
  for (Coordinates &basis : bases)
    basis[k] = 0;
  return finish(repeatingAlong(tile * warpsOf(parent, k), orderWith(k, rank)), bases, shape);
}

LinearLayout triton::layout::fmaOperandLayout(unsigned operand, const BlockedLayout &parent, ArrayRef<int64_t> shape) {
  unsigned rank = shape.size(), k = operand == 0 ? rank - 1 : rank - 2;
  llvm::SmallVector<int64_t, 4> registers = parent.sizePerThread;
  registers[k] = shape[k];
  LinearLayout result = identityNd("register", registers, parent.order);
  for (auto [input, sizes] : {std::pair("lane", &parent.threadsPerWarp), std::pair("warp", &parent.warpsPerCta)})
    for (unsigned d : parent.order)
      result = result * (d == k ? LinearLayout::zeros((*sizes)[d], input, dimension(d))
                                : LinearLayout::identity((*sizes)[d], input, dimension(d)));
  ClusterBases bases = parent.cluster;
  for (Coordinates &basis : bases)
    basis[k] = 0;
  return finish(result, bases, shape);
}

LinearLayout SwizzledSharedLayout::toLinear(ArrayRef<int64_t> shape) const {
  unsigned rank = shape.size();
  std::vector<std::string> names;
  for (unsigned d = 0; d < rank; ++d)
    names.push_back(dimension(d));
  LinearLayout blocks = shrink(LinearLayout::fromBases({{"block", cluster}}, names), shape);
  auto size = [&](unsigned d) { return shape[d] / blocks.outputSize(names[d]); };
  if (rank == 1)
    return finish(LinearLayout::identity(size(0), "offset", names[0]), cluster, shape);
  unsigned column = order[0], row = order[1];
  LinearLayout::Input offsets{"offset", {}};
  for (int64_t c = 1; c < size(column); c *= 2)
    offsets.bases.push_back({c, 0});
  for (int64_t r = 1; r < size(row); r *= 2)
    offsets.bases.push_back({(vec * ((r / perPhase) % maxPhase)) % size(column), r});
  LinearLayout result({offsets}, {{names[column], size(column)}, {names[row], size(row)}});
  for (unsigned d : ArrayRef(order).drop_front(2))
    result = result * LinearLayout::identity(size(d), "offset", names[d]);
  return finish(result, cluster, shape);
}

Coordinates NvmmaSharedLayout::tmaBox(ArrayRef<int64_t> shape) const {
  Coordinates box;
  for (int64_t size : shape)
    box.push_back(std::min<int64_t>(size, 256));
  if (swizzleBytes)
    box[transposed ? 0 : box.size() - 1] = swizzleBytes / 16 * vec();
  return box;
}

std::optional<LinearLayout> NvmmaSharedLayout::toLinear(ArrayRef<int64_t> shape) const {
  unsigned rank = shape.size();
  std::vector<std::string> names;
  for (unsigned d = 0; d < rank; ++d)
    names.push_back(dimension(d));
  LinearLayout blocks = shrink(LinearLayout::fromBases({{"block", cluster}}, names), shape);
  llvm::SmallVector<int64_t> ctaShape;
  for (unsigned d = 0; d < rank; ++d)
    ctaShape.push_back(shape[d] / blocks.outputSize(names[d]));
  Coordinates box = tmaBox(ctaShape);
  for (auto [boxSize, size] : llvm::zip(box, ctaShape))
    if (boxSize > size)
      return std::nullopt;
  llvm::SmallVector<unsigned> lastFirst;
  for (unsigned d = rank; d-- > 0;)
    lastFirst.push_back(d);
  if (!swizzleBytes)
    return finish(repeatingAlong(identityNd("offset", box, lastFirst), lastFirst), cluster, shape);

  // Rows are all dims but the contiguous one, flattened with the last of them fastest.
  int64_t columns = std::max(16u, swizzleBytes) / 16 * vec(), rows = 1;
  llvm::SmallVector<DimensionSize> rowDimensions;
  unsigned contiguous = transposed ? 0 : rank - 1;
  for (unsigned i = 0; i + 1 < rank; ++i) {
    unsigned d = transposed ? rank - 1 - i : rank - 2 - i;
    rowDimensions.emplace_back(names[d], box[d]);
    rows *= box[d];
  }
  if (rows < 8 || box[contiguous] < columns)
    return std::nullopt;
  LinearLayout::Input offsets{"offset", {}};
  for (int64_t c = 1; c < columns; c *= 2)
    offsets.bases.push_back({c, 0});
  if (fp4Padded) // every 8 packed bytes are followed by 8 unused ones
    offsets.bases.insert(offsets.bases.begin() + 3, Coordinates{0, 0});
  for (int64_t r = 1; r < 8; r *= 2)
    offsets.bases.push_back({static_cast<int64_t>(vec() * ((r / perPhase()) % maxPhase())) % columns, r});
  LinearLayout core({offsets}, {{"column", columns}, {"row", 8}});
  core = core * LinearLayout::identity(rows / 8, "offset", "row");
  llvm::SmallVector<DimensionSize> dimensions = {{names[contiguous], columns}};
  dimensions.append(rowDimensions);
  return finish(inOrder(core.reshapeOutputs(dimensions), rank), cluster, shape);
}

LinearLayout TensorMemoryLayout::toLinear(ArrayRef<int64_t> shape) const {
  LinearLayout tile;
  int64_t tileM = blockM, tileN = blockN;
  if (blockM == 128) {
    tile = LinearLayout::identity(128, "row", "dim0") * LinearLayout::identity(blockN, "col", "dim1");
  } else {
    // 64 rows leave every other group of 16 rows free: the next block down or across lives there.
    LinearLayout::Input rows{"row", {{1, 0}, {2, 0}, {4, 0}, {8, 0}}};
    if (shape[0] > 64) {
      rows.bases.push_back({64, 0});
      tileM = 128;
    } else if (shape[1] > blockN) {
      rows.bases.push_back({0, blockN});
      tileN = 2 * blockN;
    } else {
      rows.bases.push_back({0, 0});
    }
    rows.bases.push_back({16, 0});
    rows.bases.push_back({32, 0});
    LinearLayout::Input columns{"col", {}};
    for (int64_t c = 1; c < blockN; c *= 2)
      columns.bases.push_back({0, c});
    tile = LinearLayout({rows, columns}, {{"dim0", tileM}, {"dim1", tileN}});
  }
  LinearLayout padded = LinearLayout::zeros(columnStride, "col", "dim1") * tile;
  LinearLayout blocks = padded * LinearLayout::identity(shape[0] / tileM, "col", "dim0") *
                        LinearLayout::identity(shape[1] / tileN, "col", "dim1");
  return inOrder(blocks, 2).transposeInputs({"row", "col"});
}

LinearLayout triton::layout::tensorMemoryScales(ArrayRef<int64_t> shape) {
  LinearLayout::Input rows{"row", {}}, columns{"col", {}};
  for (int64_t r : {1, 2, 4, 8, 16})
    rows.bases.push_back({r < shape[0] ? r : 0, 0});
  rows.bases.push_back({0, 0}); // copied to the four warps
  rows.bases.push_back({0, 0});
  for (int64_t c : {1, 2}) // a cell holds four scales of a row, or fewer and copies
    columns.bases.push_back({0, c < shape[1] ? c : 0});
  for (int64_t r = 32; r < shape[0]; r *= 2)
    columns.bases.push_back({r, 0});
  for (int64_t c = 4; c < shape[1]; c *= 2)
    columns.bases.push_back({0, c});
  return LinearLayout({rows, columns}, {{"dim0", shape[0]}, {"dim1", shape[1]}});
}
