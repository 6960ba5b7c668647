// A worked example: the sum of 256 numbers, of which each of 32 lanes in each of 2 warps holds 4 neighbours. Coordinate bits 0 and 1 are register
// bits, 2 to 6 are lane bits, 7 is the warp bit.
//   registers  two levels of a tree: 4 numbers of a thread become 1
//   lanes      x += shuffle(x, lane ^ 1), then ^ 2, ^ 4, ^ 8, ^ 16: every lane has the sum of its warp
//   warps      one lane of each warp stores its sum at the warp's place of the buffer; a barrier; every thread reads both and adds them
// In another layout the same bits belong to others, and steps are added or left out: if the warp bit also moved a dimension that stays, both warps
// would have results of their own, and nothing would go through the buffer. Where a bit of lanes or warps moves nothing, its threads hold the same
// elements, which count once.
#include "compiler/layout/Reduction.h"
#include "compiler/layout/BitMatrix.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <map>

using namespace triton::layout;
using llvm::StringRef;

namespace {

/// The columns of a layout cut in two: the coordinate along the axis, and the others flattened.
struct Columns {
  std::vector<uint64_t> axis, rest;
};

/// A subspace of bit vectors with a pivot bit for each of its basis vectors, which no other has.
class Echelon {
public:
  void add(uint64_t vector) {
    vector = reduce(vector);
    if (!vector)
      return;
    uint64_t pivot = uint64_t(1) << (llvm::bit_width(vector) - 1);
    for (uint64_t &other : basis)
      if (other & pivot)
        other ^= vector;
    basis.push_back(vector);
    pivots.push_back(pivot);
  }
  /// The representative of the coset: 0 in all pivots.
  uint64_t reduce(uint64_t vector) const {
    for (auto [element, pivot] : llvm::zip(basis, pivots))
      if (vector & pivot)
        vector ^= element;
    return vector;
  }

private:
  std::vector<uint64_t> basis, pivots;
};

class Planner {
public:
  Planner(const LinearLayout &from, unsigned axis, const LinearLayout &to) : from(from), to(to), axis(axis) {}
  ThreadProgram plan();
  std::optional<unsigned> ctas();
  void cutAll();

private:
  Columns cut(const LinearLayout &layout, StringRef input, bool hasAxis) const;
  void chooseDirections();
  void combineRegisters();
  void combineLanes();
  void throughBuffer();
  void takeRegisters();

  /// A direction to combine along: inputs that differ by it hold different elements of one result.
  struct Direction {
    uint64_t registers, lanes, warps;
  };
  uint64_t axisOf(uint64_t mask) const {
    uint64_t result = 0;
    for (auto [bit, column] : llvm::enumerate(all.axis))
      if (mask >> bit & 1)
        result ^= column;
    return result;
  }

  const LinearLayout &from;
  const LinearLayout to;
  unsigned axis;
  Columns registers, lanes, warps, all; // of `from`
  Columns toRegisters, toLanes, toWarps;
  std::vector<uint64_t> inThread; // masks of registers
  std::vector<Direction> inWarp;
  std::vector<uint64_t> doneAxis;       // what has been combined: directions along the axis
  Echelon sameValue;                    // registers that differ by these end up in one value
  std::map<uint64_t, unsigned> partial; // representative register -> value
  unsigned axisBits = 0, restBits = 0;
  ThreadProgram program;
};

} // namespace

Columns Planner::cut(const LinearLayout &layout, StringRef input, bool hasAxis) const {
  Columns result;
  for (const LinearLayout::Input &candidate : layout.inputs()) {
    if (candidate.name != input)
      continue;
    for (const Coordinates &basis : candidate.bases) {
      uint64_t rest = 0, along = 0;
      unsigned shift = 0;
      for (auto [index, output] : llvm::enumerate(layout.outputs())) {
        if (hasAxis && index == axis) {
          along = basis[index];
          continue;
        }
        rest |= static_cast<uint64_t>(basis[index]) << shift;
        shift += llvm::Log2_64(output.size);
      }
      result.axis.push_back(along);
      result.rest.push_back(rest);
    }
  }
  return result;
}

void Planner::chooseDirections() {
  size_t registerBits = registers.rest.size(), laneBits = lanes.rest.size();
  uint64_t registerMask = (uint64_t(1) << registerBits) - 1, laneMask = (uint64_t(1) << laneBits) - 1;
  auto isNew = [&](uint64_t along) { return !ColumnSpan(doneAxis).solve(along); };
  ColumnSpan withinThread(registers.rest);
  for (uint64_t mask : withinThread.kernel()) {
    uint64_t along = axisOf(mask);
    if (isNew(along)) {
      inThread.push_back(mask);
      doneAxis.push_back(along);
    }
    sameValue.add(mask);
  }
  ColumnSpan withinWarp(concatenate(registers.rest, lanes.rest));
  for (uint64_t mask : withinWarp.kernel()) {
    uint64_t along = axisOf(mask);
    if (!isNew(along))
      continue;
    inWarp.push_back({mask & registerMask, mask >> registerBits & laneMask, 0});
    doneAxis.push_back(along);
  }
  // A lane bit of its own for each, so that all lanes of a group agree on which half comes first.
  for (size_t i = 0; i < inWarp.size(); ++i) {
    uint64_t pivot = uint64_t(1) << (llvm::bit_width(inWarp[i].lanes) - 1);
    for (size_t j = 0; j < inWarp.size(); ++j)
      if (j != i && (inWarp[j].lanes & pivot)) {
        inWarp[j].lanes ^= inWarp[i].lanes;
        inWarp[j].registers ^= inWarp[i].registers;
      }
  }
}

void Planner::combineRegisters() {
  for (uint64_t reg = 0; reg < uint64_t(1) << registers.rest.size(); ++reg) {
    if (sameValue.reduce(reg) != reg)
      continue;
    std::vector<std::pair<uint64_t, unsigned>> members; // by place along the axis
    for (uint64_t choice = 0; choice < uint64_t(1) << inThread.size(); ++choice) {
      uint64_t member = reg;
      for (auto [bit, mask] : llvm::enumerate(inThread))
        if (choice >> bit & 1)
          member ^= mask;
      members.emplace_back(axisOf(member), static_cast<unsigned>(member));
    }
    llvm::sort(members);
    llvm::SmallVector<unsigned> values;
    for (auto [along, member] : members)
      values.push_back(member);
    partial[reg] = program.combineAll(values);
  }
}

void Planner::combineLanes() {
  for (size_t i = 0; i < inWarp.size();) {
    llvm::SmallVector<unsigned> masks;
    while (i < inWarp.size() && sameValue.reduce(inWarp[i].registers) == 0)
      masks.push_back(static_cast<unsigned>(inWarp[i++].lanes));
    for (auto &[reg, value] : partial)
      value = program.butterfly(value, masks);
    if (i == inWarp.size())
      break;
    // The other half lies in another register.
    const Direction &direction = inWarp[i++];
    unsigned mask = static_cast<unsigned>(direction.lanes), pivot = llvm::bit_floor(mask);
    std::map<uint64_t, unsigned> next;
    for (auto [reg, value] : partial) {
      unsigned other = program.exchange(partial.at(sameValue.reduce(reg ^ direction.registers)), mask);
      ThreadCondition isFirst{.laneMask = pivot};
      next[reg] = program.combine(program.select(isFirst, value, other), program.select(isFirst, other, value));
    }
    partial = std::move(next);
  }
}

void Planner::takeRegisters() {
  ColumnSpan span(registers.rest);
  for (uint64_t reg = 0; reg < uint64_t(1) << toRegisters.rest.size(); ++reg) {
    uint64_t target = 0;
    for (auto [bit, column] : llvm::enumerate(toRegisters.rest))
      if (reg >> bit & 1)
        target ^= column;
    program.results.push_back(partial.at(sameValue.reduce(*span.solve(target))));
  }
}

void Planner::throughBuffer() {
  // Which part of the axis a partial value is: coordinates along the axis modulo the directions already combined.
  std::vector<uint64_t> complement;
  std::vector<uint64_t> basis = doneAxis;
  for (uint64_t along : independent(all.axis, doneAxis)) {
    complement.push_back(basis.size());
    basis.push_back(along);
  }
  ColumnSpan coordinates(basis);
  unsigned partBits = complement.size();
  auto partOf = [&](uint64_t along) {
    uint64_t mask = *coordinates.solve(along), part = 0;
    for (auto [bit, index] : llvm::enumerate(complement))
      part |= (mask >> index & 1) << bit;
    return part;
  };
  // Parts side by side, so that one wide load takes several, unless lanes would then meet in the banks.
  bool partsInside = (uint64_t(1) << (ColumnSpan(lanes.rest).rank() + partBits)) <= 32;
  auto offset = [&](uint64_t rest, uint64_t part) {
    return static_cast<unsigned>(partsInside ? rest << partBits | part : part << restBits | rest);
  };
  program.slots = 1u << (restBits + partBits);

  // Of threads and registers with one offset the first writes.
  std::vector<uint64_t> stored;
  for (auto [rest, along] : llvm::zip(all.rest, all.axis))
    stored.push_back(offset(rest, partOf(along)));
  uint64_t copies = ColumnSpan(stored).dependentColumns();
  size_t registerBits = registers.rest.size(), laneBits = lanes.rest.size();
  ThreadCondition writes{.laneMask = static_cast<unsigned>(copies >> registerBits & ((1u << laneBits) - 1)),
                         .warpMask = static_cast<unsigned>(copies >> (registerBits + laneBits))};
  auto slice = [&](size_t begin, size_t count) {
    return std::vector<unsigned>(stored.begin() + begin, stored.begin() + begin + count);
  };
  ThreadAddress address{0, slice(registerBits, laneBits), slice(registerBits + laneBits, warps.rest.size())};
  std::map<unsigned, unsigned> written;
  for (auto [reg, value] : partial) {
    address.base = 0;
    for (size_t bit = 0; bit < registerBits; ++bit)
      if (reg >> bit & 1)
        address.base ^= static_cast<unsigned>(stored[bit]);
    if (written.emplace(address.base, value).second)
      program.store(value, address, writes);
  }
  program.barrier();

  auto rests = [&](const Columns &columns) {
    std::vector<unsigned> result;
    for (uint64_t rest : columns.rest)
      result.push_back(offset(rest, 0));
    return result;
  };
  ThreadAddress load{0, rests(toLanes), rests(toWarps)};
  unsigned limit = 4, width = partsInside ? std::min(limit, 1u << partBits) : 1;
  std::map<unsigned, llvm::SmallVector<unsigned>> loaded; // by offset of its first part
  for (uint64_t reg = 0; reg < uint64_t(1) << toRegisters.rest.size(); ++reg) {
    uint64_t rest = 0;
    for (auto [bit, column] : llvm::enumerate(toRegisters.rest))
      if (reg >> bit & 1)
        rest ^= column;
    llvm::SmallVector<unsigned> &parts = loaded[offset(rest, 0)];
    if (parts.empty())
      for (uint64_t part = 0; part < uint64_t(1) << partBits; part += width) {
        load.base = offset(rest, part);
        unsigned first = program.load(load, width);
        for (unsigned i = 0; i < width; ++i)
          parts.push_back(first + i);
      }
    program.results.push_back(0);
  }
  // Combine after all loads are on their way.
  std::map<unsigned, unsigned> combined;
  for (auto &[base, parts] : loaded)
    combined[base] = program.combineAll(parts);
  for (uint64_t reg = 0; reg < program.results.size(); ++reg) {
    uint64_t rest = 0;
    for (auto [bit, column] : llvm::enumerate(toRegisters.rest))
      if (reg >> bit & 1)
        rest ^= column;
    program.results[reg] = combined.at(offset(rest, 0));
  }
}

void Planner::cutAll() {
  registers = cut(from, "register", true);
  lanes = cut(from, "lane", true);
  warps = cut(from, "warp", true);
  toRegisters = cut(to, "register", false);
  toLanes = cut(to, "lane", false);
  toWarps = cut(to, "warp", false);
  all.axis = concatenate(concatenate(registers.axis, lanes.axis), warps.axis);
  all.rest = concatenate(concatenate(registers.rest, lanes.rest), warps.rest);
  for (auto [index, output] : llvm::enumerate(from.outputs()))
    if (index != axis)
      restBits += llvm::Log2_64(output.size);
  axisBits = ColumnSpan(all.axis).rank(); // of the CTA's own part
}

std::optional<unsigned> Planner::ctas() {
  cutAll();
  Columns blocks = cut(from, "block", true);
  std::vector<uint64_t> known = all.axis;
  unsigned result = 0;
  for (auto [bit, along, rest] : llvm::enumerate(blocks.axis, blocks.rest)) {
    if (ColumnSpan(known).solve(along))
      continue;
    if (rest)
      return std::nullopt;
    known.push_back(along);
    result |= 1u << bit;
  }
  return result;
}

ThreadProgram Planner::plan() {
  cutAll();
  program.inputs = program.values = 1u << registers.rest.size();

  chooseDirections();
  combineRegisters();
  combineLanes();
  auto samePlaces = [](std::vector<uint64_t> a, std::vector<uint64_t> b) {
    a.resize(std::max(a.size(), b.size()), 0);
    b.resize(a.size(), 0);
    return a == b;
  };
  ColumnSpan held(registers.rest);
  bool hasRegisters = llvm::all_of(toRegisters.rest, [&](uint64_t rest) { return held.solve(rest).has_value(); });
  if (doneAxis.size() == axisBits && hasRegisters && samePlaces(lanes.rest, toLanes.rest) &&
      samePlaces(warps.rest, toWarps.rest))
    takeRegisters();
  else
    throughBuffer();
  return std::move(program);
}

ThreadProgram triton::layout::planReduction(const LinearLayout &from, unsigned axis, const LinearLayout &to) {
  return Planner(from, axis, to).plan();
}

std::optional<unsigned> triton::layout::reductionCtas(const LinearLayout &from, unsigned axis) {
  return Planner(from, axis, {}).ctas();
}
