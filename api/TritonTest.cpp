// The C++ API as a program uses it: load, launch, inspect, and what each mistake answers.
#include <triton/sanitize.h>
#include <triton/triton.h>

#include "gtest/gtest.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>

#include <unistd.h>

namespace {

const char *kernels = R"(
import triton
import triton.language as tl

@triton.jit
def scale(x, y, n, factor, BLOCK: tl.constexpr = 64):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(y + offsets, tl.load(x + offsets, mask=mask) * factor, mask=mask)

@triton.jit
def types(out, a, b, c, d, NAME: tl.constexpr):
    tl.store(out, a.to(tl.float64))
    tl.store(out + 1, b)
    if c:
        tl.store(out + 2, 1.0)
    if NAME == "yes" and d is None:
        tl.store(out + 3, 1.0)

@triton.jit
def broken(p):
    x = tl.load(p)
    tl.store(p, undefined_name + x)
)";

TEST(Api, LaunchesAndInspects) {
  triton::Module module = triton::Module::parse(kernels, "kernels.py");
  EXPECT_EQ(module.kernels(), (std::vector<std::string>{"scale", "types", "broken"}));
  triton::Kernel scale = module.kernel("scale");
  EXPECT_EQ(scale.parameters().size(), 5u);
  EXPECT_TRUE(scale.parameters()[4].isConstexpr && scale.parameters()[4].hasDefault);
  std::vector<float> x(1000), y(1000, -1);
  std::iota(x.begin(), x.end(), 0.0f);
  triton::CompiledKernel compiled = scale(triton::cdiv(900, 64), x.data(), y.data(), 900, 2.5f);
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(y[i], i < 900 ? 2.5f * i : -1.0f) << i;
  EXPECT_NE(compiled.stage("ttir").find("tt.load"), std::string_view::npos);
  EXPECT_NE(compiled.stage("llir").find("define"), std::string_view::npos);
  EXPECT_TRUE(compiled.stage("ptx").empty());
  EXPECT_EQ(compiled.arguments()[0], (std::pair<std::string, std::string>("x", "*fp32")));
  EXPECT_EQ(compiled.arguments().size(), 4u);
}

TEST(Api, EveryOptionHasAName) {
  triton::Kernel scale = triton::Module::parse(kernels, "kernels.py").kernel("scale");
  auto compileWith = [&](std::vector<std::pair<std::string, std::string>> named) {
    triton::Options options;
    options.named = std::move(named);
    triton::Expected<triton::CompiledKernel> compiled =
        scale.tryCompileSignature("*fp32, *fp32, i32, fp32, 64", options);
    return compiled ? std::string() : std::string(compiled.error().what());
  };
  EXPECT_EQ(compileWith({{"sanitize_overflow", "0"}, {"supported_fp8_dtypes", "fp8e5, fp8e4nv"}}), "");
  EXPECT_EQ(compileWith({{"nonsense", "1"}}), "there is no option 'nonsense'");
  EXPECT_EQ(compileWith({{"debug", "perhaps"}}), "debug must be True or False, got 'perhaps'");
  EXPECT_NE(compileWith({{"tensor_maps", "1"}}).find("tensor_maps is an option of target cuda, not of cpu"),
            std::string::npos);
}

TEST(Api, NamedOptionsCountAsFieldsDo) {
  triton::Kernel scale = triton::Module::parse(kernels).kernel("scale");
  alignas(16) float x[128] = {}, y[128] = {};
  triton::Options options;
  options.named = {{"arch", "x86-64-v4"}};
  EXPECT_NE(std::string(scale.tryLaunch(2, {x, y, 100, 1.5f}, options).error().what())
                .find("'scale' was compiled for x86-64-v4"),
            std::string::npos);
  options.named = {{"target", "cuda"}, {"arch", "sm_80"}, {"ptxas", "simulator"}};
  triton::Expected<triton::CompiledKernel> compiled = scale.tryCompile({x, y, 100, 1.5f}, options);
  ASSERT_TRUE(bool(compiled)) << compiled.error().what();
  EXPECT_FALSE(compiled->stage("ptx").empty());
}

TEST(Api, SpecialisationsAreCompiledOnce) {
  triton::Kernel scale = triton::Module::parse(kernels).kernel("scale");
  alignas(16) float x[128] = {}, y[128] = {};
  const void *first = scale(2, x, y, 100, 1.5f).state.get();
  EXPECT_EQ(scale(2, x, y, 90, 2.5f).state.get(), first) << "another value of the same kind";
  EXPECT_NE(scale(2, x, y, 96, 2.5f).state.get(), first) << "divisible by 16";
  EXPECT_NE(scale(2, x + 1, y, 90, 2.5f).state.get(), first) << "not aligned";
  EXPECT_NE(scale.launch(1, {x, y, 90, 2.5f, triton::named("BLOCK", 128)}).state.get(), first);
}

TEST(Api, ArgumentKinds) {
  double out[4] = {};
  triton::Module::parse(kernels).kernel("types")(1, out, int64_t(1) << 40, 2.5, true, nullptr, "yes");
  EXPECT_EQ(out[0], std::ldexp(1.0, 40));
  EXPECT_EQ(out[1], 2.5);
  EXPECT_EQ(out[2], 1);
  EXPECT_EQ(out[3], 1);
}

TEST(Api, ErrorsAreValuesOrExceptions) {
  triton::Module module = triton::Module::parse(kernels, "kernels.py");
  float value = 0;
  auto result = module.kernel("broken").tryLaunch(1, {&value});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind(), "NameError");
  EXPECT_NE(std::string(result.error().what()).find("kernels.py:23:17: error: 'undefined_name' is not defined"),
            std::string::npos)
      << result.error().what();
  EXPECT_THROW(module.kernel("broken")(1, &value), triton::Error);
  EXPECT_EQ(triton::Module::tryLoad("/no/such/file.py").error().kind(), "FileNotFoundError");
  EXPECT_EQ(triton::Module::tryParse("def f(:\n").error().kind(), "SyntaxError");
  EXPECT_NE(std::string(module.tryKernel("nothing").error().what()).find("it has: scale, types, broken"),
            std::string::npos);
  EXPECT_STREQ(triton::Module::parse("", "empty.py").tryKernel("f").error().what(),
               "empty.py has no jitted function 'f', nor any other");
}

TEST(Api, WrongArguments) {
  triton::Kernel scale = triton::Module::parse(kernels).kernel("scale");
  float x[64] = {};
  auto message = [&](auto result) { return std::string(result ? "no error" : result.error().what()); };
  EXPECT_EQ(message(scale.tryLaunch(1, {x, x, 3})), "'scale' is missing argument 'factor'");
  EXPECT_EQ(message(scale.tryLaunch(1, {x, x, 3, 1.0f, 64, 5})), "'scale' takes 5 arguments, got 6");
  EXPECT_EQ(message(scale.tryLaunch(1, {x, x, 3, 1.0f, triton::named("BLOK", 64)})),
            "'scale' has no parameter 'BLOK'; did you mean 'BLOCK'?");
  EXPECT_THROW(triton::descriptor(3, {4, 4}, {4, 4}), triton::Error);
  EXPECT_EQ(message(scale.tryLaunch(1, {x, x, 3, 1.0f, triton::named("x", x)})), "'scale' got several values for 'x'");
  EXPECT_NE(message(scale.tryLaunch(1, {x, x, "three", 1.0f})).find("can only be passed to a constexpr parameter"),
            std::string::npos);
  EXPECT_NE(message(scale.tryLaunch(-1, {x, x, 3, 1.0f})).find("out of range"), std::string::npos);
  triton::Options other;
  other.target = "quantum";
  EXPECT_NE(message(scale.tryLaunch(1, {x, x, 3, 1.0f}, other)).find("there is no target 'quantum'"),
            std::string::npos);
}

TEST(Api, CompilesForOtherProcessors) {
  triton::Kernel scale = triton::Module::parse(kernels).kernel("scale");
  for (const char *architecture : {"x86-64", "x86-64-v3", "x86-64-v4"}) {
    triton::Options options;
    options.architecture = architecture;
    options.keepAssembly = true;
    triton::CompiledKernel compiled = scale.compileSignature("*fp32:16, *fp32:16, i32, fp32, 1024", options);
    bool wide = compiled.stage("asm").find("%zmm") != std::string_view::npos;
    EXPECT_EQ(wide, std::string(architecture) == "x86-64-v4") << architecture;
  }
}

TEST(Api, WatchesAccesses) {
  triton::Kernel scale = triton::Module::parse(kernels, "kernels.py").kernel("scale");
  std::vector<float> x(1000), y(1000);
  triton::Options options;
  options.checkAccesses = true;
  auto launch = [&](int n) {
    triton::CheckedLaunch checked;
    checked.add("x", x.data(), triton::DataType::Float32, {1000});
    checked.add("y", y.data(), triton::DataType::Float32, {1000});
    return scale.tryLaunch(triton::cdiv(n, 64), {x.data(), y.data(), n, 2.5f}, options);
  };
  EXPECT_TRUE(bool(launch(1000)));
  auto wrong = launch(1001);
  ASSERT_FALSE(bool(wrong));
  const std::string text = wrong.error().what();
  EXPECT_NE(text.find("program (15, 0, 0) reads out of bounds"), std::string::npos) << text;
  EXPECT_NE(text.find("offset 1000 of `x`, which is float32[1000]"), std::string::npos) << text;
}

TEST(Api, StoredKernelsKnowTheFilesThatTheirsImports) {
  auto folder = std::filesystem::temp_directory_path() / ("triton-imports-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "main.py") << "import triton\nimport triton.language as tl\nimport constants\n"
                                       "@triton.jit\ndef kernel(out):\n    tl.store(out, constants.FACTOR)\n";
  triton::Options options;
  options.cacheDirectory = (folder / "cache").string();
  for (int factor : {3, 4, 3}) {
    std::ofstream(folder / "constants.py") << "import triton.language as tl\nFACTOR = tl.constexpr(" << factor << ")\n";
    int out = 0;
    triton::Module::load((folder / "main.py").string()).kernel("kernel").launch(1, {&out}, options);
    EXPECT_EQ(out, factor);
  }
  std::filesystem::remove_all(folder);
}

TEST(Api, PointersToConstAreForLoads) {
  triton::Kernel scale = triton::Module::parse(kernels).kernel("scale");
  std::vector<float> y(64, -1);
  const std::vector<float> x(64, 2), fixed(64, -1);
  EXPECT_TRUE(bool(scale.tryLaunch(1, {x.data(), y.data(), 64, 1.5f})));
  EXPECT_EQ(y, std::vector<float>(64, 3));
  for (const triton::Argument &out :
       {triton::Argument(fixed.data()),
        triton::pointer(static_cast<const void *>(fixed.data()), triton::DataType::Float32)}) {
    auto wrong = scale.tryLaunch(1, {x.data(), out, 64, 1.5f});
    ASSERT_FALSE(bool(wrong));
    EXPECT_EQ(wrong.error().kind(), "ValueError");
    EXPECT_STREQ(wrong.error().what(), "argument 'y' points to const, and the kernel stores to it");
  }
  EXPECT_EQ(fixed, std::vector<float>(64, -1));
}

TEST(Api, VariablesThatHoldNoNumberNameThemselves) {
  triton::Kernel scale = triton::Module::parse(kernels, "kernels.py").kernel("scale");
  float x[64] = {}, y[64] = {};
  setenv("TRITON_CPU_MAX_THREADS", "many", 1);
  auto wrong = scale.tryLaunch(1, {x, y, 64, 2.5f});
  unsetenv("TRITON_CPU_MAX_THREADS");
  ASSERT_FALSE(bool(wrong));
  EXPECT_NE(std::string(wrong.error().what()).find("TRITON_CPU_MAX_THREADS=many"), std::string::npos);
  EXPECT_TRUE(bool(scale.tryLaunch(1, {x, y, 64, 2.5f})));
}

TEST(Api, ManyThreadsAtOnce) {
  triton::Module module = triton::Module::parse(kernels);
  triton::Kernel scale = module.kernel("scale");
  std::vector<std::thread> threads;
  std::vector<int> wrong(8, 0);
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      std::vector<float> x(4096, static_cast<float>(t)), y(4096);
      for (int round = 0; round < 20; ++round) {
        scale.launch(64, {x.data(), y.data(), 4096, 2.0f, triton::named("BLOCK", 32 << round % 3)});
        for (int i = 0; i < 64 * 32; ++i)
          wrong[t] += y[i] != 2.0f * t;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, std::vector<int>(8, 0));
}

} // namespace
