// For tests that carry plans out thread by thread: which element a register holds.
#pragma once

#include "compiler/layout/LinearLayout.h"

#include "llvm/ADT/STLExtras.h"

namespace triton::layout {

/// The row-major number of the element at this place.
inline uint64_t elementNumber(const LinearLayout &layout, llvm::ArrayRef<DimensionSize> place) {
  uint64_t number = 0;
  for (auto [coordinate, output] : llvm::zip(layout.apply(place), layout.outputs()))
    number = number * output.size + coordinate;
  return number;
}
inline uint64_t elementNumber(const LinearLayout &layout, int64_t reg, int64_t lane, int64_t warp) {
  return elementNumber(layout, {{"register", reg}, {"lane", lane}, {"warp", warp}});
}

} // namespace triton::layout
