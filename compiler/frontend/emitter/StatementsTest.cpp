#include "compiler/frontend/emitter/EmitKernelTesting.h"

namespace triton::frontend {
namespace {

TEST(Statements, AssignmentMaterialises) {
  EXPECT_TRUE(
      emits(R"(
@triton.jit
def kernel(p):
    a, (b, c) = 1, (2.0, True)
    x: "whatever" = 4294967295
    y: tl.constexpr = 8
    y2: tl.constexpr = y * 2
    z = tl.arange(0, y2)
    tl.store(p, x)
)",
            "*i64",
            {"%a = arith.constant 1 : i32", "%b = arith.constant 2.000000e+00 : f32", "%c = arith.constant true",
             "%x = arith.constant -1 : i32", "%z = tt.make_range {end = 16", "tt.store"}));
}

TEST(Statements, WhatCannotBeAssigned) {
  auto errorOf = [](std::string statement) {
    Emitted emitted = emitText("@triton.jit\ndef kernel(p, n, t):\n    " + statement + "\n", "*i32, i32, (i32, i32)");
    return emitted.messages.size() == 1 ? emitted.messages[0] : "errors: " + emitted.errors;
  };
  EXPECT_EQ(errorOf("a = b = 1"), "simultaneous multiple assignment is not supported");
  EXPECT_EQ(errorOf("n[0] = 1"), "`__setitem__`: assigning to an item is not supported in kernels");
  EXPECT_EQ(errorOf("n.x += 1"), "attribute assignment is not supported in kernels");
  EXPECT_EQ(errorOf("a, t[0] = 1, 2"), "`__setitem__`: assigning to an item is not supported in kernels");
  EXPECT_EQ(errorOf("[a, b] = t"), "unsupported AST node type: List");
  EXPECT_EQ(errorOf("a, *b = t"), "starred assignment targets are not supported");
  EXPECT_EQ(errorOf("a, b, c = t"), "not enough values to unpack (expected 3, got 2)");
  EXPECT_EQ(errorOf("a, b = n"), "cannot unpack non-iterable value int32[]");
  EXPECT_EQ(errorOf("n: tl.constexpr = 3"), "'n' is already defined, constexpr cannot be reassigned");
}

TEST(Statements, WhatIsNotInTheLanguage) {
  auto errorOf = [](std::string statement) {
    Emitted emitted = emitText("@triton.jit\ndef kernel(p, n):\n    " + statement + "\n", "*i32, i32");
    return emitted.messages.size() == 1 ? emitted.messages[0] : "errors: " + emitted.errors;
  };
  EXPECT_EQ(errorOf("del n"), "unsupported AST node type: Delete");
  EXPECT_EQ(errorOf("import os"), "unsupported AST node type: Import");
  EXPECT_EQ(errorOf("raise n"), "unsupported AST node type: Raise");
  EXPECT_EQ(errorOf("global n"), "unsupported AST node type: Global");
  EXPECT_EQ(errorOf("class C: pass"), "unsupported AST node type: ClassDef");
  EXPECT_EQ(
      errorOf("def f(): pass"),
      "nested function definitions are not allowed inside a @triton.jit kernel. Move the helper function to module "
      "level and decorate it with @triton.jit.");
  EXPECT_EQ(errorOf("x = lambda: 1"), "unsupported AST node type: Lambda");
  EXPECT_EQ(errorOf("x = {1: 2}"), "unsupported AST node type: Dict");
  EXPECT_TRUE(fails("@triton.jit\ndef kernel(n):\n    while n < 3:\n        break\n", "i32",
                    {"unsupported AST node type: Break", "hint: put the condition into a `while`"}));
  EXPECT_TRUE(fails("@triton.jit\ndef kernel(n):\n    x = n in (1, 2)\n", "i32",
                    {"unsupported AST node type: In", "hint: compare with each value"}));
  EXPECT_EQ(errorOf("while (n := n * 2) < 9:\n        pass"),
            "`:=` cannot change 'n' in the condition of a `while`; assign it in a statement");
  EXPECT_EQ(errorOf("yield 1"), "unsupported AST node type: Yield");
  EXPECT_EQ(errorOf("while n < 3:\n        break"), "unsupported AST node type: Break");
  EXPECT_EQ(errorOf("for i in range(3):\n        pass\n    else:\n        pass"),
            "`else` after a `for` loop is not supported");
  EXPECT_EQ(errorOf("x = n in (1, 2)"), "unsupported AST node type: In");
  EXPECT_EQ(errorOf("x = [i for i in (1, 2) if n]"),
            "the condition of a comprehension must be known while compiling, got int32[]");
  EXPECT_EQ(errorOf("x = 3j"), "complex numbers and bytes are not supported in kernels");
  EXPECT_EQ(errorOf("x = [i for i in (1, 2) for j in (1, 2)]"), "nested comprehensions are not supported");
  EXPECT_EQ(errorOf("x = [i for i in n]"), "only tuple comprehensions are supported, got tensor");
  EXPECT_EQ(errorOf("x = f'{n}'"),
            "cannot evaluate f-string containing non-constexpr conversion values, found conversion of type tensor");
  EXPECT_EQ(errorOf("with n: pass"), "`with` takes a call that makes a context manager");
  EXPECT_EQ(errorOf("with f():\n        return"), "Cannot have `return` statements inside `with` statements in triton");
}

TEST(Statements, DeadBranchesMayHoldAnything) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def kernel(p, F: tl.constexpr):
    if F:
        import os
        raise os.undefined
    tl.store(p, 1)
)",
                    "*i32, False", {"tt.store"}));
}

TEST(Statements, IndependentErrorsAreAllReported) {
  Emitted emitted = emitText(R"(
@triton.jit
def kernel(p, n):
    a = missing1
    b = a + 1
    c = missing2 + missing3
    for i in range(n):
        d = missing4
        a += d
    if a > 0:
        e = 1
    tl.store(p, e)
    f = n.nothing
)",
                             "*i32, i32");
  EXPECT_EQ(emitted.messages, (std::vector<std::string>{"'missing1' is not defined", "'missing2' is not defined",
                                                        "'missing3' is not defined", "'missing4' is not defined",
                                                        "'tensor' object has no attribute 'nothing'"}))
      << emitted.errors;
}

TEST(Statements, NamesAreSuggested) {
  EXPECT_TRUE(fails(R"(
@triton.jit
def kernel(p, block_size):
    tl.store(p, blok_size)
)",
                    "*i32, i32",
                    {"kernel.py:4:17: error: 'blok_size' is not defined", "hint: did you mean 'block_size'?"}));
  EXPECT_TRUE(fails("@triton.jit\ndef kernel(n):\n    x = cumsum(n)\n", "i32",
                    {"error: 'cumsum' is not defined", "hint: did you mean 'tl.cumsum'?"}));
}

TEST(Statements, AttributesAndKeywordsAreSuggested) {
  EXPECT_TRUE(fails("@triton.jit\ndef kernel(p): tl.stroe(p, 1)\n", "*i32",
                    {"module 'triton.language' has no attribute 'stroe'", "hint: did you mean 'store'?"}));
  EXPECT_TRUE(fails("@triton.jit\ndef kernel(p): tl.store(p, 1, maks=True)\n", "*i32",
                    {"store() got an unexpected keyword argument 'maks'; did you mean 'mask'?"}));
}

TEST(Statements, CodeBehindReturnIsIgnored) {
  EXPECT_TRUE(emits(R"(
@triton.jit
def kernel(p):
    tl.store(p, 1)
    return
    undefined()
)",
                    "*i32", {"tt.store", "tt.return"}));
  EXPECT_TRUE(fails(R"(
@triton.jit
def kernel(p, F: tl.constexpr):
    if F:
        return
    undefined()
)",
                    "*i32, True", {"'undefined' is not defined"}));
}

TEST(Statements, DeadCodeIsCheckedAndDropped) {
  Emitted emitted = emitText(R"(
@triton.jit
def helper(n, F: tl.constexpr):
    if F:
        if n is not None:
            return n
        x = n * 3
    y = x + 1
    for i in range(y):
        y += i
    return y

@triton.jit
def kernel(p, n):
    tl.store(p, helper(n, True))
)",
                             "*i32, i32");
  EXPECT_EQ(emitted.errors, "");
  EXPECT_FALSE(llvm::StringRef(emitted.ir).contains("scf.")) << emitted.ir;
  EXPECT_FALSE(llvm::StringRef(emitted.ir).contains("arith.muli")) << emitted.ir;
}

TEST(Statements, ValuesKnowTheirPlaceAndName) {
  Emitted emitted = emitText(R"(
@triton.jit
def kernel(p, n):
    first = n * 2
    for i in range(first):
        tl.store(p + i, first)
)",
                             "*i32, i32");
  EXPECT_TRUE(holdsInOrder(emitted.located,
                           {"arith.muli", "\"first\"(#loc", "scf.for", "tt.store", "kernel.py:6:9", "kernel.py:4:13"}))
      << emitted.errors;
}

TEST(Statements, RuntimeParameterWhereAConstantIsNeeded) {
  EXPECT_TRUE(fails(R"(
@triton.jit
def kernel(p, BLOCK):
    x = tl.arange(0, BLOCK)
)",
                    "*i32, i32",
                    {"kernel.py:4:9: error:", "constexpr", "hint: declare the parameter as `BLOCK: tl.constexpr`"}));
}

TEST(Statements, AssertIsOnlyInDebug) {
  const char *text = R"(
@triton.jit
def kernel(n):
    assert n > 0, "positive"
)";
  EXPECT_FALSE(llvm::StringRef(emitText(text, "i32").ir).contains("tt.assert"));
  EXPECT_TRUE(holdsInOrder(emitText(text, "i32", "", {.debug = true}).ir, {"tt.assert", "positive"}));
}

} // namespace
} // namespace triton::frontend
