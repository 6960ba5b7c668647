// Part of a loop, and of the loops in it: some of its ops, and what they need to run without the rest.
//   In:  a loop, ops in it.
//   Out: what else of the loop is needed, what from outside of it; that part as a loop of its own.
#pragma once

#include "compiler/gpu/Gpu.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

#include <variant>

namespace triton::gpu {

class LoopSlice {
public:
  explicit LoopSlice(mlir::scf::ForOp loop) : loop(loop) {}

  /// `op`, with the loops around it, and what it needs.
  void add(mlir::Operation *op) { add(Part(op)); }
  /// What gives `value`, of the loop's results too.
  void add(mlir::Value value) { add(Part(value)); }

  /// In no order: loops around others included.
  llvm::ArrayRef<mlir::Operation *> ops() const { return needed.getArrayRef(); }
  /// Values from outside of the loop.
  llvm::ArrayRef<mlir::Value> captures() const { return outside.getArrayRef(); }

  /// The part, at `builder`; `map` has the captures that are named otherwise there, and gets the results of the loop that are kept.
  void clone(mlir::OpBuilder &builder, mlir::IRMapping &map) { cloneLoop(loop, builder, map); }

private:
  /// Whether only loops are around it: others are taken as a whole.
  bool isOfNest(mlir::Operation *op) const {
    return op == loop || (mlir::isa<mlir::scf::ForOp>(op) && loop->isProperAncestor(op) && isOfNest(op->getParentOp()));
  }
  /// What a loop of the nest carries from one iteration to the next.
  struct Carried {
    mlir::scf::ForOp loop;
    unsigned index;
  };
  using Part = std::variant<mlir::Value, mlir::Operation *, Carried>;
  void add(Part part);
  /// Notes the part, and gives what it needs in its turn; nothing if it was noted before.
  llvm::SmallVector<Part> needsOf(const Part &part);
  llvm::SmallVector<Part> needsOf(mlir::Value value);
  llvm::SmallVector<Part> needsOf(mlir::Operation *op);
  void cloneLoop(mlir::scf::ForOp inner, mlir::OpBuilder &builder, mlir::IRMapping &map);

  mlir::scf::ForOp loop;
  llvm::SetVector<mlir::Operation *> needed;
  llvm::SetVector<mlir::Value> outside;
  llvm::DenseSet<std::pair<mlir::Operation *, unsigned>> carried;
};

} // namespace triton::gpu
