// At which level code is assembled: what one would wait minutes for is not optimised as far.
#include "compiler/llvm/nvidia/Ptxas.h"

#include "gtest/gtest.h"

using namespace triton::nvidia;

namespace {

std::string rows(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += "\tadd.f32 \t%r1, %r1, %r2;\n";
  return text;
}

std::string kernel(const std::string &body) {
  return ".version 8.6\n.target sm_90a\n.visible .entry kernel()\n{\n\t.reg .b32 \t%r<3>;\n" + body + "\tret;\n}\n";
}

std::string loop(const std::string &body) { return "$L__BB0_1:\n" + body + "\t@%p1 bra \t$L__BB0_1;\n"; }

TEST(OptimisationLevel, isTheHighestForKernelsOfUsualSize) {
  EXPECT_EQ(optimisationLevel("", {}), 3u);
  EXPECT_EQ(optimisationLevel(kernel(rows(5000)), {}), 3u);
  EXPECT_EQ(optimisationLevel(kernel(loop(rows(20000))), {}), 3u);
  EXPECT_EQ(optimisationLevel(kernel(rows(10000) + loop(rows(4000))), {}), 3u);
  std::string inner = loop(rows(10));
  EXPECT_EQ(optimisationLevel(kernel("$L__BB0_2:\n" + rows(20000) + inner + "\tbra.uni \t$L__BB0_2;\n"), {}), 3u);
}

TEST(OptimisationLevel, isLowWhereTooMuchRunsOnce) {
  EXPECT_EQ(optimisationLevel(kernel(rows(20000)), {}), 1u);
  EXPECT_EQ(optimisationLevel(kernel(rows(20000) + loop(rows(100))), {}), 1u);
  EXPECT_EQ(optimisationLevel(kernel("\t@%p1 bra \t$L__BB0_1;\n" + rows(20000) + "$L__BB0_1:\n"), {}), 1u);
  EXPECT_EQ(optimisationLevel(kernel(loop(loop(rows(50000)))), {}), 1u);
}

TEST(OptimisationLevel, isTheLowestForThousandsOfPredicatedAccesses) {
  auto stores = [](size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i)
      text += "\t@%p1 st.global.b32 [ %rd1 + 0 ], { %r1 };\n";
    return text;
  };
  EXPECT_EQ(optimisationLevel(kernel(stores(2000)), {}), 3u);
  EXPECT_EQ(optimisationLevel(kernel(stores(3000)), {}), 0u);
  EXPECT_EQ(optimisationLevel(kernel(stores(3000) + loop(rows(1000))), {}), 3u) << "loops may matter";
  EXPECT_EQ(optimisationLevel(kernel(stores(3000) + "\twgmma.fence.sync.aligned;\n"), {}), 3u);
}

TEST(OptimisationLevel, countsInstructionsOnly) {
  std::string text;
  for (int i = 0; i < 20000; ++i)
    text += "\t.loc\t1 7 3\n$L__tmp" + std::to_string(i) + ":\n\t// begin inline asm\n\n";
  EXPECT_EQ(optimisationLevel(kernel(text), {}), 3u);
}

TEST(OptimisationLevel, isWhatTheUserSays) {
  AssemblerOptions options;
  options.extra = {"-O2"};
  EXPECT_EQ(optimisationLevel(kernel(rows(20000)), options), 3u) << "theirs is given to the assembler, not ours";
  options.optimise = false;
  EXPECT_EQ(optimisationLevel(kernel(rows(20000)), options), 0u);
}

} // namespace
