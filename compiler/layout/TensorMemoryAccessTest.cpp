// Simulates every thread's part of tcgen05.ld and compares what its registers then hold with the definition of both layouts.
#include "compiler/layout/TensorMemoryAccess.h"
#include "compiler/layout/NamedLayouts.h"

#include "gtest/gtest.h"

#include <map>

using namespace triton::layout;

namespace {

using Shape = TensorMemoryShape;
constexpr Shape asked[] = {Shape::Rows32Bits32, Shape::Rows16Bits64, Shape::Rows16Bits128, Shape::Rows16Bits256};

/// Where the PTX manual says that register `r` of lane `l` lies, for repetitions side by side.
TensorMemoryPlace documented(Shape shape, int64_t l, int64_t r, int64_t split) {
  switch (shape) {
  case Shape::Rows32Bits32:
    return {l, r};
  case Shape::Rows16Bits64:
    return {l / 4 + 8 * (l % 2), l / 2 % 2 + 2 * r};
  case Shape::Rows16Bits128:
    return {l / 4 + 8 * (r % 2), l % 4 + 4 * (r / 2)};
  case Shape::Rows16Bits256:
    return {l / 4 + 8 * (r / 2 % 2), r % 2 + 2 * (l % 4) + 8 * (r / 4)};
  case Shape::Rows16Bits32Twice:
    return {l % 16, r + l / 16 * split};
  }
  return {};
}

/// Loads by the plan, thread by thread, and compares every register with the element that its layout says it holds.
void simulate(const LinearLayout &registers, const LinearLayout &memory, unsigned elementBits) {
  std::optional<TensorMemoryAccess> access = planTensorMemoryAccess(registers, memory, elementBits);
  ASSERT_TRUE(access) << registers.str() << memory.str();
  for (int64_t warp = 0; warp < registers.inputSize("warp"); ++warp) {
    TensorMemoryPlace base{32 * (warp % 4), 0};
    for (auto [bit, place] : llvm::enumerate(access->warps))
      if (warp >> (bit + 2) & 1)
        base = {base.row + place.row, base.cell + place.cell};
    for (int64_t lane = 0; lane < 32; ++lane) {
      int64_t seen = 0;
      for (const TensorMemoryAccess::Message &message : access->messages) {
        ASSERT_EQ(message.words.size(), message.repetitions * wordsPerAtom(access->shape));
        for (auto [number, word] : llvm::enumerate(message.words)) {
          TensorMemoryPlace at = documented(access->shape, lane, number, access->split);
          int64_t row = base.row + message.place.row + at.row, cell = base.cell + message.place.cell + at.cell;
          for (auto [part, holders] : llvm::enumerate(word))
            for (unsigned reg : holders) {
              Coordinates found = memory.apply({{"row", row}, {"col", (cell * 32 + part * elementBits) / elementBits}});
              Coordinates wanted = registers.apply({{"register", reg}, {"lane", lane}, {"warp", warp}});
              ASSERT_EQ(found, wanted) << "warp " << warp << " lane " << lane << " register " << reg;
              ++seen;
            }
        }
      }
      ASSERT_EQ(seen, registers.inputSize("register"));
    }
  }
}

TEST(TensorMemoryAccess, AtomsAreTheManuals) {
  for (Shape shape : asked)
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned word = 0; word < wordsPerAtom(shape); ++word)
        EXPECT_EQ(placeInAtom(shape, word, lane), documented(shape, lane, word, 0));
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(placeInAtom(Shape::Rows16Bits32Twice, 0, lane, 64), documented(Shape::Rows16Bits32Twice, lane, 0, 64));
}

TEST(TensorMemoryAccess, EveryBlockShapeAndWidth) {
  unsigned moved = 0;
  for (int64_t blockM : {64, 128})
    for (int64_t blockN : {8, 16, 64})
      for (int64_t m : {blockM, 2 * blockM})
        for (int64_t n : {blockN, 2 * blockN})
          for (unsigned bits : {32, 16, 8})
            for (int64_t stride : {int64_t(1), int64_t(32 / bits)})
              for (unsigned warps : {4, 8, 16})
                for (Shape shape : asked) {
                  LinearLayout memory = TensorMemoryLayout{blockM, blockN, stride}.toLinear({m, n});
                  std::optional<LinearLayout> registers = tensorMemoryRegisters(shape, memory, bits, warps);
                  if (!registers)
                    continue;
                  ++moved;
                  simulate(*registers, memory, bits);
                  if (testing::Test::HasFatalFailure())
                    return;
                }
  EXPECT_GT(moved, 600u);
}

TEST(TensorMemoryAccess, ScalesAreCopiedToAllWarps) {
  for (int64_t rows : {32, 64, 128, 256})
    for (int64_t scales : {1, 2, 4, 8, 16}) {
      LinearLayout memory = tensorMemoryScales({rows, scales});
      std::optional<LinearLayout> registers = tensorMemoryRegisters(Shape::Rows32Bits32, memory, 8, 4);
      ASSERT_TRUE(registers);
      EXPECT_TRUE(registers->isZeroOn({"warp"}, {"dim0", "dim1"}));
      simulate(*registers, memory, 8);
    }
}

TEST(TensorMemoryAccess, RegisterLayoutsOfTheSpecification) {
  LinearLayout memory = TensorMemoryLayout{128, 128, 1}.toLinear({128, 128});
  auto bases = [](const LinearLayout &layout, llvm::StringRef input) {
    std::vector<Coordinates> all;
    for (unsigned bit = 0; (int64_t(1) << bit) < layout.inputSize(input); ++bit)
      all.push_back(layout.basis(input, bit));
    return all;
  };
  using Bases = std::vector<Coordinates>;
  LinearLayout eight = *tensorMemoryRegisters(Shape::Rows32Bits32, memory, 32, 8);
  EXPECT_EQ(bases(eight, "register"), (Bases{{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {0, 32}}));
  EXPECT_EQ(bases(eight, "warp"), (Bases{{32, 0}, {64, 0}, {0, 64}}));
  LinearLayout wide = *tensorMemoryRegisters(Shape::Rows16Bits256, memory, 32, 4);
  EXPECT_EQ(bases(wide, "register"), (Bases{{0, 1}, {8, 0}, {0, 8}, {0, 16}, {0, 32}, {0, 64}, {16, 0}}));
  EXPECT_EQ(bases(wide, "lane"), (Bases{{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}));
  LinearLayout half =
      *tensorMemoryRegisters(Shape::Rows32Bits32, TensorMemoryLayout{64, 64, 1}.toLinear({64, 64}), 32, 4);
  EXPECT_EQ(bases(half, "register"), (Bases{{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}}));
  EXPECT_EQ(bases(half, "lane"), (Bases{{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 32}}));
  EXPECT_EQ(bases(half, "warp"), (Bases{{16, 0}, {32, 0}}));
}

TEST(TensorMemoryAccess, OtherLayoutsHaveNoInstruction) {
  LinearLayout memory = TensorMemoryLayout{128, 64, 1}.toLinear({128, 64});
  BlockedLayout rows{{1, 4}, {2, 16}, {4, 1}, {1, 0}, {}};
  EXPECT_FALSE(planTensorMemoryAccess(rows.toLinear({128, 64}), memory, 32));
  EXPECT_FALSE(tensorMemoryRegisters(Shape::Rows32Bits32, memory, 32, 2));
}

} // namespace
