// Adds up over a loop what each thread holds, and over threads once, behind it.
//
//   %sum = scf.for … iter_args(%s = %init) {
//     %r = "tt.reduce"(%x) {add} : tensor<32x128xf32> -> tensor<32xf32>
//     %t = arith.addf %s, %r
//     scf.yield %t
//   }
// becomes
//   %all = scf.for … iter_args(%a = dense<-0.0>) {
//     %b = arith.addf %a, %x : tensor<32x128xf32>
//     scf.yield %b
//   }
//   %r = "tt.reduce"(%all) {add}
//   %sum = arith.addf %init, %r
//
// Runs before layouts are assigned: no exchange between threads is left in the loop that a layout would be chosen for. Leaves alone what
// would take many registers, loops with dots, which need theirs, and sums that the loop uses for anything else.
#include "compiler/gpu/passes/Passes.h"
#include "compiler/tensor/Tensor.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_ACCUMULATEREDUCTIONS
#include "compiler/gpu/passes/Passes.h.inc"

namespace {

/// The number that changes nothing: combined with `x` it gives `x`, whatever `x` is.
TypedAttr neutralElement(Operation *combine, Type element) {
  OpBuilder builder(combine->getContext());
  if (auto type = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    // Zero and minus zero are minus zero's sum with each; of a number and no number, maxnum takes the number.
    if (isa<arith::AddFOp>(combine))
      return FloatAttr::get(type, APFloat::getZero(semantics, /*Negative=*/true));
    if (isa<arith::MulFOp>(combine))
      return builder.getFloatAttr(type, 1.0);
    if (isa<arith::MaxNumFOp, arith::MinNumFOp>(combine))
      return FloatAttr::get(type, APFloat::getNaN(semantics));
    if (isa<arith::MaximumFOp, arith::MinimumFOp>(combine))
      return FloatAttr::get(type, APFloat::getInf(semantics, /*Negative=*/isa<arith::MaximumFOp>(combine)));
    return {};
  }
  if (!element.isInteger())
    return {};
  const unsigned bits = element.getIntOrFloatBitWidth();
  if (isa<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(combine))
    return builder.getIntegerAttr(element, APInt::getZero(bits));
  if (isa<arith::MulIOp>(combine))
    return builder.getIntegerAttr(element, APInt(bits, 1));
  if (isa<arith::AndIOp, arith::MinUIOp>(combine))
    return builder.getIntegerAttr(element, APInt::getAllOnes(bits));
  if (isa<arith::MaxSIOp>(combine))
    return builder.getIntegerAttr(element, APInt::getSignedMinValue(bits));
  if (isa<arith::MinSIOp>(combine))
    return builder.getIntegerAttr(element, APInt::getSignedMaxValue(bits));
  return {};
}

/// A sum over a loop of sums over threads.
struct Accumulation {
  tensor::ReduceOp reduce;
  Operation *combine; // in the reduction
  Operation *step;    // in the loop: combines the result with what the loop carries
  unsigned carried;   // of the loop's results, the one that step yields
  TypedAttr neutral;
};

std::optional<Accumulation> match(tensor::ReduceOp reduce, scf::ForOp loop) {
  if (reduce.getNumOperands() != 1 || !reduce->getResult(0).hasOneUse())
    return std::nullopt;
  Block &body = reduce.getCombineOp().front();
  Operation *combine = &body.front();
  if (&*std::next(body.begin()) != body.getTerminator() || combine->getNumOperands() != 2 ||
      combine->getOperand(0) == combine->getOperand(1) ||
      body.getTerminator()->getOperand(0) != combine->getResult(0) ||
      !llvm::all_of(combine->getOperands(), llvm::IsaPred<BlockArgument>))
    return std::nullopt;
  auto source = cast<RankedTensorType>(reduce.getOperand(0).getType());
  TypedAttr neutral = neutralElement(combine, source.getElementType());
  Operation *step = *reduce->getResult(0).user_begin();
  if (!neutral || step->getName() != combine->getName() || step->getBlock() != loop.getBody() ||
      step->getAttrDictionary() != combine->getAttrDictionary() || !step->getResult(0).hasOneUse())
    return std::nullopt;
  Value other = step->getOperand(step->getOperand(0) == reduce->getResult(0) ? 1 : 0);
  auto argument = dyn_cast<BlockArgument>(other);
  OpOperand &use = *step->getResult(0).use_begin();
  if (!argument || argument.getOwner() != loop.getBody() || argument.getArgNumber() == 0 || !argument.hasOneUse() ||
      use.getOwner() != loop.getBody()->getTerminator() || use.getOperandNumber() + 1 != argument.getArgNumber())
    return std::nullopt;
  return Accumulation{reduce, combine, step, use.getOperandNumber(), neutral};
}

/// 32-bit registers of a thread that hold a tensor, if threads share it evenly.
int64_t registersOf(RankedTensorType type, int64_t threads) {
  return llvm::divideCeil(type.getNumElements(), threads) * llvm::divideCeil(type.getElementTypeBitWidth(), 32);
}

scf::ForOp accumulate(scf::ForOp loop, Accumulation found) {
  IRRewriter rewriter(loop);
  Location location = found.reduce.getLoc();
  Value source = found.reduce.getOperand(0);
  auto clone = [&](Value lhs, Value rhs) {
    OperationState state(found.step->getLoc(), found.step->getName().getStringRef(), {lhs, rhs}, {lhs.getType()},
                         found.step->getAttrs());
    return rewriter.create(state)->getResult(0);
  };
  Value start = arith::ConstantOp::create(
      rewriter, location, SplatElementsAttr::get(cast<ShapedType>(source.getType()), Attribute(found.neutral)));
  NewYieldValuesFn yield = [&](OpBuilder &, Location, ArrayRef<BlockArgument> added) {
    return SmallVector<Value>{clone(added[0], source)};
  };
  const Value initial = loop.getInitArgs()[found.carried];
  auto replaced = cast<scf::ForOp>(
      **loop.replaceWithAdditionalYields(rewriter, start, /*replaceInitOperandUsesInLoop=*/false, yield));
  Value sum = replaced.getResult(found.carried);
  rewriter.setInsertionPointAfter(replaced);
  found.reduce->moveBefore(rewriter.getInsertionBlock(), rewriter.getInsertionPoint());
  found.reduce->setOperand(0, replaced->getResults().back());
  Value total = clone(initial, found.reduce->getResult(0));
  sum.replaceAllUsesWith(total);
  // The loop hands the old sum through, until the canonicalizer sees that it does.
  cast<scf::YieldOp>(replaced.getBody()->getTerminator())
      ->setOperand(found.carried, replaced.getRegionIterArg(found.carried));
  rewriter.eraseOp(found.step);
  return replaced;
}

struct AccumulateReductions : impl::AccumulateReductionsBase<AccumulateReductions> {
  void run() override {
    constexpr int64_t mostRegisters = 32;
    const bool isKnown = getOperation()->hasAttr(numWarpsName);
    const int64_t threads = isKnown ? getThreads(getOperation()).count() : 32;
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      auto hasDots = [](Operation *op) { return isa<tensor::DotOp, tensor::DotScaledOp>(op); };
      if (loop.walk([&](Operation *op) { return hasDots(op) ? WalkResult::interrupt() : WalkResult::advance(); })
              .wasInterrupted())
        continue;
      int64_t left = mostRegisters;
      SmallVector<tensor::ReduceOp> reductions(loop.getBody()->getOps<tensor::ReduceOp>());
      for (tensor::ReduceOp reduce : reductions) {
        std::optional<Accumulation> found = match(reduce, loop);
        if (!found)
          continue;
        left -= registersOf(cast<RankedTensorType>(reduce.getOperand(0).getType()), threads);
        if (left < 0)
          break;
        loop = accumulate(loop, *found);
      }
    }
  }
};

} // namespace

} // namespace triton::gpu
