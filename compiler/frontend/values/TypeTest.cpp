#include "compiler/frontend/values/Type.h"

#include "compiler/frontend/values/Value.h"

#include "gtest/gtest.h"

namespace triton::frontend {
namespace {

TEST(Type, NamesAreTheLanguages) {
  EXPECT_EQ(Type::int32().str(), "int32");
  EXPECT_EQ(Type::float32().str(), "fp32");
  EXPECT_EQ(Type::pointer(Type::float32()).str(), "pointer<fp32>");
  EXPECT_EQ(Type::pointer(Type::float32(), true).str(), "const_pointer<fp32>");
  EXPECT_EQ(Type::block(Type::scalar(ScalarKind::Float16), {128, 64}).str(), "<[128, 64], fp16>");
  EXPECT_EQ(Type::constant(Value::integer(3)).str(), "constexpr[3]");
}

TEST(Type, SignaturesRoundTrip) {
  for (const char *text :
       {"i32", "u1", "u64", "fp16", "bf16", "fp8e4nv", "*fp32", "*ki8", "**i32", "tensordesc<fp16[64, 32]>"}) {
    auto type = Type::parse(text);
    ASSERT_TRUE(type) << text;
    EXPECT_EQ(type->signature(), text);
  }
  EXPECT_EQ(*Type::parse("tl.uint32"), Type::scalar(ScalarKind::UInt32));
  EXPECT_EQ(*Type::parse("fp32*"), Type::pointer(Type::float32()));
  EXPECT_EQ(*Type::parse("B"), Type::int1());
  for (const char *text : {"", "*", "int", "fp33", "tensordesc<fp16[0]>", "tensordesc<fp16>", "tensordesc<fp16[6",
                           "tensordesc<void[64]>", "const i32"})
    EXPECT_FALSE(Type::parse(text)) << text;
}

TEST(Type, EqualityIsStructural) {
  EXPECT_EQ(Type::block(Type::int32(), {4}), Type::block(Type::int32(), {4}));
  EXPECT_FALSE(Type::block(Type::int32(), {4}) == Type::block(Type::int32(), {8}));
  EXPECT_FALSE(Type::pointer(Type::int32()) == Type::pointer(Type::int32(), true));
  EXPECT_EQ(Type::constant(Value::integer(1)), Type::constant(Value::integer(1)));
  EXPECT_FALSE(Type::constant(Value::integer(1)) == Type::constant(Value::boolean(true)));
  EXPECT_EQ(Type::block(Type::int32(), {}), Type::int32());
}

TEST(Type, KeysTellTypesApart) {
  EXPECT_NE(Type::pointer(Type::int32()).key(), Type::pointer(Type::int32(), true).key());
  EXPECT_NE(Type::block(Type::int32(), {2, 4}).key(), Type::block(Type::int32(), {24}).key());
  EXPECT_EQ(Type::block(Type::int32(), {2, 4}).key(), Type::block(Type::int32(), {2, 4}).key());
}

TEST(Type, IntegersPromoteAsInC) {
  auto type = [](llvm::StringRef text) { return *Type::parse(text); };
  EXPECT_EQ(promoteIntegers(type("i32"), type("u32")), type("u32"));
  EXPECT_EQ(promoteIntegers(type("i32"), type("u16")), type("i32"));
  EXPECT_EQ(promoteIntegers(type("u1"), type("i8")), type("i8"));
  EXPECT_EQ(promoteIntegers(type("i64"), type("u32")), type("i64"));
}

} // namespace
} // namespace triton::frontend
