// Conversions that are instructions of AMD's: pairs of halves, fp8 in both families, bytes picked out of words.
#include "simulator/amdgcn/Decoder.h"
#include "simulator/amdgcn/Elements.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

#include <cstring>

namespace triton::simulator::amdgcn {

namespace {

using SimInstruction = simulator::Instruction;

/// Two floats, towards zero; `list`: the two halves.
bool decodePair(Decoder &decoder, const llvm::CallInst &call) {
  Slots d = decoder.define(call);
  for (unsigned index = 0; index < 2; ++index)
    decoder.emit(
        map<[](float value) { return uint16_t(encode(value, formatHalf, Rounding::Zero, false)); }, uint16_t, float>,
        Family::Conversion, d[index], decoder.scalar(call.getArgOperand(index)));
  return true;
}

/// Two floats as fp8 in half of a word, of which `c` keeps the other: `immediate` the shift, `small[0]` the format.
Step packBytes(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  const auto element = SmallFloat(instruction.small[0]);
  const float *a = warp.in<float>(instruction.a), *b = warp.in<float>(instruction.b);
  const uint32_t *old = warp.in<uint32_t>(instruction.c);
  uint32_t *d = warp.out<uint32_t>(instruction.d);
  const auto shift = unsigned(instruction.immediate);
  eachLane(mask, [&](unsigned lane) {
    const uint32_t pair = encodeSmall(a[lane], element) | uint32_t(encodeSmall(b[lane], element)) << 8;
    d[lane] = (old[lane] & ~(0xFFFFu << shift)) | pair << shift;
  });
  return Step::Next;
}
template <bool isE5> bool decodePackBytes(Decoder &decoder, const llvm::CallInst &call) {
  Slot a = decoder.scalar(call.getArgOperand(0)), b = decoder.scalar(call.getArgOperand(1)),
       old = decoder.scalar(call.getArgOperand(2));
  const int64_t shift = decoder.immediate(call.getArgOperand(3)) ? 16 : 0;
  Slot d = decoder.defineScalar(call);
  SimInstruction &made = decoder.emit(packBytes, Family::Conversion);
  made.d = d, made.a = a, made.b = b, made.c = old, made.immediate = shift;
  made.small[0] = uint8_t(smallFloat(isE5, decoder.architecture.isFnuz));
  return true;
}

/// A byte of a word, at bit `immediate`, as a float.
Step unpackByte(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  const auto element = SmallFloat(instruction.small[0]);
  const uint32_t *a = warp.in<uint32_t>(instruction.a);
  eachLane(mask, [&](unsigned lane) {
    warp.out<float>(instruction.d)[lane] = float(decodeSmall(uint8_t(a[lane] >> instruction.immediate), element));
  });
  return Step::Next;
}
template <bool isE5, unsigned count> bool decodeUnpackBytes(Decoder &decoder, const llvm::CallInst &call) {
  Slot a = decoder.scalar(call.getArgOperand(0));
  const int64_t first = decoder.immediate(call.getArgOperand(1)) * count; // a byte, or a half of the word
  Slots d = decoder.define(call);
  for (unsigned index = 0; index < count; ++index) {
    SimInstruction &made = decoder.emit(unpackByte, Family::Conversion);
    made.d = d[index], made.a = a, made.immediate = 8 * (first + index);
    made.small[0] = uint8_t(smallFloat(isE5, decoder.architecture.isFnuz));
  }
  return true;
}

/// v_perm_b32: four bytes out of eight, those of the second operand first.
bool decodePermute(Decoder &decoder, const llvm::CallInst &call) {
  Slot a = decoder.scalar(call.getArgOperand(0)), b = decoder.scalar(call.getArgOperand(1)),
       c = decoder.scalar(call.getArgOperand(2)), d = decoder.defineScalar(call);
  auto permute = [](uint32_t high, uint32_t low, uint32_t selectors) {
    const uint64_t bytes = uint64_t(high) << 32 | low;
    uint32_t result = 0;
    for (unsigned index = 0; index < 4; ++index) {
      const uint32_t selector = selectors >> (8 * index) & 0xFF;
      uint32_t byte = 0;
      if (selector < 8)
        byte = uint32_t(bytes >> (8 * selector)) & 0xFF;
      else if (selector < 12) // signs of the four halves
        byte = bytes >> (16 * (selector - 8) + 15) & 1 ? 0xFF : 0;
      else if (selector > 12)
        byte = 0xFF;
      result |= byte << (8 * index);
    }
    return result;
  };
  decoder.emit(map<permute, uint32_t, uint32_t, uint32_t, uint32_t>, Family::Conversion, d, a, b, c);
  return true;
}

} // namespace

void addConversions(IntrinsicTable &table) {
  using namespace llvm::Intrinsic;
  table[amdgcn_cvt_pkrtz] = decodePair;
  table[amdgcn_cvt_pk_fp8_f32] = decodePackBytes<false>;
  table[amdgcn_cvt_pk_bf8_f32] = decodePackBytes<true>;
  table[amdgcn_cvt_f32_fp8] = decodeUnpackBytes<false, 1>;
  table[amdgcn_cvt_f32_bf8] = decodeUnpackBytes<true, 1>;
  table[amdgcn_cvt_pk_f32_fp8] = decodeUnpackBytes<false, 2>;
  table[amdgcn_cvt_pk_f32_bf8] = decodeUnpackBytes<true, 2>;
  table[amdgcn_perm] = decodePermute;
}

} // namespace triton::simulator::amdgcn
