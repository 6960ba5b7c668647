// The combination of a reduction or scan: its region, on scalars or whole vectors.
//   In:  the region and the operands' element types.
//   Out: `combine`, which emits it for two groups of values, and what is known of it: which operation it is, its
//   identity.
// Sums, products, maxima and minima of f16 and bf16 accumulate in f32.
#pragma once

#include "compiler/cpu/Target.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Operation.h"

namespace triton::cpu {

class Combiner {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  Combiner(mlir::OpBuilder &builder, mlir::Operation *op, const HostTarget &target);

  /// The left group first, then the right, both in the types of `accumulator`.
  Values combine(mlir::ValueRange left, mlir::ValueRange right);
  /// Combines a vector's lanes, pairwise.
  Values combineLanes(mlir::ValueRange vectors);

  /// The value that changes nothing, in the accumulator's type; null if it is not known. One operand only.
  mlir::TypedAttr identity() const { return neutral; }
  mlir::Type accumulator(unsigned operand) const { return accumulators[operand]; }
  unsigned size() const { return unsigned(accumulators.size()); }
  /// To the accumulator's type and back.
  Values widen(mlir::ValueRange elements);
  Values narrow(mlir::ValueRange accumulated);
  bool failed() const { return hasFailed; }
  /// Whether this is a maximum or minimum that ignores NaN: starting from an infinity, it cannot tell "nothing but
  /// NaN".
  bool losesNan() const;
  /// Scalars of the function that the region may use.
  void setScalars(const mlir::IRMapping &mapping) { scalars = mapping; }

private:
  llvm::LogicalResult emitInside(mlir::Operation *branch);

  mlir::OpBuilder &builder;
  mlir::Operation *op;
  const HostTarget &target;
  mlir::Region &region;
  llvm::SmallVector<mlir::Type> elements, accumulators;
  mlir::Operation *single = nullptr; // the operation, where there is only one and it is a known one
  mlir::TypedAttr neutral;
  mlir::IRMapping scalars;
  bool hasFailed = false;
};

} // namespace triton::cpu
