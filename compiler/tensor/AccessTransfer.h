// How the ops of tensor IR change what is known about integers and pointers, and what programmers promise about them.
#pragma once

#include "compiler/tensor/AccessFacts.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace triton::tensor {

/// By how much neighbours in memory differ: the bytes of a pointee; 1 for what is not a pointer.
int64_t unitOf(mlir::Type type);

/// Of a value of this type that nothing is known about.
AccessFacts nothingKnown(mlir::Type type);

/// The facts about `result`, given those about the operands of its op; of an op with regions they may be left out.
AccessFacts transfer(mlir::OpResult result, llvm::ArrayRef<const AccessFacts *> operands);

/// Whether runs that only a hint speaks of count. Kernels hint at runs in indices that wrap or are clipped (`offsets % n`): such a run is
/// as long as an aligned vector, since whoever wraps at a multiple of 16 finds rows aligned likewise, but no longer.
enum class Runs { Promised, Proven };

/// What attributes (`tt.divisibility` of arguments, hints on ops) and `llvm.intr.assume` promise about values.
class Promises {
public:
  Promises(mlir::Operation *root, Runs runs);
  /// Adds what is promised about `value` to `facts`.
  void apply(mlir::Value value, AccessFacts &facts) const;

private:
  void assume(mlir::Value promised, mlir::Block *block);
  void assumeOne(mlir::Value condition, mlir::Block *block);
  struct Scalar {
    int64_t divisibility = 1;
    bool nonNegative = false;
  };
  llvm::DenseMap<mlir::Value, Scalar> assumed;
  Runs runs;
};

} // namespace triton::tensor
