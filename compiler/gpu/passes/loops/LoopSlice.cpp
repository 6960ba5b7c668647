#include "compiler/gpu/passes/loops/LoopSlice.h"

using namespace mlir;

namespace triton::gpu {

void LoopSlice::add(Part part) {
  SmallVector<Part> pending = {part};
  while (!pending.empty()) {
    // In the order in which a recursion would come to them.
    SmallVector<Part> needs = needsOf(pending.pop_back_val());
    pending.append(needs.rbegin(), needs.rend());
  }
}

SmallVector<LoopSlice::Part> LoopSlice::needsOf(const Part &part) {
  if (const auto *value = std::get_if<Value>(&part))
    return needsOf(*value);
  if (Operation *const *op = std::get_if<Operation *>(&part))
    return needsOf(*op);
  auto [inner, index] = std::get<Carried>(part);
  if (!carried.insert({inner, index}).second)
    return {};
  return {inner.getInitArgs()[index], inner.getBody()->getTerminator()->getOperand(index)};
}

SmallVector<LoopSlice::Part> LoopSlice::needsOf(Value value) {
  auto carriedBy = [](scf::ForOp inner, unsigned index) -> SmallVector<Part> {
    return {inner.getOperation(), Carried{inner, index}};
  };
  Operation *definition = value.getDefiningOp();
  if (auto inner = dyn_cast_or_null<scf::ForOp>(definition); inner && isOfNest(inner))
    return carriedBy(inner, cast<OpResult>(value).getResultNumber());
  if (definition && loop->isProperAncestor(definition))
    return {definition};
  auto argument = dyn_cast<BlockArgument>(value);
  auto inner = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
  if (!inner || !isOfNest(inner)) {
    outside.insert(value);
    return {};
  }
  return argument == inner.getInductionVar() ? SmallVector<Part>{inner.getOperation()}
                                             : carriedBy(inner, argument.getArgNumber() - 1);
}

SmallVector<LoopSlice::Part> LoopSlice::needsOf(Operation *op) {
  // Of an op with regions all of it is needed.
  while (!isOfNest(op) && !isOfNest(op->getParentOp()))
    op = op->getParentOp();
  if (!needed.insert(op))
    return {};
  if (auto inner = dyn_cast<scf::ForOp>(op); inner && isOfNest(inner)) {
    SmallVector<Part> parts = {inner.getLowerBound(), inner.getUpperBound(), inner.getStep()};
    if (inner != loop)
      parts.push_back(inner->getParentOp());
    return parts;
  }
  SmallVector<Part> parts = {op->getParentOp()};
  op->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (Region *region = operand.getParentRegion(); !op->isAncestor(region->getParentOp()))
        parts.push_back(operand);
  });
  return parts;
}

void LoopSlice::cloneLoop(scf::ForOp inner, OpBuilder &builder, IRMapping &map) {
  SmallVector<unsigned> kept;
  for (unsigned index = 0; index < inner.getNumRegionIterArgs(); ++index)
    if (carried.contains({inner, index}))
      kept.push_back(index);
  auto take = [&](ValueRange values) {
    return llvm::map_to_vector(kept, [&](unsigned index) { return map.lookupOrDefault(values[index]); });
  };
  auto result = scf::ForOp::create(builder, inner.getLoc(), map.lookupOrDefault(inner.getLowerBound()),
                                   map.lookupOrDefault(inner.getUpperBound()), map.lookupOrDefault(inner.getStep()),
                                   take(inner.getInitArgs()), nullptr, inner.getUnsignedCmp());
  result->setDiscardableAttrs(inner->getDiscardableAttrDictionary());
  OpBuilder::InsertionGuard guard(builder);
  if (!result.getBody()->empty())
    result.getBody()->getTerminator()->erase();
  builder.setInsertionPointToEnd(result.getBody());
  map.map(inner.getInductionVar(), result.getInductionVar());
  for (auto [index, argument] : llvm::zip_equal(kept, result.getRegionIterArgs()))
    map.map(inner.getRegionIterArg(index), argument);
  for (Operation &op : inner.getBody()->without_terminator()) {
    if (!needed.contains(&op))
      continue;
    if (auto nested = dyn_cast<scf::ForOp>(op); nested && isOfNest(nested))
      cloneLoop(nested, builder, map);
    else
      builder.clone(op, map);
  }
  scf::YieldOp::create(builder, inner.getLoc(), take(inner.getBody()->getTerminator()->getOperands()));
  for (auto [index, value] : llvm::zip_equal(kept, result.getResults()))
    map.map(inner.getResult(index), value);
}

} // namespace triton::gpu
