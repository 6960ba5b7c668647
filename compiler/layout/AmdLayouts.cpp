#include "compiler/layout/AmdLayouts.h"

#include "llvm/ADT/STLExtras.h"

using namespace triton::layout;
using llvm::ArrayRef;
using llvm::StringRef;

/// Where one instruction's result is: bases [m, n] of registers and lanes.
static LinearLayout tileOf(std::vector<Coordinates> registers, std::vector<Coordinates> lanes, bool isTransposed,
                           unsigned rank) {
  if (isTransposed)
    for (auto *bases : {&registers, &lanes})
      for (Coordinates &basis : *bases)
        std::swap(basis[0], basis[1]);
  return LinearLayout::fromBases({{"register", std::move(registers)}, {"lane", std::move(lanes)}},
                                 {dimension(rank - 2), dimension(rank - 1)});
}

/// `count` lanes along N, then the bits of M that follow.
static std::vector<Coordinates> lanesAlongN(int64_t count, ArrayRef<int64_t> rows) {
  std::vector<Coordinates> lanes;
  for (int64_t n = 1; n < count; n *= 2)
    lanes.push_back({0, n});
  for (int64_t m : rows)
    lanes.push_back({m, 0});
  return lanes;
}

static LinearLayout mfmaTile(const MfmaLayout &layout, unsigned rank) {
  const int64_t m = layout.instructionShape[0];
  if (layout.elementBits == 64)
    return tileOf({{4, 0}, {8, 0}}, lanesAlongN(16, {1, 2}), layout.isTransposed, rank);
  if (m == 32)
    return tileOf({{1, 0}, {2, 0}, {8, 0}, {16, 0}}, lanesAlongN(32, {4}), layout.isTransposed, rank);
  if (m == 16)
    return tileOf({{1, 0}, {2, 0}}, lanesAlongN(16, {4, 8}), layout.isTransposed, rank);
  // Sixteen products of 4 x 4. Those of 64 rows are always computed the other way round.
  return tileOf({{1, 0}, {2, 0}}, lanesAlongN(64, {}), m == 64, rank);
}

/// Repeats in registers along `dim` until it is as large as the shape.
static LinearLayout growAlong(const LinearLayout &layout, unsigned dim, ArrayRef<int64_t> shape) {
  const std::string name = dimension(dim);
  const int64_t size = layout.hasOutput(name) ? layout.outputSize(name) : 1;
  return size < shape[dim] ? layout * LinearLayout::identity(shape[dim] / size, "register", name) : layout;
}

/// What one CTA of a cluster holds of a tensor.
static llvm::SmallVector<int64_t> shapeOfCta(const ClusterBases &cluster, ArrayRef<int64_t> shape) {
  std::vector<std::string> names;
  for (unsigned d = 0; d < shape.size(); ++d)
    names.push_back(dimension(d));
  LinearLayout blocks = shrink(LinearLayout::fromBases({{"block", cluster}}, names), shape);
  llvm::SmallVector<int64_t> result;
  for (unsigned d = 0; d < shape.size(); ++d)
    result.push_back(shape[d] / blocks.outputSize(names[d]));
  return result;
}

LinearLayout MfmaLayout::toLinear(ArrayRef<int64_t> shape) const {
  const unsigned rank = warpsPerCta.size(), rows = rank - 2, columns = rank - 1;
  const llvm::SmallVector<int64_t> cta = shapeOfCta(cluster, shape);
  LinearLayout map = mfmaTile(*this, rank);
  for (unsigned dim : {columns, rows}) {
    map = map * LinearLayout::identity(tilesPerWarp[dim], "register", dimension(dim)) *
          LinearLayout::identity(warpsPerCta[dim], "warp", dimension(dim));
    map = growAlong(map, dim, cta);
  }
  if (rank == 3)
    map = map * LinearLayout::identity(warpsPerCta[0], "warp", dimension(0));
  return finish(map, cluster, shape);
}

LinearLayout MfmaLayout::operand(unsigned index, unsigned kWidth, ArrayRef<int64_t> shape) const {
  const unsigned rank = warpsPerCta.size();
  const unsigned k = index == 0 ? rank - 1 : rank - 2, other = index == 0 ? rank - 2 : rank - 1;
  const int64_t across = instructionShape[index];
  LinearLayout map = LinearLayout::identity(kWidth, "register", dimension(k)) *
                     LinearLayout::identity(across, "lane", dimension(other)) *
                     LinearLayout::identity(64 / across, "lane", dimension(k));
  if (across == 64) // the other side's lanes go along K
    map = map * LinearLayout::identity(16, "register", dimension(k));
  ClusterBases bases = cluster;
  for (Coordinates &basis : bases)
    basis[k] = 0;
  const llvm::SmallVector<int64_t> cta = shapeOfCta(bases, shape);
  map = growAlong(map, k, cta) * LinearLayout::identity(tilesPerWarp[other], "register", dimension(other));
  for (unsigned dim : {rank - 1, rank - 2})
    map = map * (dim == other ? LinearLayout::identity(warpsPerCta[dim], "warp", dimension(dim))
                              : LinearLayout::zeros(warpsPerCta[dim], "warp", dimension(dim)));
  map = growAlong(map, other, cta);
  if (rank == 3)
    map = map * LinearLayout::identity(warpsPerCta[0], "warp", dimension(0));
  return finish(map, bases, shape);
}

ClusterBases triton::layout::warpBases(ArrayRef<int64_t> warpsPerCta) {
  ClusterBases bases;
  for (unsigned dim = warpsPerCta.size(); dim-- > 0;)
    for (int64_t bit = 1; bit < warpsPerCta[dim]; bit *= 2) {
      bases.emplace_back(warpsPerCta.size(), 0);
      bases.back()[dim] = bit;
    }
  return bases;
}

/// Tiles of a CTA, without their moves along `removed`: copies among warps, nothing among registers.
static LinearLayout tilesOf(const WmmaLayout &layout, std::optional<unsigned> removed) {
  ClusterBases registers, warps;
  for (const Coordinates &basis : layout.registers)
    if (!removed || basis[*removed] == 0)
      registers.push_back(basis);
  for (Coordinates basis : layout.warps) {
    if (removed)
      basis[*removed] = 0;
    warps.push_back(basis);
  }
  std::vector<std::string> names;
  for (unsigned dim = 0; dim < layout.rank; ++dim)
    names.push_back(dimension(dim));
  return LinearLayout::fromBases({{"register", registers}, {"warp", warps}}, names);
}

LinearLayout WmmaLayout::toLinear(ArrayRef<int64_t> shape) const {
  const std::vector<Coordinates> held = version == 1 ? std::vector<Coordinates>{{2, 0}, {4, 0}, {8, 0}}
                                                     : std::vector<Coordinates>{{1, 0}, {2, 0}, {4, 0}};
  LinearLayout map = tileOf(held, lanesAlongN(16, {version == 1 ? 1 : 8}), isTransposed, rank);
  const llvm::SmallVector<int64_t> cta = shapeOfCta(cluster, shape);
  map = map * tilesOf(*this, std::nullopt);
  map = growAlong(growAlong(map, rank - 1, cta), rank - 2, cta);
  return finish(map, cluster, shape);
}

LinearLayout WmmaLayout::operand(unsigned index, unsigned kWidth, ArrayRef<int64_t> shape) const {
  const unsigned k = index == 0 ? rank - 1 : rank - 2, other = index == 0 ? rank - 2 : rank - 1;
  const std::string alongK = dimension(k), across = dimension(other);
  LinearLayout map = LinearLayout::identity(version == 1 ? 16 : kWidth, "register", alongK) *
                     LinearLayout::identity(16, "lane", across);
  // Both halves of a wave hold the same in version 1.
  map = map * (version == 1 ? LinearLayout::zeros(2, "lane", alongK) : LinearLayout::identity(2, "lane", alongK));
  if (version == 3 && instructionShape[2] > 2 * kWidth)
    map = map * LinearLayout::identity(instructionShape[2] / (2 * kWidth), "register", alongK);
  ClusterBases bases = cluster;
  for (Coordinates &basis : bases)
    basis[k] = 0;
  const llvm::SmallVector<int64_t> cta = shapeOfCta(bases, shape);
  map = map * tilesOf(*this, k);
  map = growAlong(growAlong(map, k, cta), other, cta);
  return finish(map, bases, shape);
}

LinearLayout RotatingSharedLayout::toLinear(ArrayRef<int64_t> shape) const {
  const llvm::SmallVector<int64_t> cta = shapeOfCta(cluster, shape);
  if (shape.size() == 1)
    return finish(LinearLayout::identity(cta[0], "offset", dimension(0)), cluster, shape);
  const unsigned column = order[0], row = order[1];
  LinearLayout::Input offsets{"offset", {}};
  for (int64_t c = 1; c < cta[column]; c *= 2)
    offsets.bases.push_back({c, 0});
  for (int64_t r = 1; r < cta[row]; r *= 2) {
    const int64_t phase = r / perPhase;
    offsets.bases.push_back({vec * ((phase % maxPhase) ^ (phase / maxPhase % maxPhase)) % cta[column], r});
  }
  LinearLayout map({offsets}, {{dimension(column), cta[column]}, {dimension(row), cta[row]}});
  for (unsigned dim : ArrayRef(order).drop_front(2))
    map = map * LinearLayout::identity(cta[dim], "offset", dimension(dim));
  return finish(map, cluster, shape);
}
