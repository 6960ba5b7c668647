#include "compiler/layout/MatrixAccess.h"
#include "compiler/layout/BitMatrix.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace triton::layout;

namespace {
struct Columns {
  std::vector<uint64_t> registers, lanes, warps;
};
} // namespace

static Columns columnsOf(const LinearLayout &access) {
  Columns columns;
  for (const LinearLayout::Input &input : access.inputs()) {
    std::vector<uint64_t> *target = input.name == "register" ? &columns.registers
                                    : input.name == "lane"   ? &columns.lanes
                                    : input.name == "warp"   ? &columns.warps
                                                             : nullptr;
    if (target)
      for (const Coordinates &basis : input.bases)
        target->push_back(static_cast<uint64_t>(basis[0]));
  }
  return columns;
}

static uint64_t sum(llvm::ArrayRef<uint64_t> vectors, uint64_t mask) {
  uint64_t result = 0;
  for (auto [bit, vector] : llvm::enumerate(vectors))
    if (mask >> bit & 1)
      result ^= vector;
  return result;
}

std::optional<MatrixAccess> triton::layout::planMatrixAccess(const LinearLayout &access, unsigned elementBits) {
  if (elementBits < 8 || elementBits > 32)
    return std::nullopt;
  Columns columns = columnsOf(access);
  bool dependsOnBlock = llvm::any_of(access.columns("block"), [](uint64_t column) { return column != 0; });
  if (columns.lanes.size() != 5 || dependsOnBlock)
    return std::nullopt;
  uint64_t rowElements = 128 / elementBits, rowMask = rowElements - 1, wordElements = 32 / elementBits;
  uint64_t halfElements = std::max(1u, 16 / elementBits); // of the 16 bits that instructions move
  auto aligned = [&](uint64_t offset) { return (offset & rowMask) == 0; };

  // Lanes 0 and 1 move along a row by words, or, transposed, lanes 2 to 4 by halves of words; everything else from row to row.
  std::vector<uint64_t> inWord, rowLanes;
  bool transposed;
  if (columns.lanes[0] == wordElements && columns.lanes[1] == 2 * wordElements) {
    transposed = false;
    for (uint64_t bit = 1; bit < wordElements; bit *= 2)
      inWord.push_back(bit);
    rowLanes = {columns.lanes[2], columns.lanes[3], columns.lanes[4]};
  } else if (elementBits <= 16 && columns.lanes[2] == halfElements && columns.lanes[3] == 2 * halfElements &&
             columns.lanes[4] == 4 * halfElements) {
    transposed = true;
    auto partner = llvm::find_if(columns.registers, [&](uint64_t column) { return column != 0 && aligned(column); });
    if (partner == columns.registers.end())
      return std::nullopt;
    for (uint64_t bit = 1; bit < halfElements; bit *= 2)
      inWord.push_back(bit);
    inWord.push_back(*partner);
    rowLanes = {*partner, columns.lanes[0], columns.lanes[1]};
  } else {
    return std::nullopt;
  }
  ColumnSpan registers(columns.registers);
  if (!llvm::all_of(inWord, [&](uint64_t vector) { return registers.solve(vector).has_value(); }))
    return std::nullopt;
  // Registers apart from those within a word; each is free to differ by what is in the word.
  std::vector<uint64_t> pieces = independent(columns.registers, inWord);
  for (uint64_t &piece : pieces)
    piece &= ~((transposed ? halfElements : wordElements) - 1);
  if (!llvm::all_of(pieces, aligned) || !llvm::all_of(rowLanes, aligned) || !llvm::all_of(columns.warps, aligned))
    return std::nullopt;

  MatrixAccess plan;
  plan.transposed = transposed;
  unsigned pieceBits = std::min<size_t>(2, pieces.size());
  plan.pieces = 1u << pieceBits;
  LinearLayout::Input lanes{"lane", {}}, warps{"warp", {}};
  for (uint64_t row : rowLanes)
    lanes.bases.push_back({static_cast<int64_t>(row)});
  for (unsigned bit = 0; bit < 2; ++bit)
    lanes.bases.push_back({bit < pieceBits ? static_cast<int64_t>(pieces[bit]) : 0});
  for (uint64_t warp : columns.warps)
    warps.bases.push_back({static_cast<int64_t>(warp)});
  plan.address = LinearLayout({lanes, warps}, {{"offset", access.outputs()[0].size}});
  llvm::ArrayRef<uint64_t> own = llvm::ArrayRef(pieces).take_front(pieceBits),
                           rest = llvm::ArrayRef(pieces).drop_front(pieceBits);
  for (uint64_t number = 0; number < uint64_t(1) << rest.size(); ++number) {
    MatrixAccess::Instruction instruction{sum(rest, number), {}};
    for (unsigned piece = 0; piece < plan.pieces; ++piece) {
      std::vector<uint64_t> elements;
      for (uint64_t element = 0; element < uint64_t(1) << inWord.size(); ++element)
        elements.push_back(instruction.offset ^ sum(own, piece) ^ sum(inWord, element));
      instruction.elements.push_back(std::move(elements));
    }
    plan.instructions.push_back(std::move(instruction));
  }
  return plan;
}
