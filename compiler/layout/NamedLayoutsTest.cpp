// The named layouts against the values that the language's specification lists (gluon.md 4 to 7).
#include "compiler/layout/NamedLayouts.h"

#include "compiler/layout/ExpectBases.h"

using namespace triton::layout;

namespace {

TEST(NamedLayouts, Blocked) {
  LinearLayout one = BlockedLayout{{1}, {4}, {4}, {0}, {}}.toLinear({16});
  expectBases(one, "register", {});
  expectBases(one, "lane", {{1}, {2}});
  expectBases(one, "warp", {{4}, {8}});
  expectBases((BlockedLayout{{1}, {4}, {4}, {0}, {{1}, {0}}}.toLinear({32})), "block", {{16}, {0}});

  LinearLayout clustered = BlockedLayout{{8, 1}, {8, 4}, {1, 4}, {0, 1}, {{0, 1}}}.toLinear({64, 128});
  expectBases(clustered, "register", {{1, 0}, {2, 0}, {4, 0}, {0, 16}, {0, 32}});
  expectBases(clustered, "lane", {{8, 0}, {16, 0}, {32, 0}, {0, 1}, {0, 2}});
  expectBases(clustered, "warp", {{0, 4}, {0, 8}});
  expectBases(clustered, "block", {{0, 64}});

  LinearLayout small = BlockedLayout{{1, 1}, {1, 32}, {4, 1}, {1, 0}, {}}.toLinear({16, 16});
  expectBases(small, "register", {{4, 0}, {8, 0}});
  expectBases(small, "lane", {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 0}});
  expectBases(small, "warp", {{1, 0}, {2, 0}});

  BlockedLayout large{{2, 4}, {16, 2}, {2, 2}, {1, 0}, {}};
  LinearLayout repeated = large.toLinear({128, 128});
  expectBases(repeated, "register", {{0, 1}, {0, 2}, {1, 0}, {0, 16}, {0, 32}, {0, 64}, {64, 0}});
  expectBases(repeated, "lane", {{0, 4}, {2, 0}, {4, 0}, {8, 0}, {16, 0}});
  expectBases(repeated, "warp", {{0, 8}, {32, 0}});
  expectBases(large.toLinear({32, 8}), "warp", {{0, 0}, {0, 0}});
}

TEST(NamedLayouts, SliceAgreesWithTheBlockedLayoutItEquals) {
  LinearLayout parent = BlockedLayout{{1, 1}, {32, 1}, {4, 1}, {1, 0}, {}}.toLinear({128, 1});
  EXPECT_EQ(sliceLayout(parent, 1), (BlockedLayout{{1}, {32}, {4}, {0}, {}}.toLinear({128})));
}

TEST(NamedLayouts, Mma) {
  LinearLayout v2 = MmaLayout{2, {4, 1}, {16, 8}, {}}.toLinear({64, 16});
  expectBases(v2, "register", {{0, 1}, {8, 0}, {0, 8}});
  expectBases(v2, "lane", {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}});
  expectBases(v2, "warp", {{16, 0}, {32, 0}});
  LinearLayout v3 = MmaLayout{3, {4, 1}, {16, 32, 16}, {}}.toLinear({64, 64});
  expectBases(v3, "register", {{0, 1}, {8, 0}, {0, 8}, {0, 16}, {0, 32}});
  expectBases(v3, "warp", {{16, 0}, {32, 0}});
  LinearLayout wide = MmaLayout{3, {4, 2}, {16, 32, 16}, {}}.toLinear({128, 64});
  expectBases(wide, "register", {{0, 1}, {8, 0}, {0, 8}, {0, 16}, {64, 0}});
  expectBases(wide, "warp", {{16, 0}, {32, 0}, {0, 32}});
}

TEST(NamedLayouts, DotOperands) {
  MmaLayout v2{2, {2, 2}, {16, 8}, {}};
  LinearLayout a = DotOperandLayout{0, v2, 2}.toLinear({32, 32});
  expectBases(a, "register", {{0, 1}, {8, 0}, {0, 8}, {0, 16}});
  expectBases(a, "lane", {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}});
  expectBases(a, "warp", {{0, 0}, {16, 0}});
  LinearLayout b = DotOperandLayout{1, v2, 2}.toLinear({32, 16});
  expectBases(b, "register", {{1, 0}, {8, 0}, {16, 0}});
  expectBases(b, "lane", {{2, 0}, {4, 0}, {0, 1}, {0, 2}, {0, 4}});
  expectBases(b, "warp", {{0, 8}, {0, 0}});
  LinearLayout a3 = DotOperandLayout{0, MmaLayout{3, {4, 1}, {16, 32, 16}, {}}, 2}.toLinear({64, 32});
  expectBases(a3, "register", {{0, 1}, {8, 0}, {0, 8}, {0, 16}});
  expectBases(a3, "warp", {{16, 0}, {32, 0}});
}

TEST(NamedLayouts, SwizzledShared) {
  LinearLayout layout = SwizzledSharedLayout{8, 1, 8, {1, 0}, {}}.toLinear({16, 64});
  expectBases(layout, "offset", {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {0, 32}, {1, 8}, {2, 16}, {4, 32}, {8, 0}});
  // The closed form, for every element.
  LinearLayout inverse = layout.invert();
  for (int64_t r = 0; r < 16; ++r)
    for (int64_t c = 0; c < 64; ++c)
      ASSERT_EQ(inverse.apply({{"dim0", r}, {"dim1", c}})[0], r * 64 + (c ^ 8 * (r % 8)));
}

TEST(NamedLayouts, NvmmaShared) {
  LinearLayout wide = *NvmmaSharedLayout{128, 16, false, false, {}}.toLinear({64, 128});
  expectBases(
      wide, "offset",
      {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {0, 32}, {1, 8}, {2, 16}, {4, 32}, {8, 0}, {16, 0}, {32, 0}, {0, 64}});
  expectBases(*(NvmmaSharedLayout{64, 16, false, false, {}}.toLinear({16, 32})), "offset",
              {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {1, 0}, {2, 8}, {4, 16}, {8, 0}});
  expectBases(*(NvmmaSharedLayout{32, 16, false, false, {}}.toLinear({16, 16})), "offset",
              {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {1, 0}, {2, 0}, {4, 8}, {8, 0}});
  expectBases(
      *(NvmmaSharedLayout{128, 16, true, false, {}}.toLinear({128, 64})), "offset",
      {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}, {32, 0}, {8, 1}, {16, 2}, {32, 4}, {0, 8}, {0, 16}, {0, 32}, {64, 0}});
  // 8 packed bytes in every 16: a row of 128 bytes holds 64.
  expectBases(*(NvmmaSharedLayout{128, 8, false, true, {}}.toLinear({8, 64})), "offset",
              {{0, 1}, {0, 2}, {0, 4}, {0, 0}, {0, 8}, {0, 16}, {0, 32}, {1, 8}, {2, 16}, {4, 32}});
  EXPECT_FALSE((NvmmaSharedLayout{128, 16, false, false, {}}.toLinear({64, 32}))) << "smaller than the swizzle";
  EXPECT_FALSE((NvmmaSharedLayout{128, 16, false, false, {}}.toLinear({4, 64}))) << "fewer than 8 rows";
}

TEST(NamedLayouts, TensorMemory) {
  LinearLayout half = TensorMemoryLayout{64, 64, 1}.toLinear({64, 128});
  expectBases(half, "row", {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 64}, {16, 0}, {32, 0}});
  expectBases(half, "col", {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {0, 32}});
  LinearLayout padded = TensorMemoryLayout{128, 64, 2}.toLinear({128, 64});
  expectBases(padded, "col", {{0, 0}, {0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {0, 32}});
  expectBases(tensorMemoryScales({128, 16}), "col", {{0, 1}, {0, 2}, {32, 0}, {64, 0}, {0, 4}, {0, 8}});
  expectBases(tensorMemoryScales({64, 2}), "col", {{0, 1}, {0, 0}, {32, 0}});
}

} // namespace
