// Chooses by a mask only in iterations where the mask is not the same for all elements.
//
//   %m = arith.cmpi sge, %rows, %columns : tensor<128x128xi32>       rows = r + 0 … 127, columns = c + 0 … 127
//   %y = arith.select %m, %x, %other : tensor<128x128xf32>
// becomes, in a loop,
//   %all = r >= c + 127                                              for scalars
//   %y = scf.if %all { yield %x } else { yield arith.select %m, %x, %other }
//
// The bounds of both sides are sums of scalars, of numbers that ranges begin and end with, computed in 64 bits and asked to be what 32 bits hold:
// where an index would overflow, the mask is looked at. In attention all blocks but those on the diagonal, or at the end of a sequence, then
// cost a branch instead of two instructions for each element.
//
// A product with a number that is mostly 1 (`factorOutOfMask`), of which the mask chooses, is left out too where that number is 1.
//
// Runs behind pipelining, which wants loops without branches. Leaves alone small tensors, masks whose bounds it cannot tell, or not in a few
// steps, and loops without dots: those wait for memory, and a branch between loads and what is done with them costs registers (twice as many in a
// layer norm over rows of 16384, and with them half of the warps of an SM).
#include "compiler/gpu/passes/Passes.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_SKIPMASKS
#include "compiler/gpu/passes/Passes.h.inc"

namespace {

/// What every element of an integer tensor lies between, as i64, both included.
struct Bounds {
  Value least, most;
};

class Uniformity {
public:
  explicit Uniformity(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  /// A scalar that is true only if all elements of `mask` are `wanted`. Null if there is nothing to tell it by, or if that would take too many
  /// steps.
  Value isAll(Value mask, bool wanted) {
    Operation *op = mask.getDefiningOp();
    if (!op || isTooMuch())
      return {};
    if (isa<tensor::BroadcastOp, tensor::ExpandDimsOp, ConvertLayoutOp>(op))
      return isAll(op->getOperand(0), wanted);
    if (isa<arith::AndIOp, arith::OrIOp>(op)) {
      Value lhs = isAll(op->getOperand(0), wanted), rhs = lhs ? isAll(op->getOperand(1), wanted) : Value();
      if (!lhs || !rhs)
        return {};
      // Both where every element needs both; else one is enough.
      if (isa<arith::AndIOp>(op) == wanted)
        return arith::AndIOp::create(builder, loc, lhs, rhs);
      return arith::OrIOp::create(builder, loc, lhs, rhs);
    }
    if (auto comparison = dyn_cast<arith::CmpIOp>(op))
      return isAll(comparison, wanted);
    return {};
  }

private:
  OpBuilder &builder;
  Location loc;
  SmallVector<Value> conditions = {};
  unsigned steps = 0;

  /// Masks are walked as trees, once per use: the bound keeps both the walk and the code short. In attention it takes about ten steps.
  bool isTooMuch() {
    constexpr unsigned mostSteps = 64;
    return ++steps > mostSteps;
  }

  Value isAll(arith::CmpIOp comparison, bool wanted) {
    arith::CmpIPredicate predicate =
        wanted ? comparison.getPredicate() : arith::invertPredicate(comparison.getPredicate());
    using enum arith::CmpIPredicate;
    const bool isLess = predicate == slt || predicate == sle;
    if (!isLess && predicate != sgt && predicate != sge)
      return {};
    std::optional<Bounds> lhs = boundsOf(comparison.getLhs()), rhs = lhs ? boundsOf(comparison.getRhs()) : std::nullopt;
    if (!lhs || !rhs)
      return {};
    for (auto [side, bounds] : {std::pair(comparison.getLhs(), *lhs), std::pair(comparison.getRhs(), *rhs)})
      holds(bounds, getElementTypeOrSelf(side.getType()).getIntOrFloatBitWidth());
    Value all = arith::CmpIOp::create(builder, loc, predicate, isLess ? lhs->most : lhs->least,
                                      isLess ? rhs->least : rhs->most);
    for (Value condition : conditions)
      all = arith::AndIOp::create(builder, loc, all, condition);
    conditions.clear();
    return all;
  }

  Value constant(int64_t value) { return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value)); }

  /// Numbers of these bounds are to be ones of so many bits. What wraps on the way to such a number comes out right.
  void holds(Bounds bounds, unsigned bits) {
    if (bits >= 64 || (matchPattern(bounds.least, m_Constant()) && matchPattern(bounds.most, m_Constant())))
      return;
    auto compare = [&](arith::CmpIPredicate predicate, Value value, int64_t limit) {
      conditions.push_back(arith::CmpIOp::create(builder, loc, predicate, value, constant(limit)));
    };
    compare(arith::CmpIPredicate::sge, bounds.least, llvm::minIntN(bits));
    compare(arith::CmpIPredicate::sle, bounds.most, llvm::maxIntN(bits));
  }

  std::optional<Bounds> boundsOfScalar(Value scalar) {
    APInt number;
    if (matchPattern(scalar, m_ConstantInt(&number))) {
      Value value = constant(number.getSExtValue());
      return Bounds{value, value};
    }
    if (auto wider = scalar.getDefiningOp<arith::ExtSIOp>())
      scalar = wider.getIn();
    if (!scalar.getType().isInteger(32))
      return std::nullopt;
    Value value = arith::ExtSIOp::create(builder, loc, builder.getI64Type(), scalar);
    return Bounds{value, value};
  }

  std::optional<Bounds> boundsOf(Value tensor) {
    DenseIntElementsAttr elements;
    if (matchPattern(tensor, m_Constant(&elements)) && elements.isSplat()) {
      Value value = constant(elements.getSplatValue<APInt>().getSExtValue());
      return Bounds{value, value};
    }
    if (!isa<RankedTensorType>(tensor.getType()))
      return boundsOfScalar(tensor);
    Operation *op = tensor.getDefiningOp();
    if (!op || isTooMuch())
      return std::nullopt;
    if (auto range = dyn_cast<tensor::MakeRangeOp>(op))
      return Bounds{constant(range.getStart()), constant(int64_t(range.getEnd()) - 1)};
    if (auto splat = dyn_cast<tensor::SplatOp>(op))
      return boundsOfScalar(splat.getSrc());
    if (isa<tensor::BroadcastOp, tensor::ExpandDimsOp, ConvertLayoutOp>(op))
      return boundsOf(op->getOperand(0));
    if (auto wider = dyn_cast<arith::ExtSIOp>(op)) {
      std::optional<Bounds> narrow = boundsOf(wider.getIn());
      if (narrow)
        holds(*narrow, getElementTypeOrSelf(wider.getIn().getType()).getIntOrFloatBitWidth());
      return narrow;
    }
    if (!isa<arith::AddIOp, arith::SubIOp>(op))
      return std::nullopt;
    std::optional<Bounds> lhs = boundsOf(op->getOperand(0)), rhs = lhs ? boundsOf(op->getOperand(1)) : std::nullopt;
    if (!lhs || !rhs)
      return std::nullopt;
    if (isa<arith::AddIOp>(op))
      return Bounds{add(lhs->least, rhs->least), add(lhs->most, rhs->most)};
    return Bounds{subtract(lhs->least, rhs->most), subtract(lhs->most, rhs->least)};
  }

  Value add(Value lhs, Value rhs) { return builder.createOrFold<arith::AddIOp>(loc, lhs, rhs); }
  Value subtract(Value lhs, Value rhs) { return builder.createOrFold<arith::SubIOp>(loc, lhs, rhs); }
};

/// What computes a mask, and only `block` needs, is computed there.
void sinkInto(Block &block, Value mask) {
  auto isHere = [&](Operation *user) { return user->getBlock() == &block; };
  auto isCheap = [](Operation *op) {
    return isa<tensor::BroadcastOp, tensor::ExpandDimsOp, tensor::SplatOp, arith::CmpIOp, arith::AndIOp, arith::OrIOp,
               arith::AddIOp, arith::SubIOp, arith::ExtSIOp>(op);
  };
  SmallVector<Value> pending = {mask};
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != block.getParentOp()->getBlock() || !isCheap(op) ||
        !llvm::all_of(op->getUsers(), isHere))
      continue;
    op->moveBefore(&block, block.begin());
    for (Value operand : llvm::reverse(op->getOperands()))
      pending.push_back(operand);
  }
}

/// %x and %isOne, if `value` is %x times a number that is 1 where %isOne, a scalar, holds. Else `value` itself, and null.
std::pair<Value, Value> timesOne(Value value) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product || !product->hasOneUse())
    return {value, Value()};
  for (auto [factors, other] :
       {std::pair(product.getRhs(), product.getLhs()), std::pair(product.getLhs(), product.getRhs())}) {
    auto splat = factors.getDefiningOp<tensor::SplatOp>();
    auto factor = splat ? splat.getSrc().getDefiningOp<arith::SelectOp>() : arith::SelectOp();
    if (factor && matchPattern(factor.getTrueValue(), m_OneFloat()))
      return {other, factor.getCondition()};
  }
  return {value, Value()};
}

void skip(arith::SelectOp select) {
  OpBuilder builder(select);
  Location loc = select.getLoc();
  auto isConstant = [](Value value) { return matchPattern(value, m_Constant()); };
  const bool wanted = !isConstant(select.getTrueValue());
  if (!wanted && isConstant(select.getFalseValue()))
    return;
  // Bounds that are not used leave scalars that are not used either.
  Value all = Uniformity(builder, loc).isAll(select.getCondition(), wanted);
  if (!all)
    return;
  Value kept = wanted ? select.getTrueValue() : select.getFalseValue();
  auto [whole, isOne] = timesOne(kept);
  if (isOne)
    all = arith::AndIOp::create(builder, loc, all, isOne);
  auto branch = scf::IfOp::create(builder, loc, TypeRange{select.getType()}, all, /*withElseRegion=*/true);
  select.getResult().replaceAllUsesWith(branch.getResult(0));
  builder.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(builder, loc, whole);
  select->moveBefore(branch.elseBlock(), branch.elseBlock()->end());
  if (isOne)
    kept.getDefiningOp()->moveBefore(select);
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, loc, select.getResult());
  sinkInto(*branch.elseBlock(), select.getCondition());
}

/// Whether the innermost loop around `op` has dots, of which tensors of an accumulator's layout tell too.
bool isAmongDots(arith::SelectOp op) {
  auto loop = op->getParentOfType<scf::ForOp>();
  if (!loop)
    return false;
  if (isa<MmaAttr>(cast<RankedTensorType>(op.getType()).getEncoding()))
    return true;
  auto visit = [](Operation *inner) {
    return isa<tensor::DotOp, WarpGroupDotOp, TCGen5MMAOp, TCGen5MMAScaledOp>(inner) ? WalkResult::interrupt()
                                                                                     : WalkResult::advance();
  };
  return loop.walk(visit).wasInterrupted();
}

struct SkipMasks : impl::SkipMasksBase<SkipMasks> {
  void run() override {
    constexpr int64_t fewestRegisters = 16;
    SmallVector<arith::SelectOp> selects;
    getOperation()->walk([&](arith::SelectOp select) {
      auto type = dyn_cast<RankedTensorType>(select.getType());
      if (type && isa<RankedTensorType>(select.getCondition().getType()) &&
          type.getNumElements() >= fewestRegisters * getThreads(select).count() && isAmongDots(select))
        selects.push_back(select);
    });
    for (arith::SelectOp select : selects)
      skip(select);
  }
};

} // namespace

} // namespace triton::gpu
