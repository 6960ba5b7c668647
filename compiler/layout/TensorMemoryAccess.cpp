#include "compiler/layout/TensorMemoryAccess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace triton;
using namespace triton::layout;

using Shape = TensorMemoryShape;

llvm::StringRef layout::name(Shape shape) {
  switch (shape) {
  case Shape::Rows32Bits32:
    return "32x32b";
  case Shape::Rows16Bits64:
    return "16x64b";
  case Shape::Rows16Bits128:
    return "16x128b";
  case Shape::Rows16Bits256:
    return "16x256b";
  case Shape::Rows16Bits32Twice:
    return "16x32bx2";
  }
  return "";
}

namespace {

/// One repetition as bases: where each bit of the lane and of the word leads.
struct Atom {
  std::vector<TensorMemoryPlace> lanes, words;
};

} // namespace

static Atom atomOf(Shape shape, int64_t split) {
  auto row = [](int64_t value) { return TensorMemoryPlace{value, 0}; };
  auto cell = [](int64_t value) { return TensorMemoryPlace{0, value}; };
  switch (shape) {
  case Shape::Rows32Bits32:
    return {{row(1), row(2), row(4), row(8), row(16)}, {}};
  case Shape::Rows16Bits64:
    return {{row(8), cell(1), row(1), row(2), row(4)}, {}};
  case Shape::Rows16Bits128:
    return {{cell(1), cell(2), row(1), row(2), row(4)}, {row(8)}};
  case Shape::Rows16Bits256:
    return {{cell(2), cell(4), row(1), row(2), row(4)}, {cell(1), row(8)}};
  case Shape::Rows16Bits32Twice:
    break;
  }
  return {{row(1), row(2), row(4), row(8), cell(split)}, {}};
}

static TensorMemoryPlace sum(TensorMemoryPlace a, TensorMemoryPlace b) { return {a.row + b.row, a.cell + b.cell}; }

static TensorMemoryPlace combine(llvm::ArrayRef<TensorMemoryPlace> bases, unsigned index) {
  TensorMemoryPlace place;
  for (auto [bit, basis] : llvm::enumerate(bases))
    if (index >> bit & 1)
      place = sum(place, basis);
  return place;
}

TensorMemoryPlace layout::placeInAtom(Shape shape, unsigned word, unsigned lane, int64_t split) {
  Atom atom = atomOf(shape, split);
  return sum(combine(atom.words, word), combine(atom.lanes, lane));
}

unsigned layout::wordsPerAtom(Shape shape) { return 1u << atomOf(shape, 0).words.size(); }

unsigned layout::cellsPerAtom(Shape shape) {
  switch (shape) {
  case Shape::Rows16Bits64:
    return 2;
  case Shape::Rows16Bits128:
    return 4;
  case Shape::Rows16Bits256:
    return 8;
  case Shape::Rows32Bits32:
  case Shape::Rows16Bits32Twice:
    break;
  }
  return 1;
}

namespace {

struct Planner {
  LinearLayout places; // register, lane, warp -> row, col (in elements)
  const LinearLayout &memory;
  unsigned elementBits;

  /// Nullopt where the element begins inside of a cell.
  std::optional<TensorMemoryPlace> basis(llvm::StringRef input, unsigned bit) const {
    const Coordinates &at = places.basis(input, bit);
    int64_t bits = at[1] * elementBits;
    if (bits % 32)
      return std::nullopt;
    return TensorMemoryPlace{at[0], bits / 32};
  }

  std::optional<TensorMemoryAccess> matchLanes() const {
    if (places.inputSize("lane") != 32)
      return std::nullopt;
    std::vector<TensorMemoryPlace> lanes;
    for (unsigned bit = 0; bit < 5; ++bit) {
      std::optional<TensorMemoryPlace> place = basis("lane", bit);
      if (!place)
        return std::nullopt;
      lanes.push_back(*place);
    }
    for (Shape shape : {Shape::Rows32Bits32, Shape::Rows16Bits64, Shape::Rows16Bits128, Shape::Rows16Bits256,
                        Shape::Rows16Bits32Twice}) {
      int64_t split = shape == Shape::Rows16Bits32Twice ? lanes[4].cell : 0;
      if (atomOf(shape, split).lanes == lanes)
        return TensorMemoryAccess{shape, split, elementBits, {}, {}};
    }
    return std::nullopt;
  }

  /// The first two bits choose the rows, unless the memory holds copies there; further ones lead anywhere within the warp's reach.
  bool matchWarps(TensorMemoryAccess &access) const {
    unsigned bits = llvm::Log2_64(places.inputSize("warp"));
    if (bits < 2)
      return false;
    for (unsigned bit = 0; bit < bits; ++bit) {
      std::optional<TensorMemoryPlace> place = basis("warp", bit);
      if (!place)
        return false;
      if (bit >= 2) {
        if (place->row & ~int64_t(31))
          return false;
        access.warps.push_back(*place);
        continue;
      }
      bool isCopy = llvm::all_of(memory.basis("row", 5 + bit), [](int64_t component) { return component == 0; });
      if (!(*place == TensorMemoryPlace{isCopy ? 0 : int64_t(32) << bit, 0}))
        return false;
    }
    return true;
  }

  /// Words by where they lie; adding up addresses is right only if no bit comes from two inputs.
  using Words = std::map<std::pair<int64_t, int64_t>, std::vector<llvm::SmallVector<unsigned, 1>>>;

  std::optional<Words> collectWords(const TensorMemoryAccess &access) const {
    Words words;
    int64_t usedRows = 0, usedCells = 0;
    for (unsigned reg = 0; reg < places.inputSize("register"); ++reg) {
      Coordinates at = places.apply({{"register", reg}});
      int64_t bits = at[1] * elementBits;
      usedRows |= at[0];
      usedCells |= bits / 32;
      auto &word = words[{at[0], bits / 32}];
      word.resize(std::max(1u, 32 / elementBits));
      word[bits % 32 / elementBits].push_back(reg);
    }
    if (usedRows & ~int64_t(31))
      return std::nullopt;
    for (TensorMemoryPlace warp : access.warps) {
      if ((usedRows & warp.row) || (usedCells & warp.cell))
        return std::nullopt;
      usedRows |= warp.row;
      usedCells |= warp.cell;
    }
    if (access.split & usedCells)
      return std::nullopt;
    return words;
  }

  /// Runs of repetitions side by side, each as few instructions as there are ones in its length.
  bool makeMessages(TensorMemoryAccess &access, Words words) const {
    Atom atom = atomOf(access.shape, access.split);
    const unsigned perAtom = 1u << atom.words.size(), cells = cellsPerAtom(access.shape);
    const unsigned longest = 128 / perAtom;
    while (!words.empty()) {
      TensorMemoryPlace first{words.begin()->first.first, words.begin()->first.second};
      auto atomAt = [&](unsigned repetition) {
        for (unsigned word = 0; word < perAtom; ++word) {
          TensorMemoryPlace at = sum(first, combine(atom.words, word));
          if (!words.contains({at.row, at.cell + repetition * cells}))
            return false;
        }
        return true;
      };
      unsigned length = 0;
      while (length < longest && atomAt(length))
        ++length;
      if (length == 0)
        return false;
      length = llvm::bit_floor(length);
      TensorMemoryAccess::Message message{first, length, {}};
      for (unsigned repetition = 0; repetition < length; ++repetition)
        for (unsigned word = 0; word < perAtom; ++word) {
          TensorMemoryPlace at = sum(first, combine(atom.words, word));
          message.words.push_back(words.extract({at.row, at.cell + repetition * cells}).mapped());
        }
      access.messages.push_back(std::move(message));
    }
    return true;
  }
};

} // namespace

std::optional<TensorMemoryAccess> layout::planTensorMemoryAccess(const LinearLayout &registers,
                                                                 const LinearLayout &memory, unsigned elementBits) {
  std::optional<LinearLayout> places = registers.invertAndCompose(memory);
  if (!places || (places->hasInput("block") && !places->isZeroOn({"block"}, {"row", "col"})))
    return std::nullopt;
  Planner planner{places->transposeOutputs({"row", "col"}), memory, elementBits};
  std::optional<TensorMemoryAccess> access = planner.matchLanes();
  if (!access || !planner.matchWarps(*access))
    return std::nullopt;
  auto words = planner.collectWords(*access);
  if (!words || !planner.makeMessages(*access, std::move(*words)))
    return std::nullopt;
  return access;
}

std::optional<LinearLayout> layout::tensorMemoryRegisters(Shape shape, const LinearLayout &memory, unsigned elementBits,
                                                          unsigned numWarps) {
  if (numWarps < 4 || !llvm::isPowerOf2_32(numWarps) || memory.inputSize("row") != 128)
    return std::nullopt;
  auto isZero = [](const Coordinates &basis) { return llvm::all_of(basis, [](int64_t c) { return c == 0; }); };
  LinearLayout::Input registers{"register", {}}, lanes{"lane", {}}, warps{"warp", {}};
  // Elements that share a cell are neighbours in a thread; columns of padding have no element.
  const unsigned inCell = elementBits < 32 ? llvm::Log2_32(32 / elementBits) : 0;
  std::vector<Coordinates> cells; // columns of cells
  for (unsigned bit = 0; (int64_t(1) << bit) < memory.inputSize("col"); ++bit) {
    const Coordinates &basis = memory.basis("col", bit);
    if (bit >= inCell)
      cells.push_back(basis);
    else if (!isZero(basis))
      registers.bases.push_back(basis);
  }
  std::vector<bool> taken(cells.size(), false);
  auto place = [&](TensorMemoryPlace at) -> std::optional<Coordinates> {
    if (at.row)
      return memory.basis("row", llvm::Log2_64(at.row));
    unsigned bit = llvm::Log2_64(at.cell);
    if (bit >= cells.size() || taken[bit])
      return std::nullopt;
    taken[bit] = true;
    return cells[bit];
  };
  // Rows 16 to 31 hold nothing where there is one block of 64 rows: lanes 16 to 31 then take the upper half of the columns.
  const bool isHalf = isZero(memory.basis("row", 4));
  int64_t split = 0;
  if (shape == Shape::Rows32Bits32 && isHalf) {
    if (cells.empty())
      return std::nullopt;
    shape = Shape::Rows16Bits32Twice;
    split = int64_t(1) << (cells.size() - 1);
  } else if (shape == Shape::Rows16Bits32Twice) {
    return std::nullopt;
  }
  Atom atom = atomOf(shape, split);
  for (auto [bases, input] : {std::pair(&atom.words, &registers), std::pair(&atom.lanes, &lanes)})
    for (TensorMemoryPlace at : *bases) {
      std::optional<Coordinates> basis = place(at);
      if (!basis)
        return std::nullopt;
      input->bases.push_back(*basis);
    }
  std::vector<Coordinates> rest;
  for (auto [bit, basis] : llvm::enumerate(cells))
    if (!taken[bit])
      rest.push_back(basis);
  warps.bases = {memory.basis("row", 5), memory.basis("row", 6)};
  std::vector<Coordinates> further;
  const unsigned furtherBits = llvm::Log2_32(numWarps) - 2;
  bool rowsLeft = shape != Shape::Rows32Bits32 && !isHalf;
  if (rowsLeft && furtherBits > 0) {
    further.push_back(memory.basis("row", 4));
    rowsLeft = false;
  }
  const unsigned columns = std::min<size_t>(furtherBits - further.size(), rest.size());
  further.insert(further.end(), rest.end() - columns, rest.end());
  rest.resize(rest.size() - columns);
  further.resize(furtherBits, Coordinates(memory.outputs().size(), 0)); // surplus warps hold copies
  registers.bases.insert(registers.bases.end(), rest.begin(), rest.end());
  if (rowsLeft)
    registers.bases.push_back(memory.basis("row", 4));
  warps.bases.insert(warps.bases.end(), further.begin(), further.end());
  return LinearLayout({registers, lanes, warps, {"block", {}}}, memory.outputs().vec());
}
