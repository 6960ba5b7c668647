// atom and red: on global memory by atomic instructions of the host, so that programs on several of its threads see each other; on shared memory likewise.
#include "simulator/arithmetic/Floats.h"
#include "simulator/engines/Combine.h"
#include "simulator/engines/Mbarrier.h"
#include "simulator/machine/Decoder.h"
#include "simulator/machine/Lanes.h"
#include "simulator/machine/Memory.h"
#include "simulator/watch/Groups.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace triton::simulator {

namespace {

using Kind = Type::Kind;
using ptx::Space;

struct Form {
  Combination operation;
  Type type;
  unsigned count = 1; // of vectors, and of pairs
  bool hasResult = true;
  Space space = Space::Generic;
};

template <typename T> T combineIntegers(Combination operation, T old, T value) {
  using U = std::make_unsigned_t<T>;
  switch (operation) {
  case Combination::Add:
    return T(U(old) + U(value));
  case Combination::Minimum:
    return std::min(old, value);
  case Combination::Maximum:
    return std::max(old, value);
  case Combination::And:
    return old & value;
  case Combination::Or:
    return old | value;
  case Combination::Xor:
    return old ^ value;
  case Combination::Increment:
    return U(old) >= U(value) ? T(0) : T(old + 1);
  case Combination::Decrement:
    return old == 0 || U(old) > U(value) ? value : T(old - 1);
  default:
    return value;
  }
}

template <typename T> T combineFloats(Combination operation, T old, T value) {
  if (operation == Combination::Exchange)
    return value;
  if (operation == Combination::Add)
    return old + value;
  if (old != old || value != value)
    return old != old ? value : old;
  return operation == Combination::Minimum ? std::min(old, value) : std::max(old, value);
}

/// What becomes of one element of up to 8 bytes.
uint64_t combine(Combination operation, Type type, uint64_t old, uint64_t value) {
  if (operation == Combination::Exchange)
    return value;
  switch (type.kind) {
  case Kind::Float:
    if (type.bits == 64)
      return std::bit_cast<uint64_t>(
          combineFloats(operation, std::bit_cast<double>(old), std::bit_cast<double>(value)));
    if (type.bits == 32)
      return std::bit_cast<uint32_t>(
          combineFloats(operation, std::bit_cast<float>(uint32_t(old)), std::bit_cast<float>(uint32_t(value))));
    return floatToHalf(combineFloats(operation, halfToFloat(uint16_t(old)), halfToFloat(uint16_t(value))));
  case Kind::Brain:
    return floatToBrain(combineFloats(operation, brainToFloat(uint16_t(old)), brainToFloat(uint16_t(value))));
  case Kind::Signed:
    return type.bits == 64 ? uint64_t(combineIntegers(operation, int64_t(old), int64_t(value)))
                           : uint32_t(combineIntegers(operation, int32_t(old), int32_t(value)));
  default:
    return type.bits == 64   ? combineIntegers(operation, old, value)
           : type.bits == 32 ? combineIntegers(operation, uint32_t(old), uint32_t(value))
                             : combineIntegers(operation, uint16_t(old), uint16_t(value));
  }
}

template <typename T, typename Change> T change(std::byte *at, Change become) {
  auto *place = reinterpret_cast<T *>(at);
  T old = __atomic_load_n(place, __ATOMIC_SEQ_CST);
  while (!__atomic_compare_exchange_n(place, &old, T(become(old)), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    ;
  return old;
}

template <typename T> uint64_t swapIfEqual(std::byte *at, T expected, T value) {
  __atomic_compare_exchange_n(reinterpret_cast<T *>(at), &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return expected;
}

} // namespace

std::optional<Combination> combinationOf(const Decoder &decoder) {
  static const std::pair<std::string_view, Combination> operations[] = {
      {"add", Combination::Add},       {"min", Combination::Minimum},
      {"max", Combination::Maximum},   {"and", Combination::And},
      {"or", Combination::Or},         {"xor", Combination::Xor},
      {"exch", Combination::Exchange}, {"cas", Combination::CompareAndSwap},
      {"inc", Combination::Increment}, {"dec", Combination::Decrement}};
  for (auto [name, operation] : operations)
    if (decoder.has(name))
      return operation;
  return std::nullopt;
}

uint64_t combineAt(std::byte *at, Combination combination, Type type, uint64_t value) {
  auto become = [&](uint64_t before) { return combine(combination, type, before, value); };
  return type.bits == 16   ? change<uint16_t>(at, become)
         : type.bits == 32 ? change<uint32_t>(at, become)
                           : change<uint64_t>(at, become);
}

namespace {

/// `list`: results (if any), then values; `d` of compare-and-swap: what is expected.
Step atomic(Warp &warp, const Instruction &instruction, LaneMask mask) {
  auto &form = *static_cast<const Form *>(instruction.details);
  unsigned bytes = form.type.bits / 8, pair = form.type.isPacked ? 2 : 1, registerBytes = bytes * pair;
  const Slot *values = instruction.list + (form.hasResult ? form.count : 0);
  bool failed = false;
  eachLane(mask, [&](unsigned lane) {
    if (failed)
      return;
    std::byte *at = locate(warp, instruction, form.space, addressOf(warp, instruction, lane),
                           registerBytes * form.count, lane, Access::Atomic);
    if (!at) {
      failed = true;
      return;
    }
    for (unsigned index = 0; index < form.count; ++index) {
      uint64_t value = 0, old = 0;
      std::memcpy(&value, warp.in<std::byte>(values[index]) + lane * registerBytes, registerBytes);
      std::byte *place = at + index * registerBytes;
      if (form.operation == Combination::CompareAndSwap) {
        uint64_t expected = 0;
        std::memcpy(&expected, warp.in<std::byte>(instruction.b) + lane * bytes, bytes);
        old = bytes == 2   ? swapIfEqual<uint16_t>(place, uint16_t(expected), uint16_t(value))
              : bytes == 4 ? swapIfEqual<uint32_t>(place, uint32_t(expected), uint32_t(value))
                           : swapIfEqual<uint64_t>(place, expected, value);
      } else if (pair == 2) {
        old = change<uint32_t>(place, [&](uint32_t before) {
          return uint32_t(combine(form.operation, form.type, before & 0xFFFF, value & 0xFFFF)) |
                 uint32_t(combine(form.operation, form.type, before >> 16, value >> 16)) << 16;
        });
      } else {
        old = combineAt(place, form.operation, form.type, value);
      }
      if (form.hasResult)
        std::memcpy(warp.out<std::byte>(instruction.list[index]) + lane * registerBytes, &old, registerBytes);
    }
  });
  return failed ? Step::Blocked : Step::Next;
}

/// 128 bits: no atomic instruction of every host has them, so a lock stands for it. Only these two see such values.
Step atomic128(Warp &warp, const Instruction &instruction, LaneMask mask) {
  static std::mutex mutex;
  auto &form = *static_cast<const Form *>(instruction.details);
  std::lock_guard lock(mutex);
  bool failed = false;
  eachLane(mask, [&](unsigned lane) {
    if (failed)
      return;
    std::byte *at = locate(warp, instruction, form.space, addressOf(warp, instruction, lane), 16, lane, Access::Atomic);
    if (!at) {
      failed = true;
      return;
    }
    std::byte old[16];
    std::memcpy(old, at, 16);
    if (form.operation == Combination::Exchange ||
        std::memcmp(old, warp.in<std::byte>(instruction.b) + lane * 16, 16) == 0)
      std::memcpy(at, warp.in<std::byte>(instruction.list[1]) + lane * 16, 16);
    std::memcpy(warp.out<std::byte>(instruction.list[0]) + lane * 16, old, 16);
  });
  return failed ? Step::Blocked : Step::Next;
}

} // namespace

/// red.async: an update of shared memory of the cluster by an operation of its own, whose bytes an mbarrier counts.
struct AsyncUpdate {
  Form form;
  Slot barrier;
  unsigned addressBytes = 4;
  int64_t offset = 0;
};
static Step updateAsync(Warp &warp, const Instruction &instruction, LaneMask mask) {
  auto &update = *static_cast<const AsyncUpdate *>(instruction.details);
  Operation operation(warp, Proxy::Async);
  const unsigned bytes = update.form.type.bits / 8;
  for (unsigned lane = 0; lane < laneCount; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    std::byte *at = locate(warp, instruction, Space::SharedCluster, addressOf(warp, instruction, lane), bytes, lane,
                           Access::Atomic);
    std::byte *barrier =
        at ? locateMbarrier(warp, instruction,
                            addressIn(warp, update.barrier, update.addressBytes, lane) + uint64_t(update.offset), lane)
           : nullptr;
    if (!barrier)
      return Step::Blocked;
    uint64_t value = 0;
    std::memcpy(&value, warp.in<std::byte>(instruction.list[0]) + lane * bytes, bytes);
    combineAt(at, update.form.operation, update.form.type, value);
    operation.token().completesAt(barrier);
    expectBytes(warp, instruction, barrier, -int64_t(bytes), lane);
  }
  return Step::Next;
}

bool decodeAtomic(Decoder &decoder) {
  const bool isAsync = decoder.has("async");
  if (isAsync && !decoder.has("mbarrier::complete_tx::bytes"))
    return decoder.unknown();
  Form form{.type = decoder.type(0), .hasResult = decoder.opcode()[0] == "atom", .space = spaceOf(decoder)};
  auto operation = combinationOf(decoder);
  if (!operation)
    return decoder.unknown();
  form.operation = *operation;
  size_t first = form.hasResult ? 1 : 0;
  Instruction address;
  decoder.address(decoder.operand(first), address, form.space);
  unsigned bytes = form.type.bytes();
  bool swaps = form.operation == Combination::CompareAndSwap;
  Slot expected = swaps ? decoder.bits(first + 1, bytes) : Slot{};
  std::vector<Slot> list = form.hasResult ? decoder.vector(decoder.operand(0), bytes, true) : std::vector<Slot>{};
  std::vector<Slot> values = decoder.vector(decoder.operand(first + (swaps ? 2 : 1)), bytes, false);
  form.count = unsigned(values.size());
  const bool isWide = form.type.bits == 128;
  const bool isElement =
      form.type.bits == 16 || (!form.type.isPacked && (form.type.bits == 32 || form.type.bits == 64));
  if (form.hasResult && list.size() != values.size())
    return decoder.unknown();
  if (isWide
          ? !form.hasResult || form.count != 1 || !(swaps || form.operation == Combination::Exchange)
          : !isElement || !std::has_single_bit(values.size()) || bytes * form.count > 32 || (swaps && form.count != 1))
    return decoder.unknown();
  list.insert(list.end(), values.begin(), values.end());
  if (isAsync) {
    if (form.count != 1 || form.type.isPacked || form.type.bits < 32 || isWide)
      return decoder.unknown();
    Instruction barrier;
    Space space = Space::SharedCluster;
    decoder.address(decoder.operand(2), barrier, space);
    Instruction &made = decoder.emit(updateAsync);
    made.a = address.a, made.immediate = address.immediate, made.small[3] = address.small[3];
    made.details = decoder.keepDetails(AsyncUpdate{form, barrier.a, barrier.small[3], barrier.immediate});
    decoder.keep(std::move(list), made);
    return !decoder.failed();
  }
  Instruction &made = decoder.emit(isWide ? atomic128 : atomic);
  made.a = address.a, made.b = expected;
  made.immediate = address.immediate;
  made.small[3] = address.small[3];
  made.details = decoder.keepDetails(form);
  made.ordering = orderingOf(decoder);
  made.ordering.isStrong = true;
  decoder.keep(std::move(list), made);
  return true;
}

void addAtomics(DecodeTable &table) { table["atom"] = table["red"] = decodeAtomic; }

} // namespace triton::simulator
