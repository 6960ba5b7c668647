// Does elementwise math before its operands are repeated, not after.
//
//   %a = tt.splat %x : f32 -> tensor<128xf32>
//   %b = tt.splat %y : f32 -> tensor<128xf32>
//   %c = arith.addf %a, %b : tensor<128xf32>
// becomes
//   %s = arith.addf %x, %y : f32
//   %c = tt.splat %s : f32 -> tensor<128xf32>
//
// Likewise for operands that are all broadcast from one shape, splats among them. And where a sum or a pointer has a
// uniform part, that part is added first, so that it joins other uniform parts:
//
//   %p = tt.addptr %splat_of_base, %offsets
//   %q = tt.addptr %p, %splat_of_step
// becomes
//   %b = tt.addptr %base, %step : !tt.ptr<f32>, i32
//   %q = tt.addptr (tt.splat %b), %offsets
//
// On tensor IR, where shapes are all there is: with layouts the result would need one too. Leaves alone any op with an
// operand that varies, and ops with effects. Hints about a value (`tt.contiguity` and the like) stay on the op that makes it; a sum that only a hint
// says something about is not taken apart.
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/passes/Passes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace triton::tensor {

#define GEN_PASS_DEF_HOISTSPLATMATH
#include "compiler/tensor/passes/Passes.h.inc"

namespace {

/// Whether `op` computes each element of its one result from the elements at the same place, and does nothing else.
bool isElementwise(Operation *op) {
  return op->getNumResults() == 1 && op->getNumOperands() > 0 && isa<RankedTensorType>(op->getResult(0).getType()) &&
         OpTrait::hasElementwiseMappableTraits(op) && isMemoryEffectFree(op);
}

/// `op` on other operands and with a result of another shape. Hints, which name one number per dimension, are left
/// behind.
Value rebuild(PatternRewriter &rewriter, Operation *op, ValueRange operands, Type type) {
  OperationState state(op->getLoc(), op->getName(), operands, {type});
  for (NamedAttribute attribute : op->getAttrs())
    if (!attribute.getName().strref().starts_with("tt."))
      state.attributes.push_back(attribute);
  return rewriter.create(state)->getResult(0);
}

bool isHint(NamedAttribute attribute) {
  return llvm::is_contained({divisibilityName, contiguityName, constancyName}, attribute.getName().strref());
}

bool hasHints(Operation *op) { return llvm::any_of(op->getDiscardableAttrs(), isHint); }

/// Replaces `op` by an op that makes the same value, and moves the hints about it there.
template <typename OpT, typename... Arguments>
void replaceWith(PatternRewriter &rewriter, Operation *op, Arguments &&...arguments) {
  SmallVector<NamedAttribute> hints = llvm::filter_to_vector(op->getDiscardableAttrs(), isHint);
  auto replacement = rewriter.replaceOpWithNewOp<OpT>(op, std::forward<Arguments>(arguments)...);
  for (NamedAttribute hint : hints)
    replacement->setDiscardableAttr(hint.getName(), hint.getValue());
}

/// The one value `value` has everywhere; null when it varies or nobody knows.
Value getUniform(PatternRewriter &rewriter, Value value) {
  if (auto splat = value.getDefiningOp<SplatOp>())
    return splat.getSrc();
  SplatElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)))
    return arith::ConstantOp::create(rewriter, value.getLoc(), elements.getSplatValue<TypedAttr>());
  return {};
}

bool isUniform(Value value) {
  return value.getDefiningOp<SplatOp>() || matchPattern(value, m_Constant<SplatElementsAttr>(nullptr));
}

struct HoistThroughSplat : RewritePattern {
  HoistThroughSplat(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isElementwise(op) || !llvm::all_of(op->getOperands(), isUniform))
      return failure();
    SmallVector<Value> scalars;
    for (Value operand : op->getOperands())
      scalars.push_back(getUniform(rewriter, operand));
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    replaceWith<SplatOp>(rewriter, op, type, rebuild(rewriter, op, scalars, type.getElementType()));
    return success();
  }
};

struct HoistThroughBroadcast : RewritePattern {
  HoistThroughBroadcast(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isElementwise(op))
      return failure();
    ArrayRef<int64_t> shape;
    for (Value operand : op->getOperands()) {
      if (isUniform(operand))
        continue;
      auto broadcast = operand.getDefiningOp<BroadcastOp>();
      if (!broadcast || (!shape.empty() && broadcast.getSrc().getType().getShape() != shape))
        return failure();
      shape = broadcast.getSrc().getType().getShape();
    }
    if (shape.empty())
      return failure();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (auto broadcast = operand.getDefiningOp<BroadcastOp>())
        operands.push_back(broadcast.getSrc());
      else
        operands.push_back(SplatOp::create(rewriter, op->getLoc(), getUniform(rewriter, operand), shape));
    }
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Value result = rebuild(rewriter, op, operands, type.clone(shape));
    replaceWith<BroadcastOp>(rewriter, op, type, result);
    return success();
  }
};

/// addptr(addptr(p, varying), uniform) to addptr(addptr(p, uniform), varying).
struct UniformOffsetFirst : OpRewritePattern<AddPtrOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddPtrOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getPtr().getDefiningOp<AddPtrOp>();
    if (!inner || hasHints(inner) || !isUniform(op.getOffset()) || isUniform(inner.getOffset()) ||
        !isa<RankedTensorType>(op.getType()))
      return failure();
    Value moved = AddPtrOp::create(rewriter, op.getLoc(), op.getType(), inner.getPtr(), op.getOffset());
    replaceWith<AddPtrOp>(rewriter, op, op.getType(), moved, inner.getOffset());
    return success();
  }
};

/// addi(addi(varying, a), b) to addi(varying, addi(a, b)), for uniform a and b.
struct UniformSumFirst : OpRewritePattern<arith::AddIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::AddIOp op, PatternRewriter &rewriter) const override {
    if (!isa<RankedTensorType>(op.getType()))
      return failure();
    auto [inner, second] = split(op);
    auto sum = inner ? inner.getDefiningOp<arith::AddIOp>() : arith::AddIOp();
    if (!sum || hasHints(sum))
      return failure();
    auto [varying, first] = split(sum);
    if (!varying)
      return failure();
    Value uniform = arith::AddIOp::create(rewriter, op.getLoc(), first, second);
    replaceWith<arith::AddIOp>(rewriter, op, varying, uniform);
    return success();
  }

  /// The varying and the uniform operand; null when there is not one of each.
  static std::pair<Value, Value> split(arith::AddIOp op) {
    bool left = isUniform(op.getLhs()), right = isUniform(op.getRhs());
    if (left == right)
      return {};
    return left ? std::pair<Value, Value>(op.getRhs(), op.getLhs()) : std::pair<Value, Value>(op.getLhs(), op.getRhs());
  }
};

struct HoistSplatMath : impl::HoistSplatMathBase<HoistSplatMath> {
  void run() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<HoistThroughSplat, HoistThroughBroadcast, UniformOffsetFirst, UniformSumFirst>(&getContext());
    BroadcastOp::getCanonicalizationPatterns(patterns, &getContext());
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};

} // namespace

} // namespace triton::tensor
