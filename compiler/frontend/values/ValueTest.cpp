#include "compiler/frontend/values/Value.h"

#include "gtest/gtest.h"

namespace triton::frontend {
namespace {

TEST(Value, FloatsPrintAsInPython) {
  EXPECT_EQ(pythonRepr(1.0), "1.0");
  EXPECT_EQ(pythonRepr(-0.0), "-0.0");
  EXPECT_EQ(pythonRepr(0.1), "0.1");
  EXPECT_EQ(pythonRepr(1e-5), "1e-05");
  EXPECT_EQ(pythonRepr(0.0001), "0.0001");
  EXPECT_EQ(pythonRepr(1e16), "1e+16");
  EXPECT_EQ(pythonRepr(123456789012345.0), "123456789012345.0");
  EXPECT_EQ(pythonRepr(1.5e300), "1.5e+300");
  EXPECT_EQ(pythonRepr(-1.0 / 0.0), "-inf");
}

TEST(Value, StringsPrintAsInPython) {
  EXPECT_EQ(pythonRepr(llvm::StringRef("a'b")), "\"a'b\"");
  EXPECT_EQ(pythonRepr(llvm::StringRef("a\n\\")), "'a\\n\\\\'");
}

TEST(Value, TuplesPrintAsInPython) {
  EXPECT_EQ(Value::tuple({Value::integer(1)}).str(), "(1,)");
  EXPECT_EQ(Value::tuple({Value::integer(1), Value::string("x")}).str(), "(1, 'x')");
  EXPECT_EQ(Value::tuple({}).str(), "()");
}

TEST(Value, NumbersCompareByValue) {
  EXPECT_TRUE(equalConstants(Value::integer(1), Value::boolean(true)));
  EXPECT_TRUE(equalConstants(Value::integer(2), Value::real(2.0)));
  EXPECT_FALSE(equalConstants(Value::integer(2), Value::real(2.5)));
  EXPECT_TRUE(equalConstants(Value::integer(Integer(int64_t(1) << 62) * 4), Value::real(0x1p64)));
  EXPECT_FALSE(equalConstants(Value::integer(Integer(int64_t(1) << 62) * 4 + 1), Value::real(0x1p64)));
  EXPECT_TRUE(equalConstants(Value::tuple({Value::integer(1)}), Value::tuple({Value::real(1.0)})));
  EXPECT_FALSE(equalConstants(Value::none(), Value::integer(0)));
}

TEST(Value, KeysTellValuesApart) {
  EXPECT_NE(Value::integer(1).key(), Value::boolean(true).key());
  EXPECT_NE(Value::tuple({Value::string("a"), Value::string("b")}).key(), Value::tuple({Value::string("a,b")}).key());
  EXPECT_EQ(Value::dtype(Type::int32()).key(), Value::dtype(Type::int32()).key());
}

} // namespace
} // namespace triton::frontend
