// Every expanded function against the C library in double precision: a dense sample of all floats, and the special
// ones.
#include "compiler/cpu/passes/ExpandMath.h"

#include "test/cpu/Jit.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace mlir;
using namespace triton;

namespace {
constexpr int64_t block = 4096;

/// void f(in, out): `op` on 4096 elements, in vectors of `width` or one by one.
std::string kernelText(StringRef op, StringRef element, int width, int operands) {
  std::string type = width == 1 ? element.str() : "vector<" + std::to_string(width) + "x" + element.str() + ">";
  std::string text = "func.func @f(%x: !llvm.ptr, %y: !llvm.ptr, %out: !llvm.ptr) {\n"
                     "  %zero = arith.constant 0 : i64\n  %end = arith.constant " +
                     std::to_string(block) + " : i64\n  %step = arith.constant " + std::to_string(width) +
                     " : i64\n  scf.for %i = %zero to %end step %step : i64 {\n";
  for (StringRef name : {"x", "y", "out"})
    text += "    %p" + name.str() + " = llvm.getelementptr %" + name.str() + "[%i] : (!llvm.ptr, i64) -> !llvm.ptr, " +
            element.str() + "\n";
  text += "    %vx = llvm.load %px {alignment = 2 : i64} : !llvm.ptr -> " + type + "\n";
  text += "    %vy = llvm.load %py {alignment = 2 : i64} : !llvm.ptr -> " + type + "\n";
  text += "    %r = math." + op.str() + " %vx" + (operands == 2 ? ", %vy" : "") + " : " + type + "\n";
  text += "    llvm.store %r, %pout {alignment = 2 : i64} : " + type + ", !llvm.ptr\n  }\n  return\n}\n";
  return text;
}

using Kernel = void(const void *, const void *, void *);

struct Function {
  test::Compiled compiled;
  Kernel *run = nullptr;
};

Function build(StringRef op, StringRef processor, StringRef element = "f32", int width = 0, int operands = 1) {
  cpu::HostTarget target = llvm::cantFail(cpu::HostTarget::byName(processor));
  if (width == 0)
    width = int(target.lanes(32));
  auto module = parseSourceString<ModuleOp>(kernelText(op, element, width, operands), &test::jitContext());
  Function function;
  if (!module) {
    ADD_FAILURE() << "the test's IR does not parse";
    return function;
  }
  PassManager passes(&test::jitContext());
  passes.addPass(cpu::createExpandMath(target));
  EXPECT_TRUE(succeeded(passes.run(*module)));
  function.compiled = test::compile(*module, target, /*keepAssembly=*/true);
  if (function.compiled.code)
    function.run = function.compiled.function<Kernel>("f");
  return function;
}

/// Distance in units of the last place of the exact result.
double ulps(float result, double exact) {
  if (std::isnan(exact) || std::isnan(result))
    return std::isnan(exact) && std::isnan(result) ? 0 : std::numeric_limits<double>::infinity();
  float nearest = float(exact);
  if (result == nearest)
    return 0;
  if (std::isinf(nearest) || std::isinf(result)) // rounding just below or above the largest number
    return std::isinf(nearest) && result == std::copysign(std::numeric_limits<float>::max(), nearest)
               ? 1
               : std::numeric_limits<double>::infinity();
  int exponent;
  std::frexp(exact, &exponent);
  return std::abs(double(result) - exact) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

struct Reference {
  const char *op;
  double (*exact)(double);
  double allowed = 2;
};

double exactRsqrt(double x) { return 1 / std::sqrt(x); }

const Reference references[] = {{"exp", std::exp},   {"exp2", std::exp2},   {"expm1", std::expm1}, {"log", std::log},
                                {"log2", std::log2}, {"log10", std::log10}, {"log1p", std::log1p}, {"tanh", std::tanh},
                                {"erf", std::erf},   {"rsqrt", exactRsqrt}, {"sin", std::sin},     {"cos", std::cos},
                                {"sqrt", std::sqrt}, {"floor", std::floor}, {"ceil", std::ceil},   {"cbrt", std::cbrt},
                                {"tan", std::tan},   {"asin", std::asin},   {"acosh", std::acosh}, {"atan", std::atan}};

/// Runs one function on a sample of all floats, `stride` apart as integers, and on the special ones.
void checkAll(const Reference &reference, StringRef processor, uint32_t stride, int width = 0) {
  SCOPED_TRACE(testing::Message() << reference.op << " on " << processor.str() << " width " << width);
  Function function = build(reference.op, processor, "f32", width);
  if (!function.run)
    return;
  std::vector<float> x(block), result(block);
  double worst = 0;
  float worstAt = 0;
  auto flush = [&] {
    function.run(x.data(), x.data(), result.data());
    for (int64_t i = 0; i < block; ++i) {
      double exact = reference.exact(x[i]);
      double error = ulps(result[i], exact);
      if (error > worst)
        worst = error, worstAt = x[i];
      if (exact == 0 && !std::isnan(result[i]))
        EXPECT_EQ(std::signbit(result[i]), std::signbit(exact)) << "sign of zero at " << x[i];
    }
  };
  const uint32_t special[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x7f800000,
                              0xff800000, 0x7fc00000, 0x7fc00001, 0xffffffff, 0x7fffffff, 0x7f7fffff, 0xff7fffff,
                              0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001, 0x42b17218, 0x42b17217, 0x42b17219,
                              0xc2aeac50, 0xc2aeac4f, 0xc2aeac51, 0x43000000, 0x42ffffff, 0xc2fc0000, 0xc2fc0001,
                              0x3f200000, 0x3f1fffff, 0x41200000, 0x3f6ccccd, 0x40800000, 0x4d000000, 0x4cffffff};
  for (int64_t i = 0; i < block; ++i)
    x[i] = llvm::bit_cast<float>(special[i % std::size(special)]);
  flush();
  int64_t filled = 0;
  for (uint64_t bits = 0; bits <= 0xffffffff; bits += stride) {
    x[filled++] = llvm::bit_cast<float>(uint32_t(bits));
    if (filled == block)
      flush(), filled = 0;
  }
  EXPECT_LE(worst, reference.allowed) << "at " << worstAt << " (" << std::hexfloat << worstAt << ")";
  testing::Test::RecordProperty(std::string(reference.op) + "-" + processor.str(), std::to_string(worst));
  if (getenv("TRITON_TEST_VERBOSE"))
    printf("%-6s %-10s %.3f ulp at %a\n", reference.op, processor.str().c_str(), worst, worstAt);
}
} // namespace

TEST(ExpandMath, WithinTwoUlpsOnThisMachine) {
  for (const Reference &reference : references)
    checkAll(reference, "native", 3001);
}

TEST(ExpandMath, WithinTwoUlpsOnAvx2AndBaseline) {
  for (const Reference &reference : references)
    for (StringRef processor : {"x86-64", "x86-64-v2", "x86-64-v3"})
      checkAll(reference, processor, 40009);
}

TEST(ExpandMath, ScalarsAndWideVectors) {
  for (const Reference &reference : references)
    for (int width : {1, 2, 32})
      checkAll(reference, "native", 200003, width);
}

TEST(ExpandMath, Power) {
  for (StringRef processor : {"x86-64", "x86-64-v3", "native"}) {
    Function power = build("powf", processor, "f32", 0, 2);
    if (!power.run)
      continue;
    std::vector<float> x(block), y(block), result(block);
    double worst = 0;
    auto check = [&] {
      power.run(x.data(), y.data(), result.data());
      for (int64_t i = 0; i < block; ++i) {
        double error = ulps(result[i], std::pow(double(x[i]), double(y[i])));
        EXPECT_LE(error, 1) << x[i] << " to the " << y[i] << " gives " << result[i];
        worst = std::max(worst, error);
      }
    };
    const float special[] = {0.f,        -0.f,       1.f,    -1.f,       0.5f,       -0.5f,       2.f,
                             -2.f,       3.f,        -3.f,   INFINITY,   -INFINITY,  NAN,         1e-40f,
                             -1e-40f,    3e38f,      -3e38f, 16777216.f, 16777215.f, -16777215.f, 0.99999994f,
                             1.0000001f, 33554434.f, 7.5f,   -1e-30f,    1e30f};
    int64_t count = std::size(special);
    for (int64_t i = 0; i < block; ++i)
      x[i] = special[i % count], y[i] = special[i / count % count];
    check();
    uint32_t state = 1;
    auto random = [&] { return state = state * 1664525 + 1013904223, state >> 8; };
    for (int repeat = 0; repeat < 100; ++repeat) {
      for (int64_t i = 0; i < block; ++i) {
        x[i] = llvm::bit_cast<float>(uint32_t(random() << 8 ^ random()) & 0x7fffffff);
        y[i] = float(double(random()) / (1 << 24) * 20 - 10);
        if (repeat % 2)
          y[i] = std::round(y[i]), x[i] = -x[i];
      }
      check();
    }
  }
}

TEST(ExpandMath, TwoOperandsThroughTheLibrary) {
  Function function = build("atan2", "native", "f32", 0, 2);
  ASSERT_NE(function.run, nullptr);
  std::vector<float> x(block), y(block), result(block);
  for (int64_t i = 0; i < block; ++i)
    x[i] = float(i % 61) - 30, y[i] = float(i % 17) - 8;
  function.run(x.data(), y.data(), result.data());
  for (int64_t i = 0; i < block; ++i)
    EXPECT_EQ(result[i], std::atan2(x[i], y[i]));
}

TEST(ExpandMath, NarrowFloatsGoThroughF32) {
  Function exp = build("exp", "native", "bf16");
  ASSERT_NE(exp.run, nullptr);
  std::vector<uint16_t> x(block), result(block);
  for (int64_t i = 0; i < block; ++i)
    x[i] = uint16_t(llvm::bit_cast<uint32_t>(float(i - 2048) / 64) >> 16);
  exp.run(x.data(), x.data(), result.data());
  for (int64_t i = 0; i < block; ++i) {
    double exact = std::exp(double(llvm::bit_cast<float>(uint32_t(x[i]) << 16)));
    float value = llvm::bit_cast<float>(uint32_t(result[i]) << 16);
    EXPECT_NEAR(value / exact, 1, 1.01 / 256) << i;
  }
}

namespace {
/// Distance in units of the last place of the exact result, which has 64 bits.
double ulps(double result, long double exact) {
  if (std::isnan(exact) || std::isnan(result))
    return std::isnan(exact) && std::isnan(result) ? 0 : std::numeric_limits<double>::infinity();
  double nearest = double(exact);
  if (result == nearest)
    return 0;
  if (std::isinf(nearest) || std::isinf(result))
    return std::isinf(nearest) && result == std::copysign(std::numeric_limits<double>::max(), nearest)
               ? 1
               : std::numeric_limits<double>::infinity();
  int exponent;
  std::frexp(exact, &exponent);
  return double(std::abs((long double)(result)-exact) / std::ldexp(1.0L, std::max(exponent - 53, -1074)));
}

struct WideReference {
  const char *op;
  long double (*exact)(long double);
  double low, high; // where most of the sample lies
};

long double exactWideRsqrt(long double x) { return 1 / std::sqrt(x); }

const WideReference wideReferences[] = {
    {"exp", std::exp, -750, 712}, {"exp2", std::exp2, -1080, 1026}, {"expm1", std::expm1, -45, 712},
    {"log", std::log, 0, 4},      {"log2", std::log2, 0, 4},        {"log10", std::log10, 0, 4},
    {"log1p", std::log1p, -1, 3}, {"tanh", std::tanh, -22, 22},     {"erf", std::erf, -6.5, 6.5},
    {"sin", std::sin, -2e6, 2e6}, {"cos", std::cos, -2e6, 2e6},     {"rsqrt", exactWideRsqrt, 0, 10}};

/// Runs one function on doubles of all sizes, on such where it does not just grow, and on the special ones.
void checkWide(const WideReference &reference, StringRef processor, int rounds, int width) {
  SCOPED_TRACE(testing::Message() << reference.op << " on " << processor.str() << " width " << width);
  Function function = build(reference.op, processor, "f64", width);
  if (!function.run)
    return;
  const double special[] = {0.0,
                            -0.0,
                            INFINITY,
                            -INFINITY,
                            NAN,
                            5e-324,
                            -5e-324,
                            1e-310,
                            -1e-310,
                            0x1p-1022,
                            -0x1p-1022,
                            1.7976931348623157e308,
                            -1.7976931348623157e308,
                            1.0,
                            -1.0,
                            0x1.fffffffffffffp-1,
                            0x1.0000000000001p0,
                            709.782712893384,
                            709.7827128933841,
                            -745.13,
                            -745.14,
                            1024,
                            1023.9999999999999,
                            -1074,
                            -1075,
                            -1022,
                            0.625,
                            1.25,
                            -1.25,
                            6,
                            20,
                            0x1p-60,
                            0x1p20,
                            1048575.9999999999,
                            0x1p30,
                            1e22,
                            0x1.921fb54442d18p0,
                            0x1.921fb54442d18p1,
                            1e300,
                            0.5,
                            0.70710678118654746,
                            0.70710678118654757,
                            -0.9999999999999999,
                            36.7,
                            -36.7};
  std::vector<double> x(block), result(block);
  double worst = 0, worstAt = 0;
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> spread(reference.low, reference.high), near(-1.5, 1.5), around(-1e-3, 1e-3);
  for (int round = 0; round < rounds; ++round) {
    for (int64_t i = 0; i < block; ++i) {
      const int kind = round == 0 ? 0 : 1 + int(i % 5);
      x[i] = kind == 0   ? special[i % std::size(special)]
             : kind == 1 ? llvm::bit_cast<double>(random())
             : kind == 2 ? near(random)
             : kind == 3 ? around(random) + double(i / 5 % 3)
                         : spread(random);
    }
    function.run(x.data(), x.data(), result.data());
    for (int64_t i = 0; i < block; ++i) {
      const long double exact = reference.exact(x[i]);
      if (double error = ulps(result[i], exact); error > worst)
        worst = error, worstAt = x[i];
      if (exact == 0 && !std::isnan(result[i]))
        EXPECT_EQ(std::signbit(result[i]), std::signbit(exact)) << "sign of zero at " << x[i];
    }
  }
  EXPECT_LE(worst, 2) << "at " << worstAt << " (" << std::hexfloat << worstAt << ")";
  testing::Test::RecordProperty(std::string(reference.op) + "-f64-" + processor.str(), std::to_string(worst));
  if (getenv("TRITON_TEST_VERBOSE"))
    printf("%-6s f64 %-10s %.3f ulp at %a\n", reference.op, processor.str().c_str(), worst, worstAt);
}
} // namespace

TEST(ExpandMath, DoublesWithinTwoUlps) {
  for (const WideReference &reference : wideReferences) {
    checkWide(reference, "native", 100, 8);
    for (StringRef processor : {"x86-64", "x86-64-v3"})
      checkWide(reference, processor, 20, 4);
    for (int width : {1, 2, 16})
      checkWide(reference, "native", 3, width);
  }
}

TEST(ExpandMath, DoublesThatCallTheLibrary) {
  for (auto [op, exact] :
       {std::pair("atan", static_cast<double (*)(double)>(std::atan)), {"asinh", std::asinh}, {"tan", std::tan}}) {
    Function function = build(op, "native", "f64", 4);
    ASSERT_NE(function.run, nullptr);
    std::vector<double> x(block), result(block);
    for (int64_t i = 0; i < block; ++i)
      x[i] = double(i) / 512;
    function.run(x.data(), x.data(), result.data());
    for (int64_t i = 0; i < block; ++i)
      EXPECT_EQ(result[i], exact(x[i])) << op;
  }
}

TEST(ExpandMath, PowerOfDoubles) {
  for (StringRef processor : {"x86-64", "x86-64-v3", "native"}) {
    Function power = build("powf", processor, "f64", 8, 2);
    if (!power.run)
      continue;
    std::vector<double> x(block), y(block), result(block);
    double worst = 0;
    auto check = [&] {
      power.run(x.data(), y.data(), result.data());
      for (int64_t i = 0; i < block; ++i) {
        const double error = ulps(result[i], std::pow((long double)(x[i]), (long double)(y[i])));
        EXPECT_LE(error, 2) << std::hexfloat << x[i] << " to the " << y[i] << " gives " << result[i];
        worst = std::max(worst, error);
      }
    };
    const double special[] = {0.0,
                              -0.0,
                              1.0,
                              -1.0,
                              0.5,
                              -0.5,
                              2.0,
                              -2.0,
                              3.0,
                              -3.0,
                              INFINITY,
                              -INFINITY,
                              NAN,
                              5e-324,
                              -5e-324,
                              1e-310,
                              1.7e308,
                              -1.7e308,
                              0x1p53,
                              0x1p53 - 1,
                              1 - 0x1p53,
                              0x1.fffffffffffffp-1,
                              0x1.0000000000001p0,
                              7.5,
                              -1e-300,
                              1e300,
                              0x1p52 + 1,
                              0x1p64,
                              1074,
                              -1074,
                              1023,
                              1024};
    const int64_t count = std::size(special);
    for (int64_t i = 0; i < block; ++i)
      x[i] = special[i % count], y[i] = special[i / count % count];
    check();
    std::mt19937_64 random(9);
    std::uniform_real_distribution<double> unit(-1, 1);
    for (int round = 0; round < 60; ++round) {
      for (int64_t i = 0; i < block; ++i) {
        // Bases of all sizes, and near one; exponents that keep most results finite; of negative bases integers.
        const int kind = int(i % 4);
        x[i] = kind == 0   ? std::exp(700 * unit(random))
               : kind == 1 ? 1 + unit(random) * std::ldexp(1.0, -int(i / 4 % 50))
               : kind == 2 ? std::abs(unit(random)) * 30
                           : llvm::bit_cast<double>(random() & 0x7fffffffffffffff);
        const double bits = std::max(std::abs(std::log2(x[i])), 0x1p-52);
        y[i] = unit(random) * std::min(1080 / bits, 1e17);
        if (round % 3 == 2)
          y[i] = std::round(y[i]), x[i] = -x[i];
      }
      check();
    }
    if (getenv("TRITON_TEST_VERBOSE"))
      printf("pow    f64 %-10s %.3f ulp\n", processor.str().c_str(), worst);
  }
}

TEST(ExpandMath, NoCallsInTheFastPath) {
  for (StringRef element : {"f32", "f64"})
    for (StringRef op : {"exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "tanh", "erf", "rsqrt"})
      for (StringRef processor : {"x86-64", "x86-64-v3", "x86-64-v4"}) {
        std::string assembly = build(op, processor, element).compiled.assembly;
        EXPECT_EQ(assembly.find("call"), std::string::npos)
            << op.str() << " of " << element.str() << " on " << processor.str();
      }
}
