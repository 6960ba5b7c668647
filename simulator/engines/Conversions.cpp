// cvt in all its forms: integers, floats, packed small floats, with rounding, saturation and relu.
#include "simulator/arithmetic/Floats.h"
#include "simulator/machine/Addresses.h"
#include "simulator/machine/Decoder.h"
#include "simulator/machine/Lanes.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace triton::simulator {

namespace {

using Kind = Type::Kind;

// Between integers, where the whole destination register is written.

template <typename D, typename Register, typename S> D widen(Register value) { return D(S(value)); }

template <typename D, typename Register> Handler widenFrom(Type source) {
  if (source.isSigned())
    return source.bits == 8    ? unary<D, Register, widen<D, Register, int8_t>>
           : source.bits == 16 ? unary<D, Register, widen<D, Register, int16_t>>
           : source.bits == 32 ? unary<D, Register, widen<D, Register, int32_t>>
                               : unary<D, Register, widen<D, Register, int64_t>>;
  return source.bits == 8    ? unary<D, Register, widen<D, Register, uint8_t>>
         : source.bits == 16 ? unary<D, Register, widen<D, Register, uint16_t>>
         : source.bits == 32 ? unary<D, Register, widen<D, Register, uint32_t>>
                             : unary<D, Register, widen<D, Register, uint64_t>>;
}
template <typename D> Handler widenFrom(Type source, unsigned registerBytes) {
  return registerBytes == 2   ? widenFrom<D, uint16_t>(source)
         : registerBytes == 4 ? widenFrom<D, uint32_t>(source)
                              : widenFrom<D, uint64_t>(source);
}
Handler widenHandler(unsigned destinationBytes, Type source, unsigned registerBytes) {
  return destinationBytes == 2   ? widenFrom<uint16_t>(source, registerBytes)
         : destinationBytes == 4 ? widenFrom<uint32_t>(source, registerBytes)
                                 : widenFrom<uint64_t>(source, registerBytes);
}

// Everything else between two numbers.

struct Form {
  Type from, to;
  unsigned fromBytes, toBytes; // of the registers
  Rounding rounding = Rounding::NearestEven;
  bool roundsToInteger = false, saturates = false, satfinite = false, relu = false, flushes = false;
};

template <typename T> T readAs(const void *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

double roundWhole(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::Zero:
    return std::trunc(value);
  case Rounding::Down:
    return std::floor(value);
  case Rounding::Up:
    return std::ceil(value);
  case Rounding::NearestAway:
    return std::round(value);
  case Rounding::NearestEven:
    return std::nearbyint(value);
  }
  return value;
}

/// An integer to a float of `mantissa` bits, correctly rounded in any mode: doubles do not hold all of 64 bits.
double integerToFloat(unsigned __int128 magnitude, bool isNegative, int mantissa, Rounding rounding) {
  if (magnitude == 0)
    return 0;
  int width = 0;
  for (unsigned __int128 rest = magnitude; rest; rest >>= 1)
    ++width;
  int drop = std::max(0, width - mantissa);
  unsigned __int128 kept = magnitude >> drop, rest = magnitude - (kept << drop);
  if (drop > 0 && rest) {
    unsigned __int128 half = (unsigned __int128)1 << (drop - 1);
    bool up = rounding == Rounding::NearestEven   ? rest > half || (rest == half && (kept & 1))
              : rounding == Rounding::NearestAway ? rest >= half
              : rounding == Rounding::Up          ? !isNegative
              : rounding == Rounding::Down        ? isNegative
                                                  : false;
    kept += up;
  }
  double value = std::ldexp(double(uint64_t(kept)), drop);
  return isNegative ? -value : value;
}

double readFloat(const std::byte *from, Type type, bool flushes) {
  if (type.bits == 64)
    return readAs<double>(from);
  if (type.bits == 32) {
    float value = readAs<float>(from);
    return flushes ? flushDenormal(value) : value;
  }
  return type.kind == Kind::Brain ? brainToFloat(readAs<uint16_t>(from)) : halfToFloat(readAs<uint16_t>(from));
}

uint64_t floatToInteger(double value, const Form &form) {
  unsigned bits = form.to.bits;
  if (std::isnan(value)) {
    bool isWide = bits == 64 || form.from.bits == 64;
    return isWide ? uint64_t(1) << (bits - 1) : 0;
  }
  double whole = roundWhole(value, form.rounding);
  if (form.to.isSigned()) {
    double limit = std::ldexp(1.0, int(bits) - 1);
    if (whole >= limit)
      return (uint64_t(1) << (bits - 1)) - 1;
    if (whole < -limit)
      return uint64_t(-1) << (bits - 1);
    return uint64_t(int64_t(whole));
  }
  if (whole <= 0)
    return 0;
  if (whole >= std::ldexp(1.0, int(bits)))
    return bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  return uint64_t(whole);
}

void writeFloat(std::byte *to, double value, const Form &form) {
  if (form.roundsToInteger && !std::isnan(value) && !std::isinf(value)) {
    double whole = roundWhole(value, form.rounding);
    value = std::copysign(whole, value);
  }
  if (form.saturates)
    value = std::isnan(value) ? 0 : std::clamp(value, 0.0, 1.0) + 0.0;
  if (form.relu && !(value > 0) && !std::isnan(value))
    value = 0;
  Rounding rounding = form.roundsToInteger ? Rounding::NearestEven : form.rounding;
  if (form.to.bits == 64) {
    if (std::isnan(value))
      value = std::bit_cast<double>(0x7FF8000000000000ull);
    std::memcpy(to, &value, 8);
  } else if (form.to.kind == Kind::Tensor) {
    uint32_t bits = std::isnan(value) ? 0x7FFFFFFF : encode(value, formatTensor, rounding, form.satfinite) << 13;
    std::memcpy(to, &bits, 4);
  } else if (form.to.bits == 32) {
    float narrow = roundToFloat(value, rounding);
    if (narrow != narrow)
      narrow = std::bit_cast<float>(0x7FFFFFFFu);
    if (form.flushes)
      narrow = flushDenormal(narrow);
    std::memcpy(to, &narrow, 4);
  } else {
    auto bits =
        uint16_t(encode(value, form.to.kind == Kind::Brain ? formatBrain : formatHalf, rounding, form.satfinite));
    std::memcpy(to, &bits, 2);
  }
}

uint64_t readInteger(const std::byte *from, const Form &form) {
  uint64_t value = 0;
  std::memcpy(&value, from, form.from.bits / 8);
  if (form.from.isSigned() && form.from.bits < 64 && (value >> (form.from.bits - 1) & 1))
    value |= ~uint64_t(0) << form.from.bits;
  return value;
}

uint64_t saturateInteger(uint64_t value, const Form &form) {
  __int128 wide = form.from.isSigned() ? __int128(int64_t(value)) : __int128(value);
  __int128 one = 1, low = form.to.isSigned() ? -(one << (form.to.bits - 1)) : 0,
           high = form.to.isSigned() ? (one << (form.to.bits - 1)) - 1 : (one << form.to.bits) - 1;
  return uint64_t(std::clamp(wide, low, high));
}

Step convert(Warp &warp, const Instruction &instruction, LaneMask mask) {
  auto &form = *static_cast<const Form *>(instruction.details);
  std::byte *d = warp.out<std::byte>(instruction.d);
  const std::byte *a = warp.in<std::byte>(instruction.a);
  eachLane(mask, [&](unsigned lane) {
    const std::byte *from = a + lane * form.fromBytes;
    std::byte *to = d + lane * form.toBytes;
    if (form.from.isFloat() && form.to.isFloat())
      return writeFloat(to, readFloat(from, form.from, form.flushes), form);
    if (form.to.isFloat()) {
      uint64_t value = readInteger(from, form);
      bool isNegative = form.from.isSigned() && int64_t(value) < 0;
      int mantissa = form.to.bits == 64 ? 53 : form.to.bits == 32 ? 24 : form.to.kind == Kind::Brain ? 8 : 11;
      double rounded = integerToFloat(isNegative ? -value : value, isNegative, mantissa, form.rounding);
      return writeFloat(to, rounded, form);
    }
    uint64_t value =
        form.from.isFloat() ? floatToInteger(readFloat(from, form.from, form.flushes), form) : readInteger(from, form);
    if (!form.from.isFloat() && form.saturates)
      value = saturateInteger(value, form);
    // Narrower than the register: extended by the destination's kind.
    if (form.to.bits < 64) {
      uint64_t ones = (uint64_t(1) << form.to.bits) - 1;
      value &= ones;
      if (form.to.isSigned() && (value >> (form.to.bits - 1) & 1))
        value |= ~ones;
    }
    std::memcpy(to, &value, form.toBytes);
  });
  return Step::Next;
}

uint16_t narrowHalf(float value) { return floatToHalf(value); }
uint16_t narrowBrain(float value) { return floatToBrain(value); }

// Packed small floats.

struct SmallFormat {
  std::string_view name;
  FloatFormat format;
  unsigned bits; // that an element takes in a register
};
const SmallFormat smallFormats[] = {
    {"f16", formatHalf, 16}, {"bf16", formatBrain, 16},     {"e4m3", formatE4M3, 8},
    {"e5m2", formatE5M2, 8}, {"e2m3", formatE2M3, 8},       {"e3m2", formatE3M2, 8},
    {"e2m1", formatE2M1, 4}, {"ue8m0", formatScaleE8M0, 8}, {"ue4m3", formatScaleE4M3, 8}};

struct Packed {
  const SmallFormat *from = nullptr, *to = nullptr; // null: f32
  unsigned count = 2;
  Rounding rounding = Rounding::NearestEven;
  bool satfinite = false, relu = false, isStochastic = false;
  unsigned fromBytes = 4, toBytes = 4;
};

/// "e4m3x2" -> e4m3, 2.
std::pair<const SmallFormat *, unsigned> packedFormat(std::string_view name) {
  size_t x = name.rfind('x');
  if (x == name.npos || x + 2 != name.size())
    return {nullptr, 0};
  for (const SmallFormat &format : smallFormats)
    if (format.name == name.substr(0, x))
      return {&format, unsigned(name[x + 1] - '0')};
  return {nullptr, 0};
}

/// Elements of f32 come from `list`, the first in the highest place; packed ones from `a`.
Step convertPacked(Warp &warp, const Instruction &instruction, LaneMask mask) {
  auto &form = *static_cast<const Packed *>(instruction.details);
  std::byte *d = warp.out<std::byte>(instruction.d);
  eachLane(mask, [&](unsigned lane) {
    uint64_t out = 0, in = 0;
    if (form.from)
      std::memcpy(&in, warp.in<std::byte>(instruction.a) + lane * form.fromBytes, form.fromBytes);
    uint32_t random = form.isStochastic ? warp.in<uint32_t>(instruction.b)[lane] : 0;
    for (unsigned index = 0; index < form.count; ++index) {
      double value;
      if (form.from) {
        unsigned bits = form.from->bits;
        value = decode(uint32_t(in >> (index * bits)) & ((1u << bits) - 1), form.from->format);
      } else {
        value = warp.in<float>(instruction.list[form.count - 1 - index])[lane];
      }
      if (form.relu && !(value > 0) && !std::isnan(value))
        value = 0;
      if (form.isStochastic && std::isfinite(value) && value != 0) {
        // Random bits are added below the last place that is kept, then the rest is cut off.
        int place = std::max(std::ilogb(value), 1 - form.to->format.bias) - form.to->format.mantissaBits;
        unsigned shift = form.count == 4 ? 8 * (index & 3) : 16 * (index & 1), width = form.count == 4 ? 8 : 16;
        double part = double(random >> shift & ((1u << width) - 1)) / double(1u << width);
        value += std::copysign(std::ldexp(part, place), value);
      }
      Rounding rounding = form.isStochastic ? Rounding::Zero : form.rounding;
      uint32_t bits;
      if (form.to->format.hasInfinity && std::isnan(value) && form.to->bits == 16)
        bits = 0x7FFF;
      else
        bits = encode(value, form.to->format, rounding, form.satfinite && !std::isnan(value));
      if (!form.to->format.hasNan && form.relu && std::isnan(value))
        bits = encode(std::numeric_limits<double>::max(), form.to->format, rounding, true);
      out |= uint64_t(bits) << (index * form.to->bits);
    }
    std::memcpy(d + lane * form.toBytes, &out, form.toBytes);
  });
  return Step::Next;
}

/// The two most common packs, by the tens of thousands in a matmul's epilogue.
template <uint16_t (*narrow)(float)> Step packPair(Warp &warp, const Instruction &instruction, LaneMask mask) {
  auto *d = warp.out<uint32_t>(instruction.d);
  const float *high = warp.in<float>(instruction.a), *low = warp.in<float>(instruction.b);
  eachLane(mask, [&](unsigned lane) { d[lane] = uint32_t(narrow(high[lane])) << 16 | narrow(low[lane]); });
  return Step::Next;
}

Rounding roundingOf(const Decoder &decoder) {
  if (decoder.has("rz") || decoder.has("rzi"))
    return Rounding::Zero;
  if (decoder.has("rm") || decoder.has("rmi"))
    return Rounding::Down;
  if (decoder.has("rp") || decoder.has("rpi"))
    return Rounding::Up;
  if (decoder.has("rna"))
    return Rounding::NearestAway;
  return Rounding::NearestEven;
}

bool decodePacked(Decoder &decoder, std::string_view to, std::string_view from) {
  auto [toFormat, toCount] = packedFormat(to);
  auto [fromFormat, fromCount] = packedFormat(from);
  if (!toFormat || (!fromFormat && from != "f32"))
    return decoder.unknown();
  Packed form{.from = fromFormat,
              .to = toFormat,
              .count = toCount,
              .rounding = roundingOf(decoder),
              .satfinite = decoder.has("satfinite"),
              .relu = decoder.has("relu"),
              .isStochastic = decoder.has("rs")};
  if (fromFormat && fromCount != toCount)
    return decoder.unknown();
  for (std::string_view part : decoder.opcode())
    if (part.find("scaled") != part.npos)
      return decoder.unknown();
  unsigned toBits = toFormat->bits * toCount;
  form.toBytes = decoder.registerBytes(decoder.operand(0));
  if (form.toBytes * 8 < toBits)
    form.toBytes = std::max(toBits / 8, 1u);
  Slot d = decoder.destination(0, form.toBytes), a, b;
  std::vector<Slot> list;
  size_t next = 1;
  if (fromFormat) {
    form.fromBytes = std::max(fromFormat->bits * fromCount / 8, 1u);
    unsigned bytes = form.fromBytes;
    a = decoder.anyWidth(decoder.operand(next++), bytes);
    form.fromBytes = bytes;
  } else {
    Type single{Kind::Float, 32, false};
    if (decoder.operand(1).kind == ptx::Operand::Kind::Vector) { // {a, b, e, f}
      list = decoder.vector(decoder.operand(next++), 4, false);
    } else {
      for (unsigned index = 0; index < toCount; ++index)
        list.push_back(decoder.source(next++, single));
    }
    if (list.size() != toCount)
      return decoder.unknown();
  }
  if (form.isStochastic)
    b = decoder.bits(next++, 4);
  bool isPlain = !fromFormat && toCount == 2 && form.rounding == Rounding::NearestEven && !form.satfinite &&
                 !form.relu && !form.isStochastic;
  if (isPlain && toFormat->bits == 16) {
    Instruction &made = decoder.emit(toFormat->name == "bf16" ? packPair<narrowBrain> : packPair<narrowHalf>);
    made.d = d, made.a = list[0], made.b = list[1];
    return true;
  }
  Instruction &made = decoder.emit(convertPacked);
  made.d = d, made.a = a, made.b = b;
  made.details = decoder.keepDetails(form);
  if (!list.empty())
    decoder.keep(std::move(list), made);
  return true;
}

/// cvt.pack.sat.u8.s32.b32 d, a, b, c: a and b saturated into the low places, c's low places above them.
Step packIntegers(Warp &warp, const Instruction &instruction, LaneMask mask) {
  auto &form = *static_cast<const Form *>(instruction.details);
  auto *d = warp.out<uint32_t>(instruction.d);
  const int32_t *a = warp.in<int32_t>(instruction.a), *b = warp.in<int32_t>(instruction.b);
  const uint32_t *c = warp.in<uint32_t>(instruction.c);
  eachLane(mask, [&](unsigned lane) {
    unsigned bits = form.to.bits;
    uint32_t ones = bits == 16 ? 0xFFFF : (1u << bits) - 1;
    uint32_t high = uint32_t(saturateInteger(uint64_t(int64_t(a[lane])), form)) & ones,
             low = uint32_t(saturateInteger(uint64_t(int64_t(b[lane])), form)) & ones;
    d[lane] = low | high << bits | (bits == 16 ? 0 : c[lane] << (2 * bits));
  });
  return Step::Next;
}

bool decodeConversion(Decoder &decoder) {
  const auto &parts = decoder.opcode();
  if (parts.size() < 3)
    return decoder.unknown();
  if (decoder.has("pack")) {
    Form form{.from = {Kind::Signed, 32, false}, .to = decoder.type(0)};
    Slot d = decoder.destination(0, 4), a = decoder.bits(1, 4), b = decoder.bits(2, 4);
    Slot c = form.to.bits == 16 ? a : decoder.bits(3, 4);
    Instruction &made = decoder.emit(packIntegers);
    made.d = d, made.a = a, made.b = b, made.c = c;
    made.details = decoder.keepDetails(form);
    return true;
  }
  std::string_view to = parts[parts.size() - 2], from = parts[parts.size() - 1];
  if (packedFormat(to).first)
    return decodePacked(decoder, to, from);
  auto toType = typeOf(to), fromType = typeOf(from);
  if (!toType || !fromType)
    return decoder.unknown();
  Form form{.from = *fromType,
            .to = *toType,
            .rounding = roundingOf(decoder),
            .roundsToInteger = decoder.has("rni") || decoder.has("rzi") || decoder.has("rmi") || decoder.has("rpi"),
            .saturates = decoder.has("sat"),
            .satfinite = decoder.has("satfinite"),
            .relu = decoder.has("relu"),
            .flushes = decoder.has("ftz")};
  form.fromBytes = form.from.bytes();
  Slot a = decoder.operand(1).kind == ptx::Operand::Kind::Register
               ? decoder.anyWidth(decoder.operand(1), form.fromBytes)
               : decoder.source(1, form.from);
  form.toBytes = decoder.registerBytes(decoder.operand(0));
  if (form.toBytes < std::max(form.to.bytes(), 1u))
    form.toBytes = form.to.bytes();
  Slot d = decoder.destination(0, form.toBytes);
  bool isPlain = form.rounding == Rounding::NearestEven && !form.roundsToInteger && !form.saturates &&
                 !form.satfinite && !form.relu && !form.flushes;
  Handler handler = convert;
  if (!form.from.isFloat() && !form.to.isFloat() && !form.saturates && form.toBytes == form.to.bytes() &&
      form.toBytes >= 2 && form.fromBytes >= 2)
    handler = widenHandler(form.toBytes, form.from, form.fromBytes);
  else if (isPlain && form.from.bits == 16 && form.from.isFloat() && form.to.bits == 32 && form.to.kind == Kind::Float)
    handler =
        form.from.kind == Kind::Brain ? unary<float, uint16_t, brainToFloat> : unary<float, uint16_t, halfToFloat>;
  else if (isPlain && form.from.bits == 32 && form.from.kind == Kind::Float && form.to.bits == 16 && form.to.isFloat())
    handler = form.to.kind == Kind::Brain ? unary<uint16_t, float, narrowBrain> : unary<uint16_t, float, narrowHalf>;
  Instruction &made = decoder.emit(handler);
  made.d = d, made.a = a;
  made.details = decoder.keepDetails(form);
  return true;
}

/// cvta: tags of generic addresses; szext and its like are rare enough to be unknown.
Step toGeneric(Warp &warp, const Instruction &instruction, LaneMask mask) {
  auto *d = warp.out<uint64_t>(instruction.d);
  const uint64_t *a = warp.in<uint64_t>(instruction.a);
  uint64_t base = instruction.small[0] == 1   ? sharedTag
                  : instruction.small[0] == 2 ? localTag
                                              : reinterpret_cast<uint64_t>(warp.cta.grid().parameterBegin);
  eachLane(mask, [&](unsigned lane) { d[lane] = instruction.small[0] == 3 ? a[lane] + base : a[lane] | base; });
  return Step::Next;
}
Step fromGeneric(Warp &warp, const Instruction &instruction, LaneMask mask) {
  auto *d = warp.out<uint64_t>(instruction.d);
  const uint64_t *a = warp.in<uint64_t>(instruction.a);
  uint64_t base = reinterpret_cast<uint64_t>(warp.cta.grid().parameterBegin);
  eachLane(mask, [&](unsigned lane) { d[lane] = instruction.small[0] == 3 ? a[lane] - base : a[lane] & ~tagMask; });
  return Step::Next;
}

bool decodeAddressConversion(Decoder &decoder) {
  uint8_t space = decoder.has("shared") || decoder.has("shared::cta") || decoder.has("shared::cluster") ? 1
                  : decoder.has("local")                                                                ? 2
                  : decoder.has("param")                                                                ? 3
                                                                                                        : 0;
  Slot d = decoder.destination(0, 8);
  Slot a = decoder.bits(1, 8);
  Handler handler = space == 0          ? unary<uint64_t, uint64_t, [](uint64_t value) { return value; }>
                    : decoder.has("to") ? fromGeneric
                                        : toGeneric;
  Instruction &made = decoder.emit(handler);
  made.d = d, made.a = a;
  made.small[0] = space;
  return true;
}

Step isInSpace(Warp &warp, const Instruction &instruction, LaneMask mask) {
  const uint64_t *a = warp.in<uint64_t>(instruction.a);
  uint32_t value = 0;
  eachLane(mask, [&](unsigned lane) {
    uint64_t tag = a[lane] & tagMask;
    bool isIn = instruction.small[0] == 1   ? tag == sharedTag
                : instruction.small[0] == 2 ? tag == localTag
                                            : tag != sharedTag && tag != localTag;
    value |= uint32_t(isIn) << lane;
  });
  warp.setPredicate(instruction.d.code, value, mask);
  return Step::Next;
}
bool decodeIsInSpace(Decoder &decoder) {
  Slot a = decoder.bits(1, 8);
  uint32_t d = decoder.destinationPredicate(decoder.operand(0));
  Instruction &made = decoder.emit(isInSpace);
  made.a = a;
  made.d.code = d;
  made.small[0] = decoder.has("shared") || decoder.has("shared::cta") || decoder.has("shared::cluster") ? 1
                  : decoder.has("local")                                                                ? 2
                                                                                                        : 0;
  return true;
}

} // namespace

void addConversions(DecodeTable &table) {
  table["cvt"] = decodeConversion;
  table["cvta"] = decodeAddressConversion;
  table["isspacep"] = decodeIsInSpace;
}

} // namespace triton::simulator
