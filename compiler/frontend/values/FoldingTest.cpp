// Python's arithmetic: every expected value here was computed by CPython.
#include "compiler/frontend/values/Folding.h"

#include "gtest/gtest.h"

using namespace triton::frontend;
using Op = BinaryOperation;

namespace {

std::string text(llvm::Expected<Value> value) {
  if (value)
    return value->repr();
  return "error: " + llvm::toString(value.takeError());
}
Value integer(int64_t value) { return Value::integer(value); }
Value real(double value) { return Value::real(value); }
Value tuple(std::vector<Value> elements) { return Value::tuple(std::move(elements)); }

TEST(Folding, IntegersFloorAndGrow) {
  EXPECT_EQ(text(fold(Op::FloorDiv, integer(-7), integer(2))), "-4");
  EXPECT_EQ(text(fold(Op::FloorDiv, integer(7), integer(-2))), "-4");
  EXPECT_EQ(text(fold(Op::Mod, integer(-7), integer(3))), "2");
  EXPECT_EQ(text(fold(Op::Mod, integer(7), integer(-3))), "-2");
  EXPECT_EQ(text(fold(Op::Pow, integer(2), integer(100))), "1267650600228229401496703205376");
  EXPECT_EQ(text(fold(Op::Pow, integer(-3), integer(3))), "-27");
  EXPECT_EQ(text(fold(Op::Pow, integer(2), integer(-1))), "0.5");
  EXPECT_EQ(text(fold(Op::LShift, integer(1), integer(70))), "1180591620717411303424");
  EXPECT_EQ(text(fold(Op::RShift, integer(-5), integer(1))), "-3");
  EXPECT_EQ(text(fold(Op::RShift, integer(-5), integer(100))), "-1");
  EXPECT_EQ(text(fold(Op::And, integer(-1), integer(255))), "255");
  EXPECT_EQ(text(fold(Op::Xor, integer(-1), integer(5))), "-6");
  EXPECT_EQ(text(fold(Op::TrueDiv, integer(7), integer(2))), "3.5");
}

TEST(Folding, FloatsFollowTheDivisorsSign) {
  EXPECT_EQ(text(fold(Op::Mod, real(-7.5), real(2))), "0.5");
  EXPECT_EQ(text(fold(Op::Mod, real(7.5), real(-2))), "-0.5");
  EXPECT_EQ(text(fold(Op::FloorDiv, real(-7.5), real(2))), "-4.0");
  EXPECT_EQ(text(fold(Op::Add, integer(1), real(0.5))), "1.5");
}

TEST(Folding, ErrorsArePythons) {
  EXPECT_EQ(text(fold(Op::FloorDiv, integer(1), integer(0))), "error: division by zero");
  EXPECT_EQ(text(fold(Op::LShift, integer(1), integer(-1))), "error: negative shift count");
  EXPECT_EQ(text(fold(Op::Add, integer(0), Value::string("a"))),
            "error: unsupported operand types for +: 'int' and 'str'");
  EXPECT_EQ(text(fold(Op::LShift, real(1), integer(1))), "error: unsupported operand types for <<: 'float' and 'int'");
  EXPECT_EQ(text(fold(UnaryOperation::Invert, real(1))), "error: bad operand type for unary ~: 'float'");
}

TEST(Folding, HugeResultsAreErrorsNotHangs) {
  EXPECT_TRUE(llvm::StringRef(text(fold(Op::Pow, integer(10), integer(1000000000)))).starts_with("error"));
  EXPECT_TRUE(llvm::StringRef(text(fold(Op::LShift, integer(1), integer(int64_t(1) << 40)))).starts_with("error"));
  EXPECT_TRUE(
      llvm::StringRef(text(fold(Op::Mul, tuple({integer(1)}), integer(int64_t(1) << 40)))).starts_with("error"));
  // What doubles with every statement.
  const Value half = Value::string(std::string(1 << 20, 'x'));
  EXPECT_EQ(text(fold(Op::Add, half, half)), "error: a sequence of 2097152 is too long: at most 1048576");
  const Value many = *fold(Op::Mul, tuple({integer(1)}), integer(1 << 20));
  EXPECT_EQ(text(fold(Op::Add, many, many)), "error: a sequence of 2097152 is too long: at most 1048576");
}

TEST(Folding, Sequences) {
  EXPECT_EQ(text(fold(Op::Add, tuple({integer(1)}), tuple({integer(2), integer(3)}))), "(1, 2, 3)");
  EXPECT_EQ(text(fold(Op::Mul, tuple({integer(0)}), integer(3))), "(0, 0, 0)");
  EXPECT_EQ(text(fold(Op::Lt, tuple({integer(1), integer(2)}), tuple({integer(1), integer(3)}))), "True");
  EXPECT_EQ(text(fold(Op::Eq, tuple({integer(1)}), tuple({real(1)}))), "True");
  EXPECT_EQ(text(foldSubscript(tuple({integer(1), integer(2), integer(3)}), integer(-1))), "3");
  EXPECT_EQ(text(foldSubscript(tuple({integer(1)}), integer(1))), "error: index 1 is out of range for 1 elements");
}

TEST(Folding, Slices) {
  auto slice = [](Value start, Value stop, Value step) {
    return Value(Value::Storage(std::make_shared<const SliceValue>(SliceValue{start, stop, step})));
  };
  Value all = tuple({integer(0), integer(1), integer(2), integer(3), integer(4)});
  EXPECT_EQ(text(foldSubscript(all, slice(integer(1), {}, {}))), "(1, 2, 3, 4)");
  EXPECT_EQ(text(foldSubscript(all, slice({}, integer(-1), {}))), "(0, 1, 2, 3)");
  EXPECT_EQ(text(foldSubscript(all, slice({}, {}, integer(-2)))), "(4, 2, 0)");
  EXPECT_EQ(text(foldSubscript(all, slice(integer(-100), integer(100), integer(3)))), "(0, 3)");
  EXPECT_EQ(text(foldSubscript(all, slice(integer(3), integer(1), integer(-1)))), "(3, 2)");
  EXPECT_EQ(text(foldSubscript(all, slice({}, {}, integer(0)))), "error: slice step cannot be zero");
}

TEST(Folding, Conversions) {
  EXPECT_EQ(text(foldToInteger(real(-2.7))), "-2");
  EXPECT_EQ(text(foldToInteger(Value::string(" -12 "))), "-12");
  EXPECT_EQ(text(foldToInteger(Value::boolean(true))), "1");
  EXPECT_EQ(text(foldToFloat(Value::string("-inf"))), "-inf");
  EXPECT_EQ(text(foldToFloat(Value::string("x"))), "error: could not convert string to float: 'x'");
  EXPECT_EQ(text(foldLength(Value::string("h\xc3\xa9"))), "2");
}

TEST(Folding, BitsOfIntegers) {
  Integer big = llvm::cantFail(fold(Op::Pow, integer(2), integer(80))).get<Integer>();
  EXPECT_EQ(bitLength(big), 81u);
  EXPECT_EQ(toDouble(big), 0x1p80);
  EXPECT_TRUE(toBits(big, 64).isZero());
  EXPECT_EQ(fromBits(toBits(-big - 5, 128), /*isSigned=*/true), -big - 5);
  EXPECT_FALSE(toInt64(big));
}

} // namespace
