// Where a lane is, and what lanes of a wave tell each other; barriers, and what only schedules.
#include "simulator/amdgcn/Decoder.h"
#include "simulator/watch/Races.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

#include <chrono>
#include <cstring>

namespace triton::simulator::amdgcn {

namespace {

using SimInstruction = simulator::Instruction;

template <Special which> bool decodeSpecial(Decoder &decoder, const llvm::CallInst &call) {
  decoder.alias(call, {decoder.special(which)});
  return true;
}

/// Where the arguments lie, at `immediate` or behind the kernel's own.
Step argumentAddress(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  const Grid &grid = warp.cta.grid();
  const uint64_t hidden = (grid.launch.kernel->parameterBytes + 7) / 8 * 8;
  const auto address = reinterpret_cast<uint64_t>(grid.parameterBegin) + (instruction.small[0] ? hidden : 0);
  eachLane(mask, [&](unsigned lane) { warp.out<uint64_t>(instruction.d)[lane] = address; });
  return Step::Next;
}
template <bool isHidden> bool decodeArgumentAddress(Decoder &decoder, const llvm::CallInst &call) {
  Slot d = decoder.defineScalar(call);
  SimInstruction &made = decoder.emit(argumentAddress, Family::Move);
  made.d = d;
  made.small[0] = isHidden;
  return true;
}

/// Lanes that others look at must be here.
bool isHere(Warp &warp, const SimInstruction &instruction, LaneMask mask, unsigned lane, unsigned source) {
  if (mask >> source & 1 || !(warp.live >> source & 1))
    return true;
  warp.cta.grid().report(warp, instruction, LaneMask(1) << lane, Finding::Kind::Divergence,
                         "lane " + std::to_string(lane) + " reads lane " + std::to_string(source) +
                             ", which is elsewhere",
                         /*isFatal=*/true);
  return false;
}

constexpr auto zeros = [](unsigned) { return 0u; };

/// d of each lane is what `values` has for the lane that `from` says; where that is less than 0, what `otherwise` says. Sources are read before results are written.
template <typename From, typename Otherwise = decltype(zeros)>
Step moveLanes(Warp &warp, const SimInstruction &instruction, LaneMask mask, const uint32_t *values, uint32_t *d,
               From from, Otherwise otherwise = zeros) {
  uint32_t moved[64];
  bool isFine = true;
  eachLane(mask, [&](unsigned lane) {
    const int source = from(lane);
    isFine = isFine && (source < 0 || isHere(warp, instruction, mask, lane, unsigned(source)));
    moved[lane] = source < 0 ? otherwise(lane) : values[source];
  });
  if (!isFine)
    return Step::Blocked;
  eachLane(mask, [&](unsigned lane) { d[lane] = moved[lane]; });
  return Step::Next;
}

Step permuteBack(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  const uint32_t *indices = warp.in<uint32_t>(instruction.a);
  return moveLanes(warp, instruction, mask, warp.in<uint32_t>(instruction.b), warp.out<uint32_t>(instruction.d),
                   [&](unsigned lane) { return int(indices[lane] / 4 % warp.lanes); });
}
bool decodePermuteBack(Decoder &decoder, const llvm::CallInst &call) {
  Slot a = decoder.scalar(call.getArgOperand(0)), b = decoder.scalar(call.getArgOperand(1)),
       d = decoder.defineScalar(call);
  decoder.emit(permuteBack, Family::Warp, d, a, b);
  return true;
}

/// The lane that a DPP control names; less than 0 where there is none.
int dppSource(unsigned control, unsigned lane) {
  const unsigned row = lane & ~15u, inRow = lane & 15;
  auto within = [&](int index) { return index < 0 || index > 15 ? -1 : int(row) + index; };
  if (control < 0x100) // quad_perm
    return int((lane & ~3u) | (control >> (2 * (lane & 3)) & 3));
  if (control > 0x100 && control < 0x110) // row_shl
    return within(int(inRow + (control & 15)));
  if (control > 0x110 && control < 0x120) // row_shr
    return within(int(inRow) - int(control & 15));
  if (control > 0x120 && control < 0x130) // row_ror
    return int(row | ((inRow - (control & 15)) & 15));
  if (control == 0x140) // row_mirror
    return int(row | (15 - inRow));
  if (control == 0x141) // row_half_mirror
    return int((lane & ~7u) | (7 - (lane & 7)));
  if (control == 0x142) // row_bcast:15, to the row behind
    return lane < 16 ? -1 : int(row) - 1;
  if (control == 0x143) // row_bcast:31
    return lane < 32 ? -1 : 31;
  if (control >= 0x150 && control < 0x160) // row_share
    return int(row | (control & 15));
  if (control >= 0x160 && control < 0x170) // row_xmask
    return int(lane ^ (control & 15));
  return -2;
}

/// `immediate` the control, `small` row mask, bank mask, whether lanes without a source take zero; b: what the others keep.
Step moveByDpp(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  const uint32_t *old = warp.in<uint32_t>(instruction.b);
  auto isOn = [&](unsigned lane) {
    return instruction.small[0] >> (lane / 16) & 1 && instruction.small[1] >> (lane / 4 % 4) & 1;
  };
  return moveLanes(
      warp, instruction, mask, warp.in<uint32_t>(instruction.a), warp.out<uint32_t>(instruction.d),
      [&](unsigned lane) { return isOn(lane) ? dppSource(unsigned(instruction.immediate), lane) : -1; },
      [&](unsigned lane) { return isOn(lane) && instruction.small[2] ? 0u : old[lane]; });
}
bool decodeDpp(Decoder &decoder, const llvm::CallInst &call) {
  const bool hasOld = call.getIntrinsicID() == llvm::Intrinsic::amdgcn_update_dpp;
  const unsigned first = hasOld ? 1 : 0;
  if (decoder.leafOf(call.getType()).bytes() != 4 || decoder.leavesOf(call.getType()).size() != 1)
    return decoder.fail("DPP of anything but 32 bits is not simulated");
  Slot a = decoder.scalar(call.getArgOperand(first)),
       old = hasOld ? decoder.scalar(call.getArgOperand(0)) : decoder.constant(0, 4), d = decoder.defineScalar(call);
  const int64_t control = decoder.immediate(call.getArgOperand(first + 1));
  if (dppSource(unsigned(control), 0) == -2)
    return decoder.fail("this DPP control is not simulated");
  SimInstruction &made = decoder.emit(moveByDpp, Family::Warp);
  made.d = d, made.a = a, made.b = old, made.immediate = control;
  for (unsigned index = 0; index < 3; ++index)
    made.small[index] = uint8_t(decoder.immediate(call.getArgOperand(first + 2 + index)));
  return true;
}

/// permlane16 and permlanex16: lanes of a row, or of its neighbour, by nibbles of two words.
template <bool isOther> Step permuteRow(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  const Slot *list = instruction.list;
  const uint32_t *low = warp.in<uint32_t>(list[0]), *high = warp.in<uint32_t>(list[1]);
  return moveLanes(warp, instruction, mask, warp.in<uint32_t>(instruction.a), warp.out<uint32_t>(instruction.d),
                   [&](unsigned lane) {
                     const unsigned inRow = lane & 15;
                     const uint32_t word = inRow < 8 ? low[lane] : high[lane];
                     return int(((lane & ~15u) ^ (isOther ? 16 : 0)) | (word >> (4 * (inRow & 7)) & 15));
                   });
}
template <bool isOther> bool decodePermuteRow(Decoder &decoder, const llvm::CallInst &call) {
  if (decoder.leafOf(call.getType()).bytes() != 4)
    return decoder.fail("permutations of anything but 32 bits are not simulated");
  Slot a = decoder.scalar(call.getArgOperand(1));
  Slots selectors = {decoder.scalar(call.getArgOperand(2)), decoder.scalar(call.getArgOperand(3))};
  Slot d = decoder.defineScalar(call);
  SimInstruction &made = decoder.emit(permuteRow<isOther>, Family::Warp);
  made.d = d, made.a = a;
  decoder.keep(made, selectors);
  return true;
}

/// permlane16.swap, permlane32.swap: rows of `immediate` lanes, the odd ones of the first operand with the even ones of the second.
Step swapRows(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  const auto row = unsigned(instruction.immediate);
  const uint32_t *a = warp.in<uint32_t>(instruction.a), *b = warp.in<uint32_t>(instruction.b);
  uint32_t first[64], second[64];
  bool isFine = true;
  eachLane(mask, [&](unsigned lane) {
    const bool isOdd = lane & row;
    const unsigned other = lane ^ row;
    isFine = isFine && isHere(warp, instruction, mask, lane, other);
    first[lane] = isOdd ? b[other] : a[lane];
    second[lane] = isOdd ? b[lane] : a[other];
  });
  if (!isFine)
    return Step::Blocked;
  eachLane(mask, [&](unsigned lane) {
    warp.out<uint32_t>(instruction.list[0])[lane] = first[lane];
    warp.out<uint32_t>(instruction.list[1])[lane] = second[lane];
  });
  return Step::Next;
}
template <unsigned row> bool decodeSwap(Decoder &decoder, const llvm::CallInst &call) {
  Slot a = decoder.scalar(call.getArgOperand(0)), b = decoder.scalar(call.getArgOperand(1));
  Slots d = decoder.define(call);
  SimInstruction &made = decoder.emit(swapRows, Family::Warp);
  made.a = a, made.b = b, made.immediate = row;
  decoder.keep(made, d);
  return true;
}

/// The value of the first lane, or of the one that `b` names, for all; `small[0]` bytes, `small[1]` whether b is given.
Step readLane(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  const unsigned bytes = instruction.small[0], first = unsigned(std::countr_zero(mask));
  const unsigned source = instruction.small[1] ? warp.in<uint32_t>(instruction.b)[first] % warp.lanes : first;
  if (!isHere(warp, instruction, mask, first, source))
    return Step::Blocked;
  uint64_t value = 0;
  std::memcpy(&value, warp.in<std::byte>(instruction.a) + source * bytes, bytes);
  eachLane(mask, [&](unsigned lane) { std::memcpy(warp.out<std::byte>(instruction.d) + lane * bytes, &value, bytes); });
  return Step::Next;
}
template <bool isFirst> bool decodeReadLane(Decoder &decoder, const llvm::CallInst &call) {
  Leaves leaves = decoder.leavesOf(call.getType());
  Slots a = decoder.use(call.getArgOperand(0));
  Slot lane = isFirst ? Slot{} : decoder.scalar(call.getArgOperand(1));
  Slots d = decoder.define(call);
  for (size_t index = 0; index < d.size(); ++index) {
    SimInstruction &made = decoder.emit(readLane, Family::Warp);
    made.d = d[index], made.a = a[index], made.b = lane;
    made.small[0] = uint8_t(leaves[index].bytes());
    made.small[1] = !isFirst;
  }
  return true;
}

Step ballot(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  const uint8_t *condition = warp.in<uint8_t>(instruction.a);
  LaneMask yes = 0;
  eachLane(mask, [&](unsigned lane) { yes |= LaneMask(condition[lane]) << lane; });
  eachLane(mask, [&](unsigned lane) {
    if (instruction.small[0] == 4)
      warp.out<uint32_t>(instruction.d)[lane] = uint32_t(yes);
    else
      warp.out<uint64_t>(instruction.d)[lane] = yes;
  });
  return Step::Next;
}
bool decodeBallot(Decoder &decoder, const llvm::CallInst &call) {
  Slot a = decoder.scalar(call.getArgOperand(0)), d = decoder.defineScalar(call);
  decoder.emit(ballot, Family::Warp, d, a);
  decoder.program.code.back().small[0] = uint8_t(decoder.leafOf(call.getType()).bytes());
  return true;
}

/// How many of the lanes below, of those that a word's bits name; `small[0]`: of the upper half.
Step countBelow(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  const uint32_t *bits = warp.in<uint32_t>(instruction.a), *start = warp.in<uint32_t>(instruction.b);
  eachLane(mask, [&](unsigned lane) {
    const LaneMask below = (LaneMask(1) << lane) - 1;
    const auto half = uint32_t(instruction.small[0] ? below >> 32 : below);
    warp.out<uint32_t>(instruction.d)[lane] = start[lane] + uint32_t(std::popcount(bits[lane] & half));
  });
  return Step::Next;
}
template <bool isUpper> bool decodeCountBelow(Decoder &decoder, const llvm::CallInst &call) {
  Slot a = decoder.scalar(call.getArgOperand(0)), b = decoder.scalar(call.getArgOperand(1)),
       d = decoder.defineScalar(call);
  decoder.emit(countBelow, Family::Warp, d, a, b);
  decoder.program.code.back().small[0] = isUpper;
  return true;
}

bool decodeBarrier(Decoder &decoder, const llvm::CallInst &) {
  SimInstruction &made = decoder.emit(synchroniseCta, Family::Synchronisation);
  made.a = decoder.constant(0, 4);
  made.small[1] = true; // a wave arrives as one
  return true;
}

Step readClock(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  const auto now = uint64_t(std::chrono::steady_clock::now().time_since_epoch().count());
  eachLane(mask, [&](unsigned lane) { warp.out<uint64_t>(instruction.d)[lane] = now; });
  return Step::Next;
}
bool decodeClock(Decoder &decoder, const llvm::CallInst &call) {
  Slot d = decoder.defineScalar(call);
  decoder.emit(readClock, Family::Move).d = d;
  return true;
}

Step pause(Warp &, const SimInstruction &, LaneMask) { return Step::Yield; }
bool decodePause(Decoder &decoder, const llvm::CallInst &) {
  decoder.emit(pause, Family::Control);
  return true;
}
bool decodeNothing(Decoder &, const llvm::CallInst &) { return true; }

Step trap(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  warp.cta.grid().report(warp, instruction, mask, Finding::Kind::Trap, "trap", /*isFatal=*/true);
  return Step::Blocked;
}
bool decodeTrap(Decoder &decoder, const llvm::CallInst &) {
  decoder.emit(trap, Family::Control);
  return true;
}

} // namespace

void addWaveOperations(IntrinsicTable &table) {
  using namespace llvm::Intrinsic;
  table[amdgcn_workitem_id_x] = decodeSpecial<Special::ThreadX>;
  table[amdgcn_workitem_id_y] = decodeSpecial<Special::ThreadY>;
  table[amdgcn_workitem_id_z] = decodeSpecial<Special::ThreadZ>;
  table[amdgcn_workgroup_id_x] = decodeSpecial<Special::BlockX>;
  table[amdgcn_workgroup_id_y] = decodeSpecial<Special::BlockY>;
  table[amdgcn_workgroup_id_z] = decodeSpecial<Special::BlockZ>;
  table[amdgcn_wave_id] = decodeSpecial<Special::Warp>;
  table[amdgcn_wavefrontsize] = decodeSpecial<Special::WarpSize>;
  table[amdgcn_implicitarg_ptr] = decodeArgumentAddress<true>;
  table[amdgcn_kernarg_segment_ptr] = decodeArgumentAddress<false>;
  table[amdgcn_ds_bpermute] = decodePermuteBack;
  table[amdgcn_update_dpp] = table[amdgcn_mov_dpp] = decodeDpp;
  table[amdgcn_permlane16] = decodePermuteRow<false>;
  table[amdgcn_permlanex16] = decodePermuteRow<true>;
  table[amdgcn_permlane16_swap] = decodeSwap<16>;
  table[amdgcn_permlane32_swap] = decodeSwap<32>;
  table[amdgcn_readfirstlane] = decodeReadLane<true>;
  table[amdgcn_readlane] = decodeReadLane<false>;
  table[amdgcn_ballot] = decodeBallot;
  table[amdgcn_mbcnt_lo] = decodeCountBelow<false>;
  table[amdgcn_mbcnt_hi] = decodeCountBelow<true>;
  table[amdgcn_s_barrier] = decodeBarrier;
  table[amdgcn_s_memrealtime] = table[amdgcn_s_memtime] = table[readcyclecounter] = table[readsteadycounter] =
      table[amdgcn_s_sendmsg_rtn] = decodeClock;
  table[amdgcn_s_sleep] = decodePause;
  table[llvm::Intrinsic::trap] = decodeTrap;
  for (ID id :
       {amdgcn_sched_barrier, amdgcn_sched_group_barrier, amdgcn_iglp_opt, amdgcn_s_setprio, amdgcn_wave_barrier,
        amdgcn_s_wait_loadcnt, amdgcn_s_wait_storecnt, amdgcn_s_wait_dscnt, amdgcn_s_wait_kmcnt, amdgcn_s_nop})
    table[id] = decodeNothing;
}

} // namespace triton::simulator::amdgcn
