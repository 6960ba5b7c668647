// How pointer arithmetic, casts and the arithmetic of `tt` simplify.
#include "compiler/tensor/Tensor.h"
#include "mlir/Dialect/CommonFolders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace triton::tensor {

OpFoldResult AddPtrOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(adaptor.getOffset(), m_Zero()))
    return getPtr();
  return {};
}

/// The one number `value` holds everywhere, if it is a constant.
static std::optional<llvm::APInt> getUniformConstant(Value value) {
  llvm::APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number;
  return std::nullopt;
}

/// addptr(addptr(p, a), b) to addptr(p, a + b), for constants whose sum does not overflow: offsets are extended to the
/// width of a pointer before they are added, so other sums in a narrow type could wrap where the two steps do not.
struct AddPtrOfAddPtr : OpRewritePattern<AddPtrOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddPtrOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getPtr().getDefiningOp<AddPtrOp>();
    if (!inner || inner.getOffset().getType() != op.getOffset().getType())
      return failure();
    auto first = getUniformConstant(inner.getOffset()), second = getUniformConstant(op.getOffset());
    if (!first || !second)
      return failure();
    bool overflows = false;
    llvm::APInt sum = first->sadd_ov(*second, overflows);
    if (overflows)
      return failure();
    Type type = op.getOffset().getType();
    TypedAttr attribute = rewriter.getIntegerAttr(getElementTypeOrSelf(type), sum);
    if (auto tensor = dyn_cast<ShapedType>(type))
      attribute = SplatElementsAttr::get(tensor, attribute);
    Value offset = arith::ConstantOp::create(rewriter, op.getLoc(), attribute);
    rewriter.replaceOpWithNewOp<AddPtrOp>(op, op.getType(), inner.getPtr(), offset);
    return success();
  }
};

void AddPtrOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<AddPtrOfAddPtr>(context);
}

OpFoldResult IntToPtrOp::fold(FoldAdaptor) {
  auto inner = getSrc().getDefiningOp<PtrToIntOp>();
  return inner && inner.getSrc().getType() == getType() ? inner.getSrc() : Value();
}

OpFoldResult PtrToIntOp::fold(FoldAdaptor) {
  auto inner = getSrc().getDefiningOp<IntToPtrOp>();
  return inner ? inner.getSrc() : Value();
}

/// `element`, whose bits are `bits`.
static Attribute fromBits(Type element, const llvm::APInt &bits) {
  if (auto type = dyn_cast<FloatType>(element))
    return FloatAttr::get(type, llvm::APFloat(type.getFloatSemantics(), bits));
  return IntegerAttr::get(element, bits);
}

/// Whether the compiler knows the values of this type: `f8E4M3B11FNUZ` only lends its name to fp8e4b15.
static bool hasKnownValues(Type type) { return !isa<Float8E4M3B11FNUZType>(getElementTypeOrSelf(type)); }

OpFoldResult BitcastOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  if (auto inner = getSrc().getDefiningOp<BitcastOp>()) {
    getSrcMutable().assign(inner.getSrc());
    return getResult();
  }
  Attribute constant = adaptor.getSrc();
  auto splat = dyn_cast_or_null<SplatElementsAttr>(constant);
  Attribute scalar = splat ? splat.getSplatValue<Attribute>() : constant;
  Type element = getElementTypeOrSelf(getType());
  if (!isa_and_nonnull<IntegerAttr, FloatAttr>(scalar) || !element.isIntOrFloat() || !hasKnownValues(getType()) ||
      !hasKnownValues(getSrc().getType()))
    return {};
  llvm::APInt bits = isa<FloatAttr>(scalar) ? cast<FloatAttr>(scalar).getValue().bitcastToAPInt()
                                            : cast<IntegerAttr>(scalar).getValue();
  Attribute result = fromBits(element, bits);
  return splat ? Attribute(SplatElementsAttr::get(cast<ShapedType>(getType()), result)) : result;
}

OpFoldResult FpToFpOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  // Narrowing to 8 bits saturates, which conversion of constants here does not.
  auto target = cast<FloatType>(getElementTypeOrSelf(getType()));
  if (target.getWidth() == 8 || !hasKnownValues(getSrc().getType()))
    return {};
  auto mode =
      getRounding() == RoundingMode::TowardZero ? llvm::APFloat::rmTowardZero : llvm::APFloat::rmNearestTiesToEven;
  return constFoldCastOp<FloatAttr, FloatAttr, llvm::APFloat, llvm::APFloat, ub::PoisonAttr>(
      adaptor.getOperands(), getType(), [&](const llvm::APFloat &value, bool &) {
        llvm::APFloat result = value;
        bool losesInfo = false;
        result.convert(target.getFloatSemantics(), mode, &losesInfo);
        return result;
      });
}

OpFoldResult MulhiUIOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(adaptor.getY(), m_Zero()))
    return getY();
  return constFoldBinaryOp<IntegerAttr>(
      adaptor.getOperands(), [](const llvm::APInt &x, const llvm::APInt &y) { return llvm::APIntOps::mulhu(x, y); });
}

OpFoldResult AdvanceOp::fold(FoldAdaptor adaptor) {
  if (llvm::all_of(adaptor.getOffsets(), [](Attribute offset) { return matchPattern(offset, m_Zero()); }))
    return getPtr();
  return {};
}

} // namespace triton::tensor
