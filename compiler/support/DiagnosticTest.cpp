#include "compiler/support/Diagnostic.h"

#include <gtest/gtest.h>

using namespace triton;

TEST(Source, LocatesInTheFileAPieceWasCutFrom) {
  auto source = Source::create("k.py", "def f():\n  return 1\n", 10, 4);
  EXPECT_EQ(source->locate(0), (LineColumn{10, 4}));
  EXPECT_EQ(source->locate(11), (LineColumn{11, 6}));
  EXPECT_EQ(source->line(11), "  return 1");
  EXPECT_EQ(source->line(9), "");
}
