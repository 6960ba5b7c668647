// Decides how a function's tensors are computed, before any code is emitted.
//   In:  a `tt.func`, inlined and canonicalised, block pointers and descriptors gone.
//   Out: which tensors lie in buffers, and which operations share a loop nest.
// Everything else is recomputed where it is needed. The plan keeps the order of memory accesses: a load is only
// recomputed where no write can lie between the load and its use, or where emitting code can check that.
#pragma once

#include "compiler/tensor/AccessAnalysis.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace triton::tensor {
class FuncOp;
}

namespace triton::cpu {

/// Loops over one iteration space.
struct NestPlan {
  llvm::SmallVector<int64_t> shape;
  int axis = -1;                                // that its reductions run along
  llvm::SmallVector<mlir::Operation *> members; // either stores or reductions
  llvm::SmallVector<mlir::Value> fills;         // tensors of this shape it writes to their buffers
};

struct Plan {
  /// Tensors with a buffer.
  llvm::SetVector<mlir::Value> buffered;
  /// The nest to emit at an operation's place.
  llvm::DenseMap<mlir::Operation *, NestPlan> nests;
  /// Tensors to fill at an operation's place before anything else there, in this order, each by a nest of its own.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value, 1>> fills;
  /// Operations that are done by a nest at another operation's place.
  llvm::DenseSet<mlir::Operation *> absorbed;

  bool isBuffered(mlir::Value tensor) const { return buffered.contains(tensor); }
};

Plan makePlan(tensor::FuncOp function, tensor::AccessAnalysis &accesses);

} // namespace triton::cpu
