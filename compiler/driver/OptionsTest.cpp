#include "compiler/driver/Options.h"
#include "compiler/driver/Target.h"

#include "gtest/gtest.h"

#include <climits>

using namespace triton::driver;

static std::string faultOf(const Options &options) { return options.findFault().value_or(""); }

TEST(Options, WhatKernelsAreLaunchedWithIsFine) {
  EXPECT_EQ(faultOf({}), "");
  EXPECT_EQ(faultOf({.backend = "cuda", .numWarps = 32, .numCtas = 16, .numStages = 0, .maxRegisters = 255}), "");
  EXPECT_EQ(faultOf({.warpSize = 1}), "");
}

TEST(Options, WhatIsOutOfRangeNamesItself) {
  for (int warps : {0, -4, 3, 2048, INT_MIN, INT_MAX})
    EXPECT_EQ(faultOf({.numWarps = warps}),
              "num_warps must be a power of 2 from 1 to 1024, got " + std::to_string(warps));
  for (int ctas : {0, -1, 3, 32, INT_MIN})
    EXPECT_EQ(faultOf({.numCtas = ctas}), "num_ctas must be 1, 2, 4, 8 or 16, got " + std::to_string(ctas));
  for (int stages : {-1, 1025, INT_MIN, INT_MAX})
    EXPECT_EQ(faultOf({.numStages = stages}), "num_stages must be from 0 to 1024, got " + std::to_string(stages));
  EXPECT_EQ(faultOf({.warpSize = 0}), "warp_size must be positive, got 0");
  EXPECT_EQ(faultOf({.backend = "cuda", .warpSize = 64}), "warp_size must be 32, got 64");
  EXPECT_EQ(faultOf({.maxRegisters = -1}), "maxnreg must not be negative, got -1");
  EXPECT_EQ(faultOf({.backend = "cuda", .minSharedBytes = -1}), "min_shared_mem must not be negative, got -1");
  EXPECT_EQ(faultOf({.ptxVersion = -86}), "ptx_version must be a version of PTX such as 86, got -86");
}

TEST(Options, LibrariesAreThere) {
  EXPECT_EQ(faultOf({.libraries = {"/no/such/file.bc"}}),
            "extern_libs: cannot read '/no/such/file.bc': No such file or directory");
  EXPECT_EQ(faultOf({.libraries = {"/tmp"}}), "extern_libs: '/tmp' is no file");
}

/// Another value than the default, of an option's own kind.
static OptionValue otherValue(const OptionEntry &entry) {
  const OptionValue now = getOption(Settings(), entry);
  if (entry.kind() == "True or False")
    return !std::get<bool>(now);
  if (entry.kind() == "an integer")
    return std::holds_alternative<int64_t>(now) ? std::get<int64_t>(now) + 1 : int64_t(7);
  if (entry.kind() == "text")
    return std::string("other");
  return Names{"other"};
}

TEST(Options, EachOneChangesTheKey) {
  for (const OptionEntry &entry : optionEntries()) {
    Settings settings;
    ASSERT_FALSE(bool(setOption(settings, entry.name, otherValue(entry)))) << entry.name.str();
    EXPECT_FALSE(entry.isDefault(settings)) << entry.name.str();
    const bool isKeyed = entry.role == OptionEntry::Role::Launch || entry.role == OptionEntry::Role::Setting;
    EXPECT_EQ(settings.key() != Settings().key(), isKeyed) << entry.name.str(); // files: TargetTest.cpp
    const bool isFile = entry.role == OptionEntry::Role::LaunchFile || entry.role == OptionEntry::Role::File;
    EXPECT_EQ(settings.paths() != Settings().paths(), isFile) << entry.name.str();
  }
}

TEST(Options, NamesDoNotRunIntoEachOther) {
  EXPECT_NE(Options({.llvmFlags = {"a", "b"}}).key(), Options({.llvmFlags = {"a,b"}}).key());
  EXPECT_NE(Options({.supportedFp8 = Names()}).key(), Options().key());
}

TEST(Options, WhatATargetDoesNotTakeIsRefused) {
  for (const OptionEntry &entry : optionEntries()) {
    Settings settings;
    if (entry.target == OptionEntry::Taker::Any)
      continue;
    settings.backend = entry.isTakenBy("cpu") ? "cuda" : "cpu";
    EXPECT_FALSE(bool(setOption(settings, entry.name, otherValue(entry))));
    EXPECT_EQ(faultOf(settings),
              entry.name.str() + " is an option of target " + entry.takers().str() + ", not of " + settings.backend);
  }
}

static std::string errorOf(llvm::StringRef name, llvm::StringRef text) {
  Settings settings;
  llvm::Error error = setOptionText(settings, name, text);
  return error ? llvm::toString(std::move(error)) : "";
}

TEST(Options, AsText) {
  Settings settings;
  EXPECT_FALSE(bool(setOptionText(settings, "num_warps", "8")));
  EXPECT_FALSE(bool(setOptionText(settings, "enable_fp_fusion", "false")));
  EXPECT_FALSE(bool(setOptionText(settings, "debug", "")));
  EXPECT_FALSE(bool(setOptionText(settings, "llvm_flags", "one, two")));
  EXPECT_EQ(settings.numWarps, 8);
  EXPECT_TRUE(!settings.enableFpFusion && settings.debug);
  EXPECT_EQ(settings.llvmFlags, (Names{"one", "two"}));
  EXPECT_EQ(errorOf("num_warps", "many"), "num_warps must be an integer, got 'many'");
  EXPECT_EQ(errorOf("num_warps", "4294967296"), "num_warps must be an integer, got 4294967296");
  EXPECT_EQ(errorOf("debug", "perhaps"), "debug must be True or False, got 'perhaps'");
  EXPECT_EQ(errorOf("nonsense", "1"), "there is no option 'nonsense'");
  EXPECT_EQ(errorOf("num_warp", "1"), "there is no option 'num_warp'; did you mean 'num_warps'?");
}

TEST(Options, CodeForTheSimulatorHasAKeyOfItsOwn) {
  const Target &hip = *findTarget("hip");
  const Options given = {.backend = "hip", .architecture = "gfx942"};
  const std::string plain = hip.complete(given).key();
  setenv("TRITON_SIMULATE", "gfx942", /*overwrite=*/1);
  const Options simulated = hip.complete(given);
  unsetenv("TRITON_SIMULATE");
  EXPECT_TRUE(simulated.isSimulated);
  EXPECT_NE(simulated.key(), plain);
  EXPECT_EQ(hip.complete(given).key(), plain);
}

TEST(Options, TheTargetFillsWhatIsNotGiven) {
  const Target &cuda = *findTarget("cuda");
  const Options complete = cuda.complete({.backend = "cuda", .architecture = "sm90", .codeArchitecture = "sm_90"});
  EXPECT_EQ(complete.architecture, "sm_90a");
  EXPECT_EQ(complete.codeArchitecture, "");
  EXPECT_EQ(*complete.supportedFp8, (Names{"fp8e4b15", "fp8e4nv", "fp8e5"}));
  EXPECT_EQ(*complete.maxImpreciseAccDefault, 1 << 30);
  EXPECT_EQ(cuda.complete(complete).key(), complete.key());
  const Options given = {.backend = "cuda",
                         .architecture = "sm_90a",
                         .allowedDotPrecisions = Names{"ieee"},
                         .maxImpreciseAccDefault = 0,
                         .supportedFp8 = Names{"fp8e5"}};
  const auto language = cuda.language(given);
  EXPECT_EQ(language.supportedFp8, (Names{"fp8e5"}));
  EXPECT_EQ(language.allowedDotPrecisions, (Names{"ieee"}));
  EXPECT_EQ(language.maxImpreciseAccDefault, 0);
}
