// The layouts of AMD's matrix instructions against the maps that LLVM's instructions have, bit by bit.
#include "compiler/layout/AmdLayouts.h"

#include "compiler/layout/ExpectBases.h"

using namespace triton::layout;

namespace {

MfmaLayout mfma(int64_t m, int64_t n, bool isTransposed, llvm::SmallVector<int64_t, 4> warps = {1, 1}) {
  return {3, warps, {m, n, 8}, isTransposed, {1, 1}, 32, {}};
}

TEST(AmdLayouts, MfmaOfOneInstruction) {
  LinearLayout wide = mfma(32, 32, false).toLinear({32, 32});
  expectBases(wide, "register", {{1, 0}, {2, 0}, {8, 0}, {16, 0}});
  expectBases(wide, "lane", {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {4, 0}});
  // row = 8 (r / 4) + 4 (lane / 32) + r % 4, column = lane % 32
  for (int64_t lane : {0, 5, 37, 63})
    for (int64_t reg : {0, 3, 6, 15})
      EXPECT_EQ(wide.apply({{"register", reg}, {"lane", lane}}),
                (Coordinates{8 * (reg / 4) + 4 * (lane / 32) + reg % 4, lane % 32}));
  LinearLayout small = mfma(16, 16, true).toLinear({16, 16});
  expectBases(small, "register", {{0, 1}, {0, 2}});
  expectBases(small, "lane", {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 4}, {0, 8}});
  LinearLayout doubles = MfmaLayout{3, {1, 1}, {16, 16, 4}, false, {1, 1}, 64, {}}.toLinear({16, 16});
  expectBases(doubles, "register", {{4, 0}, {8, 0}});
  expectBases(doubles, "lane", {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {1, 0}, {2, 0}});
  LinearLayout flat = mfma(4, 64, false).toLinear({4, 64});
  expectBases(flat, "register", {{1, 0}, {2, 0}});
  expectBases(flat, "lane", {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {0, 32}});
  expectBases(mfma(64, 4, true).toLinear({64, 4}), "register", {{0, 1}, {0, 2}});
}

TEST(AmdLayouts, MfmaOverWarps) {
  LinearLayout map = mfma(32, 32, true, {2, 2}).toLinear({128, 128});
  expectBases(map, "register", {{0, 1}, {0, 2}, {0, 8}, {0, 16}, {0, 64}, {64, 0}});
  expectBases(map, "warp", {{0, 32}, {32, 0}});
  MfmaLayout tiled{4, {2, 2}, {16, 16, 32}, true, {2, 2}, 32, {}};
  LinearLayout tiles = tiled.toLinear({128, 128});
  expectBases(tiles, "register", {{0, 1}, {0, 2}, {0, 16}, {0, 64}, {16, 0}, {64, 0}});
  expectBases(tiles, "warp", {{0, 32}, {32, 0}});
}

TEST(AmdLayouts, MfmaOperands) {
  MfmaLayout layout = mfma(32, 32, true, {2, 2});
  LinearLayout a = layout.operand(0, 4, {128, 64});
  expectBases(a, "register", {{0, 1}, {0, 2}, {0, 8}, {0, 16}, {0, 32}, {64, 0}});
  expectBases(a, "lane", {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}, {0, 4}});
  expectBases(a, "warp", {{0, 0}, {32, 0}});
  LinearLayout b = layout.operand(1, 4, {64, 128});
  expectBases(b, "register", {{1, 0}, {2, 0}, {8, 0}, {16, 0}, {32, 0}, {0, 64}});
  expectBases(b, "warp", {{0, 32}, {0, 0}});
}

TEST(AmdLayouts, Wmma) {
  const ClusterBases warps = warpBases({2, 2});
  LinearLayout first = WmmaLayout{1, 2, {}, warps, {16, 16, 16}, false, {}}.toLinear({32, 32});
  expectBases(first, "register", {{2, 0}, {4, 0}, {8, 0}});
  expectBases(first, "lane", {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {1, 0}});
  expectBases(first, "warp", {{0, 16}, {16, 0}});
  WmmaLayout second{2, 2, {}, warps, {16, 16, 16}, true, {}};
  LinearLayout map = second.toLinear({64, 64});
  expectBases(map, "register", {{0, 1}, {0, 2}, {0, 4}, {0, 32}, {32, 0}});
  expectBases(map, "lane", {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 8}});
  LinearLayout a = second.operand(0, 8, {32, 32});
  expectBases(a, "register", {{0, 1}, {0, 2}, {0, 4}, {0, 16}});
  expectBases(a, "lane", {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 8}});
  expectBases(a, "warp", {{0, 0}, {16, 0}});
  LinearLayout copied = WmmaLayout{1, 2, {}, warps, {16, 16, 16}, false, {}}.operand(1, 16, {16, 32});
  expectBases(copied, "register", {{1, 0}, {2, 0}, {4, 0}, {8, 0}});
  expectBases(copied, "lane", {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 0}});
}

TEST(AmdLayouts, ThirdWmma) {
  WmmaLayout layout{3, 2, {}, warpBases({2, 2}), {16, 16, 32}, true, {}};
  LinearLayout a = layout.operand(0, 8, {32, 64});
  expectBases(a, "register", {{0, 1}, {0, 2}, {0, 4}, {0, 16}, {0, 32}});
  expectBases(a, "lane", {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 8}});
  LinearLayout floats = WmmaLayout{3, 2, {}, warpBases({1, 1}), {16, 16, 4}, true, {}}.operand(1, 2, {8, 16});
  expectBases(floats, "register", {{1, 0}, {4, 0}});
  expectBases(floats, "lane", {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {2, 0}});
}

TEST(AmdLayouts, RotatingRows) {
  LinearLayout map = RotatingSharedLayout{4, 1, 4, {1, 0}, {}}.toLinear({32, 32});
  for (int64_t r : {0, 1, 5, 22})
    for (int64_t c : {0, 3, 17})
      EXPECT_EQ(map.apply({{"offset", r * 32 + (c ^ 4 * ((r % 4) ^ (r / 4 % 4)))}}), (Coordinates{r, c}));
}

} // namespace
