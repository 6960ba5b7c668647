// How the ops of tensor IR change what is known about integers and pointers, and what programmers promise about them.
#pragma once

#include "compiler/gpu/AccessFacts.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace triton::gpu {

/// By how much neighbours in memory differ: the bytes of a pointee; 1 for what is not a pointer.
int64_t unitOf(mlir::Type type);

/// The facts about `result`, given those about the operands of its op.
AccessFacts transfer(mlir::OpResult result, llvm::ArrayRef<const AccessFacts *> operands);

/// What attributes (`tt.divisibility` of arguments, hints on ops) and `llvm.intr.assume` promise about values.
class Promises {
public:
  explicit Promises(mlir::Operation *root);
  /// Adds what is promised about `value` to `facts`.
  void apply(mlir::Value value, AccessFacts &facts) const;

private:
  void assume(mlir::Value condition, mlir::Block *block);
  struct Scalar {
    int64_t divisibility = 1;
    bool nonNegative = false;
  };
  llvm::DenseMap<mlir::Value, Scalar> assumed;
};

} // namespace triton::gpu
