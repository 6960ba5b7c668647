// Integers and bits: add to xor, shifts, fields, moves.
#include "simulator/machine/Decoder.h"
#include "simulator/machine/Lanes.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>

namespace triton::simulator {

using Kind = Type::Kind;

namespace {
template <typename T>
using Wide =
    std::conditional_t<sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>,
                       std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>,
                                          std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>>>;
template <typename T> using Unsigned = std::make_unsigned_t<T>;

template <typename T> T add(T a, T b) { return T(Unsigned<T>(a) + Unsigned<T>(b)); }
template <typename T> T subtract(T a, T b) { return T(Unsigned<T>(a) - Unsigned<T>(b)); }
template <typename T> T multiplyLow(T a, T b) { return T(uint64_t(a) * uint64_t(b)); }
template <typename T> T multiplyHigh(T a, T b) { return T(Wide<T>(a) * Wide<T>(b) >> (8 * sizeof(T))); }
template <typename T> Wide<T> multiplyWide(T a, T b) { return Wide<T>(a) * Wide<T>(b); }
/// By zero: all bits, as GPUs give.
template <typename T> T divide(T a, T b) {
  if (b == 0)
    return T(~T(0));
  if constexpr (std::is_signed_v<T>)
    if (b == T(-1))
      return T(Unsigned<T>(0) - Unsigned<T>(a));
  return T(a / b);
}
template <typename T> T remainder(T a, T b) {
  if (b == 0)
    return a;
  if constexpr (std::is_signed_v<T>)
    if (b == T(-1))
      return 0;
  return T(a % b);
}
template <typename T> T least(T a, T b) { return a < b ? a : b; }
template <typename T> T greatest(T a, T b) { return a > b ? a : b; }
template <typename T> T negate(T a) { return T(Unsigned<T>(0) - Unsigned<T>(a)); }
template <typename T> T magnitude(T a) { return a < 0 ? negate(a) : a; }
template <typename T> T bitAnd(T a, T b) { return a & b; }
template <typename T> T bitOr(T a, T b) { return a | b; }
template <typename T> T bitXor(T a, T b) { return a ^ b; }
template <typename T> T bitNot(T a) { return T(~a); }
template <typename T> T logicalNot(T a) { return a == 0; }
template <typename T> T shiftLeft(T a, uint32_t b) { return b >= 8 * sizeof(T) ? T(0) : T(a << b); }
template <typename T> T shiftRight(T a, uint32_t b) {
  if (b >= 8 * sizeof(T))
    return std::is_signed_v<T> && a < 0 ? T(-1) : T(0);
  return T(a >> b);
}
template <typename T> T multiplyAdd(T a, T b, T c) { return add<T>(multiplyLow<T>(a, b), c); }
template <typename T> T multiplyHighAdd(T a, T b, T c) { return add<T>(multiplyHigh<T>(a, b), c); }
template <typename T> Wide<T> multiplyWideAdd(T a, T b, Wide<T> c) { return add<Wide<T>>(multiplyWide<T>(a, b), c); }
template <typename T> T copy(T a) { return a; }

template <typename T> T leastRectified(T a, T b) { return std::max(T(0), std::min(a, b)); }
template <typename T> T greatestRectified(T a, T b) { return std::max(T(0), std::max(a, b)); }

int32_t addSaturated(int32_t a, int32_t b) {
  int64_t sum = int64_t(a) + b;
  return int32_t(std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX));
}
int32_t subtractSaturated(int32_t a, int32_t b) {
  int64_t sum = int64_t(a) - b;
  return int32_t(std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX));
}
int32_t multiplyHighAddSaturated(int32_t a, int32_t b, int32_t c) {
  return addSaturated(multiplyHigh<int32_t>(a, b), c);
}
template <typename T> uint32_t population(T a) { return uint32_t(std::popcount(a)); }
template <typename T> uint32_t leadingZeros(T a) { return uint32_t(std::countl_zero(a)); }
template <typename T> T reverse(T a) {
  T out = 0;
  for (unsigned bit = 0; bit < 8 * sizeof(T); ++bit)
    out |= (a >> bit & 1) << (8 * sizeof(T) - 1 - bit);
  return out;
}
/// The place of the highest bit that is not a sign bit; -1 where there is none.
template <typename T> uint32_t highestBit(T a) {
  if constexpr (std::is_signed_v<T>)
    if (a < 0)
      a = T(~a);
  auto bits = Unsigned<T>(a);
  return bits ? uint32_t(8 * sizeof(T) - 1 - unsigned(std::countl_zero(bits))) : ~0u;
}
template <typename T> uint32_t shiftToHighestBit(T a) {
  uint32_t place = highestBit(a);
  return place == ~0u ? place : uint32_t(8 * sizeof(T) - 1) - place;
}
template <typename T> T extractField(T a, uint32_t position, uint32_t length) {
  constexpr unsigned width = 8 * sizeof(T);
  position &= 255;
  length &= 255;
  bool sign = false;
  if constexpr (std::is_signed_v<T>)
    sign = length ? (Unsigned<T>(a) >> std::min(position + length - 1, width - 1) & 1) : false;
  Unsigned<T> shifted = position >= width ? 0 : Unsigned<T>(Unsigned<T>(a) >> position);
  if (length >= width - std::min(position, width)) {
    unsigned valid = width - std::min(position, width);
    Unsigned<T> fill = sign && valid < width ? Unsigned<T>(~Unsigned<T>(0) << valid) : 0;
    return T(shifted | (length ? fill : 0));
  }
  Unsigned<T> mask = Unsigned<T>((Unsigned<T>(1) << length) - 1);
  return T((shifted & mask) | (sign ? Unsigned<T>(~mask) : 0));
}
uint32_t funnelLeft(uint32_t low, uint32_t high, uint32_t by) {
  uint64_t both = uint64_t(high) << 32 | low;
  return uint32_t(both << by >> 32);
}
uint32_t funnelLeftWrap(uint32_t low, uint32_t high, uint32_t by) { return funnelLeft(low, high, by & 31); }
uint32_t funnelLeftClamp(uint32_t low, uint32_t high, uint32_t by) { return funnelLeft(low, high, std::min(by, 32u)); }
uint32_t funnelRight(uint32_t low, uint32_t high, uint32_t by) {
  uint64_t both = uint64_t(high) << 32 | low;
  return uint32_t(by >= 64 ? 0 : both >> by);
}
uint32_t funnelRightWrap(uint32_t low, uint32_t high, uint32_t by) { return funnelRight(low, high, by & 31); }
uint32_t funnelRightClamp(uint32_t low, uint32_t high, uint32_t by) {
  return funnelRight(low, high, std::min(by, 32u));
}
uint32_t permute(uint32_t a, uint32_t b, uint32_t selector) {
  uint64_t both = uint64_t(b) << 32 | a;
  uint32_t out = 0;
  for (unsigned byte = 0; byte < 4; ++byte) {
    unsigned choice = selector >> (4 * byte) & 15;
    auto value = uint32_t(both >> (8 * (choice & 7)) & 255);
    if (choice & 8)
      value = value & 128 ? 255 : 0;
    out |= value << (8 * byte);
  }
  return out;
}
uint32_t permuteForm(unsigned form, uint32_t a, uint32_t b, uint32_t c) {
  static constexpr uint16_t forward[4] = {0x3210, 0x4321, 0x5432, 0x6543},
                            backward[4] = {0x5670, 0x6701, 0x7012, 0x0123},
                            edgeLeft[4] = {0x3210, 0x3211, 0x3222, 0x3333},
                            edgeRight[4] = {0x0000, 0x1110, 0x2210, 0x3210}, half[4] = {0x1010, 0x3232, 0x1010, 0x3232},
                            replicate[4] = {0x0000, 0x1111, 0x2222, 0x3333};
  static constexpr const uint16_t *forms[] = {forward, backward, replicate, edgeLeft, edgeRight, half};
  return permute(a, b, forms[form][c & 3]);
}

/// The handler of `operation<T>` for a type: over signed or unsigned integers of 16, 32 or 64 bits.
#define FOR_INTEGER(type, form, operation)                                                                             \
  ((type).isSigned() ? ((type).bits == 16   ? form(int16_t, operation)                                                 \
                        : (type).bits == 32 ? form(int32_t, operation)                                                 \
                                            : form(int64_t, operation))                                                \
                     : ((type).bits == 16   ? form(uint16_t, operation)                                                \
                        : (type).bits == 32 ? form(uint32_t, operation)                                                \
                                            : form(uint64_t, operation)))
#define UNARY(T, operation) unary<T, T, operation<T>>
#define BINARY(T, operation) binary<T, T, T, operation<T>>
#define TERNARY(T, operation) ternary<T, T, T, T, operation<T>>

bool emitBinary(Decoder &decoder, Handler handler, Type type) {
  Slot d = decoder.destination(0, type.bytes()), a = decoder.source(1, type), b = decoder.source(2, type);
  Instruction &made = decoder.emit(handler);
  made.d = d, made.a = a, made.b = b;
  return true;
}

bool emitUnary(Decoder &decoder, Handler handler, Type type, unsigned resultBytes) {
  Slot d = decoder.destination(0, resultBytes), a = decoder.source(1, type);
  Instruction &made = decoder.emit(handler);
  made.d = d, made.a = a;
  return true;
}

// Pairs of 16-bit integers, in one register.
template <typename T, T (*operation)(T, T)> uint32_t pairwise(uint32_t a, uint32_t b) {
  return uint32_t(uint16_t(operation(T(a), T(b)))) | uint32_t(uint16_t(operation(T(a >> 16), T(b >> 16)))) << 16;
}

bool decodeAddition(Decoder &decoder) {
  Type type = decoder.type(0);
  bool isAdd = decoder.opcode()[0] == "add";
  if (type.isFloat())
    return decoder.unknown();
  if (type.isPacked && type.bits == 16)
    return emitBinary(decoder,
                      isAdd ? binary<uint32_t, uint32_t, uint32_t, pairwise<uint16_t, add<uint16_t>>>
                            : binary<uint32_t, uint32_t, uint32_t, pairwise<uint16_t, subtract<uint16_t>>>,
                      type);
  if (decoder.has("sat"))
    return emitBinary(decoder,
                      isAdd ? binary<int32_t, int32_t, int32_t, addSaturated>
                            : binary<int32_t, int32_t, int32_t, subtractSaturated>,
                      type);
  if (decoder.has("cc"))
    return decoder.unknown();
  return emitBinary(decoder, isAdd ? FOR_INTEGER(type, BINARY, add) : FOR_INTEGER(type, BINARY, subtract), type);
}

/// The carry flag of a thread, as a predicate: CC.CF. `small[0]`: 1 reads it, 2 writes it, 4 subtracts; `p` is the flag.
template <typename T> Step addWithCarry(Warp &warp, const Instruction &instruction, LaneMask mask) {
  T *d = warp.out<T>(instruction.d);
  const T *a = warp.in<T>(instruction.a), *b = warp.in<T>(instruction.b);
  const T *c = instruction.small[1] ? warp.in<T>(instruction.c) : nullptr; // of mad: the addend, to a product
  uint32_t carries = warp.predicates[instruction.p.index], out = 0;
  bool reads = instruction.small[0] & 1, subtracts = instruction.small[0] & 4;
  eachLane(mask, [&](unsigned lane) {
    unsigned __int128 carry = reads ? carries >> lane & 1 : 0, left = a[lane], right = b[lane];
    if (c) {
      unsigned __int128 product = left * right;
      left = T(instruction.small[1] == 2 ? product >> (8 * sizeof(T)) : product);
      right = c[lane];
    }
    unsigned __int128 sum = subtracts ? left - right - carry : left + right + carry;
    d[lane] = T(sum);
    out |= uint32_t(sum >> (8 * sizeof(T)) & 1) << lane;
  });
  if (instruction.small[0] & 2)
    warp.setPredicate(instruction.p.index, out, mask);
  return Step::Next;
}

/// add.cc, addc, sub.cc, subc, mad.lo.cc, madc.hi: all use the one flag.
bool decodeCarry(Decoder &decoder) {
  Type type = decoder.type(0);
  std::string_view name = decoder.opcode()[0];
  bool isMultiply = name.starts_with("mad"), subtracts = name.starts_with("sub"), reads = name.ends_with("c");
  Slot d = decoder.destination(0, type.bytes()), a = decoder.source(1, type), b = decoder.source(2, type);
  Slot c = isMultiply ? decoder.source(3, type) : Slot{};
  Instruction &made = decoder.emit(type.bits == 64 ? addWithCarry<uint64_t> : addWithCarry<uint32_t>);
  made.d = d, made.a = a, made.b = b, made.c = c;
  made.small[0] = uint8_t((reads ? 1 : 0) | (decoder.has("cc") ? 2 : 0) | (subtracts ? 4 : 0));
  made.small[1] = isMultiply ? (decoder.has("hi") ? 2 : 1) : 0;
  made.p.index = Program::carryPredicate;
  return true;
}

bool decodeMultiplication(Decoder &decoder) {
  Type type = decoder.type(0);
  bool isAdd = decoder.opcode()[0] == "mad";
  if (type.isFloat())
    return decoder.unknown();
  if (decoder.has("cc"))
    return decodeCarry(decoder);
  Slot a = decoder.source(1, type), b = decoder.source(2, type);
  bool isWide = decoder.has("wide"), isHigh = decoder.has("hi");
  unsigned bytes = type.bytes() * (isWide ? 2 : 1);
  Slot d = decoder.destination(0, bytes);
  Slot c = isAdd ? decoder.bits(3, bytes) : Slot{};
#define WIDE(T, operation) binary<Wide<T>, T, T, operation<T>>
#define WIDE_ADD(T, operation) ternary<Wide<T>, T, T, Wide<T>, operation<T>>
  Handler handler;
  if (isWide) {
    if (type.bits == 64)
      return decoder.unknown();
    handler =
        type.bits == 16
            ? (isAdd ? (type.isSigned() ? WIDE_ADD(int16_t, multiplyWideAdd) : WIDE_ADD(uint16_t, multiplyWideAdd))
                     : (type.isSigned() ? WIDE(int16_t, multiplyWide) : WIDE(uint16_t, multiplyWide)))
            : (isAdd ? (type.isSigned() ? WIDE_ADD(int32_t, multiplyWideAdd) : WIDE_ADD(uint32_t, multiplyWideAdd))
                     : (type.isSigned() ? WIDE(int32_t, multiplyWide) : WIDE(uint32_t, multiplyWide)));
  } else if (isHigh && isAdd && decoder.has("sat")) {
    if (!type.isSigned() || type.bits != 32)
      return decoder.unknown();
    handler = ternary<int32_t, int32_t, int32_t, int32_t, multiplyHighAddSaturated>;
  } else if (isHigh) {
    handler = isAdd ? FOR_INTEGER(type, TERNARY, multiplyHighAdd) : FOR_INTEGER(type, BINARY, multiplyHigh);
  } else {
    handler = isAdd ? FOR_INTEGER(type, TERNARY, multiplyAdd) : FOR_INTEGER(type, BINARY, multiplyLow);
  }
  Instruction &made = decoder.emit(handler);
  made.d = d, made.a = a, made.b = b, made.c = c;
  return true;
}

/// mul24, mad24: the lower 24 bits of both, of whose product .lo takes the lower 32 bits and .hi the upper ones of 48. `small[0]` signed, `small[1]` .hi, `small[2]` a sum with c.
Step multiply24(Warp &warp, const Instruction &instruction, LaneMask mask) {
  const uint32_t *a = warp.in<uint32_t>(instruction.a), *b = warp.in<uint32_t>(instruction.b);
  auto narrow = [&](uint32_t value) {
    return instruction.small[0] ? int64_t(int32_t(value << 8) >> 8) : int64_t(value & 0xFFFFFF);
  };
  eachLane(mask, [&](unsigned lane) {
    const auto product = uint64_t(narrow(a[lane]) * narrow(b[lane]));
    uint32_t value = uint32_t(instruction.small[1] ? product >> 16 : product);
    if (instruction.small[2])
      value += warp.in<uint32_t>(instruction.c)[lane];
    warp.out<uint32_t>(instruction.d)[lane] = value;
  });
  return Step::Next;
}
bool decodeMultiply24(Decoder &decoder) {
  const bool adds = decoder.opcode()[0] == "mad24";
  if (decoder.has("sat"))
    return decoder.unknown();
  Slot d = decoder.destination(0, 4), a = decoder.bits(1, 4), b = decoder.bits(2, 4),
       c = adds ? decoder.bits(3, 4) : Slot{};
  Instruction &made = decoder.emit(multiply24);
  made.d = d, made.a = a, made.b = b, made.c = c;
  made.small[0] = decoder.type(0).isSigned(), made.small[1] = decoder.has("hi"), made.small[2] = adds;
  return true;
}

bool decodeDivision(Decoder &decoder) {
  Type type = decoder.type(0);
  if (type.isFloat())
    return decoder.unknown();
  return emitBinary(
      decoder, decoder.opcode()[0] == "div" ? FOR_INTEGER(type, BINARY, divide) : FOR_INTEGER(type, BINARY, remainder),
      type);
}

bool decodeMinimum(Decoder &decoder) {
  Type type = decoder.type(0);
  bool isMinimum = decoder.opcode()[0] == "min";
  if (type.isFloat())
    return decoder.unknown();
  if (type.isPacked) {
    Handler handler = type.isSigned()
                          ? (isMinimum ? binary<uint32_t, uint32_t, uint32_t, pairwise<int16_t, least<int16_t>>>
                                       : binary<uint32_t, uint32_t, uint32_t, pairwise<int16_t, greatest<int16_t>>>)
                          : (isMinimum ? binary<uint32_t, uint32_t, uint32_t, pairwise<uint16_t, least<uint16_t>>>
                                       : binary<uint32_t, uint32_t, uint32_t, pairwise<uint16_t, greatest<uint16_t>>>);
    if (decoder.has("relu") && !type.isSigned())
      return decoder.unknown();
    if (decoder.has("relu"))
      handler = isMinimum ? binary<uint32_t, uint32_t, uint32_t, pairwise<int16_t, leastRectified<int16_t>>>
                          : binary<uint32_t, uint32_t, uint32_t, pairwise<int16_t, greatestRectified<int16_t>>>;
    return emitBinary(decoder, handler, type);
  }
  if (decoder.has("relu")) {
    if (!type.isSigned() || type.bits != 32)
      return decoder.unknown();
    return emitBinary(decoder, isMinimum ? BINARY(int32_t, leastRectified) : BINARY(int32_t, greatestRectified), type);
  }
  return emitBinary(decoder, isMinimum ? FOR_INTEGER(type, BINARY, least) : FOR_INTEGER(type, BINARY, greatest), type);
}

bool decodeNegation(Decoder &decoder) {
  Type type = decoder.type(0);
  if (type.isFloat())
    return decoder.unknown();
  Type as = type;
  as.kind = Kind::Signed;
  return emitUnary(decoder,
                   decoder.opcode()[0] == "neg" ? FOR_INTEGER(as, UNARY, negate) : FOR_INTEGER(as, UNARY, magnitude),
                   type, type.bytes());
}

/// and, or, xor, not of predicates.
template <char operation> Step predicates(Warp &warp, const Instruction &instruction, LaneMask mask) {
  uint32_t a = warp.predicate(instruction.p), b = warp.predicate(instruction.q);
  uint32_t value = operation == '&' ? a & b : operation == '|' ? a | b : operation == '^' ? a ^ b : ~a;
  warp.setPredicate(instruction.d.code, value, mask);
  return Step::Next;
}

bool decodeBitwise(Decoder &decoder) {
  Type type = decoder.type(0);
  std::string_view name = decoder.opcode()[0];
  if (type.kind == Kind::Predicate) {
    PredicateSlot p = decoder.predicate(1),
                  q = name == "not" || name == "mov" ? PredicateSlot{1} : decoder.predicate(2);
    uint32_t d = decoder.destinationPredicate(decoder.operand(0));
    Instruction &made = decoder.emit(name == "and" || name == "mov" ? predicates<'&'>
                                     : name == "or"                 ? predicates<'|'>
                                     : name == "xor"                ? predicates<'^'>
                                                                    : predicates<'!'>);
    made.d.code = d, made.p = p, made.q = q;
    return true;
  }
  type.kind = Kind::Unsigned;
  if (name == "not")
    return emitUnary(decoder, FOR_INTEGER(type, UNARY, bitNot), type, type.bytes());
  if (name == "cnot")
    return emitUnary(decoder, FOR_INTEGER(type, UNARY, logicalNot), type, type.bytes());
  return emitBinary(decoder,
                    name == "and"  ? FOR_INTEGER(type, BINARY, bitAnd)
                    : name == "or" ? FOR_INTEGER(type, BINARY, bitOr)
                                   : FOR_INTEGER(type, BINARY, bitXor),
                    type);
}

bool decodeShift(Decoder &decoder) {
  Type type = decoder.type(0);
#define SHIFT(T, operation) binary<T, T, uint32_t, operation<T>>
  Slot d = decoder.destination(0, type.bytes()), a = decoder.source(1, type), b = decoder.bits(2, 4);
  Instruction &made = decoder.emit(decoder.opcode()[0] == "shl" ? FOR_INTEGER(type, SHIFT, shiftLeft)
                                                                : FOR_INTEGER(type, SHIFT, shiftRight));
  made.d = d, made.a = a, made.b = b;
  return true;
}

bool emitTernary32(Decoder &decoder, Handler handler) {
  Slot d = decoder.destination(0, 4), a = decoder.bits(1, 4), b = decoder.bits(2, 4), c = decoder.bits(3, 4);
  Instruction &made = decoder.emit(handler);
  made.d = d, made.a = a, made.b = b, made.c = c;
  return true;
}

bool decodeFunnelShift(Decoder &decoder) {
  using U = uint32_t;
  bool isLeft = decoder.has("l"), wraps = decoder.has("wrap");
  return emitTernary32(decoder,
                       isLeft ? (wraps ? ternary<U, U, U, U, funnelLeftWrap> : ternary<U, U, U, U, funnelLeftClamp>)
                              : (wraps ? ternary<U, U, U, U, funnelRightWrap> : ternary<U, U, U, U, funnelRightClamp>));
}

template <unsigned form> uint32_t permuteAs(uint32_t a, uint32_t b, uint32_t c) { return permuteForm(form, a, b, c); }

bool decodePermute(Decoder &decoder) {
  using U = uint32_t;
  Handler handler = ternary<U, U, U, U, permute>;
  if (decoder.has("f4e"))
    handler = ternary<U, U, U, U, permuteAs<0>>;
  else if (decoder.has("b4e"))
    handler = ternary<U, U, U, U, permuteAs<1>>;
  else if (decoder.has("rc8"))
    handler = ternary<U, U, U, U, permuteAs<2>>;
  else if (decoder.has("ecl"))
    handler = ternary<U, U, U, U, permuteAs<3>>;
  else if (decoder.has("ecr"))
    handler = ternary<U, U, U, U, permuteAs<4>>;
  else if (decoder.has("rc16"))
    handler = ternary<U, U, U, U, permuteAs<5>>;
  return emitTernary32(decoder, handler);
}

/// lop3: the table is `immediate`.
Step threeWayLogic(Warp &warp, const Instruction &instruction, LaneMask mask) {
  auto *d = warp.out<uint32_t>(instruction.d);
  const uint32_t *a = warp.in<uint32_t>(instruction.a), *b = warp.in<uint32_t>(instruction.b),
                 *c = warp.in<uint32_t>(instruction.c);
  eachLane(mask, [&](unsigned lane) {
    uint32_t out = 0;
    for (unsigned row = 0; row < 8; ++row)
      if (instruction.immediate >> row & 1)
        out |= (row & 4 ? a[lane] : ~a[lane]) & (row & 2 ? b[lane] : ~b[lane]) & (row & 1 ? c[lane] : ~c[lane]);
    d[lane] = out;
  });
  return Step::Next;
}

bool decodeThreeWayLogic(Decoder &decoder) {
  int64_t table = decoder.integer(decoder.operand(4));
  if (!emitTernary32(decoder, threeWayLogic))
    return false;
  decoder.program.code.back().immediate = table;
  return true;
}

bool decodeBitCount(Decoder &decoder) {
  Type type = decoder.type(0);
  std::string_view name = decoder.opcode()[0];
  bool isWide = type.bits == 64;
  if (name == "popc")
    return emitUnary(decoder,
                     isWide ? unary<uint32_t, uint64_t, population<uint64_t>>
                            : unary<uint32_t, uint32_t, population<uint32_t>>,
                     type, 4);
  if (name == "clz")
    return emitUnary(decoder,
                     isWide ? unary<uint32_t, uint64_t, leadingZeros<uint64_t>>
                            : unary<uint32_t, uint32_t, leadingZeros<uint32_t>>,
                     type, 4);
  if (name == "brev")
    return emitUnary(
        decoder, isWide ? unary<uint64_t, uint64_t, reverse<uint64_t>> : unary<uint32_t, uint32_t, reverse<uint32_t>>,
        type, type.bytes());
#define FIND(T, operation) unary<uint32_t, T, operation<T>>
  return emitUnary(decoder,
                   decoder.has("shiftamt") ? FOR_INTEGER(type, FIND, shiftToHighestBit)
                                           : FOR_INTEGER(type, FIND, highestBit),
                   type, 4);
}

bool decodeExtract(Decoder &decoder) {
  Type type = decoder.type(0);
#define EXTRACT(T, operation) ternary<T, T, uint32_t, uint32_t, operation<T>>
  Slot d = decoder.destination(0, type.bytes()), a = decoder.source(1, type), b = decoder.bits(2, 4),
       c = decoder.bits(3, 4);
  Instruction &made = decoder.emit(FOR_INTEGER(type, EXTRACT, extractField));
  made.d = d, made.a = a, made.b = b, made.c = c;
  return true;
}

/// bfi d, a, b, position, length: `list` holds position and length.
template <typename T> Step insertField(Warp &warp, const Instruction &instruction, LaneMask mask) {
  T *d = warp.out<T>(instruction.d);
  const T *a = warp.in<T>(instruction.a), *b = warp.in<T>(instruction.b);
  const uint32_t *positions = warp.in<uint32_t>(instruction.list[0]), *lengths = warp.in<uint32_t>(instruction.list[1]);
  constexpr unsigned width = 8 * sizeof(T);
  eachLane(mask, [&](unsigned lane) {
    unsigned position = positions[lane] & 255,
             length = std::min<unsigned>(lengths[lane] & 255, width - std::min(width, position));
    T field = length == 0 ? 0 : length >= width ? ~T(0) : T((T(1) << length) - 1);
    field = position >= width ? 0 : T(field << position);
    d[lane] = T((b[lane] & ~field) | (position >= width ? 0 : (a[lane] << position) & field));
  });
  return Step::Next;
}

bool decodeInsert(Decoder &decoder) {
  Type type = decoder.type(0);
  Slot d = decoder.destination(0, type.bytes()), a = decoder.source(1, type), b = decoder.source(2, type);
  std::vector<Slot> list = {decoder.bits(3, 4), decoder.bits(4, 4)};
  Instruction &made = decoder.emit(type.bits == 64 ? insertField<uint64_t> : insertField<uint32_t>);
  made.d = d, made.a = a, made.b = b;
  decoder.keep(std::move(list), made);
  return true;
}

/// bmsk.clamp: `length` ones from `position` on.
uint32_t maskOf(uint32_t position, uint32_t length) {
  uint64_t ones = length >= 32 ? 0xFFFFFFFFull : (uint64_t(1) << length) - 1;
  return position >= 32 ? 0 : uint32_t(ones << position);
}
uint32_t maskOfWrapped(uint32_t position, uint32_t length) { return maskOf(position & 31, length & 31); }
bool decodeMaskOf(Decoder &decoder) {
  return emitBinary(decoder,
                    decoder.has("wrap") ? binary<uint32_t, uint32_t, uint32_t, maskOfWrapped>
                                        : binary<uint32_t, uint32_t, uint32_t, maskOf>,
                    decoder.type(0));
}

/// szext: the lower `length` bits, with their sign or zeros above them; none: 0, 32 and more: all.
template <bool isSigned> uint32_t extend(uint32_t value, uint32_t length) {
  if (length == 0 || length >= 32)
    return length ? value : 0;
  const uint32_t kept = value & ((1u << length) - 1);
  return isSigned && kept >> (length - 1) ? kept | ~uint32_t(0) << length : kept;
}
template <bool isSigned> uint32_t extendWrapped(uint32_t value, uint32_t length) {
  return extend<isSigned>(value, length & 31);
}
bool decodeExtension(Decoder &decoder) {
  const bool isSigned = decoder.type(0).isSigned();
  Handler clamped = isSigned ? binary<uint32_t, uint32_t, uint32_t, extend<true>>
                             : binary<uint32_t, uint32_t, uint32_t, extend<false>>,
          wrapped = isSigned ? binary<uint32_t, uint32_t, uint32_t, extendWrapped<true>>
                             : binary<uint32_t, uint32_t, uint32_t, extendWrapped<false>>;
  return emitBinary(decoder, decoder.has("wrap") ? wrapped : clamped, decoder.type(0));
}

/// fns: where the `offset`-th bit that is set lies, counted from `base` on (upwards, or downwards where it is negative); all ones where there is none.
uint32_t findSet(uint32_t value, uint32_t base, int32_t offset) {
  if (offset == 0)
    return base < 32 && value >> base & 1 ? base : ~uint32_t(0);
  const int32_t step = offset > 0 ? 1 : -1;
  for (int64_t at = base; at >= 0 && at < 32; at += step)
    if (value >> at & 1 && (offset -= step) == 0)
      return uint32_t(at);
  return ~uint32_t(0);
}
bool decodeFindSet(Decoder &decoder) {
  return emitTernary32(decoder, ternary<uint32_t, uint32_t, uint32_t, int32_t, findSet>);
}

template <typename T> T sumOfDifferences(T a, T b, T c) { return T(c + (a < b ? T(b) - T(a) : T(a) - T(b))); }
bool decodeDifference(Decoder &decoder) {
  Type type = decoder.type(0);
  Slot d = decoder.destination(0, type.bytes()), a = decoder.source(1, type), b = decoder.source(2, type),
       c = decoder.source(3, type);
  Instruction &made = decoder.emit(FOR_INTEGER(type, TERNARY, sumOfDifferences));
  made.d = d, made.a = a, made.b = b, made.c = c;
  return true;
}

/// dp4a, dp2a: `small[0]` signedness of a and b, `small[1]`: 2: lower half, 3: upper half of b.
Step dotBytes(Warp &warp, const Instruction &instruction, LaneMask mask) {
  auto *d = warp.out<uint32_t>(instruction.d);
  const uint32_t *a = warp.in<uint32_t>(instruction.a), *b = warp.in<uint32_t>(instruction.b),
                 *c = warp.in<uint32_t>(instruction.c);
  bool signedA = instruction.small[0] & 1, signedB = instruction.small[0] & 2;
  eachLane(mask, [&](unsigned lane) {
    uint32_t sum = c[lane];
    unsigned form = instruction.small[1];
    for (unsigned index = 0; index < (form ? 2u : 4u); ++index) {
      int32_t left = form ? (signedA ? int16_t(a[lane] >> (16 * index)) : uint16_t(a[lane] >> (16 * index)))
                          : (signedA ? int8_t(a[lane] >> (8 * index)) : uint8_t(a[lane] >> (8 * index)));
      unsigned place = 8 * (index + (form == 3 ? 2 : 0));
      int32_t right = signedB ? int8_t(b[lane] >> place) : uint8_t(b[lane] >> place);
      sum += uint32_t(left * right);
    }
    d[lane] = sum;
  });
  return Step::Next;
}
bool decodeDotBytes(Decoder &decoder) {
  bool signedA = decoder.type(0).isSigned(), signedB = decoder.type(1).isSigned();
  if (!emitTernary32(decoder, dotBytes))
    return false;
  Instruction &made = decoder.program.code.back();
  made.small[0] = uint8_t((signedA ? 1 : 0) | (signedB ? 2 : 0));
  made.small[1] = decoder.opcode()[0] == "dp2a" ? (decoder.has("hi") ? 3 : 2) : 0;
  return true;
}

// Moves.

Step readClock(Warp &warp, const Instruction &instruction, LaneMask mask) {
  // Clocks count instructions of the warp, which is what repeats; the global timer is the host's. `small[0]`: 1 the timer's, 2 the upper half.
  uint64_t value = warp.executed;
  if (instruction.small[0] & 1)
    value = uint64_t(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
            .count());
  if (instruction.small[0] & 2)
    value >>= 32;
  eachLane(mask, [&](unsigned lane) {
    if (instruction.small[1] == 8)
      warp.out<uint64_t>(instruction.d)[lane] = value;
    else
      warp.out<uint32_t>(instruction.d)[lane] = uint32_t(value);
  });
  return Step::Next;
}

/// mov.b64 d, {a, b} and its like: parts of `small[0]` bytes each, in `list`, lowest first; `d` has `small[1]` bytes.
Step pack(Warp &warp, const Instruction &instruction, LaneMask mask) {
  unsigned part = instruction.small[0], whole = instruction.small[1];
  std::byte *d = warp.out<std::byte>(instruction.d);
  for (unsigned index = 0; index < instruction.listSize; ++index) {
    const std::byte *from = warp.in<std::byte>(instruction.list[index]);
    eachLane(mask, [&](unsigned lane) { std::memcpy(d + lane * whole + index * part, from + lane * part, part); });
  }
  return Step::Next;
}
Step unpack(Warp &warp, const Instruction &instruction, LaneMask mask) {
  unsigned part = instruction.small[0], whole = instruction.small[1];
  const std::byte *a = warp.in<std::byte>(instruction.a);
  std::array<std::byte, laneCount * 16> copied; // the parts may be the whole's own register
  std::memcpy(copied.data(), a, laneCount * whole);
  for (unsigned index = 0; index < instruction.listSize; ++index) {
    std::byte *to = warp.out<std::byte>(instruction.list[index]);
    eachLane(mask,
             [&](unsigned lane) { std::memcpy(to + lane * part, copied.data() + lane * whole + index * part, part); });
  }
  return Step::Next;
}

struct Bits128 {
  uint64_t low, high;
};

bool decodeMove(Decoder &decoder) {
  Type type = decoder.type(0);
  using Operand = ptx::Operand;
  const Operand &to = decoder.operand(0), &from = decoder.operand(1);
  if (type.kind == Kind::Predicate && from.kind == Operand::Kind::Special)
    return decodeIsNotZero(decoder);
  if (type.kind == Kind::Predicate)
    return decodeBitwise(decoder);
  bool packs = from.kind == Operand::Kind::Vector, unpacks = to.kind == Operand::Kind::Vector;
  if (packs || unpacks) {
    const std::vector<Operand> &parts = packs ? from.elements : to.elements;
    if (parts.empty())
      return decoder.unknown();
    unsigned part = type.bytes() / unsigned(parts.size());
    Slot whole = packs ? decoder.destination(0, type.bytes()) : decoder.bits(1, type.bytes());
    std::vector<Slot> list = decoder.vector(packs ? from : to, part, /*isDestination=*/unpacks);
    Instruction &made = decoder.emit(packs ? pack : unpack);
    (packs ? made.d : made.a) = whole;
    made.small[0] = uint8_t(part);
    made.small[1] = uint8_t(type.bytes());
    decoder.keep(std::move(list), made);
    return true;
  }
  if (from.kind == Operand::Kind::Special &&
      (from.text.starts_with("%clock") || from.text.starts_with("%globaltimer"))) {
    Slot d = decoder.destination(0, type.bytes());
    Instruction &made = decoder.emit(readClock);
    made.d = d;
    made.small[0] = uint8_t((from.text.ends_with("_hi") ? 2 : 0) | (from.text.starts_with("%globaltimer") ? 1 : 0));
    made.small[1] = uint8_t(type.bytes());
    return true;
  }
  if (from.kind == Operand::Kind::Special && type.bytes() == 8) { // a 32-bit one, widened
    Slot d = decoder.destination(0, 8), a = decoder.bits(1, 4);
    Instruction &made = decoder.emit(unary<uint64_t, uint32_t, [](uint32_t value) { return uint64_t(value); }>);
    made.d = d, made.a = a;
    return true;
  }
  Slot d = decoder.destination(0, type.bytes()), a = decoder.source(1, type);
  Instruction &made = decoder.emit(type.bytes() == 1   ? unary<uint8_t, uint8_t, copy<uint8_t>>
                                   : type.bytes() == 2 ? unary<uint16_t, uint16_t, copy<uint16_t>>
                                   : type.bytes() == 4 ? unary<uint32_t, uint32_t, copy<uint32_t>>
                                   : type.bytes() == 8 ? unary<uint64_t, uint64_t, copy<uint64_t>>
                                                       : unary<Bits128, Bits128, copy<Bits128>>);
  made.d = d, made.a = a;
  return true;
}

/// Names that integers and floats share: the type decides.
template <DecodeFunction integers> bool byType(Decoder &decoder) {
  for (Type type : decoder.types())
    if (type.isFloat())
      return decodeFloat(decoder);
  if (decoder.has("cc"))
    return decodeCarry(decoder);
  return integers(decoder);
}

} // namespace

void addArithmetic(DecodeTable &table) {
  table["add"] = table["sub"] = byType<decodeAddition>;
  table["addc"] = table["subc"] = table["madc"] = decodeCarry;
  table["mul"] = table["mad"] = byType<decodeMultiplication>;
  table["mul24"] = table["mad24"] = decodeMultiply24;
  table["div"] = table["rem"] = byType<decodeDivision>;
  table["min"] = table["max"] = byType<decodeMinimum>;
  table["neg"] = table["abs"] = byType<decodeNegation>;
  table["and"] = table["or"] = table["xor"] = table["not"] = table["cnot"] = decodeBitwise;
  table["shl"] = table["shr"] = decodeShift;
  table["shf"] = decodeFunnelShift;
  table["prmt"] = decodePermute;
  table["lop3"] = decodeThreeWayLogic;
  table["popc"] = table["clz"] = table["brev"] = table["bfind"] = decodeBitCount;
  table["bfe"] = decodeExtract;
  table["bfi"] = decodeInsert;
  table["bmsk"] = decodeMaskOf;
  table["szext"] = decodeExtension;
  table["fns"] = decodeFindSet;
  table["sad"] = decodeDifference;
  table["dp4a"] = table["dp2a"] = decodeDotBytes;
  table["mov"] = decodeMove;
}

} // namespace triton::simulator
