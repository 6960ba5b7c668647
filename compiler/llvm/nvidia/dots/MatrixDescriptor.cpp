#include "compiler/llvm/nvidia/dots/MatrixDescriptor.h"

using namespace triton;
using namespace triton::nvidia;

uint64_t MatrixDescriptor::encode() const {
  uint64_t mode = swizzleBytes == 128 ? 1 : swizzleBytes == 64 ? 2 : swizzleBytes == 32 ? 3 : 0;
  return uint64_t(leading >> 4 & 0x3fff) << 16 | uint64_t(stride >> 4 & 0x3fff) << 32 | mode << 62;
}

uint64_t MatrixDescriptor::encodeForTcgen05() const {
  uint64_t mode = swizzleBytes == 128 ? 2 : swizzleBytes == 64 ? 4 : swizzleBytes == 32 ? 6 : 0;
  constexpr uint64_t version = 1;
  return uint64_t(leading >> 4 & 0x3fff) << 16 | uint64_t(stride >> 4 & 0x3fff) << 32 | version << 46 | mode << 61;
}

namespace {

/// Compares where a layout puts elements with where an instruction looks for them.
struct Matcher {
  const layout::LinearLayout &inverse;
  OperandTile tile;
  int64_t elementBytes;

  int64_t offset(unsigned dim, int64_t index) const {
    layout::Coordinates all = inverse.apply({{inverse.inputs()[dim].name, index}});
    return all.front() * elementBytes;
  }

  /// 16-byte columns are permuted by the row they are in: address bits 4 to 6 by bits 7 to 9.
  static int64_t swizzle(int64_t address, int64_t width) {
    return width ? address ^ (address >> 3 & (width - 1) & 0x70) : address;
  }

  /// Whether indices first, 2 * first, … below `end` lie `step` apart, after the swizzle.
  bool steps(unsigned dim, int64_t first, int64_t end, int64_t step, int64_t width) const {
    for (int64_t index = first, expected = step; index < end; index *= 2, expected *= 2)
      if (offset(dim, index) != swizzle(expected, width))
        return false;
    return true;
  }

  /// Where index `at` lies; 0 if the tile does not reach that far, as the field is then not read.
  int64_t stepAt(unsigned dim, int64_t at, int64_t extent) const { return at < extent ? offset(dim, at) : 0; }

  std::optional<MatrixDescriptor> alongK(int64_t width) const {
    unsigned mn = tile.mnDim, k = tile.kDim;
    int64_t perChunk = (tile.isPadded ? 8 : 16) / elementBytes;
    int64_t stride = stepAt(mn, 8, tile.mn);
    if (!steps(mn, 8, tile.mn, stride, 0))
      return std::nullopt;
    if (width != 0) {
      bool fits = steps(k, 1, std::min(perChunk, tile.k), elementBytes, 0) && steps(k, perChunk, tile.k, 16, 0) &&
                  tile.k * 16 <= width * perChunk && steps(mn, 1, 8, width, width);
      return fits ? std::optional(MatrixDescriptor{unsigned(width), false, 0, stride}) : std::nullopt;
    }
    int64_t leading = stepAt(k, perChunk, tile.k);
    bool fits =
        steps(k, 1, perChunk, elementBytes, 0) && steps(k, perChunk, tile.k, leading, 0) && steps(mn, 1, 8, 16, 0);
    return fits ? std::optional(MatrixDescriptor{0, false, leading, stride}) : std::nullopt;
  }

  std::optional<MatrixDescriptor> alongMn(int64_t width) const {
    unsigned mn = tile.mnDim, k = tile.kDim;
    int64_t perRow = std::max<int64_t>(width, 16) / elementBytes;
    int64_t chunks = stepAt(mn, perRow, tile.mn), groups = stepAt(k, 8, tile.k);
    bool fits = steps(mn, 1, std::min(perRow, tile.mn), elementBytes, 0) && steps(mn, perRow, tile.mn, chunks, 0) &&
                steps(k, 1, 8, std::max<int64_t>(width, 16), width) && steps(k, 8, tile.k, groups, 0);
    if (!fits)
      return std::nullopt;
    return width ? MatrixDescriptor{unsigned(width), true, chunks, groups} : MatrixDescriptor{0, true, groups, chunks};
  }
};

} // namespace

std::optional<MatrixDescriptor> triton::nvidia::matchDescriptor(const layout::LinearLayout &inverse,
                                                                const OperandTile &tile, unsigned elementBits,
                                                                bool isTcgen05) {
  Matcher matcher{inverse, tile, elementBits / 8};
  for (int64_t width : {128, 64, 32, 0})
    if (std::optional<MatrixDescriptor> found = matcher.alongK(width))
      return found;
  if (elementBits == 16 || (isTcgen05 && elementBits == 8))
    for (int64_t width : {128, 64, 32, 0})
      if (std::optional<MatrixDescriptor> found = matcher.alongMn(width))
        return found;
  return std::nullopt;
}
