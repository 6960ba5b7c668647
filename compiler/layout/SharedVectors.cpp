#include "compiler/layout/SharedVectors.h"

#include "compiler/layout/BitMatrix.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace triton::layout;

/// Whether the elements of an access of `width` stay together: gaps lie between accesses.
static bool isBetween(Paddings paddings, uint64_t width) {
  return llvm::all_of(paddings, [&](auto each) { return each.first % width == 0 && each.second % width == 0; });
}

SharedVectors triton::layout::planSharedVectors(const LinearLayout &access, unsigned elementBits, Paddings padding) {
  SharedVectors plan;
  plan.map = access.sublayout({"register", "lane", "warp", "block"}, {"offset"});
  std::vector<uint64_t> registers;
  for (const LinearLayout::Input &input : plan.map.inputs())
    for (const Coordinates &basis : input.bases) {
      if (input.name == "register")
        registers.push_back(basis[0]);
      else
        plan.threadBits |= basis[0];
    }
  unsigned count = 1u << registers.size();
  for (unsigned reg = 0; reg < count; ++reg) {
    uint64_t offset = 0;
    for (auto [bit, column] : llvm::enumerate(registers))
      if (reg >> bit & 1)
        offset ^= column;
    plan.offsets.push_back(offset);
    plan.registerAt.emplace(offset, reg);
  }
  ColumnSpan span(registers);
  auto widens = [&](unsigned bits) {
    uint64_t bit = uint64_t(1) << bits;
    return elementBits * bit * 2 <= 128 && !(plan.threadBits & bit) && span.solve(bit) && isBetween(padding, bit * 2);
  };
  while (widens(plan.vectorBits))
    ++plan.vectorBits;
  return plan;
}

unsigned triton::layout::planCopyWidth(const LinearLayout &access, Paddings padding, unsigned limit) {
  auto fits = [&](unsigned width) {
    const unsigned bits = llvm::Log2_32(width);
    unsigned inside = 0; // register bits that count the elements of a copy
    for (const LinearLayout::Input &input : access.inputs())
      for (auto [bit, basis] : llvm::enumerate(input.bases)) {
        if (input.name == "register" && bit < bits)
          inside += basis[0] == int64_t(1) << bit;
        else if (basis[0] & (width - 1)) // copies begin at multiples of their width
          return false;
      }
    return inside == bits && isBetween(padding, width);
  };
  unsigned width = limit;
  while (width > 1 && !fits(width))
    width /= 2;
  return width;
}
