// How ops that move elements simplify: constants are moved at compile time, splats swallow every move, neighbours
// become one.
#include "compiler/tensor/Encoding.h"
#include "compiler/tensor/Tensor.h"

using namespace mlir;

namespace triton::tensor {

/// A constant whose elements are all alike, in the shape of `type`; null for any other constant.
static Attribute resizeSplat(Attribute constant, Type type) {
  if (auto elements = dyn_cast_or_null<SplatElementsAttr>(constant))
    return elements.resizeSplat(cast<ShapedType>(type));
  return dyn_cast_or_null<ub::PoisonAttr>(constant);
}

OpFoldResult MakeRangeOp::fold(FoldAdaptor) {
  if (getType().getNumElements() != 1)
    return {};
  return DenseElementsAttr::get(cast<ShapedType>(getType()), llvm::APInt(32, getStart()));
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  Attribute constant = adaptor.getSrc();
  if (isa_and_nonnull<IntegerAttr, FloatAttr>(constant))
    return SplatElementsAttr::get(getType(), constant);
  return dyn_cast_or_null<ub::PoisonAttr>(constant);
}

OpFoldResult UnsplatOp::fold(FoldAdaptor adaptor) {
  if (auto splat = getSrc().getDefiningOp<SplatOp>())
    return splat.getSrc();
  if (auto elements = dyn_cast_or_null<DenseElementsAttr>(adaptor.getSrc()))
    return *elements.getValues<Attribute>().begin();
  return {};
}

/// The constant `elements` in another shape, row-major order kept.
static Attribute reshapeConstant(Attribute constant, Type type) {
  if (auto elements = dyn_cast_or_null<DenseElementsAttr>(constant))
    return elements.reshape(cast<ShapedType>(type));
  return dyn_cast_or_null<ub::PoisonAttr>(constant);
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) { return reshapeConstant(adaptor.getSrc(), getType()); }

/// Any move of a splat's elements is a splat of the new shape.
template <typename OpT> struct MoveOfSplat : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpT op, PatternRewriter &rewriter) const override {
    auto splat = op.getSrc().template getDefiningOp<SplatOp>();
    if (!splat)
      return failure();
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getSrc());
    return success();
  }
};

/// expand_dims(broadcast(x)) to broadcast(expand_dims(x)): the repetition comes last, so that less is moved.
struct ExpandBeforeBroadcast : OpRewritePattern<ExpandDimsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ExpandDimsOp op, PatternRewriter &rewriter) const override {
    auto broadcast = op.getSrc().getDefiningOp<BroadcastOp>();
    if (!broadcast)
      return failure();
    auto type = inferExpandDims(broadcast.getSrc().getType(), op.getAxis(), [&] { return op.emitOpError(); });
    if (failed(type) || type->getEncoding() != op.getType().getEncoding())
      return failure();
    Value expanded = ExpandDimsOp::create(rewriter, op.getLoc(), *type, broadcast.getSrc(), op.getAxis());
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), expanded);
    return success();
  }
};

void ExpandDimsOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MoveOfSplat<ExpandDimsOp>, ExpandBeforeBroadcast>(context);
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  return resizeSplat(adaptor.getSrc(), getType());
}

/// broadcast(broadcast(x)) to one broadcast.
struct BroadcastOfBroadcast : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getSrc().getDefiningOp<BroadcastOp>();
    if (!inner)
      return failure();
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner.getSrc());
    return success();
  }
};

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MoveOfSplat<BroadcastOp>, BroadcastOfBroadcast>(context);
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  return reshapeConstant(adaptor.getSrc(), getType());
}

/// reshape(reshape(x)) and reshape(expand_dims(x)) to one reshape. Order is free when either step left it free.
struct ReshapeOfReshape : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    Value source;
    bool allowReorder = op.getAllowReorder();
    if (auto inner = op.getSrc().getDefiningOp<ReshapeOp>()) {
      source = inner.getSrc();
      allowReorder |= inner.getAllowReorder();
    } else if (auto inner = op.getSrc().getDefiningOp<ExpandDimsOp>()) {
      source = inner.getSrc();
    } else {
      return failure();
    }
    // One register more than the source has, as a new dimension may take, is no reshape.
    auto from = cast<RankedTensorType>(source.getType());
    const EncodingInterface *encodings = getEncodingInterface(from);
    if (encodings &&
        !(allowReorder ? encodings->isReorder(from, op.getType()) : encodings->isReshape(from, op.getType())))
      return failure();
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), source, allowReorder, op.getEfficientLayout());
    return success();
  }
};

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MoveOfSplat<ReshapeOp>, ReshapeOfReshape>(context);
}

OpFoldResult TransOp::fold(FoldAdaptor adaptor) {
  if (llvm::equal(getOrder(), llvm::seq<int32_t>(0, getOrder().size())) && getSrc().getType() == getType())
    return getSrc();
  return resizeSplat(adaptor.getSrc(), getType());
}

/// trans(trans(x)) to one trans.
struct TransOfTrans : OpRewritePattern<TransOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getSrc().getDefiningOp<TransOp>();
    if (!inner)
      return failure();
    SmallVector<int32_t> order = llvm::map_to_vector(op.getOrder(), [&](int32_t dim) { return inner.getOrder()[dim]; });
    rewriter.replaceOpWithNewOp<TransOp>(op, op.getType(), inner.getSrc(), order);
    return success();
  }
};

void TransOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MoveOfSplat<TransOp>, TransOfTrans>(context);
}

OpFoldResult JoinOp::fold(FoldAdaptor adaptor) {
  auto left = getLhs().getDefiningOp<SplitOp>();
  if (left && left == getRhs().getDefiningOp<SplitOp>() && getLhs() == left.getOutLHS() &&
      getRhs() == left.getOutRHS() && left.getSrc().getType() == getType())
    return left.getSrc();
  if (adaptor.getLhs() == adaptor.getRhs())
    return resizeSplat(adaptor.getLhs(), getType());
  return {};
}

LogicalResult SplitOp::fold(FoldAdaptor adaptor, SmallVectorImpl<OpFoldResult> &results) {
  if (auto join = getSrc().getDefiningOp<JoinOp>(); join && join.getLhs().getType() == getOutLHS().getType()) {
    results.assign({join.getLhs(), join.getRhs()});
    return success();
  }
  auto elements = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSrc());
  if (!elements)
    return failure();
  auto half = dyn_cast<ShapedType>(getOutLHS().getType());
  Attribute part = half ? Attribute(elements.resizeSplat(half)) : elements.getSplatValue<Attribute>();
  results.assign({part, part});
  return success();
}

OpFoldResult GatherOp::fold(FoldAdaptor adaptor) { return resizeSplat(adaptor.getSrc(), getType()); }

} // namespace triton::tensor
