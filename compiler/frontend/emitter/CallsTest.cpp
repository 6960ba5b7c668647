#include "compiler/frontend/emitter/EmitKernelTesting.h"

namespace triton::frontend {
namespace {

TEST(Calls, OneFunctionPerKindOfArguments) {
  Emitted emitted = emitText(R"(
@triton.jit
def scale(x, k, SHIFT: tl.constexpr = 1):
    return x * k + SHIFT

@triton.jit
def kernel(p, n):
    a = scale(n, n)
    b = scale(a, k=n)
    c = scale(a, n, SHIFT=2)
    tl.store(p, b + c)
)",
                             "*i32, i32");
  EXPECT_EQ(emitted.errors, "");
  EXPECT_EQ(llvm::StringRef(emitted.ir).count("tt.func private"), 2u) << emitted.ir;
  EXPECT_TRUE(holdsInOrder(
      emitted.ir, {"tt.func public @kernel(%p: !tt.ptr<i32>", "%n: i32", "tt.call @kernel.scale__i32_i32_c1(%n, %n)"}));
}

TEST(Calls, ConstantsStayConstantsInTheCallee) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def block(n):
    return tl.arange(0, n)

@triton.jit
def kernel(p):
    tl.store(p + block(8), 1)
)",
                    "*i32", {"tt.call", "-> tensor<8xi32>"}));
}

TEST(Calls, TuplesPassAndReturn) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def swap(pair, scale=2):
    a, b = pair
    return b * scale, a

@triton.jit
def kernel(p, n, m):
    x, y = swap((n, m))
    x, y = swap(pair=(x, y))
    tl.store(p, x + y)
)",
                    "*i32, i32, fp32", {"(i32, f32) -> (f32, i32)", "(f32, i32) -> (i32, f32)"}));
}

TEST(Calls, ArgumentErrorsAreAsInPython) {
  const char *text = R"(
@triton.jit
def f(a, b, c=1):
    return a

@triton.jit
def kernel(n):
    %s
)";
  auto errorOf = [&](const char *statement) {
    std::string source = text;
    source.replace(source.find("%s"), 2, statement);
    Emitted emitted = emitText(source, "i32");
    return emitted.messages.empty() ? std::string() : emitted.messages[0];
  };
  EXPECT_EQ(errorOf("f()"), "f() missing 2 required positional arguments: 'a' and 'b'");
  EXPECT_EQ(errorOf("f(1)"), "f() missing 1 required positional argument: 'b'");
  EXPECT_EQ(errorOf("f(1, 2, 3, 4)"), "f() takes from 2 to 3 positional arguments but 4 were given");
  EXPECT_EQ(errorOf("f(1, 2, d=3)"), "f() got an unexpected keyword argument 'd'; it takes 'a', 'b' and 'c'");
  EXPECT_EQ(errorOf("f(1, 2, a=3)"), "f() got multiple values for argument 'a'");
  EXPECT_EQ(errorOf("f(1, *n)"), "the argument after * must be a tuple, got tensor");
  EXPECT_EQ(errorOf("f(1, **n)"), "`**` arguments are not supported");
  EXPECT_EQ(errorOf("n(1)"), "'tensor' object is not callable");
}

TEST(Calls, NoinlineTakesScalars) {
  EXPECT_TRUE(fails(R"(
@triton.jit(noinline=True)
def f(x):
    return x

@triton.jit
def kernel(n):
    f(tl.arange(0, 4))
)",
                    "i32", {"function f is marked noinline, but was called with non-scalar argument x:<[4], int32>"}));
  EXPECT_TRUE(emits(R"(
@triton.jit(noinline=True)
def f(x):
    return x

@triton.jit
def kernel(n):
    f(n)
)",
                    "i32", {"noinline = true"}));
}

TEST(Calls, RecursionNeedsADifferentLevel) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def f(x, N: tl.constexpr):
    if N == 0:
        return x
    else:
        return f(x, N - 1) + 1

@triton.jit
def kernel(p, n):
    tl.store(p, f(n, 3))
)",
                    "*i32, i32", {"tt.store"}));
  EXPECT_TRUE(fails(R"(
@triton.jit
def f(x):
    return f(x)

@triton.jit
def kernel(n):
    f(n)
)",
                    "i32", {"function f calls itself with the same argument types and constants"}));
  EXPECT_TRUE(fails(R"(
@triton.jit
def f(x, N: tl.constexpr):
    return f(x, N + 1)

@triton.jit
def kernel(n):
    f(n, 0)
)",
                    "i32", {"nested too deeply"}));
}

// Each level's argument is twice as large: what a type is written as would fill any memory long before the calls are nested too deeply.
TEST(Calls, TypesThatGrowAreAnErrorWithAPlace) {
  EXPECT_TRUE(fails(
      R"(
@triton.jit
def f(x):
    return f((x, x))

@triton.jit
def kernel(n):
    f(n)
)",
      "i32", {"kernel.py:4:14: error: this holds more than 65536 values", "kernel.py:8:5: note: called from here"}));
  EXPECT_TRUE(fails(R"(
@triton.jit
def kernel(n):
    x = (n,)
    for i in tl.static_range(100):
        x = x + x
)",
                    "i32", {"kernel.py:6:13: error: this holds more than 65536 values"}));
  EXPECT_TRUE(fails(R"(
@triton.jit
def f(x):
    return f((x, 1))

@triton.jit
def kernel(n):
    f(n)
)",
                    "i32",
                    {"kernel.py:4:", "error: calls and expressions are nested too deeply",
                     "kernel.py:4:12: note: called from here"}));
}

TEST(Calls, KernelsReturnNothing) {
  EXPECT_TRUE(fails(R"(
@triton.jit
def kernel(n):
    return n
)",
                    "i32", {"kernels must not return values, this returns int32"}));
}

TEST(Calls, ConstantsThatKernelsReturnAreLeftOut) {
  const llvm::StringRef source = R"(
@triton.jit
def kernel(n):
    if n > 0:
        return 1
    return None
)";
  EXPECT_TRUE(emits(source, "i32", {"tt.func public @kernel", "tt.return"}));
  LanguageOptions before;
  before.version = *LanguageVersion::parse("3.6");
  EXPECT_TRUE(holdsInOrder(emitText(source, "i32", "", before).errors, {"kernels must not return values"}));
}

TEST(Calls, KernelArgumentsMayBeTuples) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def kernel(t, N):
    tl.store(t[0], t[1][0] + len(t) + N)
)",
                    "(*fp32:16, (fp32, 3)), 4",
                    {"tt.func public @kernel(%t.0: !tt.ptr<f32> {tt.divisibility = 16 : i32}", "%t.1.0: f32"}));
}

TEST(Calls, DescriptorArgumentsBringShapeAndStrides) {
  EXPECT_TRUE(emits(
      R"(
@triton.jit
def kernel(d):
    d.store([0, 0], d.load([8, 8]))
)",
      "tensordesc<fp32[8, 8]>:16",
      {"%d: !tt.tensordesc<tensor<8x8xf32>>", "%d.shape.0: i32, %d.shape.1: i32, %d.stride.0: i64, %d.stride.1: i64"}));
}

TEST(Calls, WhatIsMissingIsAnError) {
  mlir::MLIRContext context;
  Diagnostics diagnostics;
  EXPECT_FALSE(emitKernel(context, {}, diagnostics));
  EXPECT_EQ(diagnostics.all()[0].message, "there is no source to compile");
  EXPECT_EQ(emitText("@triton.jit\ndef kernel(p, n): pass\n", "i32").messages[0],
            "kernel kernel has 2 parameters, but 1 arguments are given");
  EXPECT_EQ(emitText("@triton.jit\ndef kernel(n): pass\n", "void").messages[0], "argument n has no type");
  EXPECT_EQ(emitText("@triton.jit\ndef kernel(**n): pass\n", "").messages[0],
            "`**` parameters are not supported in jitted functions: 'n'");
}

TEST(Calls, ParametersOfEveryKind) {
  const char *text = R"(
@triton.jit
def total(first, /, *rest, scale=1, offset):
    for i in tl.static_range(len(rest)):
        first += rest[i]
    return first * scale + offset

@triton.jit
def kernel(p, n, *, m):
    tl.store(p, total(n, *(n, m), offset=m))
)";
  EXPECT_TRUE(emits(text, "*i32, i32, i32", {"tt.func public @kernel(%p: !tt.ptr<i32>, %n: i32, %m: i32)"}));
  EXPECT_TRUE(fails(R"(
@triton.jit
def scaled(x, *, by):
    return x * by

@triton.jit
def kernel(p, n):
    tl.store(p, scaled(n))
)",
                    "*i32, i32", {"scaled() missing 1 required keyword-only argument: 'by'"}));
}

TEST(Calls, ConstantsStayConstantsThroughReturns) {
  const char *text = R"(
@triton.jit
def size(n):
    if n > 0:
        return 16
    return 16

@triton.jit
def kernel(p, n):
    tl.store(p + tl.arange(0, size(n)), 1)
)";
  EXPECT_TRUE(emits(text, "*i32, i32", {"tt.make_range {end = 16"}));
  LanguageOptions before;
  before.version = *LanguageVersion::parse("3.6");
  EXPECT_FALSE(emitText(text, "*i32, i32", "kernel", before).messages.empty());
}

TEST(Calls, ErrorsShowTheWholeChain) {
  EXPECT_TRUE(fails(R"(
@triton.jit
def inner(x):
    return undefined

@triton.jit
def outer(x):
    return inner(x)

@triton.jit
def kernel(n):
    a = outer(n)
    b = a + 1
)",
                    "i32",
                    {"kernel.py:4:12: error: 'undefined' is not defined", "kernel.py:8:12: note: called from here",
                     "kernel.py:12:9: note: called from here"}));
}

TEST(Calls, FunctionsAreValues) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def add(a, b):
    return a + b

@triton.jit
def run(f, x):
    return f(x, x)

@triton.jit
def kernel(p, n):
    tl.store(p, run(add, n))
)",
                    "*i32, i32", {"tt.call", "tt.store"}));
}

TEST(Calls, ResultsThatMustBeUsed) {
  EXPECT_TRUE(fails(R"(
@tl.core.must_use_result("it has no effect otherwise")
@triton.jit
def shifted(x):
    return x + 1

@triton.jit
def kernel(n):
    shifted(n)
)",
                    "i32",
                    {"kernel.py:9:5: error: The result of shifted is not being used. it has no effect otherwise"}));
}

TEST(Calls, NamedTuplesSurvive) {
  EXPECT_TRUE(emits(R"(
from typing import NamedTuple

class Point(NamedTuple):
    x: tl.tensor
    y: tl.tensor

@triton.jit
def move(point, by):
    return Point(point.x + by, y=point.y)

@triton.jit
def kernel(p, n):
    point = Point(n, 1.5)
    for i in range(n):
        point = move(point, i)
    if n > 3:
        point = Point(y=2.5, x=point.x)
    tl.store(p, point.x + point.y)
)",
                    "*fp32, i32", {"scf.for", "iter_args(%point", "tt.call", "-> (i32, f32)", "scf.if"}));
}

} // namespace
} // namespace triton::frontend
