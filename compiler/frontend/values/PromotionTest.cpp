// The types operators compute in, against the table of semantics 8.4 and the cases of language.md, appendix A.
#include "compiler/frontend/emitter/EmitKernelTesting.h"

#include "llvm/ADT/StringExtras.h"

namespace triton::frontend {
namespace {

/// Whether the kernel body compiles; every parameter is a pointer whose loaded scalar is named like its type (`i8`, `bf16`), and `b_i8` is a block of it.
testing::AssertionResult compiles(const std::string &body) {
  static constexpr llvm::StringLiteral types[] = {"i1",  "i8",    "i16",     "i32",  "i64",  "u8",   "u16", "u32",
                                                  "u64", "fp8e5", "fp8e4nv", "fp16", "bf16", "fp32", "fp64"};
  std::string parameters, loads;
  std::vector<std::string> signature;
  for (llvm::StringRef type : types) {
    parameters += "p_" + type.str() + ", ";
    loads += "    " + type.str() + " = tl.load(p_" + type.str() + ")\n    b_" + type.str() + " = tl.load(p_" +
             type.str() + " + tl.arange(0, 4))\n";
    signature.push_back("*" + type.str());
  }
  Emitted emitted =
      emitText("@triton.jit\ndef kernel(" + parameters + "):\n" + loads + body, llvm::join(signature, ", "));
  if (!emitted.ir.empty())
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << body << emitted.errors;
}

std::string dtypeAssert(llvm::StringRef expression, llvm::StringRef dtype) {
  return ("    tl.static_assert((" + expression + ").dtype == tl.dtype('" + dtype + "'), '" + expression.str() + "')\n")
      .str();
}

std::string dtypeName(llvm::StringRef type) {
  if (type.starts_with("i") || type.starts_with("u"))
    return (type.starts_with("i") ? "int" : "uint") + type.drop_front().str();
  return type.str();
}

/// Upper triangle of the table, rows and columns in the order of `types`; `E` is an error.
constexpr llvm::StringLiteral order[] = {"i1",  "i8",  "i16",   "i32",  "i64",  "u8",   "u16",
                                         "u32", "u64", "fp8e5", "fp16", "bf16", "fp32", "fp64"};
constexpr llvm::StringLiteral table[] = {
    "i1 i8 i16 i32 i64 u8 u16 u32 u64 E fp16 fp32 fp32 fp64",
    "i8 i16 i32 i64 u8 u16 u32 u64 E fp16 fp32 fp32 fp64",
    "i16 i32 i64 i16 u16 u32 u64 E fp16 fp32 fp32 fp64",
    "i32 i64 i32 i32 u32 u64 E fp16 fp32 fp32 fp64",
    "i64 i64 i64 i64 u64 E fp16 fp32 fp32 fp64",
    "u8 u16 u32 u64 E fp16 fp32 fp32 fp64",
    "u16 u32 u64 E fp16 fp32 fp32 fp64",
    "u32 u64 E fp16 fp32 fp32 fp64",
    "u64 E fp16 fp32 fp32 fp64",
    "fp8e5 fp16 fp32 fp32 fp64",
    "fp16 fp16 fp32 fp64",
    "bf16 fp32 fp64",
    "fp32 fp64",
    "fp64",
};

template <typename Visit> void visitTable(Visit visit) {
  for (size_t row = 0; row < std::size(table); ++row) {
    llvm::SmallVector<llvm::StringRef> results;
    table[row].split(results, ' ');
    ASSERT_EQ(results.size(), std::size(order) - row);
    for (size_t i = 0; i < results.size(); ++i)
      visit(order[row], order[row + i], results[i]);
  }
}

TEST(Promotion, StrongOperandsMeetByTheTable) {
  std::string body;
  visitTable([&](llvm::StringRef lhs, llvm::StringRef rhs, llvm::StringRef result) {
    if (result == "E")
      return;
    body += dtypeAssert((lhs + " + " + rhs).str(), dtypeName(result));
    body += dtypeAssert((rhs + " * b_" + lhs).str(), dtypeName(result));
    body += dtypeAssert(("tl.where(i1, " + lhs + ", " + rhs + ")").str(), dtypeName(result));
  });
  EXPECT_TRUE(compiles(body));
}

TEST(Promotion, EightBitFloatsDoNotMeetIntegers) {
  visitTable([&](llvm::StringRef lhs, llvm::StringRef rhs, llvm::StringRef result) {
    if (result == "E")
      EXPECT_FALSE(compiles(("    x = " + lhs + " + " + rhs + "\n").str())) << lhs.str() << " " << rhs.str();
  });
}

bool isSignedInteger(llvm::StringRef type) { return type.starts_with("i") && type != "i1"; }
bool isUnsignedInteger(llvm::StringRef type) { return type.starts_with("u") || type == "i1"; }

TEST(Promotion, DivisionComputesHalvesInSingle) {
  std::string body;
  visitTable([&](llvm::StringRef lhs, llvm::StringRef rhs, llvm::StringRef result) {
    const bool isInteger = !result.starts_with("fp") && !result.starts_with("bf");
    const bool isMixed =
        (isSignedInteger(lhs) && isUnsignedInteger(rhs)) || (isUnsignedInteger(lhs) && isSignedInteger(rhs));
    if (result == "E" || result.starts_with("fp8") || isMixed)
      return;
    const std::string quotient = isInteger || result == "fp16" || result == "bf16" ? "fp32" : result.str();
    body += dtypeAssert((lhs + " / " + rhs).str(), quotient);
    body += dtypeAssert((lhs + " % " + rhs).str(), isInteger ? dtypeName(result) : quotient);
    if (isInteger)
      body += dtypeAssert((lhs + " // " + rhs).str(), dtypeName(result));
  });
  EXPECT_TRUE(compiles(body));
}

TEST(Promotion, DivisionRefusesMixedSignedness) {
  for (const char *expression : {"i32 % u32", "i32 / u8", "i64 // i1", "u64 // i8"})
    EXPECT_FALSE(compiles(std::string("    x = ") + expression + "\n")) << expression;
}

TEST(Promotion, WeakNumbersAdapt) {
  std::string body;
  for (auto [expression, dtype] :
       std::initializer_list<std::pair<const char *, const char *>>{{"b_i8 + 1", "int8"},
                                                                    {"1 + b_i8", "int8"},
                                                                    {"b_i8 + i32", "int32"},
                                                                    {"b_u8 - 1", "uint8"},
                                                                    {"b_i1 + 1", "int32"},
                                                                    {"b_i1 & True", "int1"},
                                                                    {"b_i1 & 1", "int32"},
                                                                    {"b_i32 + 1.5", "fp32"},
                                                                    {"b_i64 * 0.5", "fp32"},
                                                                    {"b_i64 * 1e300", "fp64"},
                                                                    {"b_fp16 * 2", "fp16"},
                                                                    {"b_fp16 * 0.1", "fp16"},
                                                                    {"b_fp16 / 2", "fp32"},
                                                                    {"b_fp16 % 2.0", "fp32"},
                                                                    {"b_fp16 * fp32", "fp32"},
                                                                    {"b_bf16 + 1", "bf16"},
                                                                    {"b_bf16 + b_i32", "fp32"},
                                                                    {"b_bf16 + b_fp16", "fp16"},
                                                                    {"b_bf16 / b_bf16", "fp32"},
                                                                    {"b_i32 / b_i32", "fp32"},
                                                                    {"b_i64 / 2", "fp32"},
                                                                    {"b_i32 // 2", "int32"},
                                                                    {"b_u32 // 4", "uint32"},
                                                                    {"b_i8 << b_u32", "uint32"},
                                                                    {"b_i8 >> b_u8", "uint8"},
                                                                    {"b_fp8e5 + b_fp8e4nv", "fp16"},
                                                                    {"-b_u32", "uint32"},
                                                                    {"~b_i1", "int1"},
                                                                    {"tl.minimum(b_fp16, 1.0)", "fp16"},
                                                                    {"tl.maximum(b_bf16, b_bf16)", "bf16"},
                                                                    {"tl.where(b_i1, b_fp16, 0.0)", "fp16"},
                                                                    {"tl.where(b_i1, 1, 0)", "int32"},
                                                                    {"tl.where(b_i1, 1.0, 0)", "fp32"},
                                                                    {"max(i32, 3)", "int32"},
                                                                    {"b_u8 < 200", "int1"},
                                                                    {"tl.arange(0, 8)", "int32"},
                                                                    {"tl.program_id(0)", "int32"},
                                                                    {"b_i1 * b_fp32", "fp32"},
                                                                    {"tl.add(1, 2)", "int32"}})
    body += dtypeAssert(expression, dtype);
  EXPECT_TRUE(compiles(body));
}

TEST(Promotion, LiteralsInVariablesAreStrong) {
  std::string body;
  for (auto [value, dtype] : std::initializer_list<std::pair<const char *, const char *>>{{"2**31", "uint32"},
                                                                                          {"2**40", "int64"},
                                                                                          {"2**63", "uint64"},
                                                                                          {"-2**31", "int32"},
                                                                                          {"-2**31 - 1", "int64"},
                                                                                          {"1e-40", "fp64"},
                                                                                          {"1e39", "fp64"},
                                                                                          {"0.1", "fp32"},
                                                                                          {"True", "int1"},
                                                                                          {"float('inf')", "fp32"},
                                                                                          {"3", "int32"}})
    body += std::string("    x = ") + value + "\n" + dtypeAssert("x", dtype);
  body += "    two = 2\n" + dtypeAssert("b_i8 * two", "int32");
  EXPECT_TRUE(compiles(body));
  EXPECT_FALSE(compiles("    x = 2**64\n"));
  EXPECT_FALSE(compiles("    x = 'text'\n"));
}

TEST(Promotion, WeakNumbersMustFit) {
  EXPECT_TRUE(fails("@triton.jit\ndef kernel(p):\n    x = tl.load(p) + 200\n", "*i8",
                    {"scalar 200 is out of range for type int8"}));
  EXPECT_TRUE(
      fails("@triton.jit\ndef kernel(p):\n    x = tl.load(p) + (-1)\n", "*u8", {"negative scalar -1", "uint8"}));
  EXPECT_TRUE(fails("@triton.jit\ndef kernel(n):\n    x = n + 2**55\n", "i32", {"out of range for type int32"}));
}

TEST(Promotion, OperandsThatDoNotMix) {
  const std::pair<const char *, const char *> cases[] = {
      {"p + p", "cannot add pointers"},           {"p * 2", "invalid operands of type pointer<fp32>"},
      {"2 - p", "invalid operands of type"},      {"p + 1.5", "invalid operands of type"},
      {"x & 1", "invalid operands of type fp32"}, {"x << 1", "invalid operands of type fp32"},
      {"x // 2.0", "unexpected type fp32"},       {"-p", "wrong type argument to unary -"},
      {"~x", "wrong type argument to unary ~"},   {"x ** 2", "not implemented"},
      {"p == p", "invalid operands of type"}};
  for (auto [expression, message] : cases)
    EXPECT_TRUE(fails(std::string("@triton.jit\ndef kernel(p):\n    x = tl.load(p)\n    y = ") + expression + "\n",
                      "*fp32", {message}))
        << expression;
}

TEST(Promotion, ShiftsFollowTheLeftOperand) {
  EXPECT_TRUE(emits("@triton.jit\ndef kernel(p, q):\n    tl.store(q, tl.load(p) >> tl.load(q))\n", "*i8, *u8",
                    {"arith.shrsi"}));
  EXPECT_TRUE(emits("@triton.jit\ndef kernel(p, q):\n    tl.store(q, tl.load(q) >> tl.load(p))\n", "*i8, *u8",
                    {"arith.shrui"}));
}

TEST(Promotion, NarrowUnsignedOffsetsAreZeroExtended) {
  EXPECT_TRUE(emits("@triton.jit\ndef kernel(p, n):\n    tl.store(p + n, 1.0)\n", "*fp32, u8",
                    {"arith.extui", "i8 to i64", "tt.addptr"}));
  EXPECT_TRUE(emits("@triton.jit\ndef kernel(p, n):\n    tl.store(p + n, 1.0)\n", "*fp32, i32",
                    {"tt.addptr", "!tt.ptr<f32>, i32"}));
}

TEST(Promotion, ComparisonsOfFloatsAreOrderedExceptUnequal) {
  EXPECT_TRUE(emits("@triton.jit\ndef kernel(p, x):\n    tl.store(p, x < 1.0)\n    tl.store(p, x != 1.0)\n",
                    "*i1, fp32", {"cmpf olt", "cmpf une"}));
}

TEST(Promotion, DebugModeChecksOverflow) {
  const char *text = "@triton.jit\ndef kernel(p, n):\n    tl.store(p, n + 1)\n";
  LanguageOptions debug;
  debug.debug = true;
  EXPECT_TRUE(holdsInOrder(emitText(text, "*i32, i32", "", debug).ir,
                           {"arith.extsi", "tt.assert", "int32 overflow detected for operation add"}));
  EXPECT_EQ(emitText(text, "*i32, i32").ir.find("tt.assert"), std::string::npos);
  EXPECT_EQ(emitText(text, "*i64, i64", "", debug).ir.find("tt.assert"), std::string::npos);
}

} // namespace
} // namespace triton::frontend
