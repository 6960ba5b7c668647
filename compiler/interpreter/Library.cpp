// The functions of libdevice by their symbols, `__nv_sinf` for the f32 form of `sin` and `__nv_sin` for the f64 form.
#include "compiler/interpreter/Operations.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

#include <cfenv>
#include <cmath>

using namespace mlir;

namespace triton::interpreter {

namespace {

constexpr double pi = 3.14159265358979323846;

using Numbers = ArrayRef<double>;
using FloatFunction = double (*)(Numbers);

/// exp(x^2) erfc(x), by its continued fraction where erfc is too small to be multiplied.
double scaledErrorComplement(double x) {
  if (x < 20)
    return std::exp(x * x) * std::erfc(x);
  double fraction = 0;
  for (int term = 60; term > 0; --term)
    fraction = term / 2.0 / (x + fraction);
  return 1 / (std::sqrt(pi) * (x + fraction));
}

/// The x with `function(x) = y`, for a function that grows (or, with `grows` false, falls) between `low` and `high`.
double invert(double (*function)(double), double y, double low, double high, bool grows) {
  for (int step = 0; step < 2000 && std::nextafter(low, high) < high; ++step) {
    double middle = low + (high - low) / 2;
    (function(middle) < y) == grows ? low = middle : high = middle;
  }
  return std::fabs(function(low) - y) < std::fabs(function(high) - y) ? low : high;
}

double inverseError(double y) {
  if (std::fabs(y) >= 1)
    return std::fabs(y) == 1 ? std::copysign(HUGE_VAL, y) : std::nan("");
  if (y == 0)
    return y;
  double x = invert([](double x) { return std::erf(x); }, std::fabs(y), 0, 6.5, true);
  return std::copysign(x, y);
}

double inverseErrorComplement(double y) {
  if (y == 0 || y == 2)
    return y == 0 ? HUGE_VAL : -HUGE_VAL;
  if (!(y > 0 && y < 2))
    return std::nan("");
  return invert([](double x) { return std::erfc(x); }, y, -6.5, 28, false);
}

double normal(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

double besselI(double order, double x) {
  return order == 1 && x < 0 ? -std::cyl_bessel_i(1, -x) : std::cyl_bessel_i(order, std::fabs(x));
}

/// Functions of floats, by their name without the `f` of the f32 form.
const llvm::StringMap<FloatFunction> &floatFunctions() {
  static const llvm::StringMap<FloatFunction> table = {
      {"floor", [](Numbers x) { return std::floor(x[0]); }},
      {"ceil", [](Numbers x) { return std::ceil(x[0]); }},
      {"trunc", [](Numbers x) { return std::trunc(x[0]); }},
      {"round", [](Numbers x) { return std::round(x[0]); }},
      {"rint", [](Numbers x) { return std::nearbyint(x[0]); }},
      {"nearbyint", [](Numbers x) { return std::nearbyint(x[0]); }},
      {"rsqrt", [](Numbers x) { return 1 / std::sqrt(x[0]); }},
      {"sqrt", [](Numbers x) { return std::sqrt(x[0]); }},
      {"cbrt", [](Numbers x) { return std::cbrt(x[0]); }},
      {"rcbrt", [](Numbers x) { return 1 / std::cbrt(x[0]); }},
      {"exp", [](Numbers x) { return std::exp(x[0]); }},
      {"exp2", [](Numbers x) { return std::exp2(x[0]); }},
      {"exp10", [](Numbers x) { return std::pow(10.0, x[0]); }},
      {"expm1", [](Numbers x) { return std::expm1(x[0]); }},
      {"log", [](Numbers x) { return std::log(x[0]); }},
      {"log2", [](Numbers x) { return std::log2(x[0]); }},
      {"log10", [](Numbers x) { return std::log10(x[0]); }},
      {"log1p", [](Numbers x) { return std::log1p(x[0]); }},
      {"logb", [](Numbers x) { return std::logb(x[0]); }},
      {"sin", [](Numbers x) { return std::sin(x[0]); }},
      {"cos", [](Numbers x) { return std::cos(x[0]); }},
      {"tan", [](Numbers x) { return std::tan(x[0]); }},
      {"sinpi", [](Numbers x) { return std::sin(pi * std::fmod(x[0], 2)); }},
      {"cospi", [](Numbers x) { return std::cos(pi * std::fmod(x[0], 2)); }},
      {"asin", [](Numbers x) { return std::asin(x[0]); }},
      {"acos", [](Numbers x) { return std::acos(x[0]); }},
      {"atan", [](Numbers x) { return std::atan(x[0]); }},
      {"sinh", [](Numbers x) { return std::sinh(x[0]); }},
      {"cosh", [](Numbers x) { return std::cosh(x[0]); }},
      {"tanh", [](Numbers x) { return std::tanh(x[0]); }},
      {"asinh", [](Numbers x) { return std::asinh(x[0]); }},
      {"acosh", [](Numbers x) { return std::acosh(x[0]); }},
      {"atanh", [](Numbers x) { return std::atanh(x[0]); }},
      {"j0", [](Numbers x) { return ::j0(x[0]); }},
      {"j1", [](Numbers x) { return ::j1(x[0]); }},
      {"y0", [](Numbers x) { return ::y0(x[0]); }},
      {"y1", [](Numbers x) { return ::y1(x[0]); }},
      {"cyl_bessel_i0", [](Numbers x) { return besselI(0, x[0]); }},
      {"cyl_bessel_i1", [](Numbers x) { return besselI(1, x[0]); }},
      {"erf", [](Numbers x) { return std::erf(x[0]); }},
      {"erfc", [](Numbers x) { return std::erfc(x[0]); }},
      {"erfcx", [](Numbers x) { return scaledErrorComplement(x[0]); }},
      {"erfinv", [](Numbers x) { return inverseError(x[0]); }},
      {"erfcinv", [](Numbers x) { return inverseErrorComplement(x[0]); }},
      {"normcdf", [](Numbers x) { return normal(x[0]); }},
      {"normcdfinv", [](Numbers x) { return -std::sqrt(2.0) * inverseErrorComplement(2 * x[0]); }},
      {"lgamma", [](Numbers x) { return std::lgamma(x[0]); }},
      {"tgamma", [](Numbers x) { return std::tgamma(x[0]); }},
      {"fabs", [](Numbers x) { return std::fabs(x[0]); }},
      {"saturate", [](Numbers x) { return std::fmin(std::fmax(x[0], 0), 1); }},
      {"copysign", [](Numbers x) { return std::copysign(x[0], x[1]); }},
      {"atan2", [](Numbers x) { return std::atan2(x[0], x[1]); }},
      {"hypot", [](Numbers x) { return std::hypot(x[0], x[1]); }},
      {"rhypot", [](Numbers x) { return 1 / std::hypot(x[0], x[1]); }},
      {"fmod", [](Numbers x) { return std::fmod(x[0], x[1]); }},
      {"remainder", [](Numbers x) { return std::remainder(x[0], x[1]); }},
      {"fdim", [](Numbers x) { return std::fdim(x[0], x[1]); }},
      {"pow", [](Numbers x) { return std::pow(x[0], x[1]); }},
      {"powi", [](Numbers x) { return std::pow(x[0], x[1]); }},
      {"ldexp", [](Numbers x) { return std::ldexp(x[0], static_cast<int>(x[1])); }},
      {"scalbn", [](Numbers x) { return std::ldexp(x[0], static_cast<int>(x[1])); }},
      {"jn", [](Numbers x) { return ::jn(static_cast<int>(x[0]), x[1]); }},
      {"yn", [](Numbers x) { return ::yn(static_cast<int>(x[0]), x[1]); }},
      {"norm3d", [](Numbers x) { return std::hypot(x[0], x[1], x[2]); }},
      {"rnorm3d", [](Numbers x) { return 1 / std::hypot(x[0], x[1], x[2]); }},
      {"norm4d", [](Numbers x) { return std::hypot(std::hypot(x[0], x[1], x[2]), x[3]); }},
      {"rnorm4d", [](Numbers x) { return 1 / std::hypot(std::hypot(x[0], x[1], x[2]), x[3]); }},
      {"fast_fdivide", [](Numbers x) { return x[0] / x[1]; }},
      {"fast_pow", [](Numbers x) { return std::pow(x[0], x[1]); }},
      {"fast_sin", [](Numbers x) { return std::sin(x[0]); }},
      {"fast_cos", [](Numbers x) { return std::cos(x[0]); }},
      {"fast_tan", [](Numbers x) { return std::tan(x[0]); }},
      {"fast_log", [](Numbers x) { return std::log(x[0]); }},
      {"fast_log2", [](Numbers x) { return std::log2(x[0]); }},
      {"fast_log10", [](Numbers x) { return std::log10(x[0]); }},
      {"fast_exp", [](Numbers x) { return std::exp(x[0]); }},
      {"fast_exp10", [](Numbers x) { return std::pow(10.0, x[0]); }},
  };
  return table;
}

/// Arithmetic in a chosen rounding mode, in the precision of the result.
template <typename T> std::optional<T> roundedArithmetic(StringRef name, ArrayRef<T> x) {
  // Volatile, so that nothing is computed before the mode is set.
  volatile T a = x[0], b = x.size() > 1 ? x[1] : T(0), c = x.size() > 2 ? x[2] : T(0), r;
  if (name == "add")
    r = a + b;
  else if (name == "sub")
    r = a - b;
  else if (name == "mul")
    r = a * b;
  else if (name == "div")
    r = a / b;
  else if (name == "rcp")
    r = T(1) / a;
  else if (name == "sqrt")
    r = std::sqrt(a);
  else if (name == "rsqrt")
    r = T(1 / std::sqrt(double(a)));
  else if (name == "fma")
    r = std::fma(a, b, c);
  else
    return std::nullopt;
  return r;
}

/// The rounding mode that the end of a symbol names: nearest, toward zero, down, up.
std::optional<int> getMode(StringRef suffix) {
  return llvm::StringSwitch<std::optional<int>>(suffix)
      .Case("rn", FE_TONEAREST)
      .Case("rz", FE_TOWARDZERO)
      .Case("rd", FE_DOWNWARD)
      .Case("ru", FE_UPWARD)
      .Default(std::nullopt);
}

/// Holds a rounding mode for as long as it lives.
struct ModeScope {
  int before = std::fegetround();
  explicit ModeScope(int mode) { std::fesetround(mode); }
  ~ModeScope() { std::fesetround(before); }
};

/// `__nv_fadd_rz` and its kin, and the conversions `__nv_double2int_rd`.
std::optional<uint64_t> callRounded(StringRef name, StringRef suffix, Type result, ArrayRef<Array> operands,
                                    ArrayRef<size_t> at) {
  auto mode = getMode(suffix);
  if (!mode)
    return std::nullopt;
  auto number = [&](size_t operand) { return operands[operand].floatAt(at[operand]); };
  ModeScope scope(*mode);
  if (name.contains('2')) {
    bool toUnsigned = name.ends_with("uint") || name.ends_with("ull");
    if (auto type = dyn_cast<FloatType>(result)) {
      bool fromUnsigned = name.starts_with("u");
      volatile double wide = isa<FloatType>(operands[0].element()) ? number(0)
                             : fromUnsigned                        ? double(operands[0].unsignedAt(at[0]))
                                                                   : double(operands[0].signedAt(at[0]));
      if (!type.isF32())
        return llvm::bit_cast<uint64_t>(double(wide));
      volatile float narrow = isa<FloatType>(operands[0].element()) ? float(wide)
                              : fromUnsigned                        ? float(operands[0].unsignedAt(at[0]))
                                                                    : float(operands[0].signedAt(at[0]));
      return llvm::bit_cast<uint32_t>(float(narrow));
    }
    volatile double rounded = std::nearbyint(number(0));
    return toUnsigned ? uint64_t(double(rounded)) : uint64_t(int64_t(double(rounded)));
  }
  SmallVector<double> numbers;
  for (size_t operand = 0; operand < operands.size(); ++operand)
    numbers.push_back(number(operand));
  // The letter in front or behind names the type: `fadd` and `fmaf` are of f32.
  StringRef plain = name == "fmaf" || name == "fma" ? "fma" : name.drop_front();
  if (!result.isF32()) {
    auto value = roundedArithmetic<double>(plain, numbers);
    return value ? std::optional<uint64_t>(llvm::bit_cast<uint64_t>(*value)) : std::nullopt;
  }
  SmallVector<float> narrow(numbers.begin(), numbers.end());
  auto value = roundedArithmetic<float>(plain, narrow);
  return value ? std::optional<uint64_t>(llvm::bit_cast<uint32_t>(*value)) : std::nullopt;
}

uint64_t permuteBytes(uint64_t x, uint64_t y, uint64_t selector) {
  uint64_t bytes = y << 32 | x, result = 0;
  for (int index = 0; index < 4; ++index) {
    uint64_t choice = selector >> (4 * index) & 15, byte = bytes >> (8 * (choice & 7)) & 255;
    if (choice & 8)
      byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * index);
  }
  return result;
}

/// Functions of integers and of bits, by their whole name.
std::optional<uint64_t> callInteger(StringRef name, ArrayRef<uint64_t> u, ArrayRef<int64_t> s, unsigned width) {
  auto absolute = [](int64_t value) { return value < 0 ? 0 - uint64_t(value) : uint64_t(value); };
  if (name == "clz" || name == "clzll")
    return llvm::countl_zero(u[0]) - (64 - width);
  if (name == "popc" || name == "popcll")
    return llvm::popcount(u[0]);
  if (name == "ffs" || name == "ffsll")
    return u[0] ? llvm::countr_zero(u[0]) + 1 : 0;
  if (name == "brev" || name == "brevll")
    return llvm::reverseBits(u[0]) >> (64 - width);
  if (name == "byte_perm")
    return permuteBytes(u[0], u[1], u[2]);
  if (name == "mulhi" || name == "mul64hi")
    return uint64_t((__int128)s[0] * s[1] >> width);
  if (name == "umulhi" || name == "umul64hi")
    return uint64_t((unsigned __int128)u[0] * u[1] >> width);
  if (name == "mul24")
    return uint64_t(llvm::SignExtend64(u[0], 24) * llvm::SignExtend64(u[1], 24));
  if (name == "umul24")
    return (u[0] & 0xffffff) * (u[1] & 0xffffff);
  if (name == "sad")
    return absolute(s[0] - s[1]) + u[2];
  if (name == "usad")
    return (u[0] > u[1] ? u[0] - u[1] : u[1] - u[0]) + u[2];
  if (name == "hadd")
    return uint64_t((s[0] + s[1]) >> 1);
  if (name == "rhadd")
    return uint64_t((s[0] + s[1] + 1) >> 1);
  if (name == "uhadd")
    return (u[0] + u[1]) >> 1;
  if (name == "urhadd")
    return (u[0] + u[1] + 1) >> 1;
  if (name == "abs" || name == "llabs")
    return absolute(s[0]);
  if (name == "hiloint2double")
    return u[0] << 32 | u[1];
  if (name == "double2loint")
    return u[0] & 0xffffffff;
  if (name == "double2hiint")
    return u[0] >> 32;
  if (name == "rcp64h")
    return llvm::bit_cast<uint64_t>(1 / llvm::bit_cast<double>(u[0])) >> 32 << 32;
  if (name.contains("_as_"))
    return u[0];
  return std::nullopt;
}

/// Functions that ask something about a float, and give an integer.
std::optional<uint64_t> callQuestion(StringRef name, double x) {
  if (name.starts_with("isnan"))
    return std::isnan(x);
  if (name.starts_with("isinf"))
    return std::isinf(x);
  if (name.starts_with("finite") || name.starts_with("isfinite"))
    return std::isfinite(x);
  if (name.starts_with("signbit"))
    return std::signbit(x);
  if (name.starts_with("llrint"))
    return uint64_t(int64_t(std::nearbyint(x)));
  if (name.starts_with("llround"))
    return uint64_t(int64_t(std::round(x)));
  if (name.starts_with("ilogb"))
    return uint64_t(int64_t(std::ilogb(x)));
  return std::nullopt;
}

} // namespace

std::optional<uint64_t> callLibrary(StringRef symbol, Type result, ArrayRef<Array> operands, size_t index) {
  StringRef name = symbol;
  if (!name.consume_front("__nv_"))
    return std::nullopt;
  SmallVector<size_t> places;
  SmallVector<uint64_t> bits;
  SmallVector<int64_t> integers;
  SmallVector<double> numbers;
  for (const Array &operand : operands) {
    places.push_back(at(operand, index));
    bits.push_back(operand.unsignedAt(places.back()));
    integers.push_back(operand.signedAt(places.back()));
    numbers.push_back(isa<FloatType>(operand.element()) ? operand.floatAt(places.back()) : double(integers.back()));
  }
  auto [stem, suffix] = name.rsplit('_');
  if (auto value = callRounded(stem, suffix, result, operands, places))
    return value;
  if (auto value = callInteger(name, bits, integers, bitWidth(operands[0].element())))
    return value;
  if (!isa<FloatType>(result))
    return callQuestion(name, numbers[0]);
  if (name == "nextafterf")
    return llvm::bit_cast<uint32_t>(std::nextafter(float(numbers[0]), float(numbers[1])));
  if (name == "nextafter")
    return llvm::bit_cast<uint64_t>(std::nextafter(numbers[0], numbers[1]));
  if (name == "fmaf" || name == "fma")
    return encode(cast<FloatType>(result), result.isF32() ? std::fmaf(numbers[0], numbers[1], numbers[2])
                                                          : std::fma(numbers[0], numbers[1], numbers[2]));
  auto function = floatFunctions().find(name);
  if (function == floatFunctions().end() && name.ends_with("f"))
    function = floatFunctions().find(name.drop_back());
  if (function == floatFunctions().end())
    return std::nullopt;
  return encode(cast<FloatType>(result), function->second(numbers));
}

} // namespace triton::interpreter
