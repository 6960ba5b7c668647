#include "compiler/frontend/emitter/EmitKernelTesting.h"

namespace triton::frontend {
namespace {

/// Whether a compile-time expression has the given value, as static_assert sees it.
testing::AssertionResult holds(const std::string &condition) {
  Emitted emitted =
      emitText("@triton.jit\ndef kernel(p, N: tl.constexpr, x, t):\n    tl.static_assert(" + condition + ")\n",
               "*fp32, 16, None, (i32, 3)");
  if (emitted.ir.empty())
    return testing::AssertionFailure() << condition << "\n" << emitted.errors;
  return testing::AssertionSuccess();
}

TEST(Expressions, FoldAsInPython) {
  for (const char *condition : {"N // 3 == 5",
                                "-7 // 2 == -4",
                                "-7 % 3 == 2",
                                "2 ** 70 == 1180591620717411303424",
                                "N / 32 == 0.5",
                                "(N > 3) == True",
                                "1 << 3 == 8",
                                "~5 == -6",
                                "x is None",
                                "not (p is None)",
                                "N is not None",
                                "'a' + 'b' == 'ab'",
                                "(1, 2) + (3,) == (1, 2, 3)",
                                "[2] * 2 + [1] == [2, 2, 1]",
                                "() * 2**62 == ()",
                                "(1,) * -3 == ()",
                                "'' * 2**70 == ''",
                                "(1, 2, 3)[1:] == (2, 3)",
                                "(1, 2, 3)[-1] == 3",
                                "len((1, 2)) == 2",
                                "len('abc') == 3",
                                "int(3.7) == 3",
                                "float('inf') > 1e300",
                                "isinstance(N, int)",
                                "not isinstance(N, float)",
                                "isinstance(p, tl.tensor)",
                                "[i * 2 for i in (1, 2)] == (2, 4)",
                                "f'a{N}b{\"q\"!r}' == \"a16b'q'\"",
                                "((3, 4) or (5, 6)) == (3, 4)",
                                "((3, 4) and ()) == ()",
                                "N == 16 and N != 17",
                                "(1 if N > 3 else 2) == 1",
                                "min(3, 2, 5) == 2",
                                "max(3, 2) == 3",
                                "t[1] == 3",
                                "len(t) == 2",
                                "tl.arange(0, 8).shape == [8]",
                                "p.dtype.element_ty == tl.float32",
                                "hasattr(p, 'dtype')",
                                "getattr(tl, 'float16') == tl.float16",
                                "tl.float16.is_floating()",
                                "tl.arange(0, 4).dtype == tl.int32",
                                "x is None or x > 3",
                                "N.value == 16"})
    EXPECT_TRUE(holds(condition));
}

TEST(Expressions, DecisiveConstantsStopEvaluation) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def kernel(p, x):
    if x is not None and tl.load(x) > 3:
        tl.store(p, 1)
    if x is None or undefined:
        tl.store(p, 2)
)",
                    "*i32, None", {"tt.store"}));
}

TEST(Expressions, RuntimeLogic) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def kernel(p, a, b):
    if a > 1 and b > 2 and True:
        tl.store(p, 1)
    if not (a > 1 or b > 3):
        tl.store(p, 2)
)",
                    "*i32, i32, i32", {"arith.andi", "scf.if", "arith.ori", "scf.if"}));
}

TEST(Expressions, Subscripts) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def kernel(p):
    x = tl.arange(0, 8)
    y = x[None, :] + x[:, None]
    tl.store(p + y, y)
)",
                    "*i32",
                    {"%x = tt.make_range", "tt.expand_dims", "tensor<1x8xi32>", "tt.expand_dims", "tensor<8x1xi32>"}));
  EXPECT_TRUE(fails(R"(
@triton.jit
def kernel(p, n, t):
    x = t[n]
)",
                    "*i32, i32, (i32, i32)",
                    {"kernel.py:4:9: error: a tuple is indexed while compiling, so the index must be a constexpr"}));
}

TEST(Expressions, OperatorErrors) {
  auto errorOf = [](std::string expression) {
    Emitted emitted = emitText("@triton.jit\ndef kernel(p, n, f):\n    x = " + expression + "\n", "*i32, i32, fp32");
    return emitted.messages.size() == 1 ? emitted.messages[0] : "errors: " + emitted.errors;
  };
  EXPECT_TRUE(llvm::StringRef(errorOf("0 + 'a'")).contains("unsupported operand type")) << errorOf("0 + 'a'");
  EXPECT_TRUE(llvm::StringRef(errorOf("1.0 << 1")).contains("unsupported operand type")) << errorOf("1.0 << 1");
  EXPECT_EQ(errorOf("not (0, 0)"), "operator 'not' is not implemented for tuple");
  EXPECT_TRUE(llvm::StringRef(errorOf("p + p")).contains("cannot add pointers")) << errorOf("p + p");
  EXPECT_TRUE(llvm::StringRef(errorOf("n & f")).contains("invalid operands of type")) << errorOf("n & f");
  EXPECT_EQ(errorOf("tl.nothing"), "module 'triton.language' has no attribute 'nothing'");
  EXPECT_EQ(errorOf("(n, n) == (n, n)"), "operator == is not implemented for tuple and tuple with run-time values");
}

} // namespace
} // namespace triton::frontend
