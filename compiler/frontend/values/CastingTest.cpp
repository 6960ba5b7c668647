// Conversions (semantics 11) as the ops they become.
#include "compiler/frontend/emitter/EmitKernelTesting.h"

namespace triton::frontend {
namespace {

/// The IR of `tl.store(q, <expression of x>)`, x being loaded through a pointer of type `from`, q pointing to `to`.
testing::AssertionResult converts(const char *from, const char *to, const char *expression,
                                  std::initializer_list<llvm::StringRef> pieces) {
  return emits(std::string("@triton.jit\ndef kernel(p, q):\n    x = tl.load(p)\n    tl.store(q, ") + expression + ")\n",
               std::string("*") + from + ", *" + to, pieces);
}

TEST(Casting, BetweenNumbers) {
  EXPECT_TRUE(converts("i8", "i32", "x.to(tl.int32)", {"arith.extsi", "i8 to i32"}));
  EXPECT_TRUE(converts("u8", "i32", "x.to(tl.int32)", {"arith.extui", "i8 to i32"}));
  EXPECT_TRUE(converts("i64", "i16", "x.to(tl.int16)", {"arith.trunci", "i64 to i16"}));
  EXPECT_TRUE(converts("i32", "fp32", "x.to(tl.float32)", {"arith.sitofp"}));
  EXPECT_TRUE(converts("u32", "fp32", "x.to(tl.float32)", {"arith.uitofp"}));
  EXPECT_TRUE(converts("fp32", "i32", "x.to(tl.int32)", {"arith.fptosi"}));
  EXPECT_TRUE(converts("fp32", "u32", "x.to(tl.uint32)", {"arith.fptoui"}));
  EXPECT_TRUE(converts("fp16", "i32", "x.to(tl.int32)", {"arith.extf", "arith.fptosi"}));
  EXPECT_TRUE(converts("fp32", "i1", "x.to(tl.int1)", {"arith.cmpf une"}));
  EXPECT_TRUE(converts("i32", "i1", "x.to(tl.int1)", {"arith.cmpi ne"}));
}

TEST(Casting, BetweenFloats) {
  EXPECT_TRUE(converts("fp32", "fp16", "x.to(tl.float16)", {"arith.truncf", "f32 to f16"}));
  EXPECT_TRUE(
      converts("fp16", "bf16", "x.to(tl.bfloat16)", {"arith.extf", "f16 to f32", "arith.truncf", "f32 to bf16"}));
  EXPECT_TRUE(converts("bf16", "fp64", "x.to(tl.float64)", {"bf16 to f32", "f32 to f64"}));
  EXPECT_TRUE(
      converts("fp32", "fp16", "x.to(tl.float16, fp_downcast_rounding='rtz')", {"tt.fp_to_fp", "rounding = rtz"}));
  EXPECT_TRUE(converts("fp32", "fp8e5", "x.to(tl.float8e5)", {"tt.fp_to_fp", "rounding = rtne", "f32 -> f8E5M2"}));
  EXPECT_TRUE(converts("fp8e4nv", "fp32", "x.to(tl.float32)", {"tt.fp_to_fp", "f8E4M3FN -> f32"}));
  EXPECT_TRUE(converts("fp64", "fp8e5", "x.to(tl.float8e5)", {"f64 to f32", "f32 -> f8E5M2"}));
  EXPECT_TRUE(converts("fp32", "fp8e4b15", "x.to(tl.float8e4b15)",
                       {"rounding = rtz : f32 -> f16", "rounding = rtne : f16 -> f8E4M3B11FNUZ"}));
}

TEST(Casting, Bits) {
  EXPECT_TRUE(converts("fp32", "i32", "x.to(tl.int32, bitcast=True)", {"tt.bitcast", "f32 -> i32"}));
  EXPECT_TRUE(fails("@triton.jit\ndef kernel(x):\n    y = x.to(tl.int16, bitcast=True)\n", "fp32",
                    {"cannot bitcast data of size 32 (fp32) to data of size 16"}));
}

TEST(Casting, Pointers) {
  EXPECT_TRUE(emits("@triton.jit\ndef kernel(p):\n    a = p.to(tl.int64)\n    q = a.to(tl.pointer_type(tl.int32))\n    "
                    "tl.store(q, 1)\n",
                    "*fp32", {"tt.ptr_to_int", "tt.int_to_ptr"}));
  EXPECT_TRUE(
      emits("@triton.jit\ndef kernel(p):\n    tl.store(p.to(tl.pointer_type(tl.int8)), 1)\n", "*fp32", {"tt.bitcast"}));
  EXPECT_TRUE(
      fails("@triton.jit\ndef kernel(p):\n    a = p.to(tl.int32)\n", "*fp32", {"cannot cast pointer<fp32> to int32"}));
}

TEST(Casting, Mistakes) {
  EXPECT_TRUE(fails("@triton.jit\ndef kernel(x):\n    y = x.to(tl.float32, fp_downcast_rounding='rtz')\n", "i32",
                    {"only for truncating fp conversions", "int32 to fp32"}));
  EXPECT_TRUE(fails("@triton.jit\ndef kernel(x):\n    y = x.to(tl.float16, fp_downcast_rounding='up')\n", "fp32",
                    {"rounding mode 'up' is not supported"}));
  EXPECT_TRUE(fails("@triton.jit\ndef kernel(p):\n    y = tl.load(p).to(tl.int32)\n", "*fp8e5",
                    {"cannot cast fp8e5 to int32"}));
  LanguageOptions options;
  options.supportedFp8 = {"fp8e5"};
  EXPECT_TRUE(
      holdsInOrder(emitText("@triton.jit\ndef kernel(x):\n    y = x.to(tl.float8e4nv)\n", "fp32", "", options).errors,
                   {"type fp8e4nv not supported in this architecture", "fp8e5"}));
}

TEST(Casting, SameTypeIsLeftAloneBeforeRoundingIsRead) {
  EXPECT_TRUE(emits("@triton.jit\ndef kernel(p, x):\n    tl.store(p, x.to(tl.float32, fp_downcast_rounding='rtz'))\n",
                    "*fp32, fp32", {"tt.store"}));
}

} // namespace
} // namespace triton::frontend
