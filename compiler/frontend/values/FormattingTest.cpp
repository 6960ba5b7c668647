// Text as CPython writes it: every expected value here was computed by CPython. Random specifications are in test/python/compile/test_compile_time_python.py.
#include "compiler/frontend/values/Formatting.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace triton::frontend;

namespace {

std::string text(const Value &value, llvm::StringRef spec) {
  auto result = formatValue(value, spec);
  return result ? *result : "error: " + llvm::toString(result.takeError());
}

TEST(Formatting, Specifications) {
  EXPECT_EQ(text(Value::integer(int64_t(42)), "08"), "00000042");
  EXPECT_EQ(text(Value::integer(int64_t(-42)), "=+8"), "-     42");
  EXPECT_EQ(text(Value::integer(int64_t(42)), "<6"), "42    ");
  EXPECT_EQ(text(Value::integer(int64_t(1234567)), ","), "1,234,567");
  EXPECT_EQ(text(Value::integer(int64_t(-1234567)), "018,"), "-0,000,001,234,567");
  EXPECT_EQ(text(Value::integer(int64_t(123)), "04,"), "0,123");
  EXPECT_EQ(text(Value::integer(int64_t(255)), "#_b"), "0b1111_1111");
  EXPECT_EQ(text(Value::integer(int64_t(255)), "#X"), "0XFF");
  EXPECT_EQ(text(Value::integer(int64_t(65)), "c"), "A");
  EXPECT_EQ(text(Value::integer(int64_t(7)), "e"), "7.000000e+00");
  EXPECT_EQ(text(Value::boolean(true), "5"), "    1");
  EXPECT_EQ(text(Value::boolean(true), ""), "True");
  EXPECT_EQ(text(Value::real(3.14159), ".2f"), "3.14");
  EXPECT_EQ(text(Value::real(3.14159), "+10.3e"), "+3.142e+00");
  EXPECT_EQ(text(Value::real(1e+16), ""), "1e+16");
  EXPECT_EQ(text(Value::real(123.0), ".3"), "1.23e+02");
  EXPECT_EQ(text(Value::real(5.0), ".1"), "5e+00");
  EXPECT_EQ(text(Value::real(1.0), "#.0f"), "1.");
  EXPECT_EQ(text(Value::real(0.5), "%"), "50.000000%");
  EXPECT_EQ(text(Value::real(1e-07), "g"), "1e-07");
  EXPECT_EQ(text(Value::real(1234.5), "015,.1f"), "0,000,001,234.5");
  EXPECT_EQ(text(Value::real(-0.04), "z.1f"), "0.0");
  EXPECT_EQ(text(Value::real(-INFINITY), "08"), "-0000inf");
  EXPECT_EQ(text(Value::real(NAN), ">6F"), "   NAN");
  EXPECT_EQ(text(Value::string("abc"), "*^7"), "**abc**");
  EXPECT_EQ(text(Value::string("abcdef"), ".3"), "abc");
  EXPECT_EQ(text(Value::string("hé"), ">4"), "  hé");
}

TEST(Formatting, ErrorsArePythons) {
  EXPECT_EQ(text(Value::integer(int64_t(1)), ".2d"), "error: Precision not allowed in integer format specifier");
  EXPECT_EQ(text(Value::string("a"), "d"), "error: Unknown format code 'd' for object of type 'str'");
  EXPECT_EQ(text(Value::string("a"), "+"), "error: Sign not allowed in string format specifier");
  EXPECT_EQ(text(Value::real(1.5), "x"), "error: Unknown format code 'x' for object of type 'float'");
  EXPECT_EQ(text(Value::none(), "5"), "error: unsupported format string passed to NoneType.__format__");
  EXPECT_EQ(text(Value::integer(int64_t(1)), ",_"), "error: Cannot specify both ',' and '_'.");
  EXPECT_EQ(text(Value::integer(int64_t(1)), "5q5"), "error: Invalid format specifier '5q5' for object of type 'int'");
}

TEST(Formatting, Conversions) {
  auto field = [](Value value, int conversion) { return llvm::cantFail(formatField(value, conversion, ">6")); };
  EXPECT_EQ(field(Value::string("q"), 'r'), "   'q'");
  EXPECT_EQ(field(Value::string("\xc3\xa9"), 's'), "     \xc3\xa9");
  EXPECT_EQ(field(Value::string("\xc3\xa9"), 'a'), "'\\xe9'");
  EXPECT_EQ(field(Value::integer(int64_t(12)), -1), "    12");
}

TEST(Formatting, Repr) {
  EXPECT_EQ(pythonRepr(1e22), "1e+22");
  EXPECT_EQ(pythonRepr(0.1), "0.1");
  EXPECT_EQ(pythonRepr(1e15), "1000000000000000.0");
  EXPECT_EQ(pythonRepr(-0.0), "-0.0");
  EXPECT_EQ(pythonRepr(llvm::StringRef("it's\n\x01")), "\"it's\\n\\x01\"");
}

TEST(Formatting, HugeWidthsAreErrors) {
  EXPECT_EQ(text(Value::integer(int64_t(1)), "99999999999"), "error: Too many decimal digits in format string");
}

} // namespace
