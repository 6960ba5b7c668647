// The C++ API on CUDA, against the fake driver: from a kernel's text to the launch that the driver is asked for.
#include <triton/cuda.h>

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
                         " args=" + hex(&pointers[0], 8) + "," + hex(&pointers[1], 8) + "," + hex(&n, 4) + "," +
                         hex(&factor, 4) + ",0000000000000000,0000000000000000\n";
  EXPECT_NE(log.find(expected), std::string::npos) << log;
  EXPECT_NE(compiled.stage("ptx").find(".target sm_90a"), std::string_view::npos);
  stream.synchronize();
  EXPECT_NE(takeLog().find("synchronize stream="), std::string::npos);
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
  EXPECT_STREQ(result.error().what(), "out of resource: threads, Required: 2048, Hardware limit: 1024. Reducing block "
                                      "sizes or `num_stages` may help.");
}

} // namespace
