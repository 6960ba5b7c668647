// mbarrier instructions, on the 8 bytes in shared memory that an mbarrier is: its phase, arrivals and bytes that it waits for.
#include "simulator/engines/Mbarrier.h"

#include "simulator/machine/Decoder.h"
#include "simulator/machine/Lanes.h"
#include "simulator/watch/Races.h"

#include <bit>
#include <cstring>

namespace triton::simulator {

namespace {

constexpr uint64_t mark = uint64_t(1) << 63;
constexpr uint32_t countLimit = (1 << 20) - 1;

struct State {
  uint32_t parity = 0, missing = 0, expected = 0;
  int32_t bytes = 0;

  static State read(const std::byte *at) {
    uint64_t bits;
    std::memcpy(&bits, at, 8);
    return {uint32_t(bits & 1), uint32_t(bits >> 1 & countLimit), uint32_t(bits >> 21 & countLimit),
            int32_t(int64_t(bits << 1) >> 42)};
  }
  uint64_t bits() const {
    return mark | parity | uint64_t(missing) << 1 | uint64_t(expected) << 21 |
           (uint64_t(uint32_t(bytes)) & 0x3FFFFF) << 41;
  }
  void write(std::byte *at) const {
    uint64_t value = bits();
    std::memcpy(at, &value, 8);
  }
};

/// Begins the next phase where nothing is missing.
void advance(State &state, Warp &warp, const std::byte *barrier) {
  if (state.missing == 0 && state.bytes == 0) {
    state.parity ^= 1;
    state.missing = state.expected;
    if (RaceWatch *races = warp.cta.cluster.races.get())
      races->turn(races->mbarrierAt(barrier));
  }
}

bool fail(Warp &warp, const Instruction &instruction, unsigned lane, const std::string &message) {
  warp.cta.grid().report(warp, instruction, 1u << lane, Finding::Kind::Barrier, message, /*isFatal=*/true);
  return false;
}

} // namespace

std::byte *locateMbarrier(Warp &warp, const Instruction &instruction, uint64_t address, unsigned lane) {
  std::byte *at = locate(warp, instruction, ptx::Space::Shared, uint32_t(address), 8, lane, Access::Atomic);
  uint64_t bits = 0;
  if (at)
    std::memcpy(&bits, at, 8);
  if (at && !(bits & mark)) {
    fail(warp, instruction, lane,
         "there is no mbarrier at shared address " + std::to_string(uint32_t(address)) +
             ": it was not initialised, or written over");
    return nullptr;
  }
  return at;
}

static uint64_t countArrivals(Warp &warp, const Instruction &instruction, std::byte *barrier, uint32_t count,
                              unsigned lane) {
  State state = State::read(barrier);
  uint64_t before = state.bits();
  if (count > state.missing) {
    fail(warp, instruction, lane,
         std::to_string(count) + " arrivals at an mbarrier that waits for " + std::to_string(state.missing) + " of " +
             std::to_string(state.expected));
    return before;
  }
  state.missing -= count;
  advance(state, warp, barrier);
  state.write(barrier);
  ++warp.cta.cluster.events;
  return before;
}

uint64_t arrive(Warp &warp, const Instruction &instruction, std::byte *barrier, uint32_t count, unsigned lane) {
  if (RaceWatch *races = warp.cta.cluster.races.get())
    races->arrive(warp, races->mbarrierAt(barrier));
  return countArrivals(warp, instruction, barrier, count, lane);
}

bool arriveAt(Warp &warp, const Instruction &instruction, uint64_t address) {
  auto lane = unsigned(std::countr_zero(warp.path().mask));
  std::byte *at = locateMbarrier(warp, instruction, address, lane);
  if (!at)
    return false;
  if (RaceWatch *races = warp.cta.cluster.races.get()) {
    races->arriveWithAll(warp, Group::Tensor, races->mbarrierAt(at));
    races->arrive(warp, races->mbarrierAt(at));
  }
  warp.cta.cluster.land([&warp, &instruction, at, lane] { countArrivals(warp, instruction, at, 1, lane); });
  return true;
}

static std::string overflowText(int64_t bytes) {
  return "an mbarrier counts " + std::to_string(bytes) + " bytes, beyond its limit of " + std::to_string(countLimit);
}

void expectBytes(Warp &warp, const Instruction &instruction, std::byte *barrier, int64_t bytes, unsigned lane) {
  State state = State::read(barrier);
  int64_t sum = state.bytes + bytes;
  if (sum > int64_t(countLimit) || sum < -int64_t(countLimit)) {
    fail(warp, instruction, lane, overflowText(sum));
    return;
  }
  state.bytes = int32_t(sum);
  advance(state, warp, barrier);
  state.write(barrier);
  ++warp.cta.cluster.events;
}

namespace {

enum class Operation : uint8_t {
  Initialise,
  Invalidate,
  Arrive,
  ArriveDrop,
  ArriveExpect,
  ArriveDropExpect,
  Expect,
  Complete
};

/// `small[0]` operation, `small[1]`: has a count (b); d: the state, where `small[2]`.
Step change(Warp &warp, const Instruction &instruction, LaneMask mask) {
  auto operation = Operation(instruction.small[0]);
  bool failed = false;
  eachLane(mask, [&](unsigned lane) {
    if (failed)
      return;
    uint64_t address = uint32_t(addressOf(warp, instruction, lane));
    std::byte *at = operation == Operation::Initialise
                        ? locate(warp, instruction, ptx::Space::Shared, address, 8, lane, Access::Write)
                        : locateMbarrier(warp, instruction, address, lane);
    if (!at) {
      failed = true;
      return;
    }
    uint32_t value = instruction.small[1] ? warp.in<uint32_t>(instruction.b)[lane] : 1;
    uint64_t before = 0;
    switch (operation) {
    case Operation::Initialise:
      if (value == 0 || value > countLimit) {
        failed = !fail(warp, instruction, lane, "an mbarrier for " + std::to_string(value) + " arrivals");
        return;
      }
      State{0, value, value, 0}.write(at);
      break;
    case Operation::Invalidate:
      std::memset(at, 0, 8);
      break;
    case Operation::ArriveDrop: {
      State state = State::read(at);
      if (state.expected)
        --state.expected;
      state.write(at);
      before = arrive(warp, instruction, at, 1, lane);
      break;
    }
    case Operation::Arrive:
      before = arrive(warp, instruction, at, value, lane);
      break;
    case Operation::ArriveExpect:
    case Operation::ArriveDropExpect: {
      // The bytes first, or the arrival could end the phase without them.
      State state = State::read(at);
      const int64_t sum = state.bytes + int64_t(value);
      if (sum > int64_t(countLimit)) {
        failed = !fail(warp, instruction, lane, overflowText(sum));
        return;
      }
      state.bytes = int32_t(sum);
      if (operation == Operation::ArriveDropExpect && state.expected)
        --state.expected;
      state.write(at);
      before = arrive(warp, instruction, at, 1, lane);
      break;
    }
    case Operation::Expect:
      expectBytes(warp, instruction, at, value, lane);
      break;
    case Operation::Complete:
      expectBytes(warp, instruction, at, -int64_t(value), lane);
      break;
    }
    if (instruction.small[2])
      warp.out<uint64_t>(instruction.d)[lane] = before;
  });
  return failed ? Step::Blocked : Step::Next;
}

/// `small[0]`: by parity (b has 4 bytes), else by a state (8); d.code: the predicate.
Step testWait(Warp &warp, const Instruction &instruction, LaneMask mask) {
  uint32_t done = 0;
  uint64_t waitsFor = 0;
  bool failed = false;
  eachLane(mask, [&](unsigned lane) {
    uint64_t address = uint32_t(addressOf(warp, instruction, lane));
    const std::byte *at = failed ? nullptr : locateMbarrier(warp, instruction, address, lane);
    if (!at) {
      failed = true;
      return;
    }
    uint32_t parity = instruction.small[0] ? warp.in<uint32_t>(instruction.b)[lane] & 1
                                           : uint32_t(warp.in<uint64_t>(instruction.b)[lane] & 1);
    State state = State::read(at);
    bool isDone = state.parity != parity;
    done |= uint32_t(isDone) << lane;
    if (RaceWatch *races = warp.cta.cluster.races.get(); races && isDone)
      races->wait(warp, races->mbarrierAt(at));
    if (!isDone) {
      waitsFor = address;
      warp.path().missing = state.missing;
      warp.path().missingBytes = state.bytes;
    }
  });
  if (failed)
    return Step::Blocked;
  warp.setPredicate(instruction.d.code, done, mask);
  Path &path = warp.path();
  path.why = done == mask ? nullptr : "the mbarrier at shared address";
  path.whyAddress = waitsFor;
  return done == mask ? Step::Next : Step::Yield;
}

/// mbarrier.pending_count d, state.
Step pendingCount(Warp &warp, const Instruction &instruction, LaneMask mask) {
  eachLane(mask, [&](unsigned lane) {
    warp.out<uint32_t>(instruction.d)[lane] = uint32_t(warp.in<uint64_t>(instruction.a)[lane] >> 1 & countLimit);
  });
  return Step::Next;
}

bool decodeMbarrier(Decoder &decoder) {
  std::string_view name = decoder.opcode().size() > 1 ? decoder.opcode()[1] : "";
  Instruction address;
  ptx::Space space = ptx::Space::Shared;
  if (name == "pending_count") {
    Slot d = decoder.destination(0, 4), a = decoder.bits(1, 8);
    Instruction &made = decoder.emit(pendingCount);
    made.d = d, made.a = a;
    return true;
  }
  if (name == "test_wait" || name == "try_wait") {
    uint32_t d = decoder.destinationPredicate(decoder.operand(0));
    decoder.address(decoder.operand(1), address, space);
    bool byParity = decoder.has("parity");
    Slot b = decoder.bits(2, byParity ? 4 : 8);
    Instruction &made = decoder.emit(testWait);
    made.a = address.a, made.b = b;
    made.d.code = d;
    made.immediate = address.immediate;
    made.small[0] = byParity;
    made.small[3] = address.small[3];
    return true;
  }
  bool isArrival = name == "arrive" || name == "arrive_drop";
  // The state stands before the address, or is not there at all.
  bool hasState = isArrival && decoder.operand(0).kind != ptx::Operand::Kind::Address;
  bool keepsState = hasState && decoder.operand(0).kind == ptx::Operand::Kind::Register;
  size_t next = hasState ? 1 : 0;
  decoder.address(decoder.operand(next++), address, space);
  Operation operation;
  if (name == "init")
    operation = Operation::Initialise;
  else if (name == "inval")
    operation = Operation::Invalidate;
  else if (name == "arrive" && decoder.has("expect_tx"))
    operation = Operation::ArriveExpect;
  else if (name == "arrive")
    operation = Operation::Arrive;
  else if (name == "arrive_drop")
    operation = decoder.has("expect_tx") ? Operation::ArriveDropExpect : Operation::ArriveDrop;
  else if (name == "expect_tx")
    operation = Operation::Expect;
  else if (name == "complete_tx")
    operation = Operation::Complete;
  else
    return decoder.unknown();
  bool hasCount = next < decoder.operandCount();
  Slot b = hasCount ? decoder.bits(next, 4) : Slot{}, d = keepsState ? decoder.destination(0, 8) : Slot{};
  Instruction &made = decoder.emit(change);
  made.a = address.a, made.b = b, made.d = d;
  made.immediate = address.immediate;
  made.small[0] = uint8_t(operation);
  made.small[1] = hasCount;
  made.small[2] = keepsState;
  made.small[3] = address.small[3];
  return true;
}

Step nothing(Warp &, const Instruction &, LaneMask) { return Step::Next; }

/// cp.async.mbarrier.arrive.noinc: who waits knows the copies to be complete.
Step arriveWithCopies(Warp &warp, const Instruction &instruction, LaneMask mask) {
  landCopies(warp, 0, /*withOpenGroup=*/true);
  if (RaceWatch *races = warp.cta.cluster.races.get())
    eachLane(mask, [&](unsigned lane) {
      if (const std::byte *at = locateMbarrier(warp, instruction, uint32_t(addressOf(warp, instruction, lane)), lane))
        races->arriveWithAll(warp, Group::Copies, races->mbarrierAt(at));
    });
  return change(warp, instruction, mask);
}

} // namespace

/// cp.async.mbarrier.arrive: the copies have landed, so this is an arrival now; without `.noinc` it counts one more that it then takes away.
bool decodeCopyArrival(Decoder &decoder) {
  if (!decoder.has("noinc")) {
    decoder.emit(nothing);
    return true;
  }
  Instruction address;
  ptx::Space space = ptx::Space::Shared;
  decoder.address(decoder.operand(0), address, space);
  Instruction &made = decoder.emit(arriveWithCopies);
  made.a = address.a;
  made.immediate = address.immediate;
  made.small[0] = uint8_t(Operation::Arrive);
  made.small[3] = address.small[3];
  return true;
}

void addMbarriers(DecodeTable &table) { table["mbarrier"] = decodeMbarrier; }

} // namespace triton::simulator
