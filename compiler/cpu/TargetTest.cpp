#include "compiler/cpu/Target.h"

#include <gtest/gtest.h>

using triton::cpu::HostTarget;

static HostTarget named(llvm::StringRef name) {
  llvm::Expected<HostTarget> target = HostTarget::byName(name);
  EXPECT_TRUE(bool(target)) << name.str();
  if (!target) {
    llvm::consumeError(target.takeError());
    return {};
  }
  return *target;
}

TEST(Target, LevelsGiveTheirVectorWidth) {
  EXPECT_EQ(named("x86-64").vectorBits, 128u);
  EXPECT_FALSE(named("x86-64").sse41);
  EXPECT_TRUE(named("x86-64-v2").sse41);
  EXPECT_FALSE(named("x86-64-v2").fma);
  EXPECT_EQ(named("x86-64-v3").vectorBits, 256u);
  EXPECT_TRUE(named("x86-64-v3").fma && named("x86-64-v3").f16c);
  EXPECT_EQ(named("x86-64-v4").vectorBits, 512u);
  EXPECT_FALSE(named("x86-64-v4").avx512bf16);
}

TEST(Target, ProcessorsByName) {
  EXPECT_TRUE(named("sapphirerapids").amxBf16);
  EXPECT_TRUE(named("znver4").avx512bf16);
  EXPECT_FALSE(named("znver4").amxInt8);
  EXPECT_EQ(named("haswell").fmaLatency(), 5u);
  EXPECT_EQ(named("znver3").fmaLatency(), 4u);
  EXPECT_EQ(named("znver3").lanes(32), 8u);
  EXPECT_EQ(named("x86-64").lanes(256), 1u);
}

TEST(Target, ArmProcessors) {
  EXPECT_EQ(named("aarch64").triple, "aarch64-unknown-linux-gnu");
  EXPECT_EQ(named("aarch64").vectorBits, 128u);
  EXPECT_EQ(named("neoverse-v1").vectorBits, 256u);
  EXPECT_EQ(named("neoverse-v2").cpu, "neoverse-v2");
  EXPECT_TRUE(named("neoverse-v2").fma && !named("neoverse-v2").avx2);
}

TEST(Target, UnknownNamesAreErrors) {
  llvm::Expected<HostTarget> target = HostTarget::byName("pentium-9");
  ASSERT_FALSE(bool(target));
  EXPECT_NE(llvm::toString(target.takeError()).find("unknown processor 'pentium-9'"), std::string::npos);
  const auto errorOf = [](llvm::StringRef name) { return llvm::toString(HostTarget::byName(name).takeError()); };
  EXPECT_EQ(errorOf("znver44"), "unknown processor 'znver44'; did you mean 'znver4'?");
  EXPECT_EQ(errorOf("gfx942"), "'gfx942' is the architecture of a GPU, and the target is cpu; name the target hip too");
  // 32-bit processors are not x86-64 targets.
  EXPECT_TRUE(llvm::errorToBool(HostTarget::byName("i686").takeError()));
}

TEST(Target, EqualityAndText) {
  EXPECT_EQ(HostTarget::detect(), named("native"));
  EXPECT_EQ(HostTarget::detect().str(), named("native").str());
  EXPECT_NE(named("x86-64-v2"), named("x86-64-v3"));
  EXPECT_NE(named("x86-64-v3").str().find("256-bit"), std::string::npos);
}
