#include "compiler/frontend/emitter/EmitKernelTesting.h"

namespace triton::frontend {
namespace {

TEST(Branches, RuntimeIfMergesWhatChanges) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def kernel(p, n):
    x = 1
    y = 2
    if n > 0:
        x = 5
    tl.store(p, x + y)
)",
                    "*i32, i32", {"%x_0 = scf.if", "scf.yield %x", "} else {", "scf.yield %x", "arith.addi %x_0, %y"}));
}

TEST(Branches, BothArmsMayDefine) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def kernel(p, n):
    if n > 0:
        x = 5
    elif n < -3:
        x = 7
    else:
        x = 6
    tl.store(p, x)
)",
                    "*i32, i32", {"scf.if", "scf.if", "tt.store %p, %x"}));
}

TEST(Branches, CompileTimeIfTakesOneArm) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def kernel(p, N: tl.constexpr):
    if N > 4:
        x: tl.constexpr = 1
    else:
        x: tl.constexpr = undefined_name
    tl.store(p, x)
)",
                    "*i32, 8", {"tt.store"}));
}

TEST(Branches, OneArmOnlyIsNotVisibleBehind) {
  EXPECT_TRUE(fails(
      R"(
@triton.jit
def kernel(p, n):
    if n > 0:
        x = 5
    tl.store(p, x)
)",
      "*i32, i32", {"kernel.py:6:17: error: 'x' is not defined", "kernel.py:5:9: note: it is assigned in one branch"}));
}

TEST(Branches, TypesMustAgree) {
  EXPECT_TRUE(fails(R"(
@triton.jit
def kernel(p, n):
    if n > 0:
        x = 5
    else:
        x = 5.0
    tl.store(p, x)
)",
                    "*i32, i32",
                    {"error: Mismatched type for x between then block (int32) and else block (fp32)",
                     "note: the then block", "note: the else block"}));
  EXPECT_TRUE(
      fails(R"(
@triton.jit
def kernel(p, n):
    x = 0
    if n > 0:
        x = 5.0
    tl.store(p, x)
)",
            "*i32, i32",
            {"initial value for `x` is of type int32, but the then block redefines it as fp32", "it was bound here"}));
}

TEST(Branches, ConstexprIsNotReassigned) {
  EXPECT_TRUE(fails(R"(
@triton.jit
def kernel(p, n, c):
    if n > 0:
        c = 5
    tl.store(p, c)
)",
                    "*i32, i32, 1",
                    {"initial value for `c` is of type constexpr[1], but the then block redefines it as int32"}));
}

TEST(Branches, NoneStaysNone) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def kernel(p, n):
    x = None
    if n > 0:
        x = 5
    if x is None:
        tl.store(p, 1)
)",
                    "*i32, i32", {"tt.store"}));
}

TEST(Branches, EarlyReturnGuardsTheRest) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def kernel(p, n):
    if n == 0:
        return
    tl.store(p, n)
)",
                    "*i32, i32", {"arith.cmpi eq", "arith.xori", "scf.if", "tt.store", "}", "tt.return"}));
}

TEST(Branches, EarlyReturnsInARowAreOneBranch) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def kernel(p, n):
    if n == 0:
        return
    if not n < 7 or n == 3:
        return
    tl.store(p, n)
)",
                    "*i32, i32",
                    {"arith.cmpi eq", "arith.cmpi slt", "arith.ori", "scf.if", "tt.store", "}", "tt.return"}));
}

TEST(Branches, ThousandsOfEarlyReturns) {
  std::string text = "\n@triton.jit\ndef kernel(p, n):\n";
  for (int i = 0; i < 6000; ++i)
    text += "    if n == " + std::to_string(i) + ":\n        return\n";
  EXPECT_TRUE(emits(text + "    tl.store(p, n)\n", "*i32, i32", {"arith.ori", "scf.if", "tt.store"}));
}

TEST(Branches, ConditionThatReadsMemoryIsGuarded) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def kernel(p, n):
    if n == 0:
        return
    if tl.load(p) > 0:
        return
    tl.store(p, n)
)",
                    "*i32, i32", {"arith.cmpi eq", "scf.if", "tt.load", "scf.if", "tt.store"}));
}

TEST(Branches, ReturnBehindStoresKeepsOneCondition) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def kernel(p, n):
    if n == 0:
        tl.store(p, 5)
        return
    tl.store(p, n)
)",
                    "*i32, i32", {"scf.if %0 {", "tt.store", "scf.if %0 {", "} else {", "tt.store"}));
}

TEST(Branches, BothArmsReturn) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def pick(n):
    if n == 0:
        return 5
    else:
        return n

@triton.jit
def kernel(p, n):
    tl.store(p, pick(n))
)",
                    "*i32, i32", {"tt.func private", "%1 = scf.if", "tt.return %1 : i32"}));
}

TEST(Branches, AssignedBehindAReturnInAnArm) {
  // What an arm assigns behind a return inside it reaches the code behind the arm.
  EXPECT_TRUE(emits(R"(
@triton.jit
def kernel(p, n, m):
    x = 1
    y = (n, None)
    if n > 0:
        if m > 0:
            return
        x = 2
        y = (m, None)
        z = 3
        x += z
    tl.store(p, x + y[0])
)",
                    "*i32, i32, i32", {"scf.if", "scf.if", "ub.poison", "scf.if", "tt.store"}));
}

TEST(Branches, NestedEarlyReturnYieldsWhatFollowsNeeds) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def helper(n, m):
    x = 0
    if n > 0:
        if m > 0:
            return 7
        x = 3
    return x

@triton.jit
def kernel(p, n, m):
    tl.store(p, helper(n, m))
)",
                    "*i32, i32, i32", {"tt.call", "tt.func private", "-> i32", "scf.if", "ub.poison", "tt.return %"}));
}

TEST(Branches, FallingOffTheEndIsPoison) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def helper(n):
    if n > 0:
        return 7

@triton.jit
def kernel(p, n):
    tl.store(p, helper(n))
)",
                    "*i32, i32", {"tt.func private", "ub.poison", "tt.return"}));
}

TEST(Branches, ReturnTypesMustAgree) {
  EXPECT_TRUE(fails(R"(
@triton.jit
def helper(n):
    if n > 0:
        return 7
    return 1.0

@triton.jit
def kernel(p, n):
    tl.store(p, helper(n))
)",
                    "*i32, i32",
                    {"kernel.py:6:5: error: Return type mismatch: int32 and fp32. Note all return types were: "
                     "[constexpr[7], constexpr[1.0]]",
                     "kernel.py:5:9: note: the first return is here", "kernel.py:10:17: note: called from here"}));
}

TEST(Branches, ReturnsInCompileTimeArmsMayDiffer) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def helper(n, F: tl.constexpr):
    if F:
        return n
    else:
        return 1.0

@triton.jit
def kernel(p, n):
    tl.store(p, helper(n, True))
    tl.store(p, helper(n, False))
)",
                    "*fp32, i32", {"tt.call", "-> i32", "tt.call", "-> ()", "arith.constant 1.000000e+00 : f32"}));
}

TEST(Branches, Conditional) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def kernel(p, n):
    x = 1 if n > 0 else n
    tl.store(p, 1) if n > 3 else tl.store(p, 2)
    tl.store(p, x)
)",
                    "*i32, i32", {"%x = scf.if", "scf.if", "tt.store", "else", "tt.store", "tt.store %p, %x"}));
  EXPECT_TRUE(
      fails(R"(
@triton.jit
def kernel(p, n):
    x = 1.0 if n > 0 else n
)",
            "*i32, i32",
            {"kernel.py:4:9: error: Ternary expression with dynamic condition has inconsistent types fp32 and int32"}));
}

TEST(Branches, Conditions) {
  EXPECT_TRUE(fails(R"(
@triton.jit
def kernel(p):
    if tl.arange(0, 4) > 2:
        pass
)",
                    "*i32",
                    {"kernel.py:4:8: error: boolean value of a tensor with more than one element is ambiguous"}));
  EXPECT_TRUE(fails(R"(
@triton.jit
def kernel(p):
    if 1.5:
        pass
)",
                    "*i32", {"can only accept values of type {bool, int, NoneType}, not objects of type float"}));
  EXPECT_TRUE(emits(R"(
@triton.jit
def kernel(p, f, b, n):
    if p:
        tl.store(p, 1)
    if f:
        tl.store(p, 2)
    if 1 == n % 2:
        tl.store(p, 3)
)",
                    "*i32, fp32, u1, i32", {"scf.if", "scf.if", "scf.if"}));
}

} // namespace
} // namespace triton::frontend
