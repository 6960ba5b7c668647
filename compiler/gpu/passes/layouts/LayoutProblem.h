// Layout assignment as a set of decisions: which layouts there are to choose, and what ties them together.
//   In:  tensor IR without layouts.
//   Out: slots, one per op or carried value that has a layout of its own; for every tensor, where it is made and where it is used, the slot and
//        the relation that tell its layout.
// Values that are cheap to compute again (ranges, splats, address and mask arithmetic) have no slot: whoever uses one gets a copy in the
// layout it wants.
#pragma once

#include "compiler/gpu/passes/layouts/LayoutRelation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace triton::gpu {

struct LayoutSlot {
  mlir::Operation *op;         // the op, or the loop or branch that carries the value
  bool isCarried;              // a value that control flow hands on
  mlir::RankedTensorType type; // the tensor that the layout is of
  mlir::Attribute required;    // the only layout that will do, or null
  unsigned loopDepth;
};

/// The layout of a tensor at one place: the slot it hangs on, and how.
struct LayoutTie {
  static constexpr unsigned noSlot = ~0u;
  unsigned slot = noSlot; // none: the relation is Fixed or Any
  LayoutRelation relation;
};

class LayoutProblem {
public:
  explicit LayoutProblem(mlir::ModuleOp module);

  llvm::ArrayRef<LayoutSlot> slots() const { return all; }
  CtaThreads threads() const { return ctaThreads; }
  /// Null for a value that is cheap, or no tensor.
  const LayoutTie *definition(mlir::Value value) const;
  /// Null in an op that is cheap, and for what is no tensor.
  const LayoutTie *use(mlir::OpOperand &operand) const;
  bool isCheap(mlir::Value value) const;
  bool isCheap(mlir::Operation *op) const { return cheap.contains(op); }
  /// Instructions per element of a cheap value.
  unsigned costOfCheap(mlir::Value value) const { return cheap.lookup(value.getDefiningOp()); }

  /// Every use of a tensor that is not cheap.
  struct Edge {
    mlir::OpOperand *operand;
    const LayoutTie *from, *to;
  };
  std::vector<Edge> edges() const;

private:
  void addFunction(tensor::FuncOp function);
  void addOp(mlir::Operation *op);
  void addRegionBranch(mlir::RegionBranchOpInterface branch);
  void addDot(tensor::DotOp dot);
  void addScaledDot(tensor::DotScaledOp dot);
  bool noteCheap(mlir::Operation *op);
  unsigned addSlot(mlir::Operation *op, bool isCarried, mlir::RankedTensorType type, mlir::Attribute required = {});

  CtaThreads ctaThreads;
  std::vector<LayoutSlot> all;
  llvm::DenseMap<mlir::Value, LayoutTie> definitions;
  llvm::MapVector<mlir::OpOperand *, LayoutTie> uses; // in the order of the program
  llvm::DenseMap<mlir::Operation *, unsigned> cheap;  // and how much it takes to compute one again
};

} // namespace triton::gpu
