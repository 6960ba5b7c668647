// Operands of wgmma and tcgen05.mma in shared memory: what a 64-bit matrix descriptor points at.
//   In:  the descriptor's bits, whether consecutive elements lie along K or along M (N), the element.
//   Out: the operand as numbers.
//
// Shared memory is read in pieces of 16 bytes ("atoms" of the swizzle). With a swizzle W bytes wide, element (r, k) of an operand along K lies at
//   start + r / 8 * stride + r % 8 * W + k * size, and then bits 4 to 6 of the address are xored with bits 7 to 9, as far as W reaches.
#pragma once

#include "simulator/engines/MatrixProduct.h"
#include "simulator/machine/Machine.h"

namespace triton::simulator {

struct SharedMatrix {
  uint32_t start = 0, leading = 0, stride = 0; // bytes
  unsigned width = 0;                          // of the swizzle: 0, 32, 64, 128
  bool isAlongK = true;                        // consecutive elements
  Element element = Element::F16;
  bool isPadded = false; // 4-bit elements: 16 of them in the lower half of 16 bytes

  /// Where the 16 bytes with element (r, k) begin; r counts rows of A, columns of B.
  uint32_t address(unsigned r, unsigned k) const;
  /// Elements in 16 bytes.
  unsigned perPiece() const { return isPadded ? 16 : 128 / bitsOf(element); }
  /// Rows `first` to `end` (by r), `depth` numbers each; false, with a finding, where they are not in the CTA's shared memory.
  bool read(Warp &warp, const Instruction &instruction, Cta &cta, unsigned first, unsigned end, unsigned depth,
            double *numbers) const;
};

SharedMatrix decodeWgmmaDescriptor(uint64_t bits, bool isAlongK, Element element);
/// Null with a width that instructions do not have.
std::optional<SharedMatrix> decodeTcgen05Descriptor(uint64_t bits, bool isAlongK, Element element);

} // namespace triton::simulator
