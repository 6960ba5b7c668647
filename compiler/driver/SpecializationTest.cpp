// What a kernel is compiled for, from launch arguments and from signature texts (semantics.md 13).
#include "compiler/driver/Specialization.h"

#include "gtest/gtest.h"

using namespace triton;
using namespace triton::driver;
using namespace triton::frontend;

namespace {

std::string text(llvm::Expected<ArgumentSpec> spec) {
  if (!spec)
    return "error: " + llvm::toString(spec.takeError());
  std::string key;
  appendKey(*spec, key);
  return key;
}

std::string key(LaunchArgument argument, std::string annotation = "", bool isConstexpr = false) {
  Parameter parameter;
  parameter.name = "x";
  parameter.annotation = annotation;
  parameter.isConstexpr = isConstexpr;
  return text(specialize(parameter, argument));
}

TEST(Specialization, Integers) {
  EXPECT_EQ(key({int64_t(1)}), key({Value::integer(1)}, "", true)) << "1 becomes a constant";
  EXPECT_EQ(key({int64_t(2)}), "i32;");
  EXPECT_EQ(key({int64_t(16)}), "i32:tt.divisibility16;");
  EXPECT_EQ(key({int64_t(-32)}), "i32:tt.divisibility16;");
  EXPECT_EQ(key({int64_t(1) << 40}), "i64:tt.divisibility16;");
  EXPECT_EQ(key({(int64_t(1) << 31) - 1}), "i32;");
  EXPECT_EQ(key({(int64_t(1) << 31) + 1}), "i64;");
  EXPECT_EQ(key({uint64_t(1) << 63 | 1}), "u64;");
}

TEST(Specialization, AnnotationsForceTheType) {
  EXPECT_EQ(key({int64_t(1)}, "tl.int32"), "i32;");
  EXPECT_EQ(key({int64_t(16)}, "\"i64\""), "i64:tt.divisibility16;");
  EXPECT_EQ(key({2.0}, "tl.float64"), "fp64;");
  EXPECT_EQ(key({int64_t(3)}, "torch.Tensor"), "i32;");
}

TEST(Specialization, OtherValues) {
  EXPECT_EQ(key({1.0}), "fp32;");
  EXPECT_EQ(key({true}), "u1;");
  EXPECT_EQ(key({LaunchArgument::Pointer{Type::float32(), 64, false}}), "*fp32:tt.divisibility16;");
  EXPECT_EQ(key({LaunchArgument::Pointer{Type::float32(), 68, false}}), "*fp32;");
  EXPECT_EQ(key({LaunchArgument::Pointer{Type::float32(), 64, false}}, "tl.const"), "*kfp32:tt.divisibility16;");
  EXPECT_NE(key({Value::string("relu")}).find("failed to specialize argument"), std::string::npos);
  EXPECT_NE(
      key({LaunchArgument::Pointer{Type::float32(), 64, false}}, "tl.constexpr", true).find("cannot take a pointer"),
      std::string::npos);
}

Function functionOf(std::vector<std::pair<std::string, bool>> parameters) {
  Function function;
  function.name = "f";
  for (auto [name, isConstexpr] : parameters) {
    function.parameters.emplace_back();
    function.parameters.back().name = name;
    function.parameters.back().isConstexpr = isConstexpr;
  }
  return function;
}

std::string signature(llvm::StringRef entries, std::vector<std::pair<std::string, bool>> parameters) {
  auto specs = parseSignature(functionOf(std::move(parameters)), entries);
  if (!specs)
    return "error: " + llvm::toString(specs.takeError());
  std::string result;
  for (const ArgumentSpec &spec : *specs)
    appendKey(spec, result);
  return result;
}

TEST(Specialization, Signatures) {
  EXPECT_EQ(signature("*fp32:16, i32, i64:16", {{"a", false}, {"b", false}, {"c", false}}),
            "*fp32:tt.divisibility16;i32;i64:tt.divisibility16;");
  EXPECT_EQ(signature("i32:1", {{"a", false}}), signature("1", {{"a", true}}));
  EXPECT_EQ(signature("-0.5, \"a,b\", (1, 2), None, tl.float16, True",
                      {{"a", true}, {"b", true}, {"c", true}, {"d", true}, {"e", true}, {"f", true}})
                .find("error"),
            std::string::npos);
}

TEST(Specialization, SignatureErrorsNameTheParameter) {
  EXPECT_EQ(signature("*fp32:8", {{"a", false}}),
            "error: parameter 'a': the hint in '*fp32:8' must be 16 (divisible by 16) or 1 (equal to 1)");
  EXPECT_NE(signature("float7", {{"a", false}}).find("parameter 'a': 'float7' is neither a type"), std::string::npos);
  EXPECT_NE(signature("i32", {{"a", false}, {"b", false}}).find("no entry for parameter 'b'"), std::string::npos);
  EXPECT_NE(signature("i32, i32", {{"a", false}}).find("2 entries, 'f' has 1 parameters"), std::string::npos);
}

} // namespace
