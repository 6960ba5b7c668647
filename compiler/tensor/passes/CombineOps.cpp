// Puts ops together that one op does.
//
//   %d = tt.dot %a, %b, %zeros : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
//   %r = arith.addf %d, %c : tensor<64x64xf32>
// becomes
//   %r = tt.dot %a, %b, %c : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
//
// Likewise a selection between a masked load and another value, by the load's own mask, becomes the load's `other`; and
// a sum over products that are a product of matrices, `sum(x[:, :, None] * y[None, :, :], axis=1)`, becomes a dot.
//
// After inlining, since the library's functions hide the pieces. A dot that others use too stays.
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/passes/Passes.h"
#include "compiler/tensor/rules/Rules.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace triton::tensor {

#define GEN_PASS_DEF_COMBINEOPS
#include "compiler/tensor/passes/Passes.h.inc"

namespace {

bool isZero(Value value) { return matchPattern(value, m_Zero()) || matchPattern(value, m_AnyZeroFloat()); }

template <typename AddT> struct AccumulateInDot : OpRewritePattern<AddT> {
  using OpRewritePattern<AddT>::OpRewritePattern;
  LogicalResult matchAndRewrite(AddT op, PatternRewriter &rewriter) const override {
    for (auto [product, rest] : {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())}) {
      auto dot = product.template getDefiningOp<DotOp>();
      if (!dot || !dot->hasOneUse() || !isZero(dot.getC()) || dot.getMaxNumImpreciseAcc() != 0)
        continue;
      // At the line of the dot, which it still is to debuggers and profilers.
      rewriter.replaceOp(op, DotOp::create(rewriter, dot.getLoc(), dot.getA(), dot.getB(), rest,
                                           dot.getInputPrecision(), dot.getMaxNumImpreciseAcc()));
      return success();
    }
    return failure();
  }
};

struct SelectAfterLoad : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SelectOp op, PatternRewriter &rewriter) const override {
    auto load = op.getTrueValue().getDefiningOp<LoadOp>();
    if (!load || !load.getMask() || load.getMask() != op.getCondition() || !load->hasOneUse() ||
        load->getBlock() != op->getBlock())
      return failure();
    // The load stays where it is, so the other value must exist there already.
    Operation *source = op.getFalseValue().getDefiningOp();
    if (source && source->getBlock() == load->getBlock() && !source->isBeforeInBlock(load)) {
      if (!source->hasTrait<OpTrait::ConstantLike>())
        return failure();
      rewriter.moveOpBefore(source, load);
    }
    rewriter.modifyOpInPlace(load, [&] { load.getOtherMutable().assign(op.getFalseValue()); });
    rewriter.replaceOp(op, load);
    return success();
  }
};

/// `matrix`, when `value` is it with a new dimension `axis` that was then repeated.
Value getRepeated(Value value, uint32_t axis) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  auto expand = (broadcast ? broadcast.getSrc() : value).getDefiningOp<ExpandDimsOp>();
  return expand && expand.getAxis() == axis ? expand.getSrc() : Value();
}

struct SumOfProductsIsDot : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    if (op.getNumOperands() != 1 || op.getAxis() != 1 || !isa_and_nonnull<arith::AddFOp>(op.getSingleCombiner()))
      return failure();
    auto product = op.getOperand(0).getDefiningOp<arith::MulFOp>();
    if (!product || getShape(product.getType()).size() != 3)
      return failure();
    Value a = getRepeated(product.getLhs(), 2), b = getRepeated(product.getRhs(), 0);
    if (!a || !b) {
      a = getRepeated(product.getRhs(), 2);
      b = getRepeated(product.getLhs(), 0);
    }
    // Products and sums of other types are rounded on the way; a dot does not do that. Targets have no dots of fewer
    // terms.
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!a || !b || !type || !isa<Float32Type, Float64Type>(type.getElementType()) || getShape(a.getType())[1] < 16)
      return failure();
    Value zeros = arith::ConstantOp::create(rewriter, op.getLoc(), rewriter.getZeroAttr(type));
    rewriter.replaceOpWithNewOp<DotOp>(op, a, b, zeros, InputPrecision::IEEE, 0);
    return success();
  }
};

struct CombineOps : impl::CombineOpsBase<CombineOps> {
  void run() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<AccumulateInDot<arith::AddFOp>, AccumulateInDot<arith::AddIOp>, SelectAfterLoad, SumOfProductsIsDot>(
        &getContext());
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};

} // namespace

} // namespace triton::tensor
