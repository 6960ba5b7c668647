// How tensor cores find an operand in shared memory: the fields of its descriptor, read off the operand's layout.
#pragma once

#include "compiler/layout/LinearLayout.h"

#include <optional>

namespace triton::nvidia {

struct MatrixDescriptor {
  unsigned swizzleBytes;   // 0, 32, 64, 128
  bool transposed;         // consecutive elements lie along M or N, not along K
  int64_t leading, stride; // byte offsets; what they step over depends on the two above

  /// All fields but the address, as wgmma reads them.
  uint64_t encode() const;
  /// As tcgen05 reads them.
  uint64_t encodeForTcgen05() const;
};

/// One instruction's part of an operand.
struct OperandTile {
  unsigned mnDim, kDim;  // of the buffer
  int64_t mn, k;         // elements
  bool isPadded = false; // every 8 bytes along K, 16 numbers of 4 bits, are followed by 8 unused ones
};

/// The descriptor for tiles of a buffer, where `inverse` maps dim0, dim1 to its offsets in elements. Nullopt if tensor cores have no name for
/// that order of elements: with wgmma, elements wider or narrower than 16 bits can only lie along K; with tcgen05 wider ones.
std::optional<MatrixDescriptor> matchDescriptor(const layout::LinearLayout &inverse, const OperandTile &tile,
                                                unsigned elementBits, bool isTcgen05 = false);

} // namespace triton::nvidia
