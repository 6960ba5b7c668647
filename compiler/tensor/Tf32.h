// Descriptors whose loads of f32 round to TF32.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace triton::tensor {

/// On an op that makes such a descriptor. Only hosts ask for them: as arguments, where an i1 says it, and in interpreter mode.
constexpr llvm::StringLiteral roundsToTf32Name = "tt.rounds_to_tf32";

/// The bits of an f32 that TF32 lacks.
constexpr unsigned tf32DroppedBits = 13;

/// The bits of the nearest number that TF32 has, ties to even; NaN and infinity are kept.
constexpr uint32_t roundToTf32(uint32_t bits) {
  constexpr uint32_t infinity = 0x7F800000, dropped = (1u << tf32DroppedBits) - 1;
  if ((bits & 0x7FFFFFFF) > infinity)
    return bits;
  return (bits + dropped / 2 + (bits >> tf32DroppedBits & 1)) & ~dropped;
}

} // namespace triton::tensor
