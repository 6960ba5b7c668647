// When a warp's access to shared memory is what ldmatrix and stmatrix do: 8 x 8 pieces of 16-bit elements, a row of 16 contiguous bytes at an address
// that one lane gives, spread over the lanes so that each holds 4 bytes of each piece. Elements of other sizes move as 16-bit ones do: two bytes stay
// side by side when a piece is transposed.
#pragma once

#include "compiler/layout/LinearLayout.h"

namespace triton::layout {

struct MatrixAccess {
  bool transposed;
  unsigned pieces; // of one instruction: 1, 2 or 4
  LinearLayout
      address; // lane, warp -> offset: of the row whose address this lane gives, without an instruction's own part
  struct Instruction {
    uint64_t offset; // XORed into every lane's address
    /// For each piece the elements of this lane's 32-bit register, low first: as the registers' part of their offset.
    std::vector<std::vector<uint64_t>> elements;
  };
  std::vector<Instruction> instructions;
};

/// `access` maps register, lane, warp to offsets of `elementBits`-wide elements from an address aligned to 16 bytes. Nullopt if it is no such
/// access.
std::optional<MatrixAccess> planMatrixAccess(const LinearLayout &access, unsigned elementBits);

} // namespace triton::layout
