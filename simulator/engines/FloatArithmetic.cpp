// add, sub, mul, fma, div, min, max and their like on f16, bf16, f32, f64 and pairs of them. All but `approx` and `full` are correctly rounded.
#include "simulator/arithmetic/Floats.h"
#include "simulator/machine/Decoder.h"
#include "simulator/machine/Lanes.h"

#include <algorithm>
#include <cfenv>
#include <cstring>
#include <limits>

namespace triton::simulator {

namespace {

using Kind = Type::Kind;

enum class Operation : uint8_t {
  Add,
  Subtract,
  Multiply,
  MultiplyAdd,
  Divide,
  Minimum,
  Maximum,
  Negate,
  Magnitude,
  CopySign,
  Root,
  Reciprocal,
  TestClass
};

struct FloatForm {
  Operation operation;
  Rounding rounding = Rounding::NearestEven;
  bool flushes = false, saturates = false, relu = false, propagatesNan = false, byMagnitude = false;
};

/// NaN as GPUs write it.
float canonicalNan() { return std::bit_cast<float>(0x7FFFFFFFu); }
double canonicalNan64() { return std::bit_cast<double>(0x7FF8000000000000ull); }

template <typename T> T extremum(T a, T b, bool isMinimum, const FloatForm &form) {
  bool nanA = a != a, nanB = b != b;
  T nan = sizeof(T) == 8 ? T(canonicalNan64()) : T(canonicalNan());
  if (nanA || nanB)
    return (nanA && nanB) || form.propagatesNan ? nan : nanA ? b : a;
  T left = form.byMagnitude ? std::fabs(a) : a, right = form.byMagnitude ? std::fabs(b) : b;
  bool isLess = left < right || (left == right && std::signbit(a) && !std::signbit(b));
  T result = isLess == isMinimum ? a : b;
  if (form.byMagnitude) { // min.xorsign.abs
    bool sign = std::signbit(a) != std::signbit(b);
    result = std::copysign(std::fabs(result), sign ? T(-1) : T(1));
  }
  return result;
}

/// Keeps the compiler from moving arithmetic out of a stretch with another rounding mode.
template <typename T> T opaque(T value) {
  asm volatile("" : "+m"(value) : : "memory");
  return value;
}

class RoundingScope {
public:
  explicit RoundingScope(Rounding rounding) : before(std::fegetround()) {
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
    if (rounding != Rounding::NearestEven)
      std::fesetround(modes[unsigned(rounding)]);
  }
  ~RoundingScope() { std::fesetround(before); }

private:
  int before;
};

template <typename T> T compute(Operation operation, T a, T b, T c, const FloatForm &form) {
  switch (operation) {
  case Operation::Add:
    return opaque(opaque(a) + opaque(b));
  case Operation::Subtract:
    return opaque(opaque(a) - opaque(b));
  case Operation::Multiply:
    return opaque(opaque(a) * opaque(b));
  case Operation::MultiplyAdd:
    return opaque(std::fma(opaque(a), opaque(b), opaque(c)));
  case Operation::Divide:
    return opaque(opaque(a) / opaque(b));
  case Operation::Root:
    return opaque(std::sqrt(opaque(a)));
  case Operation::Reciprocal:
    return opaque(T(1) / opaque(a));
  case Operation::Minimum:
  case Operation::Maximum:
    return extremum(a, b, operation == Operation::Minimum, form);
  case Operation::Negate:
    return -a;
  case Operation::Magnitude:
    return std::fabs(a);
  case Operation::CopySign:
    return std::copysign(b, a); // PTX names the sign first
  case Operation::TestClass:
    break;
  }
  return a;
}

template <typename T> T finish(T value, Operation operation, const FloatForm &form) {
  if (value != value && operation != Operation::Negate && operation != Operation::Magnitude &&
      operation != Operation::CopySign)
    value = sizeof(T) == 8 ? T(canonicalNan64()) : T(canonicalNan());
  if (form.saturates)
    value = value != value ? T(0) : std::clamp(value, T(0), T(1)) + T(0);
  if (form.relu)
    value = value != value ? value : std::max(value, T(0));
  return value;
}

/// All forms of f32 and f64, lane by lane: those that are not common.
template <typename T> Step slowFloat(Warp &warp, const Instruction &instruction, LaneMask mask) {
  auto &form = *static_cast<const FloatForm *>(instruction.details);
  T *d = warp.out<T>(instruction.d);
  const T *a = warp.in<T>(instruction.a), *b = warp.in<T>(instruction.b), *c = warp.in<T>(instruction.c);
  auto flush = [&](T value) -> T {
    if constexpr (sizeof(T) == 4)
      return form.flushes ? flushDenormal(value) : value;
    return value;
  };
  RoundingScope scope(form.rounding);
  eachLane(mask, [&](unsigned lane) {
    d[lane] = flush(
        finish(compute(form.operation, flush(a[lane]), flush(b[lane]), flush(c[lane]), form), form.operation, form));
  });
  return Step::Next;
}

template <typename T> T canonical(T value) {
  T nan = sizeof(T) == 8 ? T(canonicalNan64()) : T(canonicalNan());
  return value != value ? nan : value;
}
template <typename T> T addFast(T a, T b) { return canonical(a + b); }
template <typename T> T subtractFast(T a, T b) { return canonical(a - b); }
template <typename T> T multiplyFast(T a, T b) { return canonical(a * b); }
template <typename T> T divideFast(T a, T b) { return canonical(a / b); }
template <typename T> T multiplyAddFast(T a, T b, T c) { return canonical(std::fma(a, b, c)); }
template <typename T> T minimumFast(T a, T b) {
  T less = a < b || (a == b && std::signbit(a)) || b != b ? a : b;
  return a != a && b != b ? canonical(a) : less;
}
template <typename T> T maximumFast(T a, T b) {
  T more = a > b || (a == b && !std::signbit(a)) || b != b ? a : b;
  return a != a && b != b ? canonical(a) : more;
}

/// f16 and bf16, of which `small[0]` lie in a register: widened, computed, rounded. For all but fma a float has bits enough that rounding twice is as good as once.
template <float (*widen)(uint16_t), uint16_t (*narrow)(float), bool isBrain>
Step smallFloat(Warp &warp, const Instruction &instruction, LaneMask mask) {
  auto &form = *static_cast<const FloatForm *>(instruction.details);
  unsigned count = instruction.small[0];
  uint16_t *d = warp.out<uint16_t>(instruction.d);
  const uint16_t *a = warp.in<uint16_t>(instruction.a), *b = warp.in<uint16_t>(instruction.b),
                 *c = warp.in<uint16_t>(instruction.c);
  constexpr uint16_t smallest = isBrain ? 0x80 : 0x400;
  auto flush = [&](uint16_t bits) {
    return form.flushes && (bits & 0x7FFF) < smallest ? uint16_t(bits & 0x8000) : bits;
  };
  eachLane(mask, [&](unsigned lane) {
    for (unsigned part = 0; part < count; ++part) {
      unsigned index = lane * count + part;
      if (form.operation == Operation::Negate || form.operation == Operation::Magnitude) {
        d[index] = uint16_t(form.operation == Operation::Negate ? a[index] ^ 0x8000 : a[index] & 0x7FFF);
        continue;
      }
      float left = widen(flush(a[index])), right = widen(flush(b[index]));
      uint16_t result;
      if (form.operation == Operation::MultiplyAdd) {
        double exact = std::fma(double(left), double(right), double(widen(flush(c[index]))));
        result = uint16_t(
            encode(finish(exact, form.operation, form), isBrain ? formatBrain : formatHalf, form.rounding, false));
      } else {
        result = narrow(finish(compute(form.operation, left, right, 0.0f, form), form.operation, form));
      }
      if ((result & 0x7FFF) > (isBrain ? 0x7F80 : 0x7C00))
        result = 0x7FFF;
      d[index] = flush(result);
    }
  });
  return Step::Next;
}

/// testp: which kinds of numbers count, in `small[0]`: 1 finite, 2 infinite, 4 number, 8 NaN, 16 normal, 32 subnormal.
template <typename T> Step testClass(Warp &warp, const Instruction &instruction, LaneMask mask) {
  const T *a = warp.in<T>(instruction.a);
  uint32_t value = 0;
  eachLane(mask, [&](unsigned lane) {
    int kind = std::fpclassify(a[lane]);
    unsigned classes = kind == FP_NAN         ? 8
                       : kind == FP_INFINITE  ? 2 | 4
                       : kind == FP_NORMAL    ? 1 | 4 | 16
                       : kind == FP_SUBNORMAL ? 1 | 4 | 32
                                              : 1 | 4;
    value |= uint32_t((classes & instruction.small[0]) != 0) << lane;
  });
  warp.setPredicate(instruction.d.code, value, mask);
  return Step::Next;
}

bool decodeTestClass(Decoder &decoder) {
  static const std::pair<std::string_view, uint8_t> classes[] = {{"finite", 1},     {"infinite", 2}, {"number", 4},
                                                                 {"notanumber", 8}, {"normal", 16},  {"subnormal", 32}};
  Type type = decoder.type(0);
  Slot a = decoder.source(1, type);
  uint32_t d = decoder.destinationPredicate(decoder.operand(0));
  Instruction &made = decoder.emit(type.bits == 64 ? testClass<double> : testClass<float>);
  made.a = a;
  made.d.code = d;
  for (auto [name, bit] : classes)
    if (decoder.has(name))
      made.small[0] = bit;
  return made.small[0] ? true : decoder.unknown();
}

Rounding roundingOf(const Decoder &decoder) {
  return decoder.has("rz")   ? Rounding::Zero
         : decoder.has("rm") ? Rounding::Down
         : decoder.has("rp") ? Rounding::Up
                             : Rounding::NearestEven;
}

std::optional<Operation> operationOf(std::string_view name) {
  static const std::pair<std::string_view, Operation> known[] = {
      {"add", Operation::Add},         {"sub", Operation::Subtract},      {"mul", Operation::Multiply},
      {"fma", Operation::MultiplyAdd}, {"mad", Operation::MultiplyAdd},   {"div", Operation::Divide},
      {"min", Operation::Minimum},     {"max", Operation::Maximum},       {"neg", Operation::Negate},
      {"abs", Operation::Magnitude},   {"copysign", Operation::CopySign}, {"sqrt", Operation::Root},
      {"rcp", Operation::Reciprocal}};
  for (auto [text, operation] : known)
    if (text == name)
      return operation;
  return std::nullopt;
}

/// Handlers of the common forms: to nearest, denormals kept.
template <typename T> Handler fastHandler(Operation operation) {
  switch (operation) {
  case Operation::Add:
    return binary<T, T, T, addFast<T>>;
  case Operation::Subtract:
    return binary<T, T, T, subtractFast<T>>;
  case Operation::Multiply:
    return binary<T, T, T, multiplyFast<T>>;
  case Operation::Divide:
    return binary<T, T, T, divideFast<T>>;
  case Operation::MultiplyAdd:
    return ternary<T, T, T, T, multiplyAddFast<T>>;
  case Operation::Minimum:
    return binary<T, T, T, minimumFast<T>>;
  case Operation::Maximum:
    return binary<T, T, T, maximumFast<T>>;
  default:
    return nullptr;
  }
}

/// add.f32.bf16 and its like: operands of a smaller type, to a sum in f32. `small[1]`: bf16.
Step mixedAdd(Warp &warp, const Instruction &instruction, LaneMask mask) {
  auto &form = *static_cast<const FloatForm *>(instruction.details);
  auto widen = instruction.small[1] ? brainToFloat : halfToFloat;
  float *d = warp.out<float>(instruction.d);
  const uint16_t *a = warp.in<uint16_t>(instruction.a), *b = warp.in<uint16_t>(instruction.b);
  const float *c = warp.in<float>(instruction.c);
  RoundingScope scope(form.rounding);
  eachLane(mask, [&](unsigned lane) {
    float left = widen(a[lane]);
    float result = form.operation == Operation::MultiplyAdd
                       ? opaque(std::fma(opaque(left), widen(b[lane]), opaque(c[lane])))
                   : form.operation == Operation::Subtract ? opaque(opaque(left) - opaque(c[lane]))
                                                           : opaque(opaque(left) + opaque(c[lane]));
    d[lane] = finish(result, form.operation, form);
  });
  return Step::Next;
}

} // namespace

bool decodeFloat(Decoder &decoder) {
  std::optional<Operation> operation = operationOf(decoder.opcode()[0]);
  Type type = decoder.type(0);
  if (!operation)
    return decoder.unknown();
  FloatForm form{.operation = *operation,
                 .rounding = roundingOf(decoder),
                 .flushes = decoder.has("ftz"),
                 .saturates = decoder.has("sat"),
                 .relu = decoder.has("relu"),
                 .propagatesNan = decoder.has("NaN"),
                 .byMagnitude = decoder.has("xorsign")};
  unsigned sources = *operation == Operation::MultiplyAdd ? 3
                     : *operation == Operation::Negate || *operation == Operation::Magnitude ||
                             *operation == Operation::Root || *operation == Operation::Reciprocal
                         ? 1
                         : 2;
  if (decoder.types().size() == 2 && type.bits == 32 && decoder.type(1).bits == 16) {
    Type narrow = decoder.type(1);
    Slot d = decoder.destination(0, 4), a = decoder.source(1, narrow);
    Slot b = sources == 3 ? decoder.source(2, narrow) : a, c = decoder.source(sources, type);
    Instruction &made = decoder.emit(mixedAdd);
    made.d = d, made.a = a, made.b = b, made.c = c;
    made.small[1] = narrow.kind == Kind::Brain;
    made.details = decoder.keepDetails(form);
    return true;
  }
  // min and max of three: two steps.
  bool isThree = (*operation == Operation::Minimum || *operation == Operation::Maximum) && decoder.operandCount() == 4;
  unsigned count = 1;
  Type element = type;
  if (type.isPacked && type.bits == 32) { // f32x2: twice as many lanes
    count = 2;
    element.isPacked = false;
  }
  Slot d = decoder.destination(0, type.bytes()), a = decoder.source(1, type);
  Slot b = sources > 1 ? decoder.source(2, type) : a, c = sources > 2 || isThree ? decoder.source(3, type) : a;
  bool isCommon = form.rounding == Rounding::NearestEven && !form.flushes && !form.saturates && !form.relu &&
                  !form.propagatesNan && !form.byMagnitude;
  Handler handler = nullptr;
  if (type.bits == 16)
    handler = type.kind == Kind::Brain ? smallFloat<brainToFloat, floatToBrain, true>
                                       : smallFloat<halfToFloat, floatToHalf, false>;
  else if (count == 2)
    handler = [](Warp &warp, const Instruction &instruction, LaneMask mask) {
      // Each lane's two floats lie side by side: compute them one after the other, through copies.
      auto &each = *static_cast<const FloatForm *>(instruction.details);
      float *to = warp.out<float>(instruction.d);
      const float *x = warp.in<float>(instruction.a), *y = warp.in<float>(instruction.b),
                  *z = warp.in<float>(instruction.c);
      auto flush = [&](float value) { return each.flushes ? flushDenormal(value) : value; };
      RoundingScope scope(each.rounding);
      eachLane(mask, [&](unsigned lane) {
        for (unsigned index = 2 * lane; index < 2 * lane + 2; ++index)
          to[index] = flush(finish(compute(each.operation, flush(x[index]), flush(y[index]), flush(z[index]), each),
                                   each.operation, each));
      });
      return Step::Next;
    };
  else if (type.bits == 32)
    handler = isCommon ? fastHandler<float>(*operation) : nullptr;
  else if (type.bits == 64)
    handler = isCommon ? fastHandler<double>(*operation) : nullptr;
  if (!handler)
    handler = type.bits == 64 ? slowFloat<double> : slowFloat<float>;
  const FloatForm *kept = decoder.keepDetails(form);
  auto emitOne = [&](Slot left, Slot right, Slot third) {
    Instruction &made = decoder.emit(handler);
    made.d = d, made.a = left, made.b = right, made.c = third;
    made.small[0] = type.isPacked ? 2 : 1;
    made.details = kept;
  };
  if (isThree) {
    Slot saved = d;
    Slot between = decoder.temporary(type.bytes());
    d = between;
    emitOne(a, b, a);
    d = saved;
    emitOne(between, c, a);
  } else {
    emitOne(a, b, c);
  }
  return true;
}

void addFloats(DecodeTable &table) {
  table["fma"] = table["copysign"] = decodeFloat;
  table["testp"] = decodeTestClass;
}

} // namespace triton::simulator
