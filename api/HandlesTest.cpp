// Objects that hold nothing, because nobody filled them or because what they held was moved away: every question is an error, and the process goes on.
#include <triton/cuda.h>
#include <triton/layout.h>
#include <triton/sanitize.h>
#include <triton/tune.h>

#include "gtest/gtest.h"

namespace {

const char *kernels = R"(
import triton
import triton.language as tl

@triton.jit
def scale(x, y, n, BLOCK: tl.constexpr = 64):
    offsets = tl.arange(0, BLOCK)
    tl.store(y + offsets, tl.load(x + offsets, mask=offsets < n), mask=offsets < n)
)";

template <typename Question> std::string errorOf(Question question) {
  try {
    question();
  } catch (const triton::Error &error) {
    return error.what();
  }
  return "no error";
}

std::string empty(const char *what) {
  return std::string("this ") + what + " is empty: default-constructed, or moved from";
}

void expectEmpty(const triton::Module &module) {
  EXPECT_EQ(errorOf([&] { module.kernels(); }), empty("Module"));
  EXPECT_EQ(errorOf([&] { module.kernel("scale"); }), empty("Module"));
  EXPECT_FALSE(module.tryKernel("scale"));
}

void expectEmpty(const triton::Kernel &kernel) {
  float x[64] = {};
  EXPECT_EQ(errorOf([&] { kernel.name(); }), empty("Kernel"));
  EXPECT_EQ(errorOf([&] { kernel.parameters(); }), empty("Kernel"));
  EXPECT_EQ(errorOf([&] { kernel.compile({x, x, 64}); }), empty("Kernel"));
  EXPECT_EQ(errorOf([&] { kernel.compileSignature("*fp32, *fp32, i32"); }), empty("Kernel"));
  EXPECT_EQ(errorOf([&] { kernel(1, x, x, 64); }), empty("Kernel"));
  EXPECT_FALSE(kernel.tryLaunch(1, {x, x, 64}));
  EXPECT_FALSE(triton::tryTune(kernel, {x, x, 64}, {{}}, [](const auto &) { return triton::Grid(1); }));
}

void expectEmpty(const triton::CompiledKernel &compiled) {
  EXPECT_EQ(errorOf([&] { compiled.name(); }), empty("CompiledKernel"));
  EXPECT_EQ(errorOf([&] { compiled.stages(); }), empty("CompiledKernel"));
  EXPECT_EQ(errorOf([&] { compiled.stage("ttir"); }), empty("CompiledKernel"));
  EXPECT_EQ(errorOf([&] { compiled.timings(); }), empty("CompiledKernel"));
  EXPECT_EQ(errorOf([&] { compiled.arguments(); }), empty("CompiledKernel"));
}

void expectEmpty(const triton::LinearLayout &layout) {
  const triton::LinearLayout whole = triton::LinearLayout::identity(4, "register", "dim0").take();
  EXPECT_EQ(errorOf([&] { layout.bases(); }), empty("LinearLayout"));
  EXPECT_EQ(errorOf([&] { layout.outputs(); }), empty("LinearLayout"));
  EXPECT_EQ(errorOf([&] { layout.inputNames(); }), empty("LinearLayout"));
  EXPECT_EQ(errorOf([&] { layout.inputSize("register"); }), empty("LinearLayout"));
  EXPECT_EQ(errorOf([&] { layout.isSurjective(); }), empty("LinearLayout"));
  EXPECT_EQ(errorOf([&] { layout.isInjective(); }), empty("LinearLayout"));
  EXPECT_EQ(errorOf([&] { layout.str(); }), empty("LinearLayout"));
  EXPECT_EQ(errorOf([&] { layout.matrix(); }), empty("LinearLayout"));
  EXPECT_EQ(errorOf([&] { (void)(layout == whole); }), empty("LinearLayout"));
  EXPECT_EQ(errorOf([&] { (void)(whole == layout); }), empty("LinearLayout"));
  EXPECT_FALSE(layout.apply({}));
  EXPECT_FALSE(layout * whole);
  EXPECT_FALSE(whole * layout);
  EXPECT_FALSE(layout.compose(whole));
  EXPECT_FALSE(whole.compose(layout));
  EXPECT_FALSE(layout.invert());
  EXPECT_FALSE(layout.pseudoInvert());
  EXPECT_FALSE(layout.invertAndCompose(whole));
  EXPECT_FALSE(whole.invertAndCompose(layout));
}

TEST(Handles, DefaultConstructed) {
  expectEmpty(triton::Module());
  expectEmpty(triton::Kernel());
  expectEmpty(triton::CompiledKernel());
  expectEmpty(triton::LinearLayout());
  triton::cuda::Memory memory;
  char byte = 0;
  EXPECT_EQ(errorOf([&] { memory.data(); }), empty("Memory"));
  EXPECT_EQ(errorOf([&] { memory.bytes(); }), empty("Memory"));
  EXPECT_TRUE(memory.tryCopyFrom(&byte, 1));
  EXPECT_TRUE(memory.tryCopyTo(&byte, 1));
  triton::cuda::Stream stream;
  EXPECT_EQ(errorOf([&] { stream.handle(); }), empty("Stream"));
  EXPECT_EQ(errorOf([&] { stream.synchronize(); }), empty("Stream"));
  EXPECT_THROW(triton::Tuning().launch(), std::bad_function_call);
}

TEST(Handles, MovedFromAndCopied) {
  float x[64] = {3}, y[64] = {};
  triton::Module module = triton::Module::parse(kernels, "kernels.py"), takenModule = std::move(module);
  expectEmpty(module);
  triton::Kernel kernel = takenModule.kernel("scale"), copy = kernel, taken = std::move(kernel);
  expectEmpty(kernel);
  triton::CompiledKernel compiled = copy(1, x, y, 64), takenCompiled = std::move(compiled);
  expectEmpty(compiled);
  triton::LinearLayout layout = triton::LinearLayout::identity(4, "register", "dim0").take(),
                       takenLayout = std::move(layout);
  expectEmpty(layout);
  // What was moved is whole, an empty object can be filled again, and one assigned to itself keeps what it has.
  EXPECT_EQ(y[0], 3);
  EXPECT_EQ(takenCompiled.name(), "scale");
  kernel = copy;
  copy = triton::Kernel();
  expectEmpty(copy);
  EXPECT_EQ(kernel.state.get(), taken.state.get());
  const triton::Kernel &same = kernel;
  kernel = same;
  EXPECT_EQ(kernel.name(), "scale");
  module = triton::Module();
  takenModule = module;
  EXPECT_EQ(kernel(1, x, y, 64).state.get(), takenCompiled.state.get()) << "kernels outlive their module";
}

TEST(Handles, TextsThatAreNull) {
  EXPECT_EQ(errorOf([] { triton::Argument(static_cast<const char *>(nullptr)); }),
            "a text that is null is no argument; None is nullptr");
}

TEST(Handles, TensorsThatAreNone) {
  triton::CheckedLaunch checked;
  EXPECT_EQ(errorOf([&] { checked.add("x", nullptr, triton::DataType::Float32, {2, 3}, {1}); }),
            "'x' has 2 dimensions and 1 strides");
  EXPECT_EQ(errorOf([&] { checked.add("x", nullptr, static_cast<triton::DataType>(99), {2}); }),
            "'x' has the unknown type 99");
}

TEST(Handles, MoreThanAnyMemoryHolds) {
  EXPECT_NE(errorOf([] { triton::cuda::Buffer<double>{SIZE_MAX / 4}; }).find("more than any memory holds"),
            std::string::npos);
}

} // namespace
