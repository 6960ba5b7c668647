#include "compiler/tensor/Roots.h"

#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::tensor {

static Sources carriedBy(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast_or_null<scf::ForOp>(parent); loop && argument != loop.getInductionVar())
    return {loop.getTiedLoopInit(argument)->get(), loop.getTiedLoopYieldedValue(argument)->get()};
  auto loop = dyn_cast_or_null<scf::WhileOp>(parent);
  if (!loop)
    return {};
  const unsigned number = argument.getArgNumber();
  if (argument.getOwner() == loop.getBeforeBody())
    return {loop.getInits()[number], loop.getYieldOp().getOperand(number)};
  return {loop.getConditionOp().getArgs()[number]};
}

/// What a value has its pointers from, one step back.
static Sources sourcesOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return carriedBy(argument);
  const unsigned number = cast<OpResult>(value).getResultNumber();
  return llvm::TypeSwitch<Operation *, Sources>(value.getDefiningOp())
      .Case<AddPtrOp, AdvanceOp>([](auto op) { return Sources{op.getPtr()}; })
      .Case<SplatOp, BroadcastOp, ExpandDimsOp, ReshapeOp, TransOp, BitcastOp>(
          [](auto op) { return Sources{op.getSrc()}; })
      .Case<MakeTensorPtrOp, MakeTensorDescOp>([](auto op) { return Sources{op.getBase()}; })
      .Case([](arith::SelectOp op) { return Sources{op.getTrueValue(), op.getFalseValue()}; })
      .Case([&](scf::IfOp op) { return Sources{op.thenYield().getOperand(number), op.elseYield().getOperand(number)}; })
      .Case([&](scf::ForOp loop) { return Sources{loop.getInits()[number], loop.getYieldedValues()[number]}; })
      .Case([&](scf::WhileOp loop) { return Sources{loop.getConditionOp().getArgs()[number]}; })
      .Default([](Operation *) { return Sources(); });
}

SmallVector<Value> rootsOf(Value pointers, FurtherSources further) {
  // Depth first and without recursion; each value once, since loops lead back to themselves.
  llvm::SmallDenseSet<Value, 16> seen;
  SmallVector<Value> pending{pointers}, roots;
  while (!pending.empty()) {
    const Value next = pending.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    Sources sources = sourcesOf(next);
    if (sources.empty() && further)
      sources = further(next);
    if (sources.empty())
      roots.push_back(next);
    llvm::append_range(pending, llvm::reverse(sources));
  }
  return roots;
}

} // namespace triton::tensor
