// Spells block pointers out as pointers and masks.
//
//   %p = tt.make_tensor_ptr %base, [%rows], [%stride], [%offset] {order = array<i32: 0>} : <tensor<64xf32>>
//   %x = tt.load %p {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<64xf32>>
// becomes, with r the range from 0 to 63,
//   %q = %base + %offset * %stride + r * %stride
//   %m = r < %rows - %offset and r >= -%offset
//   %x = tt.load %q, %m, %zeros : tensor<64x!tt.ptr<f32>>
//
// A block pointer that is carried, selected or passed on becomes its parts: base, shape, strides and offsets. After
// inlining, so that few are; before pointer arithmetic is simplified, since it makes some. No target keeps block
// pointers.
#include "compiler/tensor/passes/Passes.h"
#include "compiler/tensor/passes/Window.h"

using namespace mlir;

namespace triton::tensor {

#define GEN_PASS_DEF_REWRITETENSORPOINTERS
#include "compiler/tensor/passes/Passes.h.inc"

namespace {

/// The parts of a block pointer, in the order its values are kept in.
Window getWindow(Type type, ValueRange parts) {
  auto block = cast<RankedTensorType>(cast<PointerType>(type).getPointeeType());
  int64_t rank = block.getRank();
  return {parts[0], parts.slice(1, rank), parts.slice(1 + rank, rank), parts.slice(1 + 2 * rank, rank), block};
}

std::optional<LogicalResult> getParts(PointerType type, SmallVectorImpl<Type> &parts) {
  auto block = dyn_cast<RankedTensorType>(type.getPointeeType());
  if (!block)
    return std::nullopt;
  parts.push_back(getBasePointerType(type));
  parts.append(3 * block.getRank(), IntegerType::get(type.getContext(), 64));
  return success();
}

struct RewriteMake : OpConversionPattern<MakeTensorPtrOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(MakeTensorPtrOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> parts{op.getBase()};
    llvm::append_range(parts, op.getShape());
    llvm::append_range(parts, op.getStrides());
    for (Value offset : op.getOffsets())
      parts.push_back(toI64(rewriter, op.getLoc(), offset));
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

struct RewriteAdvance : OpConversionPattern<AdvanceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(AdvanceOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> parts(adaptor.getPtr());
    auto offsets = MutableArrayRef<Value>(parts).take_back(op.getOffsets().size());
    for (auto [offset, step] : llvm::zip_equal(offsets, op.getOffsets()))
      offset = arith::AddIOp::create(rewriter, op.getLoc(), offset, toI64(rewriter, op.getLoc(), step));
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

/// What elements outside of the tensor read as; null when nobody said.
Value getPadding(OpBuilder &builder, LoadOp op, RankedTensorType block) {
  if (!op.getPadding())
    return {};
  TypedAttr value = builder.getZeroAttr(block.getElementType());
  if (op.getPadding() == PaddingOption::Nan) {
    auto type = cast<FloatType>(block.getElementType());
    value = builder.getFloatAttr(type, llvm::APFloat::getNaN(type.getFloatSemantics()));
  }
  return arith::ConstantOp::create(builder, op.getLoc(), SplatElementsAttr::get(block, value));
}

struct RewriteLoad : OpConversionPattern<LoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(LoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Window window = getWindow(op.getPtr().getType(), adaptor.getPtr());
    Value pointers = window.pointers(rewriter, op.getLoc());
    Value mask = window.mask(rewriter, op.getLoc(), op.getBoundaryCheck());
    Value other = mask ? getPadding(rewriter, op, window.block) : Value();
    rewriter.replaceOpWithNewOp<LoadOp>(op, pointers, mask, other, op.getCache(), op.getEvict(), op.getIsVolatile());
    return success();
  }
};

struct RewriteStore : OpConversionPattern<StoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(StoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Window window = getWindow(op.getPtr().getType(), adaptor.getPtr());
    Value pointers = window.pointers(rewriter, op.getLoc());
    Value mask = window.mask(rewriter, op.getLoc(), op.getBoundaryCheck());
    rewriter.replaceOpWithNewOp<StoreOp>(op, pointers, op.getValue(), mask, op.getCache(), op.getEvict());
    return success();
  }
};

struct RewriteTensorPointers : impl::RewriteTensorPointersBase<RewriteTensorPointers> {
  void run() override {
    TypeConverter converter;
    converter.addConversion([](Type type) { return type; });
    converter.addConversion(getParts);
    RewritePatternSet patterns(&getContext());
    patterns.add<RewriteMake, RewriteAdvance, RewriteLoad, RewriteStore>(converter, &getContext());
    if (failed(convertTypes(getOperation(), converter, std::move(patterns))))
      return signalPassFailure();
    dropLowerBounds(getOperation());
  }
};

} // namespace

} // namespace triton::tensor
