#include "compiler/gpu/passes/LoopSlice.h"

using namespace mlir;

namespace triton::gpu {

void LoopSlice::addLoop(scf::ForOp inner) {
  if (!needed.insert(inner))
    return;
  for (Value bound : {inner.getLowerBound(), inner.getUpperBound(), inner.getStep()})
    add(bound);
  if (inner != loop)
    addLoop(cast<scf::ForOp>(inner->getParentOp()));
}

void LoopSlice::addCarried(scf::ForOp inner, unsigned index) {
  addLoop(inner);
  if (!carried.insert({inner, index}).second)
    return;
  add(inner.getInitArgs()[index]);
  add(inner.getBody()->getTerminator()->getOperand(index));
}

void LoopSlice::add(Value value) {
  Operation *definition = value.getDefiningOp();
  if (auto inner = dyn_cast_or_null<scf::ForOp>(definition); inner && isOfNest(inner))
    return addCarried(inner, cast<OpResult>(value).getResultNumber());
  if (definition)
    return loop->isProperAncestor(definition) ? add(definition) : void(outside.insert(value));
  auto argument = cast<BlockArgument>(value);
  auto inner = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!inner || !isOfNest(inner))
    return void(outside.insert(value));
  argument == inner.getInductionVar() ? addLoop(inner) : addCarried(inner, argument.getArgNumber() - 1);
}

void LoopSlice::add(Operation *op) {
  if (isOfNest(op))
    return addLoop(cast<scf::ForOp>(op));
  // Of an op with regions all of it is needed.
  while (!isOfNest(op->getParentOp()))
    op = op->getParentOp();
  if (!needed.insert(op))
    return;
  addLoop(cast<scf::ForOp>(op->getParentOp()));
  op->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (Region *region = operand.getParentRegion(); !op->isAncestor(region->getParentOp()))
        add(operand);
  });
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
