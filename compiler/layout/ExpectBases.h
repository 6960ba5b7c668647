// How tests of layouts say what a layout does, bit by bit.
#pragma once

#include "compiler/layout/LinearLayout.h"

#include "gtest/gtest.h"

namespace triton::layout {

using Bases = std::vector<Coordinates>;

inline void expectBases(const LinearLayout &layout, llvm::StringRef input, Bases expected) {
  Bases actual;
  for (const LinearLayout::Input &candidate : layout.inputs())
    if (candidate.name == input)
      actual = candidate.bases;
  EXPECT_EQ(actual, expected) << input.str() << " of\n" << layout.str();
}

} // namespace triton::layout
