// How accesses simplify when their mask is known.
#include "compiler/tensor/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace triton::tensor {

/// Whether `mask` is true everywhere, false everywhere, or not known.
static std::optional<bool> getKnownMask(Value mask) {
  llvm::APInt value;
  if (mask && matchPattern(mask, m_ConstantInt(&value)))
    return value.getBoolValue();
  return std::nullopt;
}

/// A load whose mask is true everywhere needs none; one whose mask is false everywhere reads nothing and is `other`.
struct LoadOfKnownMask : OpRewritePattern<LoadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LoadOp op, PatternRewriter &rewriter) const override {
    auto mask = getKnownMask(op.getMask());
    if (!mask)
      return failure();
    if (*mask) {
      rewriter.replaceOpWithNewOp<LoadOp>(op, op.getPtr(), Value(), Value(), op.getCache(), op.getEvict(),
                                          op.getIsVolatile());
      return success();
    }
    if (op.getOther()) {
      rewriter.replaceOp(op, op.getOther());
      return success();
    }
    // Nobody may rely on what the elements are. Zero is a value; poison would spread into whatever is computed from it.
    TypedAttr zero = rewriter.getZeroAttr(op.getType());
    if (!zero)
      return failure();
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, zero);
    return success();
  }
};

void LoadOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<LoadOfKnownMask>(context);
}

/// A store whose mask is true everywhere needs none; one whose mask is false everywhere does nothing.
struct StoreOfKnownMask : OpRewritePattern<StoreOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(StoreOp op, PatternRewriter &rewriter) const override {
    auto mask = getKnownMask(op.getMask());
    if (!mask)
      return failure();
    if (*mask)
      rewriter.replaceOpWithNewOp<StoreOp>(op, op.getPtr(), op.getValue(), Value(), op.getCache(), op.getEvict());
    else
      rewriter.eraseOp(op);
    return success();
  }
};

void StoreOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<StoreOfKnownMask>(context);
}

} // namespace triton::tensor
