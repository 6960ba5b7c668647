// cp.async: 4, 8 or 16 bytes a thread from global to shared memory. Copies land at once or, where a seed asks for it, as late as they may: when their group is waited for.
#include "simulator/machine/Decoder.h"
#include "simulator/machine/Lanes.h"
#include "simulator/machine/Memory.h"
#include "simulator/watch/Groups.h"

#include <cstring>

namespace triton::simulator {

static void land(const Warp::LateCopy &copy) {
  std::memset(copy.to, 0, copy.bytes);
  if (copy.read)
    std::memcpy(copy.to, copy.from, copy.read);
}

void landCopies(Warp &warp, uint64_t pending, bool withOpenGroup) {
  auto &copies = warp.lateCopies;
  while (!copies.empty() && (withOpenGroup || copies.front().group + pending < warp.copyGroups)) {
    land(copies.front());
    copies.pop_front();
  }
}

namespace {

/// a: shared address (`small[3]` bytes, offset `immediate`); b: global address (offset in `target`); c: bytes read (`small[1]`), the rest is zero; p: where it holds, nothing is read.
Step copy(Warp &warp, const Instruction &instruction, LaneMask mask) {
  unsigned bytes = instruction.small[0];
  Operation operation(warp, Proxy::Generic);
  operation.joins(Group::Copies);
  bool failed = false;
  uint32_t ignored = instruction.small[2] ? warp.predicate(instruction.p) : 0;
  eachLane(mask, [&](unsigned lane) {
    if (failed)
      return;
    uint64_t read = ignored >> lane & 1    ? 0
                    : instruction.small[1] ? std::min<uint64_t>(warp.in<uint32_t>(instruction.c)[lane], bytes)
                                           : bytes;
    std::byte *to =
        locate(warp, instruction, ptx::Space::Shared, addressOf(warp, instruction, lane), bytes, lane, Access::Write);
    const std::byte *from = nullptr;
    if (to && read) {
      uint64_t address = warp.in<uint64_t>(instruction.b)[lane] + uint64_t(int64_t(int32_t(instruction.target)));
      from = read == bytes ? locate(warp, instruction, ptx::Space::Global, address, bytes, lane, Access::Read)
                           : locateGlobal(warp, instruction, address, read, lane, Access::Read);
    }
    if (!to || (read && !from)) {
      failed = true;
      return;
    }
    Warp::LateCopy made{to, from, bytes, uint32_t(read), warp.copyGroups};
    if (warp.cta.grid().launch.seed)
      warp.lateCopies.push_back(made);
    else
      land(made);
  });
  return failed ? Step::Blocked : Step::Next;
}

Step commitCopies(Warp &warp, const Instruction &instruction, LaneMask mask) {
  ++warp.copyGroups;
  return commitGroup<Group::Copies>(warp, instruction, mask);
}

/// `immediate`: groups that may be pending; less than 0: all copies are waited for.
Step waitForCopies(Warp &warp, const Instruction &instruction, LaneMask mask) {
  landCopies(warp, instruction.immediate < 0 ? 0 : uint64_t(instruction.immediate), instruction.immediate < 0);
  return waitGroup<Group::Copies>(warp, instruction, mask);
}

bool decodeCopy(Decoder &decoder) {
  if (decoder.has("bulk") || decoder.opcode()[1] == "reduce")
    return decodeBulkCopy(decoder);
  if (decoder.has("mbarrier"))
    return decodeCopyArrival(decoder);
  if (decodeGroup(decoder, commitCopies, waitForCopies))
    return true;
  Instruction to, from;
  ptx::Space shared = ptx::Space::Shared, global = ptx::Space::Global;
  decoder.address(decoder.operand(0), to, shared);
  decoder.address(decoder.operand(1), from, global);
  int64_t bytes = decoder.integer(decoder.operand(2));
  if (bytes != 4 && bytes != 8 && bytes != 16)
    return decoder.fail("cp.async copies 4, 8 or 16 bytes, not " + std::to_string(bytes));
  size_t next = 3, last = decoder.operandCount() - (decoder.has("L2::cache_hint") ? 1 : 0);
  Slot size;
  PredicateSlot ignore;
  bool hasSize = false, hasIgnore = false;
  if (next < last) {
    if (decoder.isPredicate(decoder.operand(next)))
      ignore = decoder.predicate(next), hasIgnore = true;
    else
      size = decoder.bits(next, 4), hasSize = true;
  }
  Instruction &made = decoder.emit(copy);
  made.a = to.a, made.b = from.a, made.c = size, made.p = ignore;
  made.immediate = to.immediate;
  made.target = uint32_t(from.immediate);
  made.small[0] = uint8_t(bytes);
  made.small[1] = hasSize;
  made.small[2] = hasIgnore;
  made.small[3] = to.small[3];
  return true;
}

} // namespace

void addCopies(DecodeTable &table) { table["cp"] = decodeCopy; }

} // namespace triton::simulator
