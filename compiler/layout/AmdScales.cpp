#include "compiler/layout/AmdScales.h"

using namespace triton::layout;
using llvm::ArrayRef;

/// Repeats in registers along `dim` until it is as large as the shape.
static LinearLayout fill(const LinearLayout &layout, unsigned dim, ArrayRef<int64_t> shape) {
  const int64_t size = layout.outputSize(dimension(dim));
  return size < shape[dim] ? layout * LinearLayout::identity(shape[dim] / size, "register", dimension(dim)) : layout;
}

LinearLayout triton::layout::scalesOf(const MfmaLayout &layout, unsigned operand, ArrayRef<int64_t> shape) {
  const int64_t rows = layout.instructionShape[operand];
  LinearLayout map =
      LinearLayout::identity(rows, "lane", dimension(0)) * LinearLayout::identity(64 / rows, "lane", dimension(1));
  map = fill(map, 1, shape) * LinearLayout::identity(layout.tilesPerWarp[operand], "register", dimension(0));
  for (unsigned dim : {1u, 0u})
    map = map * (dim == operand ? LinearLayout::identity(layout.warpsPerCta[dim], "warp", dimension(0))
                                : LinearLayout::zeros(layout.warpsPerCta[dim], "warp", dimension(0)));
  return finish(fill(map, 0, shape), {}, shape).removeZeroBases("register");
}

LinearLayout triton::layout::scalesOf(const WmmaLayout &layout, unsigned operand, ArrayRef<int64_t> shape) {
  std::vector<Coordinates> registers, lanes, warps;
  for (int64_t row = 1; row < 16; row *= 2)
    lanes.push_back({row, 0});
  for (int64_t group = 1; group < shape[1]; group *= 2)
    registers.push_back({0, group});
  for (const Coordinates &basis : layout.registers)
    if (basis[operand] != 0)
      (lanes.size() == 4 ? lanes : registers).push_back({16 * basis[operand], 0});
  lanes.resize(5, Coordinates{0, 0});
  for (const Coordinates &basis : layout.warps)
    warps.push_back({16 * basis[operand], 0});
  LinearLayout map = LinearLayout::fromBases({{"register", registers}, {"lane", lanes}, {"warp", warps}},
                                             {dimension(0), dimension(1)});
  return finish(fill(map, 0, shape), {}, shape).removeZeroBases("register");
}
