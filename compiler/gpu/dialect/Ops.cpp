// The ops of `ttg`: how they are built, checked and simplified.
#include "compiler/gpu/dialect/OperandChecks.h"
#include "compiler/gpu/dialect/Views.h"
#include "compiler/tensor/rules/Rules.h"

using namespace mlir;

static ParseResult parseOffsets(OpAsmParser &parser, DenseI32ArrayAttr &offsets) {
  SmallVector<int32_t> list;
  if (parser.parseCommaSeparatedList([&] { return parser.parseInteger(list.emplace_back()); }))
    return failure();
  offsets = parser.getBuilder().getDenseI32ArrayAttr(list);
  return success();
}

static void printOffsets(OpAsmPrinter &printer, Operation *, DenseI32ArrayAttr offsets) {
  llvm::interleaveComma(offsets.asArrayRef(), printer);
}

#define GET_OP_CLASSES
#include "compiler/gpu/dialect/GpuOps.cpp.inc"

namespace triton::gpu {

LogicalResult ConvertLayoutOp::verify() {
  if (!hasLayout(getSrc().getType()) || !hasLayout(getType()))
    return emitOpError() << "converts between layouts, got " << getSrc().getType() << " and " << getType();
  return success();
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSrc()))
    return splat.resizeSplat(cast<ShapedType>(getType()));
  return dyn_cast_or_null<ub::PoisonAttr>(adaptor.getSrc());
}

/// A conversion of what costs nothing to make in the layout wanted: of a conversion, a splat, a range.
struct ConvertOfCheapValue : OpRewritePattern<ConvertLayoutOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvertLayoutOp op, PatternRewriter &rewriter) const override {
    if (auto inner = op.getSrc().getDefiningOp<ConvertLayoutOp>())
      rewriter.replaceOpWithNewOp<ConvertLayoutOp>(op, op.getType(), inner.getSrc());
    else if (auto splat = op.getSrc().getDefiningOp<tensor::SplatOp>())
      rewriter.replaceOpWithNewOp<tensor::SplatOp>(op, op.getType(), splat.getSrc());
    else if (auto range = op.getSrc().getDefiningOp<tensor::MakeRangeOp>())
      rewriter.replaceOpWithNewOp<tensor::MakeRangeOp>(op, op.getType(), range.getStart(), range.getEnd());
    else
      return failure();
    return success();
  }
};

void ConvertLayoutOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ConvertOfCheapValue>(context);
}

FailureOr<RankedTensorType> inferFp4ToFp(RankedTensorType bytes, Type element, int64_t axis,
                                         llvm::function_ref<InFlightDiagnostic()> error) {
  const int64_t rank = bytes.getRank();
  if (!bytes.getElementType().isInteger(8))
    return error() << "fp4_to_fp takes two numbers in each byte, got " << bytes;
  if (!element.isF16() && !element.isBF16())
    return error() << "fp4_to_fp gives f16 or bf16, not " << element;
  if (axis < 0 || axis >= rank)
    return error() << "fp4_to_fp along axis " << axis << ", which is none of " << bytes;
  RankedTensorType numbers = bytes.clone(element);
  SmallVector<int32_t> order = besideAxis(rank, axis);
  SmallVector<int64_t> shape(bytes.getShape());
  shape[axis] *= 2;
  FailureOr<RankedTensorType> pairs = tensor::inferJoin(numbers, numbers, error);
  FailureOr<RankedTensorType> beside = failed(pairs) ? pairs : tensor::inferTrans(*pairs, order, error);
  return failed(beside) ? beside : tensor::inferReshape(*beside, shape, error);
}

SmallVector<int32_t> besideAxis(int64_t rank, int64_t axis) {
  SmallVector<int32_t> order;
  for (int64_t dim = 0; dim < rank; ++dim) {
    order.push_back(dim);
    if (dim == axis)
      order.push_back(rank);
  }
  return order;
}

LogicalResult Fp4ToFpOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  FailureOr<RankedTensorType> wanted = inferFp4ToFp(cast<RankedTensorType>(getSrc().getType()), type.getElementType(),
                                                    getAxis(), [&] { return emitOpError(); });
  if (failed(wanted))
    return failure();
  if (wanted->getShape() != type.getShape())
    return emitOpError() << "doubles axis " << getAxis() << " of " << getSrc().getType() << ", got " << type;
  return success();
}

void LocalAllocOp::build(OpBuilder &builder, OperationState &state, Type type, Value src) {
  build(builder, state, type, src, IntegerAttr());
}

int64_t LocalAllocOp::getAlignmentOrDefault() {
  int64_t needed = cast<SharedAttr>(getType().getEncoding()).getAlignment();
  return std::max<int64_t>(needed, getAlignment().value_or(1));
}

void LocalAllocOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(), getOperation()->getOpResult(0), SharedMemory::get());
  if (getSrc())
    effects.emplace_back(MemoryEffects::Write::get(), getOperation()->getOpResult(0), SharedMemory::get());
}

LogicalResult LocalAllocOp::verify() {
  if (failed(checkIsShared(*this, getType())))
    return failure();
  if (getType().getAllocShape() != getType().getShape())
    return emitOpError() << "allocates a whole buffer, not the part " << getType();
  if (auto alignment = getAlignment(); alignment && (*alignment <= 0 || !llvm::isPowerOf2_32(*alignment)))
    return emitOpError() << "needs an alignment that is a power of two, got " << *alignment;
  if (getSrc())
    return checkMove(*this, cast<RankedTensorType>(getSrc().getType()), getType());
  if (!getType().getMutableMemory())
    return emitOpError() << "without a value gives a mutable buffer, not " << getType();
  return success();
}

LogicalResult LocalLoadOp::verify() {
  if (failed(checkIsShared(*this, getSrc().getType())))
    return failure();
  return checkMove(*this, getType(), getSrc().getType());
}

LogicalResult LocalStoreOp::verify() {
  if (failed(checkIsShared(*this, getDst().getType())) || failed(checkIsMutable(*this, getDst().getType())))
    return failure();
  return checkMove(*this, getSrc().getType(), getDst().getType());
}

/// Checks that the op gives the view that the rule says, however its layout is written.
static LogicalResult expectView(Operation *op, FailureOr<MemDescType> inferred) {
  if (failed(inferred))
    return failure();
  auto given = cast<MemDescType>(op->getResult(0).getType());
  if (!isSameView(*inferred, given))
    return op->emitOpError() << "gives " << *inferred << ", not " << given;
  return success();
}

/// The type that the rule says, for a builder.
static MemDescType require(FailureOr<MemDescType> inferred) {
  assert(succeeded(inferred) && "the caller asked the rule first");
  return *inferred;
}

void MemDescIndexOp::build(OpBuilder &builder, OperationState &state, Value src, Value index) {
  auto error = [&] { return mlir::emitError(state.location); };
  build(builder, state, require(inferIndex(cast<MemDescType>(src.getType()), error)), src, index);
}

LogicalResult MemDescIndexOp::verify() {
  return expectView(*this, inferIndex(getSrc().getType(), [&] { return emitOpError(); }));
}

void MemDescSubsliceOp::build(OpBuilder &builder, OperationState &state, Value src, ArrayRef<int32_t> offsets,
                              ArrayRef<int64_t> shape) {
  auto error = [&] { return mlir::emitError(state.location); };
  build(builder, state, require(inferSubslice(cast<MemDescType>(src.getType()), offsets, shape, error)), src, offsets);
}

LogicalResult MemDescSubsliceOp::verify() {
  return expectView(
      *this, inferSubslice(getSrc().getType(), getOffsets(), getType().getShape(), [&] { return emitOpError(); }));
}

void MemDescTransOp::build(OpBuilder &builder, OperationState &state, Value src, ArrayRef<int32_t> order) {
  auto error = [&] { return mlir::emitError(state.location); };
  build(builder, state, require(inferTrans(cast<MemDescType>(src.getType()), order, error)), src, order);
}

LogicalResult MemDescTransOp::verify() {
  return expectView(*this, inferTrans(getSrc().getType(), getOrder(), [&] { return emitOpError(); }));
}

void MemDescReshapeOp::build(OpBuilder &builder, OperationState &state, Value src, ArrayRef<int64_t> shape) {
  auto error = [&] { return mlir::emitError(state.location); };
  build(builder, state, require(inferReshape(cast<MemDescType>(src.getType()), shape, error)), src);
}

LogicalResult MemDescReshapeOp::verify() {
  return expectView(*this, inferReshape(getSrc().getType(), getType().getShape(), [&] { return emitOpError(); }));
}

LogicalResult MemDescReinterpretOp::verify() {
  MemDescType from = getSrc().getType(), to = getType();
  if (from.getMemorySpace() != to.getMemorySpace())
    return emitOpError() << "stays in one memory, got " << from << " and " << to;
  if (to.getAllocShape() != to.getShape())
    return emitOpError() << "gives a whole buffer, not the part " << to;
  return success();
}

LogicalResult AsyncCopyGlobalToLocalOp::verify() {
  auto accessed = cast<RankedTensorType>(tensor::getAccessedType(getSrc().getType()));
  if (failed(checkIsShared(*this, getResult().getType())) || failed(checkIsMutable(*this, getResult().getType())))
    return failure();
  return checkMove(*this, accessed, getResult().getType());
}

LogicalResult AsyncWaitOp::verify() {
  if (int32_t(getNum()) < 0)
    return emitOpError() << "leaves a number of groups pending, got " << int32_t(getNum());
  return success();
}

} // namespace triton::gpu
