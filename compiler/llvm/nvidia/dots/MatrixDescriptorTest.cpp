// Descriptors against the order of elements they stand for: every element of an instruction's tile must lie where wgmma looks for it.
#include "compiler/llvm/nvidia/dots/MatrixDescriptor.h"

#include "compiler/layout/NamedLayouts.h"

#include "gtest/gtest.h"

using namespace triton;
using namespace triton::nvidia;

/// Where wgmma reads element (mn, k) of a tile that begins at an aligned address.
static int64_t addressOf(const MatrixDescriptor &d, int64_t mn, int64_t k, int64_t bytes) {
  int64_t width = d.swizzleBytes, address;
  if (!d.transposed && width)
    address = mn / 8 * d.stride + mn % 8 * width + k * bytes;
  else if (!d.transposed)
    address = mn / 8 * d.stride + k * bytes / 16 * d.leading + mn % 8 * 16 + k * bytes % 16;
  else if (width)
    address = mn / (width / 2) * d.leading + k / 8 * d.stride + k % 8 * width + mn % (width / 2) * 2;
  else
    address = mn / 8 * d.stride + k / 8 * d.leading + k % 8 * 16 + mn % 8 * 2;
  int64_t mask = width == 128 ? 0x70 : width == 64 ? 0x30 : width == 32 ? 0x10 : 0;
  return address ^ (address >> 3 & mask);
}

struct Case {
  unsigned swizzle, bits;
  bool transposed;
  int64_t rows, columns;
};

class MatrixDescriptorTest : public testing::TestWithParam<Case> {};

TEST_P(MatrixDescriptorTest, FindsEveryElement) {
  const Case &param = GetParam();
  layout::NvmmaSharedLayout layout{
      .swizzleBytes = param.swizzle, .elementBits = param.bits, .transposed = param.transposed};
  auto map = layout.toLinear({param.rows, param.columns});
  ASSERT_TRUE(map);
  layout::LinearLayout inverse = map->pseudoInvert();
  int64_t k = 256 / param.bits, bytes = param.bits / 8;
  for (bool isLeft : {true, false}) {
    OperandTile tile = isLeft ? OperandTile{0, 1, 64, k} : OperandTile{1, 0, param.columns, k};
    auto descriptor = matchDescriptor(inverse, tile, param.bits);
    bool alongMn = isLeft == param.transposed;
    if (alongMn && param.bits != 16) {
      EXPECT_FALSE(descriptor);
      continue;
    }
    ASSERT_TRUE(descriptor) << inverse.str();
    EXPECT_EQ(descriptor->transposed, alongMn);
    EXPECT_EQ(descriptor->swizzleBytes, param.swizzle);
    for (int64_t mn = 0; mn < tile.mn; ++mn)
      for (int64_t depth = 0; depth < k; ++depth) {
        int64_t row = isLeft ? mn : depth, column = isLeft ? depth : mn;
        int64_t offset = inverse.apply({{"dim0", row}, {"dim1", column}}).front() * bytes;
        ASSERT_EQ(offset, addressOf(*descriptor, mn, depth, bytes)) << mn << ", " << depth;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, MatrixDescriptorTest,
                         testing::Values(Case{128, 16, false, 64, 64}, Case{128, 16, false, 128, 128},
                                         Case{128, 16, true, 64, 64}, Case{128, 16, true, 128, 256},
                                         Case{64, 16, false, 64, 32}, Case{64, 16, true, 128, 64},
                                         Case{32, 16, false, 64, 16}, Case{32, 16, true, 64, 16},
                                         Case{128, 8, false, 64, 128}, Case{128, 8, true, 128, 64},
                                         Case{64, 8, false, 64, 64}, Case{128, 32, false, 64, 32},
                                         Case{128, 32, true, 64, 64}, Case{32, 32, false, 64, 8}));

TEST(MatrixDescriptor, EightColumnsWithoutSwizzle) {
  layout::NvmmaSharedLayout layout{.swizzleBytes = 0, .elementBits = 16};
  auto map = layout.toLinear({64, 8});
  ASSERT_TRUE(map);
  auto descriptor = matchDescriptor(map->pseudoInvert(), {1, 0, 8, 16}, 16);
  ASSERT_TRUE(descriptor);
  EXPECT_TRUE(descriptor->transposed);
  EXPECT_EQ(descriptor->leading, 128);
}

TEST(MatrixDescriptor, RowMajorHasNone) {
  layout::NvmmaSharedLayout layout{.swizzleBytes = 0, .elementBits = 16};
  auto map = layout.toLinear({64, 64});
  ASSERT_TRUE(map);
  EXPECT_FALSE(matchDescriptor(map->pseudoInvert(), {0, 1, 64, 16}, 16));
}

TEST(MatrixDescriptor, Fields) {
  MatrixDescriptor descriptor{.swizzleBytes = 128, .transposed = false, .leading = 16, .stride = 1024};
  EXPECT_EQ(descriptor.encode(), uint64_t(1) << 62 | uint64_t(64) << 32 | uint64_t(1) << 16);
}
