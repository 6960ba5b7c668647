// How the elements of an integer or pointer tensor progress along each dimension.
//   In:  a tensor of tensor IR.
//   Out: per dimension, the step from one element to the next: a number, a value that is the same everywhere, or
//   unknown.
// Steps hold as long as index arithmetic does not wrap inside of a tile.
#pragma once

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace triton::cpu {

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

class AccessAnalysis {
public:
  /// One step per dimension of `tensor`; none for a scalar.
  const Steps &of(mlir::Value tensor);
  /// Whether every element of `tensor` is the same.
  bool isUniform(mlir::Value tensor);
  /// Whether all dimensions have affine steps, so that the first element and the steps give the whole range.
  bool isAffine(mlir::Value tensor);

private:
  Steps compute(mlir::Value tensor);
  llvm::DenseMap<mlir::Value, Steps> known;
};

} // namespace triton::cpu
