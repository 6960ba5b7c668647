// Comparisons and what they choose: setp, set, selp, slct.
#include "simulator/machine/Decoder.h"
#include "simulator/machine/Lanes.h"

#include "simulator/arithmetic/Floats.h"

namespace triton::simulator {

using Kind = Type::Kind;

namespace {

enum class Comparison : uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, Number, NotNumber };

template <typename T, Comparison comparison, bool orUnordered> uint32_t compareLanes(const T *a, const T *b) {
  uint32_t out = 0;
  for (unsigned lane = 0; lane < laneCount; ++lane) {
    bool isTrue;
    if constexpr (comparison == Comparison::Equal)
      isTrue = a[lane] == b[lane];
    else if constexpr (comparison == Comparison::NotEqual)
      isTrue = a[lane] < b[lane] || a[lane] > b[lane];
    else if constexpr (comparison == Comparison::Less)
      isTrue = a[lane] < b[lane];
    else if constexpr (comparison == Comparison::LessEqual)
      isTrue = a[lane] <= b[lane];
    else if constexpr (comparison == Comparison::Greater)
      isTrue = a[lane] > b[lane];
    else if constexpr (comparison == Comparison::GreaterEqual)
      isTrue = a[lane] >= b[lane];
    else if constexpr (comparison == Comparison::Number)
      isTrue = a[lane] == a[lane] && b[lane] == b[lane];
    else
      isTrue = a[lane] != a[lane] || b[lane] != b[lane];
    if constexpr (orUnordered)
      isTrue |= a[lane] != a[lane] || b[lane] != b[lane];
    out |= uint32_t(isTrue) << lane;
  }
  return out;
}

using Compare = uint32_t (*)(const void *, const void *);
template <typename T, Comparison comparison, bool orUnordered> uint32_t compareAs(const void *a, const void *b) {
  return compareLanes<T, comparison, orUnordered>(static_cast<const T *>(a), static_cast<const T *>(b));
}
template <float (*widen)(uint16_t), Comparison comparison, bool orUnordered>
uint32_t compareHalves(const void *a, const void *b) {
  float left[laneCount], right[laneCount];
  for (unsigned lane = 0; lane < laneCount; ++lane) {
    left[lane] = widen(static_cast<const uint16_t *>(a)[lane]);
    right[lane] = widen(static_cast<const uint16_t *>(b)[lane]);
  }
  return compareLanes<float, comparison, orUnordered>(left, right);
}
float flushed(float value) { return flushDenormal(value); }
template <Comparison comparison, bool orUnordered> uint32_t compareFlushed(const void *a, const void *b) {
  float left[laneCount], right[laneCount];
  for (unsigned lane = 0; lane < laneCount; ++lane) {
    left[lane] = flushed(static_cast<const float *>(a)[lane]);
    right[lane] = flushed(static_cast<const float *>(b)[lane]);
  }
  return compareLanes<float, comparison, orUnordered>(left, right);
}

template <Comparison comparison, bool orUnordered> Compare compareFor(Type type, bool flushes) {
  switch (type.kind) {
  case Kind::Float:
    if (type.bits == 64)
      return compareAs<double, comparison, orUnordered>;
    if (type.bits == 32)
      return flushes ? compareFlushed<comparison, orUnordered> : compareAs<float, comparison, orUnordered>;
    return compareHalves<halfToFloat, comparison, orUnordered>;
  case Kind::Brain:
    return compareHalves<brainToFloat, comparison, orUnordered>;
  case Kind::Signed:
    return type.bits == 16   ? compareAs<int16_t, comparison, false>
           : type.bits == 32 ? compareAs<int32_t, comparison, false>
                             : compareAs<int64_t, comparison, false>;
  default:
    return type.bits == 16   ? compareAs<uint16_t, comparison, false>
           : type.bits == 32 ? compareAs<uint32_t, comparison, false>
                             : compareAs<uint64_t, comparison, false>;
  }
}

Compare findCompare(std::string_view name, Type type, bool flushes) {
  using C = Comparison;
  if (name == "eq")
    return compareFor<C::Equal, false>(type, flushes);
  if (name == "ne")
    return compareFor<C::NotEqual, false>(type, flushes);
  if (name == "lt" || name == "lo")
    return compareFor<C::Less, false>(type, flushes);
  if (name == "le" || name == "ls")
    return compareFor<C::LessEqual, false>(type, flushes);
  if (name == "gt" || name == "hi")
    return compareFor<C::Greater, false>(type, flushes);
  if (name == "ge" || name == "hs")
    return compareFor<C::GreaterEqual, false>(type, flushes);
  if (name == "equ")
    return compareFor<C::Equal, true>(type, flushes);
  if (name == "neu")
    return compareFor<C::NotEqual, true>(type, flushes);
  if (name == "ltu")
    return compareFor<C::Less, true>(type, flushes);
  if (name == "leu")
    return compareFor<C::LessEqual, true>(type, flushes);
  if (name == "gtu")
    return compareFor<C::Greater, true>(type, flushes);
  if (name == "geu")
    return compareFor<C::GreaterEqual, true>(type, flushes);
  if (name == "num")
    return compareFor<C::Number, false>(type, flushes);
  if (name == "nan")
    return compareFor<C::NotNumber, false>(type, flushes);
  return nullptr;
}

/// `details`: the comparison; `small[0]`: how it is joined with `p` (0 not at all, 1 and, 2 or, 3 xor); d and `small[1]`'s b are predicates.
struct SetPredicate {
  Compare compare;
  uint32_t first, second; // second: of the complement
  bool hasSecond;
};
Step setPredicate(Warp &warp, const Instruction &instruction, LaneMask mask) {
  auto &details = *static_cast<const SetPredicate *>(instruction.details);
  uint32_t value = details.compare(warp.in<char>(instruction.a), warp.in<char>(instruction.b)), complement = ~value;
  if (instruction.small[0]) {
    uint32_t other = warp.predicate(instruction.p);
    auto join = [&](uint32_t result) {
      return instruction.small[0] == 1 ? result & other : instruction.small[0] == 2 ? result | other : result ^ other;
    };
    value = join(value);
    complement = join(complement);
  }
  warp.setPredicate(details.first, value, mask);
  if (details.hasSecond)
    warp.setPredicate(details.second, complement, mask);
  return Step::Next;
}

/// One half of packed numbers, as a register of its own.
template <unsigned half> uint16_t halfOf(uint32_t both) { return uint16_t(both >> 16 * half); }
Slot splitHalf(Decoder &decoder, Slot packed, unsigned half) {
  Slot d = decoder.temporary(2);
  Instruction &made = decoder.emit(half ? unary<uint16_t, uint32_t, halfOf<1>> : unary<uint16_t, uint32_t, halfOf<0>>);
  made.d = d, made.a = packed;
  return d;
}

/// setp of packed numbers: d|e are of the lower and the upper ones.
bool decodeSetPredicates(Decoder &decoder, Type type) {
  const Type element{type.kind, type.bits, /*isPacked=*/false};
  const Compare compare = findCompare(decoder.opcode()[1], element, decoder.has("ftz"));
  auto second = decoder.secondPredicate(decoder.operand(0));
  if (!second)
    return decoder.fail("'" + decoder.opcodeText() + "' needs two predicates");
  const uint32_t targets[] = {decoder.destinationPredicate(decoder.operand(0)), *second};
  Slot a = decoder.bits(1, 4), b = decoder.bits(2, 4);
  uint8_t joins = decoder.has("and") ? 1 : decoder.has("or") ? 2 : decoder.has("xor") ? 3 : 0;
  PredicateSlot p = joins ? decoder.predicate(3) : PredicateSlot{};
  for (unsigned half : {0u, 1u}) {
    Slot left = splitHalf(decoder, a, half), right = splitHalf(decoder, b, half);
    Instruction &made = decoder.emit(setPredicate);
    made.a = left, made.b = right, made.p = p;
    made.small[0] = joins;
    made.details = decoder.keepDetails(SetPredicate{compare, targets[half], 0, false});
  }
  return true;
}

bool decodeSetPredicate(Decoder &decoder) {
  if (decoder.opcode().size() < 3 || decoder.types().empty())
    return decoder.unknown();
  Type type = decoder.types().back();
  bool flushes = decoder.has("ftz");
  Compare compare = findCompare(decoder.opcode()[1], type, flushes);
  if (!compare)
    return decoder.unknown();
  if (type.isPacked)
    return decodeSetPredicates(decoder, type);
  SetPredicate details{compare, decoder.destinationPredicate(decoder.operand(0)), 0, false};
  if (auto second = decoder.secondPredicate(decoder.operand(0)))
    details.second = *second, details.hasSecond = true;
  Slot a = decoder.source(1, type), b = decoder.source(2, type);
  uint8_t joins = decoder.has("and") ? 1 : decoder.has("or") ? 2 : decoder.has("xor") ? 3 : 0;
  PredicateSlot p = joins ? decoder.predicate(3) : PredicateSlot{};
  Instruction &made = decoder.emit(setPredicate);
  made.a = a, made.b = b, made.p = p;
  made.small[0] = joins;
  made.details = decoder.keepDetails(details);
  return true;
}

/// set.CmpOp.dtype.stype: d has `small[2]` bytes, and `immediate` where the comparison holds, shifted by `small[1]` bits; the rest of d is kept where `small[3]`. `small[0]`: as in setp.
Step setRegister(Warp &warp, const Instruction &instruction, LaneMask mask) {
  auto &details = *static_cast<const SetPredicate *>(instruction.details);
  uint32_t value = details.compare(warp.in<char>(instruction.a), warp.in<char>(instruction.b));
  if (instruction.small[0]) {
    const uint32_t other = uint32_t(warp.predicate(instruction.p));
    value = instruction.small[0] == 1 ? value & other : instruction.small[0] == 2 ? value | other : value ^ other;
  }
  eachLane(mask, [&](unsigned lane) {
    const uint32_t chosen = value >> lane & 1 ? uint32_t(instruction.immediate) << instruction.small[1] : 0;
    if (instruction.small[2] == 2)
      warp.out<uint16_t>(instruction.d)[lane] = uint16_t(chosen);
    else if (uint32_t &d = warp.out<uint32_t>(instruction.d)[lane]; true)
      d = instruction.small[3] ? d | chosen : chosen;
  });
  return Step::Next;
}
bool decodeSet(Decoder &decoder) {
  Type result = decoder.type(0), type = decoder.type(1);
  const Type element{type.kind, type.bits, /*isPacked=*/false};
  Compare compare = findCompare(decoder.opcode()[1], element, decoder.has("ftz"));
  if (!compare)
    return decoder.unknown();
  Slot d = decoder.destination(0, result.bytes()), a = decoder.bits(1, type.bytes()), b = decoder.bits(2, type.bytes());
  if (!type.isPacked)
    a = decoder.source(1, type), b = decoder.source(2, type);
  uint8_t joins = decoder.has("and") ? 1 : decoder.has("or") ? 2 : decoder.has("xor") ? 3 : 0;
  PredicateSlot p = joins ? decoder.predicate(3) : PredicateSlot{};
  // Packed numbers set both halves: the result is packed, or an integer of 32 bits with 16 for each.
  if (type.isPacked) { // d may be a or b
    Slot copies[2] = {decoder.temporary(4), decoder.temporary(4)};
    for (auto [copied, from] : {std::pair(copies[0], a), std::pair(copies[1], b)}) {
      Instruction &made = decoder.emit(unary<uint32_t, uint32_t, [](uint32_t value) { return value; }>);
      made.d = copied, made.a = from;
    }
    a = copies[0], b = copies[1];
  }
  for (unsigned half = 0; half < (type.isPacked ? 2 : 1); ++half) {
    Slot left = type.isPacked ? splitHalf(decoder, a, half) : a,
         right = type.isPacked ? splitHalf(decoder, b, half) : b;
    Instruction &made = decoder.emit(setRegister);
    made.d = d, made.a = left, made.b = right, made.p = p;
    made.small[0] = joins, made.small[1] = uint8_t(16 * half);
    made.small[2] = uint8_t(result.bytes()), made.small[3] = half;
    made.immediate = result.kind == Kind::Float   ? (result.bits == 32 ? 0x3F800000 : 0x3C00)
                     : result.kind == Kind::Brain ? 0x3F80
                     : type.isPacked              ? 0xFFFF
                                                  : 0xFFFFFFFF;
    made.details = decoder.keepDetails(SetPredicate{compare, 0, 0, false});
  }
  return true;
}

template <typename T> Step select(Warp &warp, const Instruction &instruction, LaneMask mask) {
  T *d = warp.out<T>(instruction.d);
  const T *a = warp.in<T>(instruction.a), *b = warp.in<T>(instruction.b);
  uint32_t choice = warp.predicate(instruction.p);
  if (mask == allLanes) {
#pragma clang loop vectorize(assume_safety)
    for (unsigned lane = 0; lane < laneCount; ++lane)
      d[lane] = choice >> lane & 1 ? a[lane] : b[lane];
  } else {
    eachLane(mask, [&](unsigned lane) { d[lane] = choice >> lane & 1 ? a[lane] : b[lane]; });
  }
  return Step::Next;
}

bool decodeSelect(Decoder &decoder) {
  Type type = decoder.type(0);
  if (type.bits == 128)
    return decoder.unknown();
  Slot d = decoder.destination(0, type.bytes()), a = decoder.source(1, type), b = decoder.source(2, type);
  PredicateSlot p = decoder.predicate(3);
  Instruction &made = decoder.emit(type.bytes() == 2   ? select<uint16_t>
                                   : type.bytes() == 4 ? select<uint32_t>
                                                       : select<uint64_t>);
  made.d = d, made.a = a, made.b = b, made.p = p;
  return true;
}

/// slct: a where c >= 0, else b.
template <typename T, typename C> T selectBySign(T a, T b, C c) { return c >= 0 ? a : b; }
bool decodeSelectBySign(Decoder &decoder) {
  Type type = decoder.type(0), by = decoder.type(1);
  Slot d = decoder.destination(0, type.bytes()), a = decoder.source(1, type), b = decoder.source(2, type),
       c = decoder.bits(3, 4);
#define BY_SIGN(T)                                                                                                     \
  (by.isFloat() ? ternary<T, T, T, float, selectBySign<T, float>> : ternary<T, T, T, int32_t, selectBySign<T, int32_t>>)
  Instruction &made = decoder.emit(type.bytes() == 2   ? BY_SIGN(uint16_t)
                                   : type.bytes() == 4 ? BY_SIGN(uint32_t)
                                                       : BY_SIGN(uint64_t));
  made.d = d, made.a = a, made.b = b, made.c = c;
  return true;
}

} // namespace

bool decodeIsNotZero(Decoder &decoder) {
  uint32_t d = decoder.destinationPredicate(decoder.operand(0));
  SetPredicate details{findCompare("ne", {Kind::Unsigned, 32, false}, false), d, 0, false};
  Slot a = decoder.bits(1, 4), b = decoder.constant(0, 4);
  Instruction &made = decoder.emit(setPredicate);
  made.a = a, made.b = b;
  made.details = decoder.keepDetails(details);
  return true;
}

void addComparisons(DecodeTable &table) {
  table["setp"] = decodeSetPredicate;
  table["set"] = decodeSet;
  table["selp"] = decodeSelect;
  table["slct"] = decodeSelectBySign;
}

} // namespace triton::simulator
