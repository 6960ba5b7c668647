// Every library function compiles, with the result types language.md gives.
#include "compiler/frontend/Library.h"
#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/emitter/EmitKernelTesting.h"

namespace triton::frontend {
namespace {

testing::AssertionResult compiles(const std::string &body) {
  const std::string text =
      "@triton.jit\ndef kernel(p_i1, p_i8, p_u8, p_i32, p_u32, p_fp16, p_bf16, p_fp32):\n"
      "    r = tl.arange(0, 16)\n    s = tl.arange(0, 4)[:, None] * 16 + r[None, :]\n"
      "    i1 = tl.load(p_i1 + r)\n    i8 = tl.load(p_i8 + r)\n    u8 = tl.load(p_u8 + r)\n    i32 = tl.load(p_i32 + "
      "r)\n"
      "    u32 = tl.load(p_u32 + r)\n    fp16 = tl.load(p_fp16 + r)\n    bf16 = tl.load(p_bf16 + r)\n    fp32 = "
      "tl.load(p_fp32 + r)\n"
      "    m32 = tl.load(p_fp32 + s)\n    m16 = tl.load(p_fp16 + s)\n    mi = tl.load(p_i32 + s)\n";
  Emitted emitted = emitText(text + body, "*i1, *i8, *u8, *i32, *u32, *fp16, *bf16, *fp32");
  if (!emitted.ir.empty())
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << body << emitted.errors;
}

std::string typeAssert(llvm::StringRef expression, llvm::StringRef dtype, llvm::StringRef shape) {
  return ("    tl.static_assert((" + expression + ").dtype == tl." + dtype + ")\n    tl.static_assert((" + expression +
          ").shape == " + shape + ")\n")
      .str();
}

TEST(Library, ReductionTypes) {
  struct Case {
    const char *expression, *dtype, *shape;
  } cases[] = {
      {"tl.sum(i1)", "uint32", "()"},
      {"tl.sum(u8)", "uint32", "()"},
      {"tl.sum(i8)", "int32", "()"},
      {"tl.sum(fp16)", "float16", "()"},
      {"tl.sum(bf16)", "bfloat16", "()"},
      {"tl.sum(m32, axis=1)", "float32", "[4]"},
      {"tl.sum(m32, axis=0)", "float32", "[16]"},
      {"tl.sum(m32)", "float32", "()"},
      {"m32.sum(-1, keep_dims=True)", "float32", "[4, 1]"},
      {"tl.sum(m32, keep_dims=True)", "float32", "[1, 1]"},
      {"tl.sum(i8, dtype=tl.int64)", "int64", "()"},
      {"tl.max(fp16)", "float32", "()"},
      {"tl.max(u8)", "int32", "()"},
      {"tl.max(fp16, 0, return_indices=True)[0]", "float16", "()"},
      {"tl.max(fp16, 0, return_indices=True)[1]", "int32", "()"},
      {"tl.min(bf16)", "float32", "()"},
      {"tl.argmax(m32, 1)", "int32", "[4]"},
      {"tl.argmin(i8, 0, tie_break_left=False)", "int32", "()"},
      {"tl.argmax(m32, axis=1, keep_dims=True)", "int32", "[4, 1]"},
      {"tl.xor_sum(i1)", "int1", "()"},
      {"tl.reduce_or(i32, 0)", "int32", "()"},
      {"tl.cumsum(i1, 0)", "uint32", "[16]"},
      {"tl.cumsum(bf16, 0)", "bfloat16", "[16]"},
      {"tl.cumprod(i8, 0)", "int32", "[16]"},
      {"tl.cumsum(m32, axis=1, reverse=True)", "float32", "[4, 16]"},
      {"tl.histogram(i32, 64)", "int32", "[64]"},
      {"tl.softmax(m32, 1, keep_dims=True)", "float32", "[4, 16]"},
      {"tl.sigmoid(fp32)", "float32", "[16]"},
      {"m32.max(1)", "float32", "[4]"},
  };
  std::string body;
  for (const Case &c : cases)
    body += typeAssert(c.expression, c.dtype, c.shape);
  EXPECT_TRUE(compiles(body));
}

TEST(Library, ShapesAndSorting) {
  struct Case {
    const char *expression, *dtype, *shape;
  } cases[] = {
      {"tl.zeros([4, 8], tl.float16)", "float16", "[4, 8]"},
      {"tl.zeros_like(m16)", "float16", "[4, 16]"},
      {"m16.ravel()", "float16", "[64]"},
      {"tl.interleave(m32, m32)", "float32", "[4, 32]"},
      {"tl.interleave(tl.program_id(0), tl.program_id(1))", "int32", "[2]"},
      {"tl.flip(m32)", "float32", "[4, 16]"},
      {"tl.flip(m32, 0)", "float32", "[4, 16]"},
      {"m16.flip(-1)", "float16", "[4, 16]"},
      {"tl.sort(m16)", "float16", "[4, 16]"},
      {"tl.sort(m32, descending=1)", "float32", "[4, 16]"},
      {"tl.sort(i8, 0)", "int8", "[16]"},
      {"tl.topk(m16, 4)", "float32", "[4, 4]"},
      {"tl.topk(m16, 16)", "float16", "[4, 16]"},
      {"tl.topk(i8, 1)", "int32", "[1]"},
      {"tl.bitonic_merge(m32)", "float32", "[4, 16]"},
      {"tl.swizzle2d(1, 2, 4, 4, 2)[0]", "int32", "()"},
  };
  std::string body;
  for (const Case &c : cases)
    body += typeAssert(c.expression, c.dtype, c.shape);
  EXPECT_TRUE(compiles(body));
}

TEST(Library, Random) {
  std::string body = typeAssert("tl.rand(7, r)", "float32", "[16]") + typeAssert("tl.randint(7, r)", "uint32", "[16]") +
                     typeAssert("tl.randn(7, r)", "float32", "[16]") +
                     typeAssert("tl.rand4x(7, r)[3]", "float32", "[16]") +
                     typeAssert("tl.randn4x(7, r)[3]", "float32", "[16]") +
                     typeAssert("tl.randint4x(7, r.to(tl.int64))[2]", "uint32", "[16]") +
                     typeAssert("tl.philox(2**40, r.to(tl.int64), r.to(tl.int64), r.to(tl.int64), r.to(tl.int64))[0]",
                                "uint64", "[16]") +
                     typeAssert("tl.uint_to_uniform_float(i32)", "float32", "[16]");
  EXPECT_TRUE(compiles(body));
  EXPECT_FALSE(compiles("    x = tl.rand(p_i32, r)\n"));
  EXPECT_FALSE(compiles("    x = tl.rand(1.5, r)\n"));
}

TEST(Library, EveryNameOfTheTreeResolves) {
  for (llvm::StringRef module :
       {"triton", "triton.language", "triton.language.core", "triton.language.math", "triton.language.standard",
        "triton.language.random", "triton.language.target_info", "triton.language.extra",
        "triton.language.extra.libdevice", "triton.language.extra.cuda"}) {
    const std::vector<std::string> names = languageNames(module);
    EXPECT_FALSE(names.empty()) << module.str();
    for (const std::string &name : names)
      EXPECT_TRUE(languageAttribute(module, name)) << module.str() << "." << name;
  }
}

TEST(Library, TheLanguageHasTheNamesOfItsInventory) {
  for (llvm::StringRef name : {"math",
                               "extra",
                               "target_info",
                               "core",
                               "standard",
                               "random",
                               "void",
                               "int1",
                               "int8",
                               "uint64",
                               "float8e5",
                               "float8e4b15",
                               "float16",
                               "bfloat16",
                               "float64",
                               "pi32_t",
                               "dtype",
                               "pointer_type",
                               "block_type",
                               "tuple_type",
                               "constexpr_type",
                               "tensor_descriptor_type",
                               "const",
                               "tensor",
                               "constexpr",
                               "tuple",
                               "slice",
                               "tensor_descriptor",
                               "PropagateNan",
                               "TRITON_MAX_TENSOR_NUMEL",
                               "program_id",
                               "num_programs",
                               "arange",
                               "full",
                               "zeros",
                               "zeros_like",
                               "broadcast",
                               "broadcast_to",
                               "cat",
                               "expand_dims",
                               "interleave",
                               "join",
                               "permute",
                               "ravel",
                               "reshape",
                               "split",
                               "trans",
                               "view",
                               "flip",
                               "cast",
                               "add",
                               "sub",
                               "mul",
                               "minimum",
                               "maximum",
                               "clamp",
                               "cdiv",
                               "fdiv",
                               "div_rn",
                               "fma",
                               "umulhi",
                               "abs",
                               "ceil",
                               "cos",
                               "erf",
                               "exp",
                               "exp2",
                               "floor",
                               "log",
                               "log2",
                               "rsqrt",
                               "sigmoid",
                               "sin",
                               "softmax",
                               "sqrt",
                               "sqrt_rn",
                               "where",
                               "gather",
                               "swizzle2d",
                               "dot",
                               "dot_scaled",
                               "load",
                               "store",
                               "make_block_ptr",
                               "advance",
                               "make_tensor_descriptor",
                               "load_tensor_descriptor",
                               "store_tensor_descriptor",
                               "atomic_add",
                               "atomic_and",
                               "atomic_cas",
                               "atomic_max",
                               "atomic_min",
                               "atomic_or",
                               "atomic_xchg",
                               "atomic_xor",
                               "reduce",
                               "associative_scan",
                               "sum",
                               "max",
                               "min",
                               "argmax",
                               "argmin",
                               "xor_sum",
                               "reduce_or",
                               "cumsum",
                               "cumprod",
                               "histogram",
                               "sort",
                               "topk",
                               "bitonic_merge",
                               "map_elementwise",
                               "inline_asm_elementwise",
                               "philox",
                               "philox_impl",
                               "rand",
                               "rand4x",
                               "randint",
                               "randint4x",
                               "randn",
                               "randn4x",
                               "pair_uniform_to_normal",
                               "uint_to_uniform_float",
                               "range",
                               "static_range",
                               "condition",
                               "assume",
                               "multiple_of",
                               "max_contiguous",
                               "max_constancy",
                               "debug_barrier",
                               "static_print",
                               "static_assert",
                               "device_print",
                               "device_assert",
                               "str_to_ty"})
    EXPECT_TRUE(languageAttribute("triton.language", name)) << name.str();
  EXPECT_FALSE(languageAttribute("triton.language", "item"));
}

} // namespace
} // namespace triton::frontend
