#include "compiler/driver/Options.h"

#include "gtest/gtest.h"

#include <climits>

using triton::driver::Options;

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
  EXPECT_EQ(faultOf({.ptxVersion = -86}), "ptx_version must be a version of PTX such as 86, got -86");
}

TEST(Options, LibrariesAreThere) {
  EXPECT_EQ(faultOf({.libraries = {"/no/such/file.bc"}}),
            "extern_libs: cannot read '/no/such/file.bc': No such file or directory");
  EXPECT_EQ(faultOf({.libraries = {"/tmp"}}), "extern_libs: '/tmp' is no file");
}
