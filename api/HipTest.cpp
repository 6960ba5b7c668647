// The C++ API on AMD GPUs, against the fake library: from a kernel's text to the launch that HIP is asked for. A process of its own, as a process has one driver.
#include <triton/c.h>
#include <triton/cuda.h>

#include "gtest/gtest.h"

#include <cstdlib>
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
  static void *library = dlopen(FAKE_HIP "/libamdhip64.so", RTLD_NOW);
  return reinterpret_cast<F *>(dlsym(library, name));
}
std::string takeLog() { return control<const char *()>("fakeCudaTakeLog")(); }

class HipApi : public testing::Test {
protected:
  static void SetUpTestSuite() {
    setenv("TRITON_LIBHIP_PATH", FAKE_HIP, 1);
    control<void(int, const char *, int)>("fakeHipSetDevices")(2, "gfx942", 70051831);
  }
  triton::Kernel kernel = triton::Module::parse(source, "scale.py").kernel("scale");
};

TEST_F(HipApi, NamesTheDevices) {
  EXPECT_EQ(triton::cuda::deviceCount(), 2);
  EXPECT_EQ(triton::cuda::architecture(1), "gfx942");
}

TEST_F(HipApi, LaunchesOnAStream) {
  triton::cuda::Buffer<float> x(100), out(100);
  triton::cuda::Stream stream = triton::cuda::Stream::create();
  takeLog();
  triton::CompiledKernel compiled = kernel.launch(triton::cdiv(100, 32), {x, out, 100, 0.5f, 32},
                                                  {.target = "hip", .numWarps = 2, .stream = stream.handle()});
  std::string log = takeLog();
  EXPECT_NE(log.find("launch scale device=0 grid=4,1,1 block=128 shared=0 stream="), std::string::npos) << log;
  EXPECT_NE(compiled.stage("amdgcn").find("gfx942"), std::string_view::npos);
  EXPECT_EQ(compiled.stage("hsaco").substr(1, 3), "ELF");
}

TEST_F(HipApi, KernelsOfAnotherVendorAreRefused) {
  triton::cuda::Buffer<float> x(16), out(16);
  try {
    kernel.launch(1, {x, out, 16, 2.0f, 16}, {.target = "cuda", .architecture = "sm_80"});
    FAIL();
  } catch (const triton::Error &error) {
    EXPECT_NE(std::string(error.what())
                  .find("a kernel for the target cuda cannot run in a process that uses GPUs of the target hip"),
              std::string::npos)
        << error.what();
  }
}

} // namespace
