// What the lanes of a warp do together: shfl, vote, match, redux, elect, activemask, bar.warp.sync.
#include "simulator/machine/Decoder.h"
#include "simulator/machine/Lanes.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace triton::simulator {

namespace {

enum class Shuffle : uint8_t { Up, Down, Butterfly, Index };

/// `small[0]` mode, `list`: member mask; p: destination predicate where `small[1]`.
Step shuffle(Warp &warp, const Instruction &instruction, LaneMask mask) {
  const uint32_t *a = warp.in<uint32_t>(instruction.a), *b = warp.in<uint32_t>(instruction.b),
                 *c = warp.in<uint32_t>(instruction.c);
  uint32_t result[laneCount], valid = 0;
  eachLane(mask, [&](unsigned lane) {
    unsigned segment = c[lane] >> 8 & 31, clamp = c[lane] & 31, by = b[lane] & 31;
    unsigned highest = (lane & segment) | (clamp & ~segment), lowest = lane & segment;
    int from = int(lane);
    bool isValid = false;
    switch (Shuffle(instruction.small[0])) {
    case Shuffle::Up:
      from = int(lane) - int(by), isValid = from >= int(highest);
      break;
    case Shuffle::Down:
      from = int(lane + by), isValid = from <= int(highest);
      break;
    case Shuffle::Butterfly:
      from = int(lane ^ by), isValid = from <= int(highest);
      break;
    case Shuffle::Index:
      from = int(lowest | (by & ~segment)), isValid = from <= int(highest);
      break;
    }
    result[lane] = a[isValid ? unsigned(from) : lane];
    valid |= uint32_t(isValid) << lane;
  });
  auto *d = warp.out<uint32_t>(instruction.d);
  eachLane(mask, [&](unsigned lane) { d[lane] = result[lane]; });
  if (instruction.small[1])
    warp.setPredicate(instruction.p.index, valid, mask);
  return Step::Next;
}

bool decodeShuffle(Decoder &decoder) {
  if (!decoder.has("sync"))
    return decoder.unknown();
  auto second = decoder.secondPredicate(decoder.operand(0));
  Slot d = decoder.destination(0, 4), a = decoder.bits(1, 4), b = decoder.bits(2, 4), c = decoder.bits(3, 4);
  Instruction &made = decoder.emit(shuffle);
  made.d = d, made.a = a, made.b = b, made.c = c;
  made.small[0] = uint8_t(decoder.has("up")     ? Shuffle::Up
                          : decoder.has("down") ? Shuffle::Down
                          : decoder.has("bfly") ? Shuffle::Butterfly
                                                : Shuffle::Index);
  made.small[1] = second.has_value();
  made.p.index = second.value_or(0);
  return true;
}

/// `small[0]`: 0 ballot (to d), 1 all, 2 any, 3 uniform (to predicate d.code).
Step vote(Warp &warp, const Instruction &instruction, LaneMask mask) {
  uint32_t members = warp.in<uint32_t>(instruction.b)[std::countr_zero(mask)] & mask;
  uint32_t votes = warp.predicate(instruction.p) & members;
  if (instruction.small[0] == 0) {
    auto *d = warp.out<uint32_t>(instruction.d);
    eachLane(mask, [&](unsigned lane) { d[lane] = votes; });
    return Step::Next;
  }
  bool isTrue = instruction.small[0] == 1   ? votes == members
                : instruction.small[0] == 2 ? votes != 0
                                            : votes == 0 || votes == members;
  warp.setPredicate(instruction.d.code, isTrue ? allLanes : 0, mask);
  return Step::Next;
}

bool decodeVote(Decoder &decoder) {
  bool isBallot = decoder.has("ballot");
  Slot d;
  if (isBallot)
    d = decoder.destination(0, 4);
  else
    d.code = decoder.destinationPredicate(decoder.operand(0));
  PredicateSlot p = decoder.predicate(1);
  Slot members = decoder.has("sync") ? decoder.bits(2, 4) : decoder.constant(allLanes, 4);
  Instruction &made = decoder.emit(vote);
  made.d = d, made.b = members, made.p = p;
  made.small[0] = isBallot ? 0 : decoder.has("all") ? 1 : decoder.has("any") ? 2 : 3;
  return true;
}

/// `small[0]`: all; `small[1]`: 64 bits; `small[2]`: has a predicate.
Step match(Warp &warp, const Instruction &instruction, LaneMask mask) {
  uint32_t members = warp.in<uint32_t>(instruction.b)[std::countr_zero(mask)] & mask, equal[laneCount] = {};
  auto value = [&](unsigned lane) {
    return instruction.small[1] ? warp.in<uint64_t>(instruction.a)[lane] : warp.in<uint32_t>(instruction.a)[lane];
  };
  bool isSame = true;
  eachLane(members, [&](unsigned lane) {
    eachLane(members, [&](unsigned other) { equal[lane] |= uint32_t(value(other) == value(lane)) << other; });
    isSame &= equal[lane] == members;
  });
  auto *d = warp.out<uint32_t>(instruction.d);
  eachLane(mask, [&](unsigned lane) { d[lane] = instruction.small[0] ? (isSame ? members : 0) : equal[lane]; });
  if (instruction.small[2])
    warp.setPredicate(instruction.p.index, isSame ? allLanes : 0, mask);
  return Step::Next;
}

bool decodeMatch(Decoder &decoder) {
  auto second = decoder.secondPredicate(decoder.operand(0));
  bool isWide = decoder.type(0).bits == 64;
  Slot d = decoder.destination(0, 4), a = decoder.bits(1, isWide ? 8 : 4), b = decoder.bits(2, 4);
  Instruction &made = decoder.emit(match);
  made.d = d, made.a = a, made.b = b;
  made.small[0] = decoder.has("all");
  made.small[1] = isWide;
  made.small[2] = second.has_value();
  made.p.index = second.value_or(0);
  return true;
}

enum class Reduction : uint8_t {
  Add,
  Minimum,
  Maximum,
  MinimumSigned,
  MaximumSigned,
  And,
  Or,
  Xor,
  MinimumFloat,
  MaximumFloat
};

/// `small[1]`: NaN wins; `small[2]`: magnitudes.
Step reduce(Warp &warp, const Instruction &instruction, LaneMask mask) {
  uint32_t members = warp.in<uint32_t>(instruction.b)[std::countr_zero(mask)] & mask;
  const uint32_t *a = warp.in<uint32_t>(instruction.a);
  bool isFirst = true;
  uint32_t result = 0;
  eachLane(members, [&](unsigned lane) {
    uint32_t value = a[lane];
    if (instruction.small[2])
      value &= 0x7FFFFFFF;
    if (isFirst) {
      result = value;
      isFirst = false;
      return;
    }
    float left = std::bit_cast<float>(result), right = std::bit_cast<float>(value);
    switch (Reduction(instruction.small[0])) {
    case Reduction::Add:
      result += value;
      break;
    case Reduction::Minimum:
      result = std::min(result, value);
      break;
    case Reduction::Maximum:
      result = std::max(result, value);
      break;
    case Reduction::MinimumSigned:
      result = uint32_t(std::min(int32_t(result), int32_t(value)));
      break;
    case Reduction::MaximumSigned:
      result = uint32_t(std::max(int32_t(result), int32_t(value)));
      break;
    case Reduction::And:
      result &= value;
      break;
    case Reduction::Or:
      result |= value;
      break;
    case Reduction::Xor:
      result ^= value;
      break;
    case Reduction::MinimumFloat:
    case Reduction::MaximumFloat: {
      bool isMinimum = Reduction(instruction.small[0]) == Reduction::MinimumFloat;
      if (std::isnan(left) || std::isnan(right))
        result = instruction.small[1] ? 0x7FFFFFFF : std::isnan(left) ? value : result;
      else if (isMinimum ? right < left || (right == left && std::signbit(right))
                         : right > left || (right == left && !std::signbit(right)))
        result = value;
      break;
    }
    }
  });
  auto *d = warp.out<uint32_t>(instruction.d);
  eachLane(mask, [&](unsigned lane) { d[lane] = result; });
  return Step::Next;
}

bool decodeReduce(Decoder &decoder) {
  Type type = decoder.type(0);
  bool isFloat = type.isFloat(), isSigned = type.isSigned(), isMinimum = decoder.has("min");
  Reduction reduction = decoder.has("add")   ? Reduction::Add
                        : decoder.has("and") ? Reduction::And
                        : decoder.has("or")  ? Reduction::Or
                        : decoder.has("xor") ? Reduction::Xor
                        : isFloat            ? (isMinimum ? Reduction::MinimumFloat : Reduction::MaximumFloat)
                        : isSigned           ? (isMinimum ? Reduction::MinimumSigned : Reduction::MaximumSigned)
                                             : (isMinimum ? Reduction::Minimum : Reduction::Maximum);
  Slot d = decoder.destination(0, 4), a = decoder.bits(1, 4), b = decoder.bits(2, 4);
  Instruction &made = decoder.emit(reduce);
  made.d = d, made.a = a, made.b = b;
  made.small[0] = uint8_t(reduction);
  made.small[1] = decoder.has("NaN");
  made.small[2] = decoder.has("abs");
  return true;
}

/// elect.sync d|p, members: the lowest lane.
Step elect(Warp &warp, const Instruction &instruction, LaneMask mask) {
  uint32_t members = warp.in<uint32_t>(instruction.b)[std::countr_zero(mask)] & mask;
  auto leader = uint32_t(std::countr_zero(members));
  auto *d = warp.out<uint32_t>(instruction.d);
  eachLane(mask, [&](unsigned lane) { d[lane] = leader; });
  if (instruction.small[0])
    warp.setPredicate(instruction.p.index, 1u << (leader & 31), mask);
  return Step::Next;
}
bool decodeElect(Decoder &decoder) {
  auto second = decoder.secondPredicate(decoder.operand(0));
  Slot d = decoder.destination(0, 4), b = decoder.bits(1, 4);
  Instruction &made = decoder.emit(elect);
  made.d = d, made.b = b;
  made.small[0] = second.has_value();
  made.p.index = second.value_or(0);
  return true;
}

Step activeMask(Warp &warp, const Instruction &instruction, LaneMask mask) {
  auto *d = warp.out<uint32_t>(instruction.d);
  eachLane(mask, [&](unsigned lane) { d[lane] = mask; });
  return Step::Next;
}
bool decodeActiveMask(Decoder &decoder) {
  Slot d = decoder.destination(0, 4);
  decoder.emit(activeMask).d = d;
  return true;
}

} // namespace

void addWarpOperations(DecodeTable &table) {
  table["shfl"] = decodeShuffle;
  table["vote"] = decodeVote;
  table["match"] = decodeMatch;
  table["redux"] = decodeReduce;
  table["elect"] = decodeElect;
  table["activemask"] = decodeActiveMask;
}

} // namespace triton::simulator
