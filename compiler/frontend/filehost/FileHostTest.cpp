// What the file host understands of a module's top level, and what it says where it does not.
#include "compiler/frontend/filehost/FileHost.h"
#include "compiler/frontend/values/Folding.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>

using namespace triton;
using namespace triton::frontend;

namespace {

struct FileHostTest : testing::Test {
  void parse(std::string text, std::string name = "test.py") {
    host = FileHost::create(
        Source::create(std::move(name),
                       "import triton\nimport triton.language as tl\n" + text +
                           "\n@triton.jit\ndef k(p, n: tl.int32 = 4, B: tl.constexpr = 2):\n    pass\n"),
        diagnostics);
    ASSERT_TRUE(host) << render(diagnostics.all(), false);
    kernel = host->kernel("k");
    ASSERT_TRUE(kernel);
  }
  /// What a kernel of the file sees under `name`.
  std::string lookup(llvm::StringRef name) {
    auto value = host->lookup(*kernel, name);
    if (!value)
      return "error: " + llvm::toString(value.takeError());
    return *value ? (*value)->repr() : "undefined";
  }
  Diagnostics diagnostics;
  std::unique_ptr<FileHost> host;
  std::shared_ptr<const Function> kernel;
};

TEST_F(FileHostTest, ParametersAndDefaults) {
  parse("");
  ASSERT_EQ(kernel->parameters.size(), 3u);
  EXPECT_EQ(kernel->parameters[1].annotation, "tl.int32");
  EXPECT_EQ(kernel->parameters[1].defaultValue->repr(), "4");
  EXPECT_TRUE(kernel->parameters[2].isConstexpr);
  EXPECT_EQ(kernel->qualifiedName, "test.k");
}

TEST_F(FileHostTest, ParametersThatDoNotSpecialize) {
  parse("SECOND = 1\n"
        "@triton.jit(do_not_specialize=['n', 'm'], do_not_specialize_on_alignment=(0, SECOND))\n"
        "def listed(p, n): pass\n"
        "@triton.jit(do_not_specialize='n')\n"
        "def alone(p, n): pass\n"
        "@triton.jit(do_not_specialize=1)\n"
        "def wrong(p, n): pass\n");
  testing::internal::CaptureStderr();
  auto listed = host->kernel("listed");
  const std::string warnings = testing::internal::GetCapturedStderr();
  ASSERT_TRUE(listed);
  EXPECT_TRUE(listed->parameters[0].specializesValue && !listed->parameters[1].specializesValue);
  EXPECT_TRUE(!listed->parameters[0].specializesAlignment && !listed->parameters[1].specializesAlignment);
  EXPECT_NE(warnings.find("warning: do_not_specialize names 'm', which is no parameter of 'listed'"), std::string::npos)
      << warnings;
  EXPECT_FALSE(host->kernel("alone")->parameters[1].specializesValue);
  EXPECT_FALSE(host->kernel("wrong"));
}

TEST_F(FileHostTest, ConstexprGlobals) {
  parse("A = tl.constexpr(2 ** 3 + 1)\nB = tl.constexpr((A, 'x', -1.5))\nC = A\nD, E = tl.constexpr(1), 2\n");
  EXPECT_EQ(lookup("A"), "9");
  EXPECT_EQ(lookup("B"), "(9, 'x', -1.5)");
  EXPECT_EQ(lookup("C"), "9");
  EXPECT_EQ(lookup("nothing"), "undefined");
}

TEST_F(FileHostTest, PlainGlobalsMayNotBeRead) {
  parse("A = 3\nB: tl.constexpr = 4\n");
  EXPECT_NE(lookup("A").find("Cannot access global variable A"), std::string::npos);
  EXPECT_NE(lookup("B").find("Cannot access global variable B"), std::string::npos);
}

TEST_F(FileHostTest, FunctionsAndTheirDecorators) {
  parse("@triton.jit(noinline=True)\ndef f(x):\n    return x\n\n@triton.autotune(configs=[], key=[])\n@triton.jit\ndef "
        "g(x):\n    pass\n\ndef plain():\n    pass\n");
  std::vector<std::string> names;
  for (const auto &function : host->kernels())
    names.push_back(function->name);
  EXPECT_EQ(names, (std::vector<std::string>{"f", "g", "k"}));
  EXPECT_TRUE(host->kernel("f")->noinline);
  EXPECT_FALSE(host->kernel("plain"));
}

TEST_F(FileHostTest, ConstexprFunctionsAreEvaluated) {
  parse("@triton.constexpr_function\ndef f(n, step=2):\n    total = 0\n    for i in range(n):\n        if i % step == "
        "0:\n            continue\n        total += i\n"
        "    while total > 10:\n        total -= 3\n    return total\nA = tl.constexpr(f(9))\nB = "
        "tl.constexpr(max(f(3), len([i for i in range(5) if i > 1])))\n");
  EXPECT_EQ(lookup("A"), "10");
  EXPECT_EQ(lookup("B"), "3");
}

TEST_F(FileHostTest, EndlessEvaluationIsAnError) {
  parse("@triton.constexpr_function\ndef f():\n    while True:\n        pass\n@triton.constexpr_function\ndef g(x):\n  "
        "  return g(x)\nA = tl.constexpr(f())\nB = tl.constexpr(g(1))\nC = tl.constexpr(D)\nD = C\n");
  EXPECT_NE(lookup("A").find("does not come to an end"), std::string::npos);
  EXPECT_NE(lookup("B").find("too deeply"), std::string::npos);
  EXPECT_NE(lookup("C").find("depends on itself"), std::string::npos);
}

TEST_F(FileHostTest, NamedTuplesAndEnums) {
  parse("import enum\nfrom typing import NamedTuple\nclass P(NamedTuple):\n    x: int\n    y: int = 5\n\nclass "
        "E(enum.Enum):\n    A = 1\n    B = 2\n"
        "T = tl.constexpr(P(3))\nM = tl.constexpr(E.B.value)\nS = tl.constexpr(E.A == E.A)\n");
  EXPECT_EQ(lookup("M"), "2");
  EXPECT_EQ(lookup("S"), "True");
  auto value = host->lookup(*kernel, "T");
  ASSERT_TRUE(static_cast<bool>(value));
  EXPECT_EQ((*value)->tuple()->fields, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ((*value)->tuple()->elements[1].repr(), "5");
}

TEST_F(FileHostTest, MathAndForeignModules) {
  parse("import math\nimport torch\nA = tl.constexpr(math.log2(8))\nB = tl.constexpr(torch.version)\nC = "
        "tl.constexpr(triton.cdiv(10, 4))\nD = tl.constexpr(triton.next_power_of_2(100))\n");
  EXPECT_EQ(lookup("A"), "3.0");
  EXPECT_NE(lookup("B").find("cannot be read without Python"), std::string::npos);
  EXPECT_EQ(lookup("C"), "3");
  EXPECT_EQ(lookup("D"), "128");
}

TEST_F(FileHostTest, WhatNeedsPythonSaysSo) {
  parse("A = tl.constexpr({1: 2})\n");
  EXPECT_NE(lookup("A").find("needs Python to evaluate"), std::string::npos);
}

TEST_F(FileHostTest, FilesBesideIt) {
  auto folder = std::filesystem::temp_directory_path() / ("triton-file-host-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "helpers.py") << "import triton\nimport triton.language as tl\nSIZE = "
                                          "tl.constexpr(16)\n@triton.jit\ndef helper(x):\n    return x\n";
  parse("from helpers import helper, SIZE\nimport helpers\nA = tl.constexpr(helpers.SIZE * 2)\n",
        (folder / "main.py").string());
  EXPECT_EQ(lookup("SIZE"), "16");
  EXPECT_EQ(lookup("A"), "32");
  auto value = host->lookup(*kernel, "helper");
  ASSERT_TRUE(static_cast<bool>(value));
  EXPECT_EQ((**value).get<std::shared_ptr<const Function>>()->qualifiedName, "helpers.helper");
  std::filesystem::remove_all(folder);
}

TEST_F(FileHostTest, KeyChangesWithEveryFileThatIsImported) {
  auto folder = std::filesystem::temp_directory_path() / ("triton-file-key-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder / "package");
  auto keyWith = [&](std::string helpers, std::string constants, std::string inner) {
    std::ofstream(folder / "helpers.py") << "import constants\n" << helpers;
    std::ofstream(folder / "constants.py") << constants << "\nimport helpers\n"; // each imports the other
    std::ofstream(folder / "package" / "inner.py") << inner;
    parse("from helpers import A\nimport package.inner\nimport torch\n", (folder / "main.py").string());
    return host->sourceKey();
  };
  const std::string key = keyWith("A = 1", "B = 1", "C = 1");
  EXPECT_EQ(key, keyWith("A = 1", "B = 1", "C = 1"));
  EXPECT_NE(key, keyWith("A = 2", "B = 1", "C = 1"));
  EXPECT_NE(key, keyWith("A = 1", "B = 2", "C = 1"));
  EXPECT_NE(key, keyWith("A = 1", "B = 1", "C = 2"));
  std::filesystem::remove_all(folder);
}

TEST(FileHost, SyntaxErrorsAreReported) {
  Diagnostics diagnostics;
  EXPECT_FALSE(FileHost::create(Source::create("bad.py", "def f(:\n    pass\nx = = 3\n"), diagnostics));
  EXPECT_GE(diagnostics.errors(), 2u);
}

} // namespace
