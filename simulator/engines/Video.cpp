// Instructions for pictures: vadd and its like on 32 bits, and on two halves (vadd2) or four bytes (vadd4) of them. Operands are whole registers; parts of them (%r1.b0) are not read.
#include "simulator/machine/Decoder.h"
#include "simulator/machine/Lanes.h"

#include <algorithm>

namespace triton::simulator {

namespace {

enum class Operation : uint8_t { Add, Subtract, Difference, Minimum, Maximum, Set, ShiftLeft, ShiftRight };
enum class Then : uint8_t { Nothing, Add, Minimum, Maximum };

struct Form {
  Operation operation;
  unsigned parts = 1; // of a register
  Type d, a, b;
  bool saturates = false, wraps = false;
  Then then = Then::Nothing; // with c; of parts: Add sums all of them
  std::string_view comparison;
};

/// Part `index` of a register, with its sign where the type has one.
int64_t partOf(uint32_t value, Type type, unsigned parts, unsigned index) {
  const unsigned bits = 32 / parts;
  const uint64_t part = value >> bits * index & (~uint64_t(0) >> (64 - bits));
  return type.isSigned() ? int64_t(part << (64 - bits)) >> (64 - bits) : int64_t(part);
}

bool holds(std::string_view comparison, int64_t a, int64_t b) {
  return comparison == "eq"   ? a == b
         : comparison == "ne" ? a != b
         : comparison == "lt" ? a < b
         : comparison == "le" ? a <= b
         : comparison == "gt" ? a > b
                              : a >= b;
}

int64_t compute(const Form &form, int64_t a, int64_t b) {
  const int64_t shift = form.wraps ? b & 31 : std::min<int64_t>(b, 32);
  switch (form.operation) {
  case Operation::Add:
    return a + b;
  case Operation::Subtract:
    return a - b;
  case Operation::Difference:
    return a > b ? a - b : b - a;
  case Operation::Minimum:
    return std::min(a, b);
  case Operation::Maximum:
    return std::max(a, b);
  case Operation::Set:
    return holds(form.comparison, a, b);
  case Operation::ShiftLeft:
    return int64_t(uint64_t(a) << shift);
  case Operation::ShiftRight:
    return a >> shift;
  }
  return 0;
}

int64_t saturated(int64_t value, Type type, unsigned bits) {
  const int64_t most = (int64_t(1) << (bits - type.isSigned())) - 1, least = type.isSigned() ? -most - 1 : 0;
  return std::clamp(value, least, most);
}

Step video(Warp &warp, const Instruction &instruction, LaneMask mask) {
  auto &form = *static_cast<const Form *>(instruction.details);
  const uint32_t *a = warp.in<uint32_t>(instruction.a), *b = warp.in<uint32_t>(instruction.b);
  const unsigned bits = 32 / form.parts;
  eachLane(mask, [&](unsigned lane) {
    uint32_t packed = 0;
    int64_t sum = 0;
    for (unsigned index = 0; index < form.parts; ++index) {
      int64_t value =
          compute(form, partOf(a[lane], form.a, form.parts, index), partOf(b[lane], form.b, form.parts, index));
      if (form.saturates)
        value = saturated(value, form.d, bits);
      sum += value;
      packed |= uint32_t(uint64_t(value) & (~uint64_t(0) >> (64 - bits))) << bits * index;
    }
    if (form.then != Then::Nothing) {
      const int64_t c = partOf(warp.in<uint32_t>(instruction.c)[lane], form.d, 1, 0);
      const int64_t first = form.parts > 1 ? sum : partOf(packed, form.d, 1, 0);
      packed = uint32_t(form.then == Then::Add       ? first + c
                        : form.then == Then::Minimum ? std::min(first, c)
                                                     : std::max(first, c));
    }
    warp.out<uint32_t>(instruction.d)[lane] = packed;
  });
  return Step::Next;
}

/// vadd.dtype.atype.btype{.sat}{.then} d, a, b{, c}; forms for parts always have c, in which a mask could keep some of it.
bool decodeVideo(Decoder &decoder) {
  static const std::pair<std::string_view, Operation> operations[] = {
      {"vadd", Operation::Add},       {"vsub", Operation::Subtract},  {"vabsdiff", Operation::Difference},
      {"vmin", Operation::Minimum},   {"vmax", Operation::Maximum},   {"vset", Operation::Set},
      {"vshl", Operation::ShiftLeft}, {"vshr", Operation::ShiftRight}};
  std::string_view name = decoder.opcode()[0];
  Form form{};
  form.parts = name.ends_with('2') ? 2 : name.ends_with('4') ? 4 : 1;
  if (form.parts > 1)
    name.remove_suffix(1);
  for (auto [known, operation] : operations)
    if (known == name)
      form.operation = operation;
  const bool compares = form.operation == Operation::Set;
  const std::vector<Type> &types = decoder.types();
  if (types.size() != (compares ? 2 : 3))
    return decoder.unknown();
  form.a = types[compares ? 0 : 1], form.b = types[compares ? 1 : 2];
  form.d = compares ? Type{Type::Kind::Unsigned, 32, false} : types[0];
  form.saturates = decoder.has("sat"), form.wraps = decoder.has("wrap");
  form.then = decoder.has("add")   ? Then::Add
              : decoder.has("min") ? Then::Minimum
              : decoder.has("max") ? Then::Maximum
                                   : Then::Nothing;
  if (compares)
    for (std::string_view each : {"eq", "ne", "lt", "le", "gt", "ge"})
      if (decoder.has(each))
        form.comparison = each;
  const size_t operands = form.parts > 1 || form.then != Then::Nothing ? 4 : 3;
  if (decoder.operandCount() != operands)
    return decoder.unknown();
  for (size_t index = 0; index < operands; ++index)
    if (decoder.operand(index).kind == ptx::Operand::Kind::Special)
      return decoder.unknown();
  Slot d = decoder.destination(0, 4), a = decoder.bits(1, 4), b = decoder.bits(2, 4),
       c = operands == 4 ? decoder.bits(3, 4) : Slot{};
  Instruction &made = decoder.emit(video);
  made.d = d, made.a = a, made.b = b, made.c = c;
  made.details = decoder.keepDetails(form);
  return true;
}

} // namespace

void addVideo(DecodeTable &table) {
  for (std::string_view name :
       {"vadd",      "vsub",  "vabsdiff", "vmin",  "vmax",  "vset",  "vshl",      "vshr",  "vadd2", "vsub2",
        "vabsdiff2", "vmin2", "vmax2",    "vset2", "vadd4", "vsub4", "vabsdiff4", "vmin4", "vmax4", "vset4"})
    table[name] = decodeVideo;
}

} // namespace triton::simulator
