#include "compiler/support/KernelSymbols.h"

#include "gtest/gtest.h"

using namespace triton;

TEST(KernelSymbols, AsciiStaysAsItIs) {
  for (const char *name : {"add_kernel", "_", "a.b", "gr$c3b6"})
    EXPECT_EQ(ptxSymbol(name), name);
}

TEST(KernelSymbols, OtherCharactersAreSpelledOut) {
  EXPECT_EQ(ptxSymbol("gr\xc3\xb6\xc3\x9f"
                      "e"),
            "gr$c3b6c39f$e");
  EXPECT_EQ(ptxSymbol("\xe6\xa0\xb8"), "$e6a0b8$");
}

TEST(KernelSymbols, ThereAndBack) {
  for (const char *name : {"", "add",
                           "gr\xc3\xb6\xc3\x9f"
                           "e",
                           "\xe6\xa0\xb8_\xe6\xa0\xb8", "\xc3\xa4"})
    EXPECT_EQ(nameOfPtxSymbol(ptxSymbol(name)), name);
}

TEST(KernelSymbols, DollarsOfOthersStay) {
  for (const char *name : {"$", "a$b", "a$41$", "a$c3", "$$", "a$xy$", "a$c$"})
    EXPECT_EQ(nameOfPtxSymbol(name), name);
}
