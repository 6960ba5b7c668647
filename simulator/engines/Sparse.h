// Sparse left operands of mma.sp and wgmma.mma_async.sp: half of A is zero, and metadata says which half.
//
// K goes in chunks, of which each has four bits of metadata, two for each place that is not zero:
//   16 and 8 bits   four elements, two of them not zero
//   4 bits          eight elements in four pairs, two pairs not zero
//   32 bits (tf32)  two elements, one of them not zero: 0b0100 the first, 0b1110 the second
//
// A word of metadata, of lane 4i + j, has for elements of 16 and 32 bits four chunks of row i in its lower and of row i + 8 in its upper half: the j-th four of them, counted from the
// selector on. For smaller elements it has eight chunks of one row: of i if j is even, else of i + 8.
#pragma once

#include "simulator/machine/Decoder.h"
#include "simulator/machine/Machine.h"

#include <optional>

namespace triton::simulator {

class Sparsity {
public:
  /// Operands `index` (the metadata) and `index + 1` (the selector) of an instruction; none, with a problem, where they do not fit.
  static std::optional<Sparsity> decode(Decoder &decoder, size_t index, unsigned elementBits, unsigned k);
  /// 16 rows of `k / 2` numbers become rows of `k`.
  void spread(const Warp &warp, const double *packed, unsigned k, double *numbers) const;

private:
  Slot metadata;
  unsigned selector = 0, elementBits = 16;

  unsigned chunk() const { return elementBits == 32 ? 2 : elementBits == 4 ? 8 : 4; }
  unsigned chunksOfWord() const { return elementBits >= 16 ? 4 : 8; } // of a row
  /// Lanes of four that hold what one selector chooses.
  unsigned lanesOf(unsigned k) const { return k / chunk() / chunksOfWord() * (elementBits >= 16 ? 1 : 2); }
};

} // namespace triton::simulator
