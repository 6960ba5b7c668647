// Carries one replacement of types through everything that merely passes values on: functions, calls, `scf`, selects
// and poison.
#include "compiler/tensor/passes/Window.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"

using namespace mlir;

namespace triton::tensor {

namespace {

SmallVector<Value> flatten(ArrayRef<ValueRange> ranges) {
  SmallVector<Value> values;
  for (ValueRange range : ranges)
    llvm::append_range(values, range);
  return values;
}

/// The function with new argument types. An argument that becomes several hands its attributes to none of them: they
/// spoke of the whole.
struct ConvertFunction : OpConversionPattern<FuncOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(FuncOp op, OneToNOpAdaptor, ConversionPatternRewriter &rewriter) const override {
    TypeConverter::SignatureConversion signature(op.getNumArguments());
    SmallVector<Type> results;
    SmallVector<Attribute> attributes;
    for (auto [index, type] : llvm::enumerate(op.getArgumentTypes())) {
      size_t before = signature.getConvertedTypes().size();
      if (failed(getTypeConverter()->convertSignatureArg(index, type, signature)))
        return failure();
      size_t count = signature.getConvertedTypes().size() - before;
      DictionaryAttr own = count == 1 ? op.getArgAttrDict(index) : DictionaryAttr();
      attributes.append(count, own ? own : rewriter.getDictionaryAttr({}));
    }
    if (failed(getTypeConverter()->convertTypes(op.getResultTypes(), results)))
      return failure();
    if (!op.isExternal() && !rewriter.applySignatureConversion(&op.getBody().front(), signature, getTypeConverter()))
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      op.removeArgAttrsAttr();
      op.setFunctionTypeAttr(TypeAttr::get(rewriter.getFunctionType(signature.getConvertedTypes(), results)));
      op.setArgAttrsAttr(rewriter.getArrayAttr(attributes));
    });
    return success();
  }
};

struct ConvertCall : OpConversionPattern<CallOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(CallOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    SmallVector<size_t> counts;
    for (Type type : op.getResultTypes()) {
      size_t before = types.size();
      if (failed(getTypeConverter()->convertType(type, types)))
        return failure();
      counts.push_back(types.size() - before);
    }
    auto call = CallOp::create(rewriter, op.getLoc(), types, op.getCallee(), flatten(adaptor.getOperands()),
                               /*arg_attrs=*/ArrayAttr(), /*res_attrs=*/ArrayAttr());
    SmallVector<ValueRange> results;
    ValueRange all = call.getResults();
    for (size_t count : counts) {
      results.push_back(all.take_front(count));
      all = all.drop_front(count);
    }
    rewriter.replaceOpWithMultiple(op, results);
    return success();
  }
};

struct ConvertReturn : OpConversionPattern<ReturnOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(ReturnOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<ReturnOp>(op, flatten(adaptor.getOperands()));
    return success();
  }
};

struct ConvertSelect : OpConversionPattern<arith::SelectOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(arith::SelectOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> values;
    for (auto [first, second] : llvm::zip_equal(adaptor.getTrueValue(), adaptor.getFalseValue()))
      values.push_back(arith::SelectOp::create(rewriter, op.getLoc(), op.getCondition(), first, second));
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

struct ConvertPoison : OpConversionPattern<ub::PoisonOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(ub::PoisonOp op, OneToNOpAdaptor, ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertType(op.getType(), types)))
      return failure();
    SmallVector<Value> values;
    for (Type type : types)
      values.push_back(ub::PoisonOp::create(rewriter, op.getLoc(), type, op.getValue()));
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

/// Whether no value of `op` has a type to be replaced.
bool isLegal(Operation *op, TypeConverter &converter) {
  if (auto function = dyn_cast<FuncOp>(op))
    return converter.isSignatureLegal(function.getFunctionType()) && converter.isLegal(&function.getBody());
  return converter.isLegal(op) &&
         llvm::all_of(op->getRegions(), [&](Region &region) { return converter.isLegal(&region); });
}

} // namespace

LogicalResult convertTypes(Operation *root, TypeConverter &converter, RewritePatternSet &&patterns) {
  bool isNeeded = root->walk([&](Operation *op) {
                        return isLegal(op, converter) ? WalkResult::advance() : WalkResult::interrupt();
                      })
                      .wasInterrupted();
  if (!isNeeded)
    return success();
  MLIRContext *context = root->getContext();
  ConversionTarget target(*context);
  scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns, target);
  patterns.add<ConvertFunction, ConvertCall, ConvertReturn, ConvertSelect, ConvertPoison>(converter, context);
  target.markUnknownOpDynamicallyLegal([&](Operation *op) { return isLegal(op, converter); });
  return applyPartialConversion(root, target, std::move(patterns));
}

} // namespace triton::tensor
