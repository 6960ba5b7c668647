// Which layout every slot of a layout problem has.
#pragma once

#include "compiler/gpu/passes/layouts/LayoutCost.h"

namespace triton::gpu {

class LayoutPlan {
public:
  LayoutPlan(const LayoutProblem &problem, AccessAnalysis &access);

  /// The layout `value` is made in; null for cheap values and for what is no tensor.
  mlir::Attribute layoutOf(mlir::Value value) const;
  /// The layout `operand` is wanted in; null where any will do.
  mlir::Attribute layoutFor(mlir::OpOperand &operand) const;
  /// The layout and the cost of every slot, then every conversion. Before the plan is applied.
  void print(llvm::raw_ostream &);

private:
  mlir::Attribute follow(const LayoutTie &tie, mlir::RankedTensorType type) const;

  const LayoutProblem &problem;
  LayoutCost cost;
  std::vector<mlir::Attribute> layouts; // per slot
};

} // namespace triton::gpu
