// LLVM's intrinsics for floats, and AMD's approximations: results are those of the host's library, which are at least as near as what a GPU computes.
#include "simulator/amdgcn/Decoder.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

#include <cmath>
#include <cstring>

namespace triton::simulator::amdgcn {

namespace {

using SimInstruction = simulator::Instruction;

/// What a number is computed in.
template <typename T> auto widened(T value) {
  if constexpr (std::is_same_v<T, double>)
    return value;
  else
    return float(value);
}

template <auto operation> bool decodeUnary(Decoder &decoder, const llvm::CallInst &call) {
  const Leaf leaf = decoder.leafOf(call.getType());
  Slots sources = decoder.use(call.getArgOperand(0)), d = decoder.define(call);
  for (size_t index = 0; index < d.size(); ++index)
    decoder.emit(unaryFloat<[](auto value) { return operation(widened(value)); }>(leaf.kind), Family::Special, d[index],
                 sources[index]);
  return true;
}
template <auto operation> Handler binaryHandler(const Leaf &leaf) {
  return binaryFloat<[](auto x, auto y) { return operation(widened(x), widened(y)); }>(leaf.kind);
}
template <auto operation> bool decodeBinary(Decoder &decoder, const llvm::CallInst &call) {
  const Leaf leaf = decoder.leafOf(call.getType());
  Slots a = decoder.use(call.getArgOperand(0)), b = decoder.use(call.getArgOperand(1)), d = decoder.define(call);
  for (size_t index = 0; index < d.size(); ++index)
    decoder.emit(binaryHandler<operation>(leaf), Family::Float, d[index], a[index], b[index]);
  return true;
}
/// All elements of a vector as one, from the first on.
template <auto operation> bool decodeReduction(Decoder &decoder, const llvm::CallInst &call) {
  const Leaf leaf = decoder.leafOf(call.getType());
  Slots elements = decoder.use(call.getArgOperand(0));
  Slot d = decoder.defineScalar(call), best = elements[0];
  for (size_t index = 1; index < elements.size(); ++index) {
    decoder.emit(binaryHandler<operation>(leaf), Family::Float, d, best, elements[index]);
    best = d;
  }
  return true;
}
template <auto operation> bool decodeTernary(Decoder &decoder, const llvm::CallInst &call) {
  const Leaf leaf = decoder.leafOf(call.getType());
  Slots a = decoder.use(call.getArgOperand(0)), b = decoder.use(call.getArgOperand(1)),
        c = decoder.use(call.getArgOperand(2)), d = decoder.define(call);
  for (size_t index = 0; index < d.size(); ++index)
    decoder.emit(ternaryFloat<operation>(leaf.kind), Family::Float, d[index], a[index], b[index], c[index]);
  return true;
}

/// Rounded once: what has 16 bits is computed in 64.
template <typename T> auto fused(T a, T b, T c) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
    return std::fma(a, b, c);
  else
    return std::fma(double(a), double(b), double(c));
}
/// IEEE 754-2019: what is no number goes through, and -0 is below 0.
template <typename T> T minimum(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<T>::quiet_NaN();
  return a == b ? (std::signbit(a) ? a : b) : std::min(a, b);
}
template <typename T> T maximum(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<T>::quiet_NaN();
  return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
}
/// Of a number and what is none the number; -0 is below 0 to AMD's instructions.
template <typename T> T smaller(T a, T b) { return a == b ? (std::signbit(a) ? a : b) : std::fmin(a, b); }
template <typename T> T larger(T a, T b) { return a == b ? (std::signbit(a) ? b : a) : std::fmax(a, b); }
template <typename T> T median(T a, T b, T c) {
  const auto x = widened(a), y = widened(b), z = widened(c);
  if (std::isnan(x) || std::isnan(y) || std::isnan(z)) // what is no number counts as less than all
    return T(std::fmin(std::fmin(x, y), z));
  return T(std::max(std::min(x, y), std::min(std::max(x, y), z)));
}

Handler clearSign(unsigned bytes) {
  return unaryInteger<[]<typename T>(T a) { return T(a & T(~(T(1) << (8 * sizeof(T) - 1)))); }>(bytes);
}
bool decodeMagnitude(Decoder &decoder, const llvm::CallInst &call) {
  const Leaf leaf = decoder.leafOf(call.getType());
  Slots sources = decoder.use(call.getArgOperand(0)), d = decoder.define(call);
  for (size_t index = 0; index < d.size(); ++index)
    decoder.emit(clearSign(leaf.bytes()), Family::Float, d[index], sources[index]);
  return true;
}
bool decodeCopySign(Decoder &decoder, const llvm::CallInst &call) {
  const Leaf leaf = decoder.leafOf(call.getType());
  Slots a = decoder.use(call.getArgOperand(0)), b = decoder.use(call.getArgOperand(1)), d = decoder.define(call);
  for (size_t index = 0; index < d.size(); ++index)
    decoder.emit(binaryInteger<[]<typename T>(T x, T y) {
                   const T sign = T(T(1) << (8 * sizeof(T) - 1));
                   return T((x & T(~sign)) | (y & sign));
                 }>(leaf.bytes()),
                 Family::Float, d[index], a[index], b[index]);
  return true;
}

template <typename F> Handler scaleBy(unsigned bytes) {
  auto scale = []<typename I>(F value, I power) {
    return std::ldexp(widened(value), int(std::clamp<int64_t>(int64_t(std::make_signed_t<I>(power)), -5000, 5000)));
  };
  return bytes == 2   ? Handler(map<scale, F, F, uint16_t>)
         : bytes == 4 ? Handler(map<scale, F, F, uint32_t>)
                      : Handler(map<scale, F, F, uint64_t>);
}
bool decodeScale(Decoder &decoder, const llvm::CallInst &call) {
  const Leaf leaf = decoder.leafOf(call.getType());
  const unsigned bytes = decoder.leafOf(call.getArgOperand(1)->getType()).bytes();
  Slots a = decoder.use(call.getArgOperand(0)), b = decoder.use(call.getArgOperand(1)), d = decoder.define(call);
  for (size_t index = 0; index < d.size(); ++index)
    decoder.emit(leaf.kind == Leaf::Kind::Half     ? scaleBy<Half>(bytes)
                 : leaf.kind == Leaf::Kind::Double ? scaleBy<double>(bytes)
                                                   : scaleBy<float>(bytes),
                 Family::Float, d[index], a[index], b[index]);
  return true;
}

/// Which of LLVM's ten classes a number is of, as bits.
template <typename T> Step classOf(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  auto classify = [](T given) -> unsigned {
    const auto value = widened(given);
    const bool isNegative = std::signbit(value);
    if (std::isnan(value)) {
      uint64_t bits = 0, quiet = sizeof(T) == 8 ? uint64_t(1) << 51 : sizeof(T) == 4 ? 1u << 22 : 1u << 9;
      if constexpr (std::is_same_v<T, Brain>)
        quiet = 1u << 6;
      std::memcpy(&bits, &given, sizeof(T));
      return bits & quiet ? 2 : 1;
    }
    if (std::isinf(value))
      return isNegative ? 4 : 0x200;
    if (value == 0)
      return isNegative ? 0x20 : 0x40;
    const double smallest = sizeof(T) == 8 ? 0x1p-1022 : std::is_same_v<T, Half> ? 0x1p-14 : 0x1p-126;
    if (std::fabs(double(value)) < smallest)
      return isNegative ? 0x10 : 0x80;
    return isNegative ? 8 : 0x100;
  };
  const T *a = warp.in<T>(instruction.a);
  eachLane(mask, [&](unsigned lane) {
    warp.out<uint8_t>(instruction.d)[lane] = (classify(a[lane]) & instruction.immediate) != 0;
  });
  return Step::Next;
}
bool decodeClass(Decoder &decoder, const llvm::CallInst &call) {
  const Leaf leaf = decoder.leafOf(call.getArgOperand(0)->getType());
  const int64_t classes = decoder.immediate(call.getArgOperand(1));
  Slots sources = decoder.use(call.getArgOperand(0)), d = decoder.define(call);
  for (size_t index = 0; index < d.size(); ++index) {
    SimInstruction &made = decoder.emit(leaf.kind == Leaf::Kind::Half    ? classOf<Half>
                                        : leaf.kind == Leaf::Kind::Brain ? classOf<Brain>
                                        : leaf.kind == Leaf::Kind::Float ? classOf<float>
                                                                         : classOf<double>,
                                        Family::Float);
    made.d = d[index], made.a = sources[index], made.immediate = classes;
  }
  return true;
}

} // namespace

void addMath(IntrinsicTable &table) {
  namespace I = llvm::Intrinsic;
  constexpr double pi = 3.14159265358979323846;
  table[I::floor] = decodeUnary<[](auto x) { return std::floor(x); }>;
  table[I::ceil] = decodeUnary<[](auto x) { return std::ceil(x); }>;
  table[I::trunc] = decodeUnary<[](auto x) { return std::trunc(x); }>;
  table[I::round] = decodeUnary<[](auto x) { return std::round(x); }>;
  table[I::rint] = table[I::nearbyint] = table[I::roundeven] = decodeUnary<[](auto x) { return std::nearbyint(x); }>;
  table[I::sqrt] = table[I::amdgcn_sqrt] = decodeUnary<[](auto x) { return std::sqrt(x); }>;
  table[I::exp] = decodeUnary<[](auto x) { return std::exp(x); }>;
  table[I::exp2] = table[I::amdgcn_exp2] = decodeUnary<[](auto x) { return std::exp2(x); }>;
  table[I::log] = decodeUnary<[](auto x) { return std::log(x); }>;
  table[I::log2] = table[I::amdgcn_log] = decodeUnary<[](auto x) { return std::log2(x); }>;
  table[I::log10] = decodeUnary<[](auto x) { return std::log10(x); }>;
  table[I::sin] = decodeUnary<[](auto x) { return std::sin(x); }>;
  table[I::cos] = decodeUnary<[](auto x) { return std::cos(x); }>;
  table[I::amdgcn_sin] = decodeUnary<[](auto x) { return decltype(x)(std::sin(2 * pi * double(x))); }>; // of turns
  table[I::amdgcn_cos] = decodeUnary<[](auto x) { return decltype(x)(std::cos(2 * pi * double(x))); }>;
  table[I::amdgcn_tanh] = decodeUnary<[](auto x) { return std::tanh(x); }>;
  table[I::amdgcn_rcp] = decodeUnary<[](auto x) { return 1 / x; }>;
  table[I::amdgcn_rsq] = decodeUnary<[](auto x) { return decltype(x)(1 / std::sqrt(double(x))); }>;
  table[I::amdgcn_fract] = decodeUnary<[](auto x) { return x - std::floor(x); }>;
  table[I::canonicalize] = decodeUnary<[](auto x) { return x; }>;
  table[I::pow] = decodeBinary<[](auto x, auto y) { return std::pow(x, y); }>;
  constexpr auto least = [](auto x, auto y) { return smaller(x, y); };
  constexpr auto most = [](auto x, auto y) { return larger(x, y); };
  constexpr auto leastOrNan = [](auto x, auto y) { return amdgcn::minimum(x, y); };
  constexpr auto mostOrNan = [](auto x, auto y) { return amdgcn::maximum(x, y); };
  table[I::minnum] = table[I::minimumnum] = decodeBinary<least>;
  table[I::maxnum] = table[I::maximumnum] = decodeBinary<most>;
  table[I::minimum] = decodeBinary<leastOrNan>;
  table[I::maximum] = decodeBinary<mostOrNan>;
  table[I::vector_reduce_fmin] = decodeReduction<least>;
  table[I::vector_reduce_fmax] = decodeReduction<most>;
  table[I::vector_reduce_fminimum] = decodeReduction<leastOrNan>;
  table[I::vector_reduce_fmaximum] = decodeReduction<mostOrNan>;
  table[I::fma] = table[I::fmuladd] = decodeTernary<[](auto a, auto b, auto c) { return fused(a, b, c); }>;
  table[I::amdgcn_fmed3] = decodeTernary<[](auto a, auto b, auto c) { return median(a, b, c); }>;
  table[I::fabs] = decodeMagnitude;
  table[I::copysign] = decodeCopySign;
  table[I::ldexp] = decodeScale;
  table[I::is_fpclass] = decodeClass;
}

} // namespace triton::simulator::amdgcn
