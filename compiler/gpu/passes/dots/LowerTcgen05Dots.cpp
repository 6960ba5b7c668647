// Dots by tcgen05: accumulators in tensor memory.
//
// Dots that add to each other's accumulator (the result of one is only the start of the next) form a chain, which has one accumulator:
//   starts at 0:            ttng.tmem_alloc; the first dot does not read it
//   starts at some c:       ttng.tmem_alloc %c
//   carried by a loop:      ttng.tmem_alloc of the initial value before the loop, ttng.tmem_load behind it. Where the chain starts at the carried value
//                           itself, nothing is moved in the loop; where it starts at something computed from it, as attention does to rescale its
//                           accumulator, that is loaded, computed and stored, but takes no registers the rest of the time.
// The dots are complete when the op is: `gpu-pipeline-loops` may leave some in flight, `gpu-wait-for-dots` waits for the others.
#include "compiler/gpu/DotPlan.h"
#include "compiler/gpu/passes/dots/LowerDots.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace triton::gpu {

namespace {

/// A `tt.dot` or `tt.dot_scaled`, with what was planned for it before anything changed.
struct Planned {
  Operation *op;
  Attribute a; // registers for a store to tensor memory; null: to shared memory

  Value accumulator() const {
    return isa<tensor::DotOp>(op) ? cast<tensor::DotOp>(op).getC() : cast<tensor::DotScaledOp>(op).getC();
  }
  Value result() const { return op->getResult(0); }
};

bool isZero(Value value) {
  while (auto convert = value.getDefiningOp<ConvertLayoutOp>())
    value = convert.getSrc();
  return matchPattern(value, m_Zero()) || matchPattern(value, m_AnyZeroFloat());
}

class Lowering {
public:
  explicit Lowering(ArrayRef<Planned> chain)
      : chain(chain), builder(chain.front().op), loc(chain.front().op->getLoc()) {}

  void run() {
    Value start = chain.front().accumulator(), result = chain.back().result();
    auto type = cast<RankedTensorType>(result.getType());
    std::optional<unsigned> carried = carriedIndex();
    Value accumulator, useAccumulator;
    if (carried) {
      auto loop = cast<scf::ForOp>(chain.front().op->getParentOp());
      builder.setInsertionPoint(loop);
      accumulator = allocate(type, loop.getInitArgs()[*carried]);
      useAccumulator = startInLoop(loop, *carried, start, accumulator);
    } else {
      useAccumulator = constant(!isZero(start));
      accumulator = allocate(type, isZero(start) ? Value() : start);
    }
    for (const Planned &planned : chain) {
      builder.setInsertionPoint(planned.op);
      multiply(planned, accumulator, &planned == &chain.front() ? useAccumulator : constant(true));
    }
    if (carried) {
      auto loop = cast<scf::ForOp>(chain.front().op->getParentOp());
      builder.setInsertionPointAfter(loop);
      replaceByLoad(loop.getResult(*carried), accumulator);
      // Nothing is carried in registers any more: what comes back is what was there at first, which simplification removes.
      loop.getBody()->getTerminator()->setOperand(*carried, loop.getInitArgs()[*carried]);
    } else {
      builder.setInsertionPointAfter(chain.back().op);
      replaceByLoad(result, accumulator);
    }
    for (const Planned &planned : llvm::reverse(chain)) {
      SmallVector<Value> operands(planned.op->getOperands());
      planned.op->erase();
      for (Value operand : operands)
        eraseIfDead(operand);
    }
  }

private:
  Value constant(bool value) { return arith::ConstantOp::create(builder, loc, builder.getBoolAttr(value)); }

  Value allocate(RankedTensorType type, Value initial) {
    return TMEMAllocOp::create(builder, loc, accumulatorInTensorMemory(type), Type(), initial).getResult();
  }

  void replaceByLoad(Value value, Value accumulator) {
    if (value.use_empty())
      return;
    auto load = TMEMLoadOp::create(builder, loc, value.getType(), Type(), accumulator, Value());
    value.replaceUsesWithIf(load.getResult(), [&](OpOperand &use) { return use.getOwner() != chain.front().op; });
  }

  /// Which of the values that a loop carries is the chain's result, if nothing else is.
  std::optional<unsigned> carriedIndex() {
    Value result = chain.back().result();
    auto loop = dyn_cast<scf::ForOp>(chain.front().op->getParentOp());
    if (!loop || !result.hasOneUse() || *result.user_begin() != loop.getBody()->getTerminator())
      return std::nullopt;
    return result.use_begin()->getOperandNumber();
  }

  /// Makes the accumulator begin with `start`; what the loop carries is in the accumulator. Gives whether the first dot adds to it.
  Value startInLoop(scf::ForOp loop, unsigned carried, Value start, Value accumulator) {
    BlockArgument argument = loop.getRegionIterArg(carried);
    Operation *first = chain.front().op;
    bool addsUp = start == argument && argument.hasOneUse();
    if (!addsUp && !argument.use_empty()) {
      // Before its first use, and before the accumulator is written.
      Operation *place = first;
      for (Operation *user : argument.getUsers())
        if (Operation *inBody = loop.getBody()->findAncestorOpInBlock(*user); inBody->isBeforeInBlock(place))
          place = inBody;
      builder.setInsertionPoint(place);
      auto load = TMEMLoadOp::create(builder, loc, argument.getType(), Type(), accumulator, Value());
      argument.replaceAllUsesWith(load.getResult());
      if (start == argument)
        start = load.getResult();
    }
    builder.setInsertionPoint(first);
    if (addsUp)
      return constant(true);
    if (isZero(start))
      return constant(false);
    Value isTrue = constant(true);
    TMEMStoreOp::create(builder, loc, Type(), accumulator, Value(), start, isTrue);
    return isTrue;
  }

  void multiply(const Planned &planned, Value accumulator, Value useAccumulator) {
    Value isTrue = constant(true);
    if (auto dot = dyn_cast<tensor::DotOp>(planned.op)) {
      static constexpr unsigned anyOrder[] = {8, 16};
      Value a;
      if (planned.a)
        a = TMEMAllocOp::create(builder, loc, operandInTensorMemory(dot.getA().getType()), Type(), dot.getA())
                .getResult();
      else
        a = sharedOperand(builder, loc, dot.getA(), 1, anyOrder);
      Value b = sharedOperand(builder, loc, dot.getB(), 0, anyOrder);
      TCGen5MMAOp::create(builder, loc, Type(), a, b, accumulator, Value(), useAccumulator, isTrue, ValueRange(),
                          ValueRange(), false, false);
      return;
    }
    auto dot = cast<tensor::DotScaledOp>(planned.op);
    // Packed pairs lie along K, padded where the other operand has bytes; bytes may lie in any order.
    bool isMixed = dot.getAElemType() != dot.getBElemType();
    auto operand = [&](Value tensor, unsigned k, tensor::ScaleDotElemType format) {
      static constexpr unsigned bytes[] = {8};
      bool isPacked = format == tensor::ScaleDotElemType::E2M1;
      return sharedOperand(builder, loc, tensor, k, isPacked ? ArrayRef<unsigned>() : bytes, isPacked && isMixed);
    };
    Value a = operand(dot.getA(), 1, dot.getAElemType()), b = operand(dot.getB(), 0, dot.getBElemType());
    auto scales = [&](Value tensor) {
      auto type = scalesInTensorMemory(cast<RankedTensorType>(tensor.getType()));
      return TMEMAllocOp::create(builder, loc, type, Type(), tensor).getResult();
    };
    TCGen5MMAScaledOp::create(builder, loc, Type(), a, b, accumulator, Value(), scales(dot.getAScale()),
                              scales(dot.getBScale()), dot.getAElemType(), dot.getBElemType(), useAccumulator, isTrue,
                              ValueRange(), ValueRange(), false);
  }

  ArrayRef<Planned> chain;
  OpBuilder builder;
  Location loc;
};

} // namespace

void lowerTcgen05Dots(ModuleOp module) {
  Target target = dotTarget(module);
  SmallVector<Planned> all;
  module.walk([&](Operation *op) {
    if (auto dot = dyn_cast<tensor::DotOp>(op)) {
      if (planDotKind(dot, target, getNumWarps(op)) == DotPlan::Kind::Tcgen05)
        all.push_back({op, planDot(dot, target, getNumWarps(op)).a});
    } else if (isa<tensor::DotScaledOp>(op)) {
      all.push_back({op, Attribute()});
    }
  });
  // A dot continues the chain of the one whose result is nothing but its start.
  SmallVector<SmallVector<Planned>> chains;
  for (const Planned &planned : all) {
    auto found = llvm::find_if(chains, [&](ArrayRef<Planned> chain) {
      Value result = chain.back().result();
      return result == planned.accumulator() && result.hasOneUse() &&
             chain.back().op->getBlock() == planned.op->getBlock();
    });
    if (found == chains.end())
      chains.push_back({planned});
    else
      found->push_back(planned);
  }
  for (ArrayRef<Planned> chain : chains)
    Lowering(chain).run();
}

} // namespace triton::gpu
