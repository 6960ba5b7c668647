// How registers and tensor memory meet: tcgen05.ld and tcgen05.st move 32-bit cells between the lanes of a warp and 32 or 16 rows of tensor memory.
//   In:  a register layout (register, lane, warp, block -> dim0, dim1), a layout of tensor memory (row, col -> dim0, dim1) whose columns count
//        elements, the size of an element.
//   Out: the instructions that move one to the other, or a register layout that a given shape of instruction moves to.
// A warp reaches the rows from 32 * (warp % 4) on; that part of an address is not in the plan.
#pragma once

#include "compiler/layout/LinearLayout.h"

namespace triton::layout {

/// The part of tensor memory that one repetition of an instruction moves: rows x bits; the last moves two blocks of 16 rows.
enum class TensorMemoryShape { Rows32Bits32, Rows16Bits64, Rows16Bits128, Rows16Bits256, Rows16Bits32Twice };

/// As PTX spells it: "32x32b", ….
llvm::StringRef name(TensorMemoryShape shape);

/// A place in tensor memory: a row (of the 32 that a warp reaches) and a column of 32-bit cells.
struct TensorMemoryPlace {
  int64_t row = 0, cell = 0;
  bool operator==(const TensorMemoryPlace &) const = default;
};

/// What lane `lane` finds in word `word` of one repetition, relative to the instruction's address.
TensorMemoryPlace placeInAtom(TensorMemoryShape shape, unsigned word, unsigned lane, int64_t split = 0);
/// Words that a lane holds of one repetition.
unsigned wordsPerAtom(TensorMemoryShape shape);
/// Cells that one repetition takes along a row (of one block).
unsigned cellsPerAtom(TensorMemoryShape shape);

struct TensorMemoryAccess {
  TensorMemoryShape shape;
  int64_t split = 0; // cells between the two blocks of `Rows16Bits32Twice`
  unsigned elementBits = 32;

  struct Message {
    TensorMemoryPlace place; // of this warp group's first
    unsigned repetitions;
    /// The registers whose elements each word holds, by the element's place in the cell; none where nobody holds it. Several registers of
    /// one element are copies.
    std::vector<std::vector<llvm::SmallVector<unsigned, 1>>> words;
  };
  std::vector<Message> messages;
  /// Where each bit of the warp's number from the third on leads.
  std::vector<TensorMemoryPlace> warps;
};

/// Nullopt if no instruction has its lanes where the registers want them.
std::optional<TensorMemoryAccess> planTensorMemoryAccess(const LinearLayout &registers, const LinearLayout &memory,
                                                         unsigned elementBits);

/// The register layout that `shape` moves to and from a buffer laid out by `memory` (gluon.md 7.3): columns lie in registers, warps beyond four
/// share them. Nullopt if the buffer is too small for it or if there are fewer than four warps.
std::optional<LinearLayout> tensorMemoryRegisters(TensorMemoryShape shape, const LinearLayout &memory,
                                                  unsigned elementBits, unsigned numWarps);

} // namespace triton::layout
