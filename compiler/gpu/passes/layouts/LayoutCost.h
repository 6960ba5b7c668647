// What layouts cost, in issue slots of a warp, about: memory instructions and the sectors they touch, arithmetic on copies, conversions by the
// form they take. Costs are compared, never added up to a time.
#pragma once

#include "compiler/gpu/AccessAnalysis.h"
#include "compiler/gpu/passes/layouts/LayoutProblem.h"

#include <map>

namespace triton::gpu {

class LayoutCost {
public:
  LayoutCost(const LayoutProblem &problem, AccessAnalysis &access) : problem(problem), access(access) {}

  /// Of running the op of `slot` in `layout`, as often as it runs.
  int64_t ofSlot(unsigned slot, mlir::Attribute layout);
  /// Of converting `value` from one layout to another, as often as that happens.
  int64_t ofConversion(mlir::Value value, mlir::Attribute from, mlir::Attribute to);

private:
  int64_t once(const LayoutSlot &slot, mlir::Attribute layout);
  int64_t instructionsOf(mlir::Operation *op, mlir::RankedTensorType type);
  int64_t ofReduction(mlir::Operation *op, unsigned axis, mlir::RankedTensorType type);
  int64_t ofScan(mlir::Operation *op, unsigned axis, mlir::RankedTensorType type);
  int64_t convertOnce(mlir::RankedTensorType type, mlir::Attribute from, mlir::Attribute to, bool isAmd);

  const LayoutProblem &problem;
  AccessAnalysis &access;
  std::map<std::pair<unsigned, const void *>, int64_t> slotCosts;
  llvm::DenseMap<std::tuple<mlir::Type, mlir::Attribute, mlir::Attribute>, int64_t> conversionCosts;
};

} // namespace triton::gpu
