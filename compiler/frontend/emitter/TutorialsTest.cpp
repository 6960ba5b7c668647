// The kernels of the tutorials come out of the frontend without an error, and quickly.
#include "compiler/frontend/emitter/EmitKernelTesting.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <chrono>

namespace triton::frontend {
namespace {

/// The text of a file of the repository that the test runs in; empty if it runs elsewhere.
std::string repositoryFile(llvm::StringRef path) {
  llvm::SmallString<128> folder;
  llvm::sys::fs::current_path(folder);
  for (; !folder.empty(); llvm::sys::path::remove_filename(folder)) {
    llvm::SmallString<128> candidate = folder;
    llvm::sys::path::append(candidate, path);
    if (auto buffer = llvm::MemoryBuffer::getFile(candidate))
      return (*buffer)->getBuffer().str();
    if (llvm::sys::path::root_path(folder) == folder)
      break;
  }
  return "";
}

struct Tutorial {
  const char *file, *kernel, *signature, *holds;
};

class Tutorials : public testing::TestWithParam<Tutorial> {};

TEST_P(Tutorials, Emit) {
  const Tutorial &tutorial = GetParam();
  const std::string text = repositoryFile(std::string("tutorials/") + tutorial.file);
  if (text.empty())
    GTEST_SKIP() << "no tutorials here";
  Emitted emitted = emitText(text, tutorial.signature, tutorial.kernel);
  EXPECT_EQ(emitted.errors, "");
  EXPECT_TRUE(holdsInOrder(emitted.ir, {tutorial.kernel, tutorial.holds}));
}

INSTANTIATE_TEST_SUITE_P(
    All, Tutorials,
    testing::Values(
        Tutorial{"01-vector-add.py", "add_kernel", "*fp32:16, *fp32:16, *fp32:16, i32, 1024", "tt.store"},
        Tutorial{"02-fused-softmax.py", "softmax_kernel", "*fp32:16, *fp32:16, i32:16, i32:16, i32, i32, 1024, 2",
                 "tt.num_stages = 2"},
        Tutorial{"03-matrix-multiplication.py", "matmul_kernel",
                 "*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, i32:16, 1, i32:16, 1, i32:16, 1, 64, 64, 32, "
                 "8, 'leaky_relu'",
                 "tt.dot"},
        Tutorial{"05-layer-norm.py", "_layer_norm_fwd_fused",
                 "*fp16, *fp16, *fp16, *fp16, *fp32, *fp32, i32:16, i32:16, fp32, 1024", "math.sqrt"},
        Tutorial{"05-layer-norm.py", "_layer_norm_bwd_dx_fused",
                 "*fp16, *fp16, *fp16, *fp16, *fp16, *fp16, *fp32, *fp32, *i32, i32, i32, 64, 1024", "tt.atomic_cas"},
        Tutorial{"05-layer-norm.py", "_layer_norm_bwd_dwdb", "*fp16, *fp16, *fp16, *fp16, i32, i32, 32, 128",
                 "scf.for"}),
    [](const auto &info) { return std::string(info.param.kernel); });

TEST(Speed, TwoHundredLinesInMilliseconds) {
  std::string text = "@triton.jit\ndef helper(x, y):\n    return tl.where(x > y, x * 2, y - 1)\n\n@triton.jit\ndef "
                     "kernel(p, n, B: tl.constexpr):\n    o = tl.arange(0, B)\n    acc = tl.zeros((B,), tl.float32)\n";
  for (int i = 0; i < 24; ++i)
    text += "    for i in range(0, n, B):\n        m = o + i < n\n        x = tl.load(p + o + i, mask=m, other=0.0)\n"
            "        if i > 7:\n            x = helper(x, acc)\n        acc += x * tl.exp(x)\n"
            "    s = tl.sum(acc, axis=0)\n    tl.store(p + " +
            std::to_string(i) + ", s)\n";
  emitText(text, "*fp32, i32, 128"); // loads the library
  const auto begin = std::chrono::steady_clock::now();
  Emitted emitted = emitText(text, "*fp32, i32, 128");
  const double milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_EQ(emitted.errors, "");
  RecordProperty("milliseconds", std::to_string(milliseconds));
  // Parsing, emission, verification and printing, on a machine that may be busy.
  EXPECT_LT(milliseconds, 100);
}

} // namespace
} // namespace triton::frontend
