// The C++ API on CUDA, against the fake driver: from a kernel's text to the launch that the driver is asked for.
#include <triton/c.h>
#include <triton/cuda.h>
#include <triton/tune.h>

#include "gtest/gtest.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

namespace {

const char *const source = R"(
import triton
import triton.language as tl

@triton.jit
def scale(x, out, n, factor, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offsets, tl.load(x + offsets, mask=offsets < n) * factor, mask=offsets < n)
)";

template <typename F> F *control(const char *name) {
  static void *library = dlopen(FAKE_CUDA "/libcuda.so.1", RTLD_NOW);
  return reinterpret_cast<F *>(dlsym(library, name));
}
std::string takeLog() { return control<const char *()>("fakeCudaTakeLog")(); }

std::string hex(const void *bytes, size_t count) {
  std::string text;
  for (size_t index = 0; index < count; ++index) {
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x", static_cast<const unsigned char *>(bytes)[index]);
    text += digits;
  }
  return text;
}

class CudaApi : public testing::Test {
protected:
  static void SetUpTestSuite() {
    setenv("TRITON_LIBCUDA_PATH", FAKE_CUDA, 1);
    control<void(int, int)>("fakeCudaSetDevices")(2, 90);
  }
  triton::Kernel kernel = triton::Module::parse(source, "scale.py").kernel("scale");
};

TEST_F(CudaApi, NamesTheDevices) {
  EXPECT_EQ(triton::cuda::deviceCount(), 2);
  EXPECT_EQ(triton::cuda::architecture(1), "sm_90a");
  EXPECT_FALSE(triton::cuda::tryArchitecture(2));
}

TEST_F(CudaApi, CopiesBothWays) {
  std::vector<float> host = {1, 2, 3};
  triton::cuda::Buffer<float> buffer(host);
  EXPECT_EQ(buffer.toHost(), host);
  EXPECT_THROW(buffer.copyFrom(std::vector<float>(4)), triton::Error);
}

TEST_F(CudaApi, LaunchesOnAStream) {
  triton::cuda::Buffer<float> x(100), out(100);
  triton::cuda::Stream stream = triton::cuda::Stream::create();
  takeLog();
  triton::CompiledKernel compiled = kernel.launch(triton::cdiv(100, 32), {x, out, 100, 0.5f, 32},
                                                  {.target = "cuda", .numWarps = 1, .stream = stream.handle()});
  std::string log = takeLog();
  float *pointers[] = {x.data(), out.data()};
  int n = 100;
  float factor = 0.5f;
  std::string expected = "launch scale device=0 grid=4,1,1 block=32 shared=0 stream=" +
                         std::to_string(reinterpret_cast<uintptr_t>(stream.handle())) +
                         " programmatic args=" + hex(&pointers[0], 8) + "," + hex(&pointers[1], 8) + "," + hex(&n, 4) +
                         "," + hex(&factor, 4) + ",0000000000000000,0000000000000000\n";
  EXPECT_NE(log.find(expected), std::string::npos) << log;
  EXPECT_NE(compiled.stage("ptx").find(".target sm_90a"), std::string_view::npos);
  stream.synchronize();
  EXPECT_NE(takeLog().find("synchronize stream="), std::string::npos);
}

TEST_F(CudaApi, LaunchesOverlapUnlessAskedNotTo) {
  triton::cuda::Buffer<float> x(100), out(100);
  auto overlaps = [&](triton::Options options) {
    options.target = "cuda";
    takeLog();
    triton::CompiledKernel compiled = kernel.launch(1, {x, out, 100, 0.5f, 32}, options);
    bool waits = compiled.stage("ptx").find("griddepcontrol.wait") != std::string_view::npos;
    return std::pair(takeLog().find(" programmatic ") != std::string::npos, waits);
  };
  EXPECT_EQ(overlaps({}), std::pair(true, true));
  EXPECT_EQ(overlaps({.overlapLaunches = false}), std::pair(false, false));
  EXPECT_EQ(overlaps({.launchCooperative = true}), std::pair(false, true));
  EXPECT_EQ(overlaps({.launchProgrammatic = true}), std::pair(true, false));
}

TEST_F(CudaApi, EachDeviceLoadsItsOwn) {
  triton::cuda::Buffer<float> x(16, 1), out(16, 1);
  takeLog();
  for (int launch = 0; launch < 2; ++launch)
    kernel.launch(1, {x, out, 16, 2.0f, 16}, {.target = "cuda", .device = 1});
  std::string log = takeLog();
  EXPECT_NE(log.find("device=1 grid=1,1,1"), std::string::npos) << log;
  EXPECT_EQ(log.find("load"), log.rfind("load")) << "loaded once: " << log;
}

TEST_F(CudaApi, CompilesForOtherArchitectures) {
  triton::CompiledKernel compiled =
      kernel.compileSignature("*fp32:16, *fp32:16, i32, fp32, 128", {.target = "cuda", .architecture = "sm_80"});
  EXPECT_NE(compiled.stage("ptx").find(".target sm_80"), std::string_view::npos);
}

TEST_F(CudaApi, SaysWhatTheDeviceLacks) {
  triton::cuda::Buffer<float> x(16), out(16);
  auto result = kernel.tryLaunch(1, {x, out, 16, 2.0f, 16}, {.target = "cuda", .numWarps = 64});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind(), "OutOfResources");
  EXPECT_STREQ(result.error().what(),
               "scale.py:6:5: error: out of resource: threads, Required: 2048, Hardware limit: 1024. Reducing block "
               "sizes or `num_stages` may help.\n"
               "    6 | def scale(x, out, n, factor, BLOCK: tl.constexpr):\n"
               "      |     ^~~~~\n");
}

TEST_F(CudaApi, TunesByTheDevicesEvents) {
  triton::cuda::Buffer<float> x(16), out(16);
  std::vector<triton::Config> configs = {{{triton::named("BLOCK", 16)}, {.target = "cuda"}},
                                         {{triton::named("BLOCK", 16)}, {.target = "cuda", .numWarps = 64}}};
  triton::Tuning tuning = triton::tune(kernel, {x, out, 16, 2.0f}, configs,
                                       [](const triton::Config &) { return triton::Grid(1); }, {.repetitions = 3});
  EXPECT_EQ(tuning.measurements[0].milliseconds, 1.0) << "what the fake driver says of any two events";
  EXPECT_EQ(tuning.best, 0u);
  EXPECT_LT(tuning.measurements[1].milliseconds, 0);
  EXPECT_NE(tuning.measurements[1].error.find("out of resource: threads"), std::string::npos);
}

TEST_F(CudaApi, FromC) {
  triton::cuda::Buffer<float> x(16), out(16);
  triton_error *error = nullptr;
  triton_module *module = triton_module_parse(source, "scale.py", &error);
  triton_kernel *scale = triton_module_kernel(module, "scale", &error);
  triton_argument arguments[] = {triton_pointer(x.data(), TRITON_FLOAT32), triton_pointer(out.data(), TRITON_FLOAT32),
                                 triton_integer(16), triton_real(2.0), triton_integer(16)};
  triton_options options = TRITON_OPTIONS_INIT;
  options.target = "cuda";
  options.device = 1;
  options.stream = reinterpret_cast<void *>(0x77);
  takeLog();
  EXPECT_EQ(triton_kernel_launch(scale, 1, 1, 1, arguments, 5, &options, &error), 0);
  EXPECT_NE(takeLog().find("launch scale device=1 grid=1,1,1 block=128 shared=0 stream=119 "), std::string::npos);
  options.size = offsetof(triton_options, device); // a program built against version 1
  options.target = "cpu";
  std::vector<float> host(16, 3.0f), result(16);
  arguments[0] = triton_pointer(host.data(), TRITON_FLOAT32);
  arguments[1] = triton_pointer(result.data(), TRITON_FLOAT32);
  EXPECT_EQ(triton_kernel_launch(scale, 1, 1, 1, arguments, 5, &options, &error), 0);
  EXPECT_EQ(result[15], 6.0f);
  triton_kernel_free(scale);
  triton_module_free(module);
}

const char *const descriptors = R"(
import triton
import triton.language as tl

@triton.jit
def passed(source, target, shift, B: tl.constexpr):
    target.store([0, 0], source.load([0, B]) + source.load([0, shift]))

@triton.jit
def copied(source, target, B: tl.constexpr):
    target.store([0, 0], source.load([0, B]))

@triton.jit
def made(x, y, N, B: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [N, N], [N, 1], [B, B])
    target = tl.make_tensor_descriptor(y, [N, N], [N, 1], [B, B])
    target.store([0, 0], source.load([0, B]))
)";

/// The words of a line of the log, and the launch's arguments.
std::vector<std::string> argumentsOf(const std::string &log) {
  std::vector<std::string> result{""};
  for (char c : log.substr(log.find("args=") + 5)) {
    if (c == '\n')
      break;
    c == ',' ? result.push_back("") : void(result.back() += c);
  }
  return result;
}

TEST_F(CudaApi, PassesDescriptorsAsTensorMaps) {
  triton::Kernel copied = triton::Module::parse(descriptors, "descriptors.py").kernel("copied");
  triton::cuda::Buffer<float> x(64 * 128), y(32 * 32);
  takeLog();
  triton::Argument source = triton::descriptor(x, {64, 128}, {32, 32}),
                   target = triton::descriptor(y, {32, 32}, {32, 32});
  for (int turn = 0; turn < 2; ++turn) {
    auto compiled = copied.launch(1, {source, target, 32}, {.target = "cuda"});
    std::string log = takeLog();
    size_t maps = 0;
    for (size_t at = log.find("tensormap"); at != std::string::npos; at = log.find("tensormap", at + 1))
      ++maps;
    EXPECT_EQ(maps, turn ? 0u : 2u) << log; // once for each
    std::vector<std::string> arguments = argumentsOf(log);
    float *address = x.data();
    ASSERT_EQ(arguments.size(), 2 * 5 + 2u) << log;
    EXPECT_EQ(arguments[0].size(), 256u);
    EXPECT_EQ(arguments[0].substr(0, 16), hex(&address, 8));
    int32_t rows = 64;
    EXPECT_EQ(arguments[1], hex(&rows, 4));
    EXPECT_EQ(compiled.arguments()[0].second, "nvTmaDesc");
  }
}

TEST_F(CudaApi, PassesDescriptorsInPartsWhereTheyDoNotFit) {
  triton::Kernel passed = triton::Module::parse(descriptors, "descriptors.py").kernel("passed");
  triton::cuda::Buffer<float> x(64 * 128), y(32 * 32);
  takeLog();
  passed.launch(1, {triton::descriptor(x, {64, 128}, {32, 32}), triton::descriptor(y, {32, 32}, {32, 32}), 3, 32},
                {.target = "cuda"});
  std::vector<std::string> arguments = argumentsOf(takeLog());
  float *address = x.data();
  int64_t columns = 128;
  ASSERT_EQ(arguments.size(), 11 + 5 + 1 + 2u);
  EXPECT_EQ(arguments[0], hex(&address, 8));
  EXPECT_EQ(arguments[2], hex(&columns, 8));
  EXPECT_EQ(arguments[5], "00");         // pads with zeros
  EXPECT_EQ(arguments[6], "00");         // rounds nothing
  EXPECT_EQ(arguments[11].size(), 256u); // the other fits
}

TEST_F(CudaApi, BringsScratchMemory) {
  triton::Kernel made = triton::Module::parse(descriptors, "descriptors.py").kernel("made");
  triton::cuda::Buffer<float> x(64 * 64), y(64 * 64);
  takeLog();
  made.launch({3, 2}, {x, y, 64, 32}, {.target = "cuda"});
  std::string log = takeLog();
  size_t allocated = log.find("allocate bytes=" + std::to_string(3 * 2 * 256) + " stream=0"),
         launched = log.find("launch made");
  ASSERT_NE(allocated, std::string::npos) << log;
  EXPECT_LT(allocated, launched);
  EXPECT_LT(launched, log.find("free", launched));
  EXPECT_NE(argumentsOf(log.substr(launched))[3], "0000000000000000");
}

TEST_F(CudaApi, ChecksDescriptors) {
  triton::Kernel copied = triton::Module::parse(descriptors, "descriptors.py").kernel("copied");
  triton::cuda::Buffer<float> x(64 * 128);
  triton::Argument good = triton::descriptor(x, {64, 128}, {32, 32});
  auto messageOf = [&](triton::Argument bad) {
    auto result = copied.tryLaunch(1, {bad, good, 32}, {.target = "cuda"});
    return result ? std::string() : std::string(result.error().what());
  };
  EXPECT_NE(messageOf(triton::descriptor(x, {64, 128}, {32, 32}, {7, 1}))
                .find("strides must be 16-byte aligned in a tensor descriptor, got [7, 1] elements of 4 bytes"),
            std::string::npos);
  EXPECT_NE(messageOf(triton::descriptor(x, {64, 128}, {32, 32}, {128, 2}))
                .find("Last dimension must be contiguous in a tensor descriptor, got strides [128, 2]"),
            std::string::npos);
  EXPECT_NE(messageOf(triton::descriptor(x, {64, 128}, {32, 33}))
                .find("Shape element 1 must be a power of 2 in a tensor descriptor, got block [32, 33]"),
            std::string::npos);
  EXPECT_NE(messageOf(triton::descriptor(x, {64}, {32, 32}))
                .find("rank mismatch in a tensor descriptor: shape [64], strides "),
            std::string::npos);
  EXPECT_NE(messageOf(triton::descriptor(x.data() + 1, {64, 128}, {32, 32})).find("base must be 16-byte aligned"),
            std::string::npos);
}

} // namespace
