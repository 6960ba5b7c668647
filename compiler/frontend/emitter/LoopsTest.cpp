#include "compiler/frontend/emitter/EmitKernelTesting.h"

namespace triton::frontend {
namespace {

TEST(Loops, CarriesWhatTheBodyChanges) {
  EXPECT_TRUE(emits(
      R"(
@triton.jit
def kernel(p, n):
    acc = 0
    other = 3
    for i in range(0, n, 2):
        acc += i
        t = acc
    tl.store(p, acc + other)
)",
      "*i32, i32",
      {"%acc = arith.constant 0 : i32", "= scf.for %i = ", "iter_args(%acc_", "= %acc)", "scf.yield", "tt.store"}));
}

TEST(Loops, OptionsBecomeAttributes) {
  EXPECT_TRUE(emits(
      R"(
@triton.jit
def kernel(p, n):
    for i in tl.range(n, num_stages=4, loop_unroll_factor=2, flatten=True, disable_licm=True):
        tl.store(p + i, i)
)",
      "*i32, i32",
      {"scf.for", "llvm.loop_annotation", "tt.flatten", "tt.loop_unroll_factor = 2 : i32", "tt.num_stages = 4 : i32"}));
}

TEST(Loops, DescendsByAConstantStep) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def kernel(p, n):
    for i in range(n, 0, -2):
        tl.store(p + i, i)
)",
                    "*i32, i32", {"scf.for %i = %c0_i32 to %n step %c2_i32", "arith.subi", "%i_", "arith.addi"}));
}

TEST(Loops, CountsWhereTheStepSaysTheDirection) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def kernel(p, n, step):
    for i in range(0, n, step):
        tl.store(p + i, i)
)",
                    "*i32, i32, i32",
                    {"arith.cmpi slt, %step", "arith.divui", "arith.extui", "scf.for %i = %c0_i64", ": i64",
                     "arith.trunci %i", "arith.muli", "%step", "arith.addi"}));
  EXPECT_TRUE(emits(R"(
@triton.jit
def kernel(p, n):
    for i in range(tl.program_id(0), n, tl.num_programs(0)):
        tl.store(p + i, i)
)",
                    "*i32, i32", {"tt.get_num_programs", "scf.for", ": i32"}));
}

TEST(Loops, UnsignedBoundsAreCountedInWiderNumbers) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def kernel(p, n):
    for i in range(0, n, 4):
        tl.store(p, i)
)",
                    "*u32, u32", {"arith.extui %n : i32 to i64", "scf.for", ": i64", "arith.trunci %i", "tt.store"}));
  EXPECT_TRUE(emits(R"(
@triton.jit
def kernel(p, n):
    for i in range(0, n, 4):
        tl.store(p, i)
)",
                    "*u64, u64", {"arith.cmpi ult", "arith.divui", "scf.for", ": i64", "tt.store"}));
}

TEST(Loops, BoundsPromote) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def kernel(p, n, m):
    for i in range(n, m):
        tl.store(p, i)
)",
                    "*i64, i32, i64", {"arith.extsi %n : i32 to i64", "scf.for", ": i64"}));
  EXPECT_TRUE(
      fails(R"(
@triton.jit
def kernel(p, x):
    for i in range(x):
        pass
)",
            "*i64, fp32",
            {"kernel.py:4:14: error: for loop bounds and step must all be integer scalars, the end is of type fp32"}));
}

TEST(Loops, TypesStayTheSame) {
  EXPECT_TRUE(
      fails(R"(
@triton.jit
def kernel(p, n):
    acc = 0
    for i in range(n):
        acc += 1.5
    tl.store(p, acc)
)",
            "*fp32, i32",
            {"kernel.py:5:5: error: Loop-carried variable acc has initial type int32 but is re-assigned to fp32",
             "kernel.py:4:5: note: it was bound here", "kernel.py:6:9: note: the loop rebinds it here"}));
  EXPECT_TRUE(fails(R"(
@triton.jit
def kernel(p, n, one):
    for i in range(n):
        one = 2
)",
                    "*fp32, i32, 1", {"variable one is constexpr[1] before the loop and cannot be re-assigned in it"}));
}

TEST(Loops, BodyNamesEndWithIt) {
  EXPECT_TRUE(fails(R"(
@triton.jit
def kernel(p, n):
    for i in range(n):
        x = i
    tl.store(p, x)
)",
                    "*i32, i32", {"'x' is not defined", "note: it is assigned in a loop only"}));
}

TEST(Loops, StaticRangeUnrolls) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def kernel(p):
    x = 0
    for i in tl.static_range(3, 0, -1):
        x += i * 100
    tl.store(p, x + i)
)",
                    "*i32", {"arith.constant 300", "arith.constant 200", "arith.constant 100", "tt.store"}));
  EXPECT_TRUE(fails(R"(
@triton.jit
def kernel(p, n):
    for i in tl.static_range(0, n):
        pass
)",
                    "*i32, i32", {"end of static_range must be a constexpr integer"}));
  EXPECT_TRUE(fails(R"(
@triton.jit
def kernel(p):
    for i in tl.static_range(10000000000):
        pass
)",
                    "*i32", {"would unroll 10000000000 iterations"}));
}

TEST(Loops, EarlyReturnInUnrolledLoop) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def kernel(p, n):
    for i in tl.static_range(3):
        if n == i:
            return
        tl.store(p + i, n)
    tl.store(p, 7)
)",
                    "*i32, i32", {"scf.if", "scf.if", "scf.if", "tt.return"}));
}

TEST(Loops, While) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def kernel(p, n):
    i = 0
    while i < n:
        j = i
        while tl.condition(j < 3):
            j += 1
        i += j
    tl.store(p, i)
)",
                    "*i32, i32", {"scf.while", "scf.condition", "scf.while", "scf.condition"}));
  EXPECT_TRUE(fails(
      R"(
@triton.jit
def kernel(p):
    while True:
        pass
)",
      "*i32",
      {"kernel.py:4:11: error: a `while` condition must be a run-time scalar, got the compile-time value True"}));
  EXPECT_TRUE(emits(R"(
@triton.jit
def kernel(lock):
    while tl.load(lock) == 1:
        pass
)",
                    "*i32", {"scf.while", "tt.load", "scf.condition"}));
}

TEST(Loops, WaitingReadsAnew) {
  // What the end depends on, where it is read at one place; not what is read at places that change.
  EXPECT_TRUE(emits(R"(
@triton.jit
def kernel(flags, i, p):
    ready = tl.load(flags + i)
    while ready == 0:
        ready = tl.load(flags + i)
    while tl.load(p + i) > 0:
        i += 1
)",
                    "*i32, i32, *i32",
                    {"tt.load", ": !tt.ptr<i32>", "scf.while", "scf.condition", "{isVolatile = true}", "scf.while"}));
  EXPECT_FALSE(emits(R"(
@triton.jit
def kernel(p, i):
    while tl.load(p + i) > 0:
        i += 1
    tl.store(p, i)
)",
                     "*i32, i32", {"isVolatile = true"}));
}

TEST(Loops, NoReturnInside) {
  EXPECT_TRUE(fails(R"(
@triton.jit
def kernel(p, n):
    for i in range(n):
        if i > 3:
            return
)",
                    "*i32, i32", {"kernel.py:6:13: error: Cannot have `return` statements inside `while` or `for`"}));
}

TEST(Loops, OnlyRanges) {
  EXPECT_TRUE(fails(R"(
@triton.jit
def kernel(p):
    for i in (1, 2):
        pass
)",
                    "*i32", {"only `range` and `static_range` iterators are currently supported"}));
}

TEST(Loops, VariablesMayTakeUsedNames) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def kernel(p, n):
    i = 7
    j = 8
    for k in range(n):
        for i in range(k):
            tl.store(p, i)
    if n > 3:
        for j in range(n):
            tl.store(p, j)
    else:
        if n > 2:
            j = 3
    for j in range(n):
        for i in range(j):
            tl.store(p, i)
)",
                    "*i32, i32",
                    {"scf.for %k", "scf.for %i", "ub.poison", "scf.if", "scf.for %j", "scf.for %j", "scf.for %i"}));
}

TEST(Loops, VariableMayBeReassigned) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def kernel(p, n):
    for i in range(n):
        i = i * 2
        tl.store(p + i, i)
)",
                    "*i32, i32", {"scf.for", "arith.muli", "tt.store"}));
}

} // namespace
} // namespace triton::frontend
