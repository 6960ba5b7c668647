// ld, st and what looks like them, in all spaces, widths and cache forms (which change nothing here); prefetches and policies.
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

using ptx::Space;

/// `small`: 0 space, 1 bytes of an element, 2 bytes of its register, 3 bytes of the address; d of loads that extend: sign in `target`.
template <Access access> Step load(Warp &warp, const Instruction &instruction, LaneMask mask) {
  auto space = Space(instruction.small[0]);
  unsigned element = instruction.small[1], width = instruction.small[2], count = instruction.listSize;
  bool isSigned = instruction.target;
  bool failed = false;
  eachLane(mask, [&](unsigned lane) {
    if (failed)
      return;
    const std::byte *from =
        locate(warp, instruction, space, addressOf(warp, instruction, lane), element * count, lane, access);
    if (!from) {
      failed = true;
      return;
    }
    for (unsigned index = 0; index < count; ++index) {
      std::byte *to = warp.out<std::byte>(instruction.list[index]) + lane * width;
      if (element == 4 && width == 4) {
        std::memcpy(to, from + index * 4, 4);
      } else if (element == width) {
        std::memcpy(to, from + index * element, element);
      } else {
        uint64_t value = 0;
        std::memcpy(&value, from + index * element, element);
        if (isSigned && (value >> (8 * element - 1) & 1))
          value |= ~uint64_t(0) << (8 * element);
        std::memcpy(to, &value, std::min(width, 8u));
      }
    }
  });
  if (failed)
    return Step::Blocked;
  // Other warps come to their loads before this one has its values, as on a GPU.
  return space == Space::Global ? Step::Switch : Step::Next;
}

Step store(Warp &warp, const Instruction &instruction, LaneMask mask) {
  auto space = Space(instruction.small[0]);
  unsigned element = instruction.small[1], width = instruction.small[2], count = instruction.listSize;
  bool failed = false;
  eachLane(mask, [&](unsigned lane) {
    if (failed)
      return;
    std::byte *to =
        locate(warp, instruction, space, addressOf(warp, instruction, lane), element * count, lane, Access::Write);
    if (!to) {
      failed = true;
      return;
    }
    for (unsigned index = 0; index < count; ++index)
      std::memcpy(to + index * element, warp.in<std::byte>(instruction.list[index]) + lane * width, element);
  });
  return failed ? Step::Blocked : Step::Next;
}

/// A kernel's parameter at a fixed place: the same for all lanes.
template <typename T> Step loadParameter(Warp &warp, const Instruction &instruction, LaneMask mask) {
  Grid &grid = warp.cta.grid();
  const std::byte *from =
      locate(warp, instruction, Space::Parameter, uint64_t(instruction.immediate), sizeof(T), 0, Access::Read);
  if (!from || !grid.parameterBegin)
    return Step::Blocked;
  T value;
  std::memcpy(&value, from, sizeof(T));
  T *d = warp.out<T>(instruction.list[0]);
  eachLane(mask, [&](unsigned lane) { d[lane] = value; });
  return Step::Next;
}

} // namespace

Space spaceOf(const Decoder &decoder) {
  if (decoder.has("global"))
    return Space::Global;
  if (decoder.has("shared") || decoder.has("shared::cta"))
    return Space::Shared;
  if (decoder.has("shared::cluster"))
    return Space::SharedCluster;
  if (decoder.has("local"))
    return Space::Local;
  if (decoder.has("const"))
    return Space::Constant;
  if (decoder.has("param") || decoder.has("param::entry") || decoder.has("param::func"))
    return Space::Parameter;
  return Space::Generic;
}

Ordering orderingOf(const Decoder &decoder) {
  Ordering ordering;
  const bool isVolatile = decoder.has("volatile") || decoder.has("mmio"),
             isBoth = decoder.has("acq_rel") || decoder.has("sc");
  ordering.acquires = isVolatile || isBoth || decoder.has("acquire");
  ordering.releases = isVolatile || isBoth || decoder.has("release");
  ordering.isStrong = ordering.acquires || ordering.releases || decoder.has("relaxed");
  ordering.scope = decoder.has("cta") ? Scope::Cta : decoder.has("cluster") ? Scope::Cluster : Scope::Device;
  return ordering;
}

namespace {

bool decodeAccess(Decoder &decoder, bool isLoad) {
  Type type = decoder.type(0);
  Space space = spaceOf(decoder);
  unsigned bytes = type.bytes();
  const ptx::Operand &value = decoder.operand(isLoad ? 0 : 1), &place = decoder.operand(isLoad ? 1 : 0);
  Instruction address;
  decoder.address(place, address, space);
  // The registers may be wider than what is moved.
  const ptx::Operand *sample = &value;
  if (value.kind == ptx::Operand::Kind::Vector)
    for (const ptx::Operand &element : value.elements)
      if (sample == &value || sample->kind != ptx::Operand::Kind::Register)
        sample = &element;
  unsigned width = std::max(bytes, decoder.registerBytes(*sample));
  std::vector<Slot> list = decoder.vector(value, width, isLoad);
  if (decoder.failed())
    return false;
  if (bytes == 0 || !std::has_single_bit(list.size()) || bytes * list.size() > 32)
    return decoder.fail("'" + decoder.opcodeText() + "' moves no " + std::to_string(list.size()) + " elements of " +
                        std::to_string(type.bits) + " bits");
  bool isFixed = isLoad && space == Space::Parameter && address.a.isConstant() && list.size() == 1 && width == bytes;
  Handler handler = !isLoad ? store : decoder.has("volatile") ? load<Access::Volatile> : load<Access::Read>;
  if (isFixed)
    handler = bytes == 2   ? loadParameter<uint16_t>
              : bytes == 4 ? loadParameter<uint32_t>
              : bytes == 8 ? loadParameter<uint64_t>
                           : handler;
  Instruction &made = decoder.emit(handler);
  made.a = address.a;
  made.immediate = address.immediate;
  made.small[0] = uint8_t(space);
  made.small[1] = uint8_t(bytes);
  made.small[2] = uint8_t(width);
  made.small[3] = address.small[3];
  made.target = type.isSigned();
  made.ordering = orderingOf(decoder);
  decoder.keep(std::move(list), made);
  return true;
}

/// The mbarrier that counts the bytes of st.async.
struct AsyncStore {
  Slot barrier;
  unsigned addressBytes = 4;
  int64_t offset = 0;
};

/// As a store to shared memory of the cluster, by an operation of its own that the mbarrier waits for.
Step storeAsync(Warp &warp, const Instruction &instruction, LaneMask mask) {
  auto &asynchronous = *static_cast<const AsyncStore *>(instruction.details);
  Operation operation(warp, Proxy::Async);
  Step step = store(warp, instruction, mask);
  for (unsigned lane = 0; step == Step::Next && lane < laneCount; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    uint64_t address = addressIn(warp, asynchronous.barrier, asynchronous.addressBytes, lane);
    std::byte *barrier = locateMbarrier(warp, instruction, address + uint64_t(asynchronous.offset), lane);
    if (!barrier)
      return Step::Blocked;
    operation.token().completesAt(barrier);
    expectBytes(warp, instruction, barrier, -int64_t(instruction.small[1]) * instruction.listSize, lane);
  }
  return step;
}

/// st.bulk: zeros, b bytes of them from a on.
Step storeZeros(Warp &warp, const Instruction &instruction, LaneMask mask) {
  for (unsigned lane = 0; lane < laneCount; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    const uint64_t bytes = warp.in<uint64_t>(instruction.b)[lane], address = addressOf(warp, instruction, lane);
    if (bytes % 8) {
      warp.cta.grid().report(warp, instruction, LaneMask(1) << lane, Finding::Kind::IllegalInstruction,
                             "st.bulk of " + std::to_string(bytes) + " bytes, which are no multiple of 8",
                             /*isFatal=*/true);
      return Step::Blocked;
    }
    std::byte *at = locateShared(warp, instruction, uint32_t(address), bytes, lane, Access::Write);
    if (!at)
      return Step::Blocked;
    std::memset(at, 0, bytes);
  }
  return Step::Next;
}
bool decodeZeros(Decoder &decoder) {
  if (decoder.integer(decoder.operand(2)) != 0)
    return decoder.unknown();
  Instruction address;
  Space space = Space::Shared;
  decoder.address(decoder.operand(0), address, space);
  Slot b = decoder.bits(1, 8);
  Instruction &made = decoder.emit(storeZeros);
  made.a = address.a, made.b = b;
  made.immediate = address.immediate, made.small[3] = address.small[3];
  return !decoder.failed();
}

bool decodeLoad(Decoder &decoder) { return decodeAccess(decoder, true); }
bool decodeStore(Decoder &decoder) {
  if (decoder.has("bulk"))
    return decodeZeros(decoder);
  if (decoder.has("async") && !decoder.has("mbarrier::complete_tx::bytes"))
    return decoder.unknown();
  if (!decodeAccess(decoder, false) || !decoder.has("async"))
    return !decoder.failed();
  Instruction barrier;
  Space space = Space::SharedCluster;
  decoder.address(decoder.operand(2), barrier, space);
  Instruction &made = decoder.program.code.back();
  made.execute = storeAsync;
  made.small[0] = uint8_t(Space::SharedCluster);
  made.details = decoder.keepDetails(AsyncStore{barrier.a, barrier.small[3], barrier.immediate});
  return !decoder.failed();
}

Step nothing(Warp &, const Instruction &, LaneMask) { return Step::Next; }

/// Hints: they change no value.
bool decodeHint(Decoder &decoder) {
  decoder.emit(nothing);
  return true;
}

/// A policy is a number that loads take and nobody looks at.
bool decodePolicy(Decoder &decoder) {
  Slot d = decoder.destination(0, 8), a = decoder.constant(0x14F0000000000000, 8);
  Instruction &made = decoder.emit(unary<uint64_t, uint64_t, [](uint64_t value) { return value; }>);
  made.d = d, made.a = a;
  return true;
}

/// mapa d, a, rank: `small[0]` bytes of d; shared addresses and generic ones differ in the tag alone.
Step mapToRank(Warp &warp, const Instruction &instruction, LaneMask mask) {
  const uint32_t *ranks = warp.in<uint32_t>(instruction.b);
  eachLane(mask, [&](unsigned lane) {
    uint64_t address = addressIn(warp, instruction.a, instruction.small[0], lane);
    uint64_t mapped = (address & ~(uint64_t(0xFF) << rankShift)) | uint64_t(ranks[lane] + 1) << rankShift;
    if (instruction.small[0] == 4)
      warp.out<uint32_t>(instruction.d)[lane] = uint32_t(mapped);
    else
      warp.out<uint64_t>(instruction.d)[lane] = mapped;
  });
  return Step::Next;
}
bool decodeMapToRank(Decoder &decoder) {
  unsigned bytes = decoder.type(0).bytes();
  Slot d = decoder.destination(0, bytes), a = decoder.bits(1, bytes), b = decoder.bits(2, 4);
  Instruction &made = decoder.emit(mapToRank);
  made.d = d, made.a = a, made.b = b;
  made.small[0] = uint8_t(bytes);
  return true;
}
/// getctarank: of the CTA whose memory an address is in.
Step rankOf(Warp &warp, const Instruction &instruction, LaneMask mask) {
  auto *d = warp.out<uint32_t>(instruction.d);
  eachLane(mask, [&](unsigned lane) {
    uint32_t rank = uint32_t(addressIn(warp, instruction.a, instruction.small[0], lane)) >> rankShift;
    d[lane] = rank ? rank - 1 : warp.cta.rank;
  });
  return Step::Next;
}
bool decodeRankOf(Decoder &decoder) {
  unsigned bytes = decoder.type(0).bytes();
  Slot d = decoder.destination(0, 4), a = decoder.bits(1, bytes);
  Instruction &made = decoder.emit(rankOf);
  made.d = d, made.a = a;
  made.small[0] = uint8_t(bytes);
  return true;
}

} // namespace

/// multimem reaches the copies of an address in all GPUs of a group. There is one, so a sum over all is its own value.
static bool decodeMultimem(Decoder &decoder) {
  std::string_view operation = decoder.opcode().size() > 1 ? decoder.opcode()[1] : std::string_view();
  return operation == "ld_reduce" ? decodeAccess(decoder, /*isLoad=*/true)
         : operation == "st"      ? decodeAccess(decoder, /*isLoad=*/false)
         : operation == "red"     ? decodeAtomic(decoder)
                                  : decoder.unknown();
}

void addMemory(DecodeTable &table) {
  table["ld"] = table["ldu"] = decodeLoad;
  table["st"] = decodeStore;
  table["multimem"] = decodeMultimem;
  table["prefetch"] = table["prefetchu"] = table["applypriority"] = table["discard"] = table["pmevent"] = decodeHint;
  table["createpolicy"] = decodePolicy;
  table["mapa"] = decodeMapToRank;
  table["getctarank"] = decodeRankOf;
}

} // namespace triton::simulator
