// What a kernel is compiled for, from launch arguments and from signature texts.
#include "compiler/driver/Specialization.h"

#include "gtest/gtest.h"

using namespace triton;
using namespace triton::driver;
using namespace triton::frontend;

namespace {

std::string key(const LaunchArgument &argument, std::string_view annotation = "") {
  Parameter parameter;
  parameter.name = "x";
  parameter.annotate(annotation);
  auto spec = specialize(parameter, argument);
  if (!spec)
    return "error: " + llvm::toString(spec.takeError());
  std::string key;
  appendKey(*spec, key);
  return key;
}

LaunchArgument integer(int64_t value) {
  LaunchArgument argument{.constant = Value::integer(value)};
  argument.facts.setInteger(value);
  argument.type = dispatch::typeOf(argument.facts);
  return argument;
}
LaunchArgument pointer(uint64_t address) {
  LaunchArgument argument;
  argument.facts.setPointer(address, ScalarKind::Float32);
  argument.type = dispatch::typeOf(argument.facts);
  return argument;
}
LaunchArgument string(std::string value) {
  LaunchArgument argument{.constant = Value::string(std::move(value))};
  argument.facts.kind = dispatch::ArgumentKind::Constexpr;
  return argument;
}

TEST(Specialization, BecomesTypesAndValues) {
  EXPECT_EQ(key(integer(1)), key(integer(1), "tl.constexpr")) << "1 becomes a constant";
  EXPECT_EQ(key(integer(16)), "i32:tt.divisibility16;");
  EXPECT_EQ(key(integer(16), "tl.int64"), "i64:tt.divisibility16;");
  EXPECT_EQ(key(pointer(64)), "*fp32:tt.divisibility16;");
  EXPECT_EQ(key(pointer(68), "tl.const"), "*kfp32;");
}

TEST(Specialization, SomeValuesAreForSomeParameters) {
  EXPECT_NE(key(string("relu")).find("failed to specialize argument"), std::string::npos);
  EXPECT_NE(key(pointer(64), "tl.constexpr").find("cannot take a pointer"), std::string::npos);
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

TEST(Specialization, SignaturesMeetParametersAsArgumentsDo) {
  Function function = functionOf({{"a", false}, {"b", false}, {"c", false}});
  function.parameters[0].specializesValue = false;
  function.parameters[1].specializesAlignment = false;
  function.parameters[2].annotate("tl.int64");
  std::string result;
  for (const ArgumentSpec &spec : llvm::cantFail(parseSignature(function, "i32:1, *fp32:16, i32:16")))
    appendKey(spec, result);
  EXPECT_EQ(result, "i32;*fp32;i64:tt.divisibility16;");
}

TEST(Specialization, SignatureErrorsNameTheParameter) {
  EXPECT_EQ(signature("*fp32:8", {{"a", false}}),
            "error: parameter 'a': only 1 and 16 are hints (equal to 1, divisible by 16), got '*fp32:8'");
  EXPECT_NE(signature("float7", {{"a", false}}).find("parameter 'a': 'float7' is neither a type"), std::string::npos);
  EXPECT_NE(signature("i32", {{"a", false}, {"b", false}}).find("no entry for parameter 'b'"), std::string::npos);
  EXPECT_NE(signature("i32, i32", {{"a", false}}).find("2 entries, 'f' has 1 parameters"), std::string::npos);
}

} // namespace
