// How a tensor is indexed along one dimension: by shuffles where the elements an index can name lie in the warp that asks, else through a buffer.
#pragma once

#include "compiler/layout/Conversion.h"

namespace triton::layout {

struct GatherPlan {
  bool inWarp;
  /// In a warp: register, lane, warp of the result and `index` -> register and lane of the source, in the same warp.
  LinearLayout place;
  /// In a warp: the registers of the source that differ by sums of these are all asked for one result; which is known at run time.
  std::vector<unsigned> choices;
  /// Through a buffer: the source's register, lane, warp -> offset, and the result's register, lane, warp, `index` -> offset.
  LinearLayout store, load;
};

/// `result` is the layout of the indices and of the result: `result[i, j] = source[indices[i, j], j]` for axis 0.
GatherPlan planGather(const LinearLayout &source, const LinearLayout &result, unsigned axis, unsigned elementBits);

} // namespace triton::layout
