#include "compiler/frontend/LanguageVersion.h"

#include <gtest/gtest.h>

using namespace triton::frontend;

TEST(LanguageVersion, ReleasesAreReadWithPatchAndLabel) {
  EXPECT_EQ(LanguageVersion::parse("3.8")->str(), "3.8");
  EXPECT_EQ(LanguageVersion::parse("3.7.1"), LanguageVersion::parse("3.7"));
  EXPECT_EQ(LanguageVersion::parse("3.9.0+cpp"), LanguageVersion::parse("3.9"));
}

TEST(LanguageVersion, OtherTextsAreNone) {
  for (const char *text : {"", "3", "3.", "3.5", "3.10", "4.8", "3.8.", "3.8.x", "3.8rc1", "newest"})
    EXPECT_FALSE(LanguageVersion::parse(text)) << text;
}

TEST(LanguageVersion, DefaultIsTheStamp) { EXPECT_EQ(LanguageVersion(), LanguageVersion::parse(stamp())); }

TEST(LanguageVersion, RulesHoldFromTheirReleaseOn) {
  EXPECT_FALSE(LanguageVersion::parse("3.8")->has(LanguageRule::WeakLiterals));
  EXPECT_TRUE(LanguageVersion::parse("3.9")->has(LanguageRule::WeakLiterals));
  EXPECT_EQ(findLanguageRule("WeakLiterals"), LanguageRule::WeakLiterals);
  EXPECT_FALSE(findLanguageRule("NoSuchRule"));
}
