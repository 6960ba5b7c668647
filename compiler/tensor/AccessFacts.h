// What is known about the elements of one integer or pointer value, and how arithmetic changes it.
//   In:  facts about the operands.
//   Out: facts about the result: each holds for every run of the kernel.
// Beside the steps all numbers are powers of two. Along each dimension, at positions that are multiples of the contiguity c, runs of c elements count up
// by one (pointers: by one pointee); the first element of each such run is a multiple of the divisibility (pointers: in bytes); and
// groups of as many elements as the constancy says are equal. Index arithmetic is taken not to overflow inside of a run, and not to divide what
// is not negative by what is.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace llvm {
class raw_ostream;
}

namespace triton::tensor {

/// How the elements of a tensor progress from one to the next along a dimension, as long as index arithmetic does not wrap.
struct Step {
  enum Kind {
    Constant, // `value` between neighbours; 0: all the same
    Runtime,  // the same number between all neighbours, known when the kernel runs
    Wrapped,  // 1, except where the index wraps around (`i % n`)
    Unknown
  };
  Kind kind = Unknown;
  int64_t value = 0;

  static Step constant(int64_t value) { return {Constant, value}; }
  bool isZero() const { return kind == Constant && value == 0; }
  bool isOne() const { return kind == Wrapped || (kind == Constant && value == 1); }
  bool isAffine() const { return kind == Constant || kind == Runtime; }
  bool operator==(const Step &) const = default;
};
using Steps = llvm::SmallVector<Step, 4>;

struct AccessFacts {
  struct Dimension {
    int64_t contiguity = 1, divisibility = 1, constancy = 1;
    Step step = {};
    bool operator==(const Dimension &) const = default;
  };
  llvm::SmallVector<Dimension, 2> dimensions; // a scalar has one; none: nothing reached this value yet
  std::optional<int64_t> constant;            // of every element
  int64_t unit = 1;                           // by how much runs count up: the bytes of a pointee

  /// A number that no element is below, and how often it has been lowered: what loops count down has no end otherwise.
  struct Bound {
    int64_t value;
    unsigned lowered = 0;
    bool operator==(const Bound &) const = default;
  };
  std::optional<Bound> bound;

  static constexpr int64_t maxDivisibility = int64_t(1) << 30;

  /// Of a value that nothing is known about.
  static AccessFacts unknown(unsigned rank, int64_t unit = 1);
  /// Of a value that is `value` everywhere.
  static AccessFacts uniform(llvm::ArrayRef<int64_t> shape, int64_t value);
  /// What holds whichever of two values it is.
  static AccessFacts join(const AccessFacts &lhs, const AccessFacts &rhs);

  bool isNonNegative() const { return bound && bound->value >= 0; }
  /// No element is below `number`; nullopt: nothing is known, and that is also all that is remembered of numbers far below zero.
  void setBound(std::optional<int64_t> number);
  bool isReached() const { return !dimensions.empty(); }
  unsigned rank() const { return dimensions.size(); }
  /// The multiple that the elements at positions `step`, 2 * `step`, … along `dimension` are of.
  int64_t divisibilityAt(unsigned dimension, int64_t step) const;
  /// The multiple that every element is of.
  int64_t divisibilityOfAll() const;
  /// How many elements, from each multiple of as many along `dimension`, lie one behind the other from an aligned address.
  int64_t alignedRun(unsigned dimension) const;
  bool operator==(const AccessFacts &) const = default;
  void print(llvm::raw_ostream &) const;
};

/// The largest power of two that divides `number`, at most `maxDivisibility`.
int64_t powerOfTwoIn(int64_t number);

AccessFacts add(const AccessFacts &lhs, const AccessFacts &rhs);
AccessFacts subtract(const AccessFacts &lhs, const AccessFacts &rhs);
AccessFacts multiply(const AccessFacts &lhs, const AccessFacts &rhs);
/// Rounds towards zero where `isSigned`.
AccessFacts divide(const AccessFacts &lhs, const AccessFacts &rhs, bool isSigned);
/// Of values of this shape.
AccessFacts remainder(const AccessFacts &lhs, const AccessFacts &rhs, bool isSigned, llvm::ArrayRef<int64_t> shape);
AccessFacts bitwiseAnd(const AccessFacts &lhs, const AccessFacts &rhs);
/// Or, and exclusive or.
AccessFacts bitwiseOr(const AccessFacts &lhs, const AccessFacts &rhs);
AccessFacts shiftLeft(const AccessFacts &lhs, const AccessFacts &rhs);
AccessFacts shiftRight(const AccessFacts &lhs, const AccessFacts &rhs, bool isSigned);
/// The smaller or the larger of two, by their signs or without.
AccessFacts extremum(const AccessFacts &lhs, const AccessFacts &rhs, bool isLarger, bool isSigned);
/// `offset` counts pointees of `pointer`.
AccessFacts advance(const AccessFacts &pointer, const AccessFacts &offset);
/// Of `lhs < rhs` and of its negation, whichever way signs are read.
AccessFacts isLess(const AccessFacts &lhs, const AccessFacts &rhs);
/// `condition` has one element per element of the others.
AccessFacts select(const AccessFacts &condition, const AccessFacts &whenTrue, const AccessFacts &whenFalse);
/// The same bits of another type: runs count by `unit`, in `bits` bits.
AccessFacts cast(const AccessFacts &source, int64_t unit, unsigned bits);
/// Any op that computes each element from the elements at the same place.
AccessFacts elementwise(llvm::ArrayRef<const AccessFacts *> operands, unsigned rank);

} // namespace triton::tensor
