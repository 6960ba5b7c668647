#include "compiler/cpu/Lanes.h"

#include "compiler/cpu/Scalar.h"

using namespace mlir;

namespace triton::cpu {

Offsets getIota(int64_t width) {
  Offsets offsets;
  if (width > 1)
    for (int64_t lane = 0; lane < width; ++lane)
      offsets.push_back(lane);
  return offsets;
}

Offsets addScaled(llvm::ArrayRef<int64_t> a, int64_t scale, llvm::ArrayRef<int64_t> b) {
  Offsets sum(b.begin(), b.end());
  if (!a.empty() && scale != 0) {
    sum.resize(a.size(), 0);
    for (size_t lane = 0; lane < a.size(); ++lane)
      sum[lane] += a[lane] * scale;
  }
  // All zero and empty mean the same; one spelling makes "uniform" a question of size.
  if (llvm::all_of(sum, [](int64_t offset) { return offset == 0; }))
    sum.clear();
  return sum;
}

bool isArithmetic(llvm::ArrayRef<int64_t> offsets, int64_t stride) {
  for (size_t lane = 0; lane < offsets.size(); ++lane)
    if (offsets[lane] != int64_t(lane) * stride)
      return false;
  return !offsets.empty();
}

std::pair<Value, Offsets> elementsAt(OpBuilder &builder, Location location, const Buffer &buffer,
                                     llvm::ArrayRef<Coordinate> at) {
  Scalar s{builder, location};
  Value base = s.i64(0);
  Offsets offsets;
  for (auto [coordinate, stride] : llvm::zip_equal(at, buffer.strides)) {
    if (stride == 0)
      continue;
    base = s.add(base, s.mul(coordinate.base, stride));
    offsets = addScaled(coordinate.offsets, stride, offsets);
  }
  return {base, std::move(offsets)};
}

} // namespace triton::cpu
