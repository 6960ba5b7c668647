#include "compiler/layout/BitMatrix.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <cassert>

using namespace triton::layout;

ColumnSpan::ColumnSpan(llvm::ArrayRef<uint64_t> columns) {
  assert(columns.size() <= 64 && "a mask of columns is one word");
  for (unsigned index = 0; index < columns.size(); ++index) {
    Pivot next{columns[index], uint64_t(1) << index};
    for (const Pivot &pivot : pivots)
      if (next.value >> (llvm::bit_width(pivot.value) - 1) & 1) {
        next.value ^= pivot.value;
        next.source ^= pivot.source;
      }
    if (!next.value) {
      dependencies.push_back(next.source);
      dependent |= uint64_t(1) << index;
      continue;
    }
    unsigned lead = llvm::bit_width(next.value) - 1;
    for (Pivot &pivot : pivots)
      if (pivot.value >> lead & 1) {
        pivot.value ^= next.value;
        pivot.source ^= next.source;
      }
    pivots.push_back(next);
  }
}

std::optional<uint64_t> ColumnSpan::solve(uint64_t target) const {
  uint64_t sources = 0;
  for (const Pivot &pivot : pivots)
    if (target >> (llvm::bit_width(pivot.value) - 1) & 1) {
      target ^= pivot.value;
      sources ^= pivot.source;
    }
  return target ? std::nullopt : std::optional(sources);
}

std::vector<uint64_t> triton::layout::concatenate(std::vector<uint64_t> a, llvm::ArrayRef<uint64_t> b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<uint64_t> triton::layout::independent(llvm::ArrayRef<uint64_t> candidates, std::vector<uint64_t> taken) {
  std::vector<uint64_t> result;
  for (uint64_t candidate : candidates) {
    if (ColumnSpan(taken).solve(candidate))
      continue;
    taken.push_back(candidate);
    result.push_back(candidate);
  }
  return result;
}

std::vector<uint64_t> triton::layout::intersection(llvm::ArrayRef<uint64_t> a, llvm::ArrayRef<uint64_t> b) {
  std::vector<uint64_t> result;
  std::vector<uint64_t> left = independent(a, {});
  ColumnSpan both(concatenate(left, independent(b, {})));
  for (uint64_t relation : both.kernel()) {
    uint64_t vector = 0;
    for (auto [index, column] : llvm::enumerate(left))
      if (relation >> index & 1)
        vector ^= column;
    result.push_back(vector);
  }
  return result;
}
