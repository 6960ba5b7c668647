// What parameters and arguments make together, and the texts they are read from.
#include "dispatch/Specialization.h"
#include "dispatch/Text.h"

#include "gtest/gtest.h"

using namespace triton::dispatch;

namespace {

Argument integer(int64_t value) {
  Argument argument;
  argument.setInteger(value);
  return argument;
}
Argument natural(uint64_t value) {
  Argument argument;
  argument.setNatural(value);
  return argument;
}
Argument real(double value) {
  Argument argument;
  argument.setReal(value);
  return argument;
}
Argument boolean(bool value) {
  Argument argument;
  argument.setBoolean(value);
  return argument;
}
Argument pointer(uint64_t address, ScalarType element = ScalarType::Float32) {
  Argument argument;
  argument.setPointer(address, element);
  return argument;
}
Argument none() {
  Argument argument;
  argument.kind = ArgumentKind::None;
  return argument;
}

/// `i32:16`, or "constant".
std::string text(const Argument &argument, const Parameter &parameter = {}) {
  Specialization result = specialize(parameter, argument);
  return result.isConstant ? "constant" : result.type + (result.isDivisible ? ":16" : "");
}
std::string annotated(const Argument &argument, std::string_view annotation) {
  Parameter parameter;
  parameter.annotate(annotation);
  return text(argument, parameter);
}

TEST(Specialization, Integers) {
  EXPECT_EQ(text(integer(1)), "constant");
  EXPECT_EQ(text(integer(2)), "i32");
  EXPECT_EQ(text(integer(0)), "i32:16");
  EXPECT_EQ(text(integer(-32)), "i32:16");
  EXPECT_EQ(text(integer(int64_t(1) << 40)), "i64:16");
  EXPECT_EQ(text(integer((int64_t(1) << 31) - 1)), "i32");
  EXPECT_EQ(text(integer((int64_t(1) << 31) + 1)), "i64");
  EXPECT_EQ(text(natural(uint64_t(1) << 63 | 1)), "u64");
  EXPECT_EQ(text(natural(7)), "i32");
}

TEST(Specialization, OtherValues) {
  EXPECT_EQ(text(real(16)), "fp32");
  EXPECT_EQ(text(boolean(true)), "u1");
  EXPECT_EQ(text(none()), "constant");
  EXPECT_EQ(text(pointer(64)), "*fp32:16");
  EXPECT_EQ(text(pointer(68, ScalarType::Float8E4NV)), "*fp8e4nv");
  EXPECT_EQ(annotated(pointer(64), "tl.const"), "*kfp32:16");
  const int64_t block[] = {64, 32};
  EXPECT_EQ(descriptorType(ScalarType::Float16, block), "tensordesc<fp16[64, 32]>");
}

TEST(Specialization, AnnotationsForceTheType) {
  EXPECT_EQ(annotated(integer(1), "tl.int32"), "i32") << "no constant: the type is what the user wants";
  EXPECT_EQ(annotated(integer(16), "\"i64\""), "i64:16");
  EXPECT_EQ(annotated(integer(16), "tl.float32"), "fp32");
  EXPECT_EQ(annotated(real(2), "tl.float64"), "fp64");
  EXPECT_EQ(annotated(pointer(16), "\"*fp16\""), "*fp16:16");
  EXPECT_EQ(annotated(none(), "\"*fp16\""), "*fp16") << "a null pointer";
  EXPECT_EQ(annotated(integer(3), "torch.Tensor"), "i32");
  EXPECT_EQ(annotated(integer(3), "tl.constexpr"), "constant");
}

TEST(Specialization, ParametersThatDoNotSpecialize) {
  Parameter parameter{.specializesValue = false};
  EXPECT_EQ(text(integer(1), parameter), "i32");
  EXPECT_EQ(text(integer(16), parameter), "i32");
  EXPECT_EQ(text(integer(int64_t(1) << 40), parameter), "i64");
  EXPECT_EQ(text(pointer(64), parameter), "*fp32");
  EXPECT_EQ(text(none(), parameter), "constant");
  parameter = {.specializesAlignment = false};
  EXPECT_EQ(text(integer(1), parameter), "constant");
  EXPECT_EQ(text(integer(16), parameter), "i32");
  EXPECT_EQ(text(pointer(64), parameter), "*fp32");
}

// Whatever specialises differently has another tag.
TEST(Specialization, TagsAreFiner) {
  const Argument arguments[] = {
      integer(0), integer(1),  integer(2),  integer(int64_t(1) << 40),    natural(uint64_t(-1)), real(1), boolean(true),
      none(),     pointer(64), pointer(68), pointer(64, ScalarType::Int8)};
  for (bool value : {false, true})
    for (bool alignment : {false, true})
      for (const Argument &a : arguments)
        for (const Argument &b : arguments) {
          Parameter parameter{.specializesValue = value, .specializesAlignment = alignment};
          const uint64_t mask = tagMask(value, alignment);
          if (text(a, parameter) != text(b, parameter)) {
            EXPECT_NE(tagOf(a) & mask, tagOf(b) & mask) << text(a, parameter) << " " << text(b, parameter);
          }
        }
}

TEST(Parameter, Annotations) {
  EXPECT_EQ(normalizeAnnotation("tl.int32"), "i32");
  EXPECT_EQ(normalizeAnnotation("triton.language.float16"), "fp16");
  EXPECT_EQ(normalizeAnnotation("'fp16*'"), "*fp16");
  EXPECT_EQ(normalizeAnnotation("const *fp32"), "*kfp32");
  EXPECT_EQ(normalizeAnnotation("const float*"), "*kfp32");
  EXPECT_EQ(normalizeAnnotation("*kint8"), "*ki8");
  EXPECT_EQ(normalizeAnnotation("uint32_t"), "u32");
  EXPECT_EQ(normalizeAnnotation("bool"), "u1");
  EXPECT_EQ(normalizeAnnotation("torch.Tensor"), "torch.Tensor");
  Parameter parameter;
  parameter.annotate("const *fp32");
  EXPECT_TRUE(parameter.isConst && parameter.type == "*kfp32");
  parameter.annotate("tl.constexpr");
  EXPECT_TRUE(parameter.isConstexpr && !parameter.isConst && parameter.type.empty());
}

TEST(Parameter, NamesAndPositions) {
  const std::string names[] = {"x", "n"};
  EXPECT_EQ(findParameter(names, "n"), 1u);
  EXPECT_EQ(findParameter(names, int64_t(0)), 0u);
  EXPECT_EQ(findParameter(names, "m"), std::nullopt);
  EXPECT_EQ(findParameter(names, int64_t(2)), std::nullopt);
  EXPECT_EQ(findParameter(names, int64_t(-1)), std::nullopt);
  EXPECT_EQ(unknownParameterMessage("do_not_specialize", "m", "add"),
            "do_not_specialize names 'm', which is no parameter of 'add'");
}

TEST(ScalarType, EveryNameLeadsToOneType) {
  for (size_t index = 0; index < scalarTypes.size(); ++index) {
    const ScalarTypeInfo &info = scalarTypes[index];
    for (std::string_view name : {info.name, info.alias, info.signature})
      EXPECT_EQ(scalarTypeByName(name), ScalarType(index)) << name;
  }
  EXPECT_EQ(scalarTypeByAnyName("half"), ScalarType::Float16);
  EXPECT_EQ(scalarTypeByAnyName("float8_e5m2fnuz"), ScalarType::Float8E5B16);
  EXPECT_EQ(scalarTypeByAnyName("uint1"), ScalarType::Int1);
  EXPECT_EQ(scalarTypeByAnyName("complex64"), std::nullopt);
  EXPECT_EQ(scalarTypeByAnyName(""), std::nullopt);
  EXPECT_EQ(scalarTypeOfDlpack(2, 32), ScalarType::Float32);
  EXPECT_EQ(scalarTypeOfDlpack(6, 8), ScalarType::Int1);
  EXPECT_EQ(scalarTypeOfDlpack(5, 64), std::nullopt) << "complex";
}

TEST(Text, Entries) {
  using Entries = std::vector<std::string_view>;
  EXPECT_EQ(splitEntries(""), Entries());
  EXPECT_EQ(splitEntries(" *fp32:16 , i32"), (Entries{"*fp32:16", "i32"}));
  EXPECT_EQ(splitEntries("(1, 2), \"a,b\", tensordesc<fp16[64, 64]>"),
            (Entries{"(1, 2)", "\"a,b\"", "tensordesc<fp16[64, 64]>"}));
  EXPECT_EQ(splitEntries("a,,b"), (Entries{"a", "", "b"}));
  EXPECT_EQ(splitEntries("a,"), Entries{"a"});
}

} // namespace
