// Texts and signatures that anybody may write, and errors that are noticed long after the frontend: all end in a diagnostic, at a line.
#include "compiler/driver/IrModule.h"
#include "compiler/frontend/filehost/FileHost.h"

#include "gtest/gtest.h"

using namespace triton;
using namespace triton::driver;

namespace {

std::string repeat(unsigned count, const std::string &piece) {
  std::string text;
  while (count-- > 0)
    text += piece;
  return text;
}

/// What is wrong with the text; empty if it can be read.
std::string refusal(std::string text) {
  Diagnostics diagnostics;
  auto source = Source::create("kernel.ttir", std::move(text));
  auto module = parseModule(source, diagnostics);
  EXPECT_EQ(module == nullptr, diagnostics.hasErrors());
  return module ? "" : diagnostics.all().front().message;
}

/// Each way in which IR nests, `depth` deep.
std::vector<std::string> nested(unsigned depth) {
  auto function = [](const std::string &attributes, const std::string &body) {
    return "tt.func public @kernel(%c: i1) attributes {a = " + attributes + "} {\n" + body + "tt.return\n}\n";
  };
  std::string aliases = "!t0 = tuple<f32>\n";
  for (unsigned i = 1; i < depth; ++i)
    aliases += "!t" + std::to_string(i) + " = tuple<!t" + std::to_string(i - 1) + ">\n";
  return {
      function(repeat(depth, "[") + repeat(depth, "]"), ""),
      function(repeat(depth, "{a = ") + "1" + repeat(depth, "}"), ""),
      function(repeat(depth, "tuple<") + repeat(depth, ">"), ""),
      function(repeat(depth, "!tt.ptr<") + "f32" + repeat(depth, ">"), ""),
      function("loc(" + repeat(depth, "callsite(\"a\" at ") + "\"b\"" + repeat(depth, ")") + ")", ""),
      function("affine_map<(d0) -> (" + repeat(depth, "(") + "d0" + repeat(depth, ")") + ")>", ""),
      function("affine_map<(d0) -> (" + repeat(depth, "-") + "d0)>", ""),
      function("1", repeat(depth, "scf.if %c {\n") + repeat(depth, "}\n")),
      aliases + function("!t" + std::to_string(depth - 1), ""),
  };
}

// MLIR's own verifier ends the process.
TEST(IrModule, single_values_are_not_chosen_by_many_conditions) {
  EXPECT_EQ(refusal("tt.func public @kernel(%c: tensor<4xi1>, %x: f32) {\n"
                    "  %y = arith.select %c, %x, %x : tensor<4xi1>, f32\n  tt.return\n}\n"),
            "'arith.select' op chooses between single values by many conditions: 'tensor<4xi1>' for 'f32'");
}

TEST(IrModule, deep_nesting_is_refused) {
  for (const std::string &text : nested(100000)) {
    const std::string message = refusal(text);
    EXPECT_TRUE(message == "brackets are nested more than 200 deep" ||
                message == "an affine expression has more than 200 operations")
        << message;
  }
}

TEST(IrModule, what_is_not_too_deep_is_read) {
  for (const std::string &text : nested(150))
    EXPECT_EQ(refusal(text), "");
}

const char *kernels = R"(
import triton
import triton.language as tl

@triton.jit
def nothing(d, n):
    pass

@triton.jit
def halve(x):
    return tl.inline_asm_elementwise("half $0, $1;", "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1)

@triton.jit
def halves(p):
    tl.store(p, halve(tl.load(p)))
)";

/// The rendered errors of compiling a kernel for arguments of these types.
std::string errorsOf(const char *kernel, std::vector<std::string> types) {
  Diagnostics diagnostics;
  auto host = frontend::FileHost::create(Source::create("kernels.py", kernels), diagnostics);
  CompileRequest request;
  request.kernel.function = host->kernel(kernel);
  for (const std::string &text : types) {
    frontend::ArgumentSpec argument;
    std::optional<frontend::Type> type = frontend::Type::parse(text);
    if (!type)
      return "no type";
    argument.type = *type;
    request.kernel.arguments.push_back(std::move(argument));
  }
  EXPECT_EQ(nullptr, compile(request, diagnostics));
  return render(diagnostics.all(), /*color=*/false);
}

TEST(Arguments, descriptors_have_blocks_that_tensors_can_have) {
  auto expect = [](const char *type, const char *message) {
    EXPECT_NE(errorsOf("nothing", {type, "i32"}).find(message), std::string::npos)
        << type << ": " << errorsOf("nothing", {type, "i32"});
  };
  expect("tensordesc<fp32[3]>", "kernels.py:6:13: error: Shape element 0 must be a power of 2");
  expect("tensordesc<fp32[1048576, 1048576]>", "numel (1099511627776) exceeds triton maximum tensor numel (1048576)");
  expect("tensordesc<fp32[1]>", "at least 16 bytes in the last dimension, but got 1 * 4 = 4 bytes");
  expect("tensordesc<fp32[1, 1, 1, 1, 1, 4]>", "expected 1 <= ndim <= 5 but got 6 dimensions");
}

TEST(Arguments, pointers_point_to_numbers_and_pointers) {
  for (const std::string &text : {std::string("*tensordesc<fp32[16]>"), std::string("*void"), std::string("void*"),
                                  std::string(100000, '*') + "fp32"})
    EXPECT_EQ(errorsOf("nothing", {text, "i32"}), "no type");
}

TEST(LateErrors, assembly_is_wrong_at_its_line) {
  const std::string text = errorsOf("halves", {"*i32"});
  EXPECT_EQ(text.find("kernels.py:11:12: error: in the inline assembly here: <inline asm>:1:2: invalid instruction "
                      "mnemonic 'half'"),
            0u)
      << text;
  EXPECT_NE(text.find("   11 |     return tl.inline_asm_elementwise("), std::string::npos) << text;
  EXPECT_NE(text.find("kernels.py:15:17: note: called from here\n   15 |     tl.store(p, halve(tl.load(p)))\n"),
            std::string::npos)
      << text;
}

} // namespace
