// clusterlaunchcontrol: a cluster that runs takes the place of one that has not begun, which then never does.
//
// The 16 bytes of an answer, in a layout of our own: 1 where a cluster was taken and 0 where none was left, then the position of its first CTA.
#include "simulator/engines/Mbarrier.h"
#include "simulator/machine/Decoder.h"
#include "simulator/machine/Lanes.h"
#include "simulator/watch/Groups.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace triton::simulator {

namespace {

using Answer = std::array<uint32_t, 4>;

Answer takeCluster(Cluster &cluster) {
  Grid &grid = cluster.grid;
  // A GPU may decline: with a seed this one does, now and then, so that others begin as well.
  std::optional<uint64_t> taken;
  if (!grid.launch.seed || cluster.random() % 4)
    taken = grid.nextCluster();
  if (!taken)
    return {};
  std::array<uint32_t, 3> position = grid.positionOf(*taken);
  return {1, position[0] * grid.launch.cluster[0], position[1] * grid.launch.cluster[1],
          position[2] * grid.launch.cluster[2]};
}

/// a + immediate: where the answer goes; b + `target`: the mbarrier; `small[0]`: to each CTA of the cluster.
Step tryCancel(Warp &warp, const Instruction &instruction, LaneMask mask) {
  Cluster &cluster = warp.cta.cluster;
  for (unsigned lane = 0; lane < laneCount; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    Operation operation(warp, Proxy::Async);
    auto to = uint32_t(addressOf(warp, instruction, lane)),
         barrier = uint32_t(addressIn(warp, instruction.b, instruction.small[2], lane)) + instruction.target;
    Answer answer = takeCluster(cluster);
    for (uint32_t rank = 0; rank < (instruction.small[0] ? cluster.ctas.size() : 1); ++rank) {
      auto at = [&](uint32_t address) {
        return instruction.small[0] ? (address & sharedOffsetMask) | (rank + 1) << rankShift : address;
      };
      if (to % 16) {
        warp.cta.grid().report(warp, instruction, 1u << lane, Finding::Kind::Misaligned,
                               "an answer of clusterlaunchcontrol at shared address " + std::to_string(to) +
                                   ", which is no multiple of 16",
                               /*isFatal=*/true);
        return Step::Blocked;
      }
      std::byte *target = locateShared(warp, instruction, at(to), sizeof(answer), lane, Access::Write);
      std::byte *counter = target ? locateMbarrier(warp, instruction, at(barrier), lane) : nullptr;
      if (!counter)
        return Step::Blocked;
      cluster.land([=, &warp, &instruction, started = operation.token()] {
        std::memcpy(target, answer.data(), sizeof(answer));
        started.completesAt(counter);
        expectBytes(warp, instruction, counter, -int64_t(sizeof(answer)), lane);
      });
    }
  }
  return Step::Next;
}

/// a: the answer; the predicate d.code.
Step isCanceled(Warp &warp, const Instruction &instruction, LaneMask mask) {
  const Answer *answers = warp.in<Answer>(instruction.a);
  LaneMask taken = 0;
  eachLane(mask, [&](unsigned lane) { taken |= LaneMask(answers[lane][0] & 1) << lane; });
  warp.setPredicate(instruction.d.code, taken, mask);
  return Step::Next;
}

/// a: the answer; list: where the coordinates go, from axis `small[0]` on.
Step firstCta(Warp &warp, const Instruction &instruction, LaneMask mask) {
  const Answer *answers = warp.in<Answer>(instruction.a);
  eachLane(mask, [&](unsigned lane) {
    Answer answer = answers[lane]; // whose register the results may be
    for (unsigned index = 0; index < std::min(instruction.listSize, 3u); ++index)
      warp.out<uint32_t>(instruction.list[index])[lane] = answer[1 + instruction.small[0] + index];
  });
  return Step::Next;
}

bool decodeLaunchControl(Decoder &decoder) {
  if (decoder.has("try_cancel")) {
    Instruction answer, barrier;
    ptx::Space space = ptx::Space::Shared;
    decoder.address(decoder.operand(0), answer, space);
    decoder.address(decoder.operand(1), barrier, space);
    Instruction &made = decoder.emit(tryCancel);
    made.a = answer.a, made.immediate = answer.immediate, made.small[3] = answer.small[3];
    made.b = barrier.a, made.target = uint32_t(barrier.immediate), made.small[2] = barrier.small[3];
    made.small[0] = decoder.has("multicast::cluster::all");
    return !decoder.failed();
  }
  if (!decoder.has("query_cancel"))
    return decoder.unknown();
  if (decoder.has("is_canceled")) {
    uint32_t d = decoder.destinationPredicate(decoder.operand(0));
    Slot a = decoder.bits(1, 16);
    Instruction &made = decoder.emit(isCanceled);
    made.a = a, made.d.code = d;
    return !decoder.failed();
  }
  static constexpr std::pair<std::string_view, uint8_t> results[] = {
      {"get_first_ctaid", 0}, {"get_first_ctaid::x", 0}, {"get_first_ctaid::y", 1}, {"get_first_ctaid::z", 2}};
  for (auto [name, axis] : results)
    if (decoder.has(name)) {
      std::vector<Slot> list = decoder.vector(decoder.operand(0), 4, /*isDestination=*/true);
      if (list.size() != (name == "get_first_ctaid" ? 4 : 1))
        return decoder.fail("'" + decoder.opcodeText() + "' has " + std::to_string(list.size()) + " results");
      Slot a = decoder.bits(1, 16);
      Instruction &made = decoder.emit(firstCta);
      made.a = a, made.small[0] = axis;
      decoder.keep(std::move(list), made);
      return !decoder.failed();
    }
  return decoder.unknown();
}

} // namespace

void addLaunchControl(DecodeTable &table) { table["clusterlaunchcontrol"] = decodeLaunchControl; }

} // namespace triton::simulator
