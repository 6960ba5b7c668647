#include "dispatch/tune/KeptTuning.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace triton::dispatch;
using Timings = std::vector<std::vector<double>>;

static std::string question(const std::string &source, const std::string &device, const std::string &backend,
                            const std::string &configs) {
  return R"({"kernel": "add", "source": ")" + source + R"(", "backend": ")" + backend + R"(", "device": ")" + device +
         R"(", "key": [4096, "fp16"], "configs": [)" + configs + "]}";
}

static const char *const twoConfigs =
    R"({"kwargs": {"BLOCK": 64}, "num_warps": 4}, {"kwargs": {"BLOCK": 128}, "num_warps": 8})";

TEST(KeptTuning, KeysDiffer) {
  const std::string usual = *tuningHash(question("def f():\\n  pass", "H200", "cuda", twoConfigs));
  EXPECT_EQ(usual.size(), 64u);
  EXPECT_EQ(usual, *tuningHash(question("def f():  \\n  pass\\n  # the end\\n\\n", "H200", "cuda", twoConfigs)))
      << "comments behind a definition are no part of it";
  EXPECT_NE(usual, *tuningHash(question("def f():\\n  # here\\n  pass", "H200", "cuda", twoConfigs)));
  EXPECT_NE(usual, *tuningHash(question("def f():\\n  pass", "B200", "cuda", twoConfigs)));
  EXPECT_NE(usual, *tuningHash(question("def f():\\n  pass", "H200", "cuda", R"({"kwargs": {"BLOCK": 64}})")));
  EXPECT_EQ(tuningHash("[1]"), std::nullopt);
  EXPECT_EQ(tuningHash("{"), std::nullopt);
}

TEST(KeptTuning, NumbersAreSpelledInOneWay) {
  EXPECT_EQ(*tuningHash(R"({"key": [2.0, true], "a": 1})"), *tuningHash(R"({"a":1,"key":[2,true]})"));
}

TEST(KeptTuning, ThereAndBack) {
  const std::string asked = question("", "", "cpu", twoConfigs);
  const double never = std::numeric_limits<double>::infinity();
  std::optional<KeptTuning> kept = readTuning(*describeTuning(asked, Timings{{1.5, 1.25, 2}, {never}}, "digest"));
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->code, "digest");
  ASSERT_EQ(kept->timings.size(), 2u);
  EXPECT_EQ(kept->timings[0].config, R"({"kwargs":{"BLOCK":64},"num_warps":4})");
  EXPECT_EQ(kept->timings[0].milliseconds, (std::vector<double>{1.5, 1.25, 2}));
  EXPECT_EQ(kept->timings[1].milliseconds, std::vector<double>{never});
  EXPECT_EQ(describeTuning(asked, Timings{{1}}, ""), std::nullopt) << "one timing for each configuration";
  for (const char *wrong : {"{}", "[]", R"({"configs_timings": [[{}, "fast"]]})", R"({"configs_timings": [[{}]]})",
                            R"({"configs_timings": [[1, 1]]})", R"({"configs_timings": [[{}, []]]})"})
    EXPECT_FALSE(readTuning(wrong)) << wrong;
}

TEST(KeptTuning, WarpsAndStagesAreNoOtherCodeOnTheCpu) {
  const std::string configs =
      R"({"kwargs": {"BLOCK": 64}, "num_warps": 4}, {"kwargs": {"BLOCK": 64}, "num_warps": 8, "num_stages": 5},)"
      R"({"kwargs": {"BLOCK": 128}, "num_warps": 4}, {"kwargs": {"BLOCK": 64}, "num_warps": 4})";
  EXPECT_EQ(representatives(question("", "", "cpu", configs)), (std::vector<size_t>{0, 0, 2, 0}));
  EXPECT_EQ(representatives(question("", "", "cuda", configs)), (std::vector<size_t>{0, 1, 2, 0}));
  EXPECT_TRUE(representatives("").empty());
}

TEST(KeptTuning, CodeThatIsNoObject) {
  EXPECT_EQ(codeDigest("ptx"), codeDigest("ptx"));
  EXPECT_NE(codeDigest("ptx"), codeDigest("other ptx"));
  EXPECT_NE(codeDigest(std::string("\x7f"
                                   "ELF\x02\x01\x01",
                                   7)),
            codeDigest(""));
}
