// Tuning and the disk cache as a C++ program uses them.
#include <triton/cache.h>
#include <triton/tune.h>

#include "gtest/gtest.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <sys/stat.h>

namespace {

const char *kernels = R"(
import triton
import triton.language as tl

@triton.jit
def scale(x, y, n, factor, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK < 4096, "too large")
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + offsets, tl.load(x + offsets, mask=offsets < n) * factor, mask=offsets < n)
)";

struct Folder {
  Folder() {
    std::string name = "/tmp/triton-tune-XXXXXX";
    path = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string path;
};

std::vector<triton::Config> configs(std::initializer_list<int> blocks) {
  std::vector<triton::Config> out;
  for (int block : blocks)
    out.push_back({{triton::named("BLOCK", block)}, {}});
  return out;
}

class Tune : public ::testing::Test {
protected:
  const int n = 10000;
  std::vector<float> x = std::vector<float>(n, 3.0f), y = std::vector<float>(n);
  triton::Kernel kernel = triton::Module::parse(kernels, "kernels.py").kernel("scale");
  std::vector<triton::Argument> arguments = {x.data(), y.data(), n, 2.0f};
  std::function<triton::Grid(const triton::Config &)> grid = [this](const triton::Config &config) {
    return triton::Grid(triton::cdiv(n, config.integer("BLOCK")));
  };
};

TEST_F(Tune, FindsOneThatRuns) {
  triton::Tuning tuning =
      triton::tune(kernel, arguments, configs({16, 8192, 1024}), grid, {.compileThreads = 2, .repetitions = 3});
  EXPECT_LT(tuning.measurements[1].milliseconds, 0);
  EXPECT_NE(tuning.measurements[1].error.find("too large"), std::string::npos);
  EXPECT_GT(tuning.measurements[0].milliseconds, 0);
  EXPECT_NE(tuning.best, 1u);
  EXPECT_FALSE(tuning.wasKept);
  std::fill(y.begin(), y.end(), 0.0f);
  tuning.launch();
  EXPECT_EQ(y, std::vector<float>(n, 6.0f));
}

TEST_F(Tune, KeepsResults) {
  Folder folder;
  triton::TuneOptions options{.repetitions = 3, .cacheDirectory = folder.path, .key = "n=10000"};
  triton::Tuning first = triton::tune(kernel, arguments, configs({64, 128}), grid, options);
  triton::Tuning second = triton::tune(kernel, arguments, configs({64, 128}), grid, options);
  EXPECT_FALSE(first.wasKept);
  EXPECT_TRUE(second.wasKept);
  EXPECT_EQ(first.best, second.best);
  EXPECT_FALSE(triton::tune(kernel, arguments, configs({64, 256}), grid, options).wasKept);
  // What is not as it was kept is measured again, whatever it is.
  triton::cache::Store store(folder.path);
  for (const triton::cache::Entry &entry : store.list()) {
    ASSERT_FALSE(store.put(entry.name, "scale.autotune.json", "{\"milliseconds\": " + std::string(100000, '[')));
    EXPECT_FALSE(store.find(entry.name)->isSealed);
  }
  EXPECT_FALSE(triton::tune(kernel, arguments, configs({64, 128}), grid, options).wasKept);
  EXPECT_TRUE(triton::tune(kernel, arguments, configs({64, 128}), grid, options).wasKept);
  options.key = "other";
  EXPECT_FALSE(triton::tune(kernel, arguments, configs({64, 128}), grid, options).wasKept);
}

TEST_F(Tune, SaysWhenNothingRuns) {
  auto tuning = triton::tryTune(kernel, arguments, configs({8192}), grid);
  ASSERT_FALSE(tuning);
  EXPECT_NE(std::string(tuning.error().what()).find("no configuration of 'scale' runs"), std::string::npos);
  EXPECT_FALSE(triton::tryTune(kernel, arguments, {}, grid));
}

TEST_F(Tune, WhatTheGridThrowsComesOut) {
  struct Mine {
    int number;
  };
  int calls = 0;
  auto throwing = [&](const triton::Config &) -> triton::Grid {
    ++calls;
    throw Mine{42};
  };
  try {
    triton::tune(kernel, arguments, configs({16, 64}), throwing, {.repetitions = 1});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Mine &mine) {
    EXPECT_EQ(mine.number, 42);
  }
  EXPECT_EQ(calls, 1) << "nobody asks again";
  auto later = [&](const triton::Config &config) {
    if (config.integer("BLOCK") == 64)
      throw std::runtime_error("no grid for 64");
    return grid(config);
  };
  EXPECT_THROW((void)triton::tryTune(kernel, arguments, configs({16, 64}), later, {.repetitions = 1}),
               std::runtime_error);
  EXPECT_THROW((void)triton::tryTune(kernel, arguments, configs({16}), nullptr), std::bad_function_call);
  EXPECT_EQ(triton::tune(kernel, arguments, configs({16}), grid, {.repetitions = 1}).best, 0u) << "all is as before";
}

TEST_F(Tune, WhatIsThrownThroughTheBareCInterfaceIsAnError) {
  triton_error *error = nullptr;
  triton_argument arguments[] = {triton_pointer(x.data(), TRITON_FLOAT32), triton_pointer(y.data(), TRITON_FLOAT32),
                                 triton_integer(n), triton_real(2.0)};
  triton_argument block = triton_integer(64);
  block.name = "BLOCK";
  triton_config config{&block, 1, nullptr};
  triton_grid (*throwing)(const triton_config *, void *) = [](const triton_config *, void *) -> triton_grid {
    throw std::runtime_error("no grid");
  };
  EXPECT_EQ(triton_kernel_tune(kernel.state.get(), throwing, nullptr, arguments, 4, &config, 1, &error), nullptr);
  ASSERT_NE(error, nullptr);
  EXPECT_STREQ(triton_error_message(error), "the function that gives the grid threw an exception");
  triton_error_free(error);
}

TEST_F(Tune, WarpsAndStagesAreNoOtherCodeOnTheCpu) {
  std::vector<triton::Config> same = {{{triton::named("BLOCK", 64)}, {.numWarps = 4}},
                                      {{triton::named("BLOCK", 64)}, {.numWarps = 8, .numStages = 5}}};
  int asked = 0;
  auto counting = [&](const triton::Config &config) {
    ++asked;
    return grid(config);
  };
  triton::Tuning tuning = triton::tune(kernel, arguments, same, counting, {.repetitions = 3});
  EXPECT_EQ(asked, 2) << "one is measured, and the best is launched";
  EXPECT_EQ(tuning.best, 0u);
  EXPECT_EQ(tuning.measurements[0].milliseconds, tuning.measurements[1].milliseconds);
}

TEST_F(Tune, CompiledKernelsAreKept) {
  Folder folder;
  triton::Options options;
  options.cacheDirectory = folder.path;
  arguments.push_back(64);
  triton::CompiledKernel first = kernel.launch({157}, arguments, options);
  triton::cache::Store store(folder.path);
  ASSERT_EQ(store.list().size(), 1u);
  // As in another process: a module that has compiled nothing yet.
  triton::Kernel again = triton::Module::parse(kernels, "kernels.py").kernel("scale");
  std::fill(y.begin(), y.end(), 0.0f);
  triton::CompiledKernel second = again.launch({157}, arguments, options);
  EXPECT_EQ(y, std::vector<float>(n, 6.0f));
  EXPECT_EQ(first.stage("obj"), second.stage("obj"));
  EXPECT_EQ(first.timings(), second.timings()) << "the times of the compile that was done";
  // Damage is compiled again. The kernel's own text is what counts, not all of its file.
  ASSERT_FALSE(store.put(store.list()[0].name, "scale.obj", "damaged"));
  triton::Module::parse(kernels, "kernels.py").kernel("scale").launch({157}, arguments, options);
  EXPECT_EQ(*store.get(store.list()[0].name, "scale.obj"), first.stage("obj"));
  const std::string text = kernels;
  triton::Module::parse(text + "\nother = 1\n", "kernels.py").kernel("scale").launch({157}, arguments, options);
  EXPECT_EQ(store.list().size(), 1u);
  std::string doubled = text;
  doubled.replace(doubled.find("* factor"), 8, "* factor * 2");
  triton::Module::parse(doubled, "kernels.py").kernel("scale").launch({157}, arguments, options);
  EXPECT_EQ(y, std::vector<float>(n, 12.0f));
  EXPECT_EQ(store.list().size(), 2u);
  // With a secret, what was made without it is not taken.
  std::ofstream(folder.path + "/secret") << "ours";
  chmod((folder.path + "/secret").c_str(), 0600);
  options.cacheSecretFile = folder.path + "/secret";
  triton::Module::parse(kernels, "kernels.py").kernel("scale").launch({157}, arguments, options);
  size_t signedEntries = 0;
  for (const triton::cache::Entry &entry : store.list())
    signedEntries += store.get(entry.name, "scale.json")->find("\"signature\"") != std::string::npos;
  EXPECT_EQ(signedEntries, 1u);
  options.cacheSecretFile = folder.path + "/none";
  auto refused = triton::Module::parse(kernels, "kernels.py").kernel("scale").tryLaunch({157}, arguments, options);
  ASSERT_FALSE(refused);
  EXPECT_NE(std::string(refused.error().what()).find("the secret of the cache, '"), std::string::npos);
  options.cacheSecretFile.clear();
  // Nowhere to write is no reason to fail.
  options.cacheDirectory = "/proc/nothing";
  triton::Module::parse(kernels, "kernels.py").kernel("scale").launch({157}, arguments, options);
}

} // namespace
