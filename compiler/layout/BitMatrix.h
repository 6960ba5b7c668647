// Matrices over F2 with at most 64 rows, held by columns: a column is a machine word.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace triton::layout {

/// A basis of the span of some columns, each reduced by the others, and for each how it is made of the columns.
class ColumnSpan {
public:
  explicit ColumnSpan(llvm::ArrayRef<uint64_t> columns);

  unsigned rank() const { return pivots.size(); }
  /// A set of columns (a mask of their numbers) whose XOR is `target`, using only columns that are independent of the ones before
  /// them; nullopt if it is not in the span.
  std::optional<uint64_t> solve(uint64_t target) const;
  /// Masks of columns whose XOR is zero: a basis of the kernel.
  const std::vector<uint64_t> &kernel() const { return dependencies; }
  /// Columns that depend on the ones before them, as a mask.
  uint64_t dependentColumns() const { return dependent; }

private:
  struct Pivot {
    uint64_t value;  // has the bit `value`'s highest bit, which no other pivot's value has
    uint64_t source; // mask of columns it is the XOR of
  };
  std::vector<Pivot> pivots;
  std::vector<uint64_t> dependencies;
  uint64_t dependent = 0;
};

std::vector<uint64_t> concatenate(std::vector<uint64_t> a, llvm::ArrayRef<uint64_t> b);
/// Those of `candidates`, in order, that are independent of `taken` and of each other.
std::vector<uint64_t> independent(llvm::ArrayRef<uint64_t> candidates, std::vector<uint64_t> taken);
/// A basis of the intersection of two spans.
std::vector<uint64_t> intersection(llvm::ArrayRef<uint64_t> a, llvm::ArrayRef<uint64_t> b);

} // namespace triton::layout
