// The algebra, against its definitions: exhaustively on small maps, on random ones otherwise.
#include "compiler/layout/LinearLayout.h"

#include "gtest/gtest.h"

#include <random>
#include <set>

using namespace triton::layout;

namespace {

/// A random map from (a, b) to (x, y).
LinearLayout randomLayout(std::mt19937 &random, unsigned aBits, unsigned bBits, unsigned xBits, unsigned yBits) {
  auto basis = [&] {
    return Coordinates{static_cast<int64_t>(random() & ((1u << xBits) - 1)),
                       static_cast<int64_t>(random() & ((1u << yBits) - 1))};
  };
  LinearLayout::Input a{"a", {}}, b{"b", {}};
  for (unsigned i = 0; i < aBits; ++i)
    a.bases.push_back(basis());
  for (unsigned i = 0; i < bBits; ++i)
    b.bases.push_back(basis());
  return LinearLayout({a, b}, {{"x", int64_t(1) << xBits}, {"y", int64_t(1) << yBits}});
}

TEST(LinearLayout, ProductConcatenatesAndScales) {
  LinearLayout layout = LinearLayout::identity(4, "register", "dim0") * LinearLayout::identity(32, "lane", "dim0");
  EXPECT_EQ(layout.str(), "register = [1] [2]\nlane = [4] [8] [16] [32] [64]\nto (dim0: 128)\n");
  EXPECT_EQ(layout.apply({{"register", 3}, {"lane", 5}})[0], 3 + 4 * 5);
}

TEST(LinearLayout, ApplyIsLinear) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    LinearLayout layout = randomLayout(random, 3, 2, 3, 3);
    for (uint64_t p = 0; p < 32; ++p)
      for (uint64_t q = 0; q < 32; ++q)
        ASSERT_EQ(layout.apply(p ^ q), layout.apply(p) ^ layout.apply(q));
  }
}

TEST(LinearLayout, FlattenedAndNamedApplyAgree) {
  std::mt19937 random(2);
  LinearLayout layout = randomLayout(random, 3, 2, 4, 2);
  for (int64_t a = 0; a < 8; ++a)
    for (int64_t b = 0; b < 4; ++b) {
      Coordinates named = layout.apply({{"a", a}, {"b", b}});
      EXPECT_EQ(static_cast<uint64_t>(named[0] | named[1] << 4), layout.apply(static_cast<uint64_t>(a | b << 3)));
    }
}

TEST(LinearLayout, ComposeIsTheMapOfTheMap) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    LinearLayout inner = randomLayout(random, 2, 3, 3, 2);
    LinearLayout outer = randomLayout(random, 3, 2, 2, 3)
                             .renameInput("a", "x")
                             .renameInput("b", "y")
                             .renameOutput("x", "u")
                             .renameOutput("y", "v");
    LinearLayout composed = inner.compose(outer);
    for (uint64_t p = 0; p < 32; ++p)
      ASSERT_EQ(composed.apply(p), outer.apply(inner.apply(p)));
  }
}

TEST(LinearLayout, RankCountsTheImage) {
  std::mt19937 random(4);
  for (int round = 0; round < 100; ++round) {
    LinearLayout layout = randomLayout(random, 3, 3, 2, 3);
    std::set<uint64_t> image;
    for (uint64_t p = 0; p < 64; ++p)
      image.insert(layout.apply(p));
    ASSERT_EQ(image.size(), size_t(1) << layout.rank());
    ASSERT_EQ(layout.kernel().size(), 6 - layout.rank());
    for (uint64_t element : layout.kernel())
      ASSERT_EQ(layout.apply(element), 0u);
  }
}

TEST(LinearLayout, InverseUndoes) {
  std::mt19937 random(5);
  int inverted = 0;
  for (int round = 0; round < 300; ++round) {
    LinearLayout layout = randomLayout(random, 2, 3, 3, 2);
    if (!layout.isInvertible())
      continue;
    ++inverted;
    LinearLayout inverse = layout.invert();
    for (uint64_t p = 0; p < 32; ++p)
      ASSERT_EQ(inverse.apply(layout.apply(p)), p);
  }
  EXPECT_GT(inverted, 20);
}

TEST(LinearLayout, PseudoInverseIsARightInverse) {
  std::mt19937 random(6);
  for (int round = 0; round < 200; ++round) {
    LinearLayout layout = randomLayout(random, 4, 3, 2, 2);
    if (!layout.isSurjective())
      continue;
    LinearLayout inverse = layout.pseudoInvert();
    for (uint64_t p = 0; p < 16; ++p)
      ASSERT_EQ(layout.apply(inverse.apply(p)), p);
  }
}

TEST(LinearLayout, InvertAndComposeSolves) {
  std::mt19937 random(7);
  int solved = 0;
  for (int round = 0; round < 300; ++round) {
    LinearLayout target = randomLayout(random, 2, 2, 3, 2), outer = randomLayout(random, 4, 3, 3, 2);
    auto solution = target.invertAndCompose(outer);
    std::set<uint64_t> image;
    for (uint64_t p = 0; p < 128; ++p)
      image.insert(outer.apply(p));
    bool possible = true;
    for (uint64_t p = 0; p < 16; ++p)
      possible &= image.count(target.apply(p)) != 0;
    ASSERT_EQ(solution.has_value(), possible);
    if (!solution)
      continue;
    ++solved;
    for (uint64_t p = 0; p < 16; ++p)
      ASSERT_EQ(outer.apply(solution->apply(p)), target.apply(p));
  }
  EXPECT_GT(solved, 50);
}

TEST(LinearLayout, DivisionUndoesTheProduct) {
  std::mt19937 random(8);
  for (int round = 0; round < 100; ++round) {
    LinearLayout left = randomLayout(random, 2, 1, 2, 1), right = randomLayout(random, 1, 2, 2, 1);
    LinearLayout product = left * right;
    ASSERT_EQ(product.divideLeft(left), right);
    ASSERT_EQ(product.divideRight(right), left);
  }
  LinearLayout plain = LinearLayout::identity(8, "a", "x");
  EXPECT_FALSE(plain.divideLeft(LinearLayout::strided(2, 2, "a", "x")));
  EXPECT_FALSE(plain.divideLeft(LinearLayout::identity(16, "a", "x")));
}

TEST(LinearLayout, QuotientTakesAnIdentityAway) {
  LinearLayout both = LinearLayout::identity(4, "lane", "lane") * LinearLayout::strided(4, 2, "register", "dim0");
  EXPECT_EQ(both.quotient("lane"), LinearLayout::strided(4, 2, "register", "dim0"));
  EXPECT_FALSE(both.quotient("register"));
  LinearLayout mixed({{"lane", {{1, 0}, {2, 1}}}}, {{"lane", 4}, {"dim0", 2}});
  EXPECT_FALSE(mixed.quotient("lane"));
}

TEST(LinearLayout, FreeBitsAreTheOnesThatBroadcast) {
  LinearLayout layout({{"register", {{1}, {0}}}, {"lane", {{2}, {1}, {3}}}}, {{"dim0", 4}});
  EXPECT_EQ(layout.freeBits("register"), 0b10u);
  EXPECT_EQ(layout.freeBits("lane"), 0b110u);
}

TEST(LinearLayout, ContiguousBitsGiveTheVectorWidth) {
  EXPECT_EQ((LinearLayout::identity(8, "register", "dim1") * LinearLayout::identity(4, "lane", "dim1"))
                .contiguousBits("register"),
            3u);
  // A lane that flips the lowest element breaks the run.
  LinearLayout broken({{"register", {{1}, {2}}}, {"lane", {{5}}}}, {{"dim0", 8}});
  EXPECT_EQ(broken.contiguousBits("register"), 0u);
  EXPECT_EQ(LinearLayout::strided(4, 2, "register", "dim0").contiguousBits("register"), 0u);
}

TEST(LinearLayout, ReshapeKeepsTheFlattenedMap) {
  std::mt19937 random(9);
  LinearLayout layout = randomLayout(random, 3, 2, 4, 2);
  LinearLayout reshaped = layout.reshapeInputs({{"p", 2}, {"q", 16}}).reshapeOutputs({{"u", 8}, {"v", 8}});
  for (uint64_t p = 0; p < 32; ++p)
    EXPECT_EQ(layout.apply(p), reshaped.apply(p));
}

} // namespace
