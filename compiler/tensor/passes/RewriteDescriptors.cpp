// Spells tensor descriptors out as pointers and masks.
//
//   %d = tt.make_tensor_descriptor %base, [%n], [%one] : <f32>, <tensor<64xf32>>
//   %x = tt.descriptor_load %d[%offset] : !tt.tensordesc<tensor<64xf32>> -> tensor<64xf32>
// becomes, with r the range from 0 to 63,
//   %q = %base + %offset * %one + r * %one
//   %m = r < %n - %offset and r >= -%offset
//   %x = tt.load %q, %m, %zeros : tensor<64x!tt.ptr<f32>>
//
// A descriptor that is carried or passed on becomes its parts: base, shape (i64 each), strides (i64 each), an i1 that
// says whether loads pad with NaN, and one whether loads of f32 round to TF32. So does a descriptor argument of a kernel. Descriptors that were chosen for
// hardware that knows them, whose blocks have a layout, are left alone.
#include "compiler/tensor/MemoryAccess.h"
#include "compiler/tensor/Tf32.h"
#include "compiler/tensor/passes/Passes.h"
#include "compiler/tensor/passes/Window.h"

using namespace mlir;

namespace triton::tensor {

#define GEN_PASS_DEF_REWRITEDESCRIPTORS
#include "compiler/tensor/passes/Passes.h.inc"

namespace {

/// A block of f32 rounded as `roundToTf32` does.
Value toTf32(OpBuilder &builder, Location location, Value block) {
  constexpr int64_t dropped = tf32DroppedBits;
  auto type = cast<RankedTensorType>(block.getType());
  Type bitsType = type.clone(builder.getI32Type());
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        builder, location, SplatElementsAttr::get(cast<ShapedType>(bitsType), builder.getI32IntegerAttr(value)));
  };
  Value bits = arith::BitcastOp::create(builder, location, bitsType, block);
  Value last = arith::AndIOp::create(builder, location,
                                     arith::ShRUIOp::create(builder, location, bits, number(dropped)), number(1));
  Value half = arith::AddIOp::create(builder, location, last, number((int64_t(1) << (dropped - 1)) - 1));
  Value kept = arith::AndIOp::create(builder, location, arith::AddIOp::create(builder, location, bits, half),
                                     number(-(int64_t(1) << dropped)));
  Value isNan = arith::CmpFOp::create(builder, location, arith::CmpFPredicate::UNO, block, block);
  return arith::SelectOp::create(builder, location, isNan, block,
                                 arith::BitcastOp::create(builder, location, type, kept));
}

struct Descriptor {
  Value base;
  ValueRange shape, strides;
  Value padsWithNan, roundsToTf32;
  RankedTensorType block;

  Descriptor(TensorDescType type, ValueRange parts) : base(parts[0]), block(type.getSignlessBlockType()) {
    int64_t rank = block.getRank();
    shape = parts.slice(1, rank);
    strides = parts.slice(1 + rank, rank);
    padsWithNan = parts[1 + 2 * rank];
    roundsToTf32 = parts.back();
    assert(int64_t(parts.size()) == countParts(rank) && "one value for each part");
  }

  /// How many values stand for a descriptor of `rank` dimensions.
  static int64_t countParts(int64_t rank) { return 3 + 2 * rank; }

  SmallVector<int32_t> dims() const { return llvm::to_vector(llvm::seq<int32_t>(0, block.getRank())); }

  /// What elements outside of the tensor read as, in the shape of `type`.
  Value padding(OpBuilder &builder, Location location, RankedTensorType type) const {
    Value value = arith::ConstantOp::create(builder, location, builder.getZeroAttr(type.getElementType()));
    if (auto element = dyn_cast<FloatType>(type.getElementType())) {
      auto nan = builder.getFloatAttr(element, llvm::APFloat::getNaN(element.getFloatSemantics()));
      value = arith::SelectOp::create(builder, location, padsWithNan, arith::ConstantOp::create(builder, location, nan),
                                      value);
    }
    return SplatOp::create(builder, location, value, type.getShape());
  }

  /// `loaded` as the descriptor's loads give it.
  Value rounded(OpBuilder &builder, Location location, Value loaded) const {
    if (!block.getElementType().isF32() || matchPattern(roundsToTf32, m_Zero()))
      return loaded;
    return arith::SelectOp::create(builder, location, roundsToTf32, toTf32(builder, location, loaded), loaded);
  }
};

/// Whether a descriptor is left to hardware that knows descriptors: its blocks have a layout in shared memory.
bool isLeftAlone(TensorDescType type) { return bool(type.getBlockType().getEncoding()); }

std::optional<LogicalResult> getParts(TensorDescType type, SmallVectorImpl<Type> &parts) {
  if (isLeftAlone(type))
    return std::nullopt;
  RankedTensorType block = type.getSignlessBlockType();
  parts.push_back(PointerType::get(block.getElementType()));
  parts.append(2 * block.getRank(), IntegerType::get(type.getContext(), 64));
  parts.append(2, IntegerType::get(type.getContext(), 1));
  return success();
}

struct RewriteMake : OpConversionPattern<MakeTensorDescOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(MakeTensorDescOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> parts{op.getBase()};
    for (Value size : op.getShape())
      parts.push_back(toI64(rewriter, op.getLoc(), size));
    llvm::append_range(parts, op.getStrides());
    bool isNan = op.getPadding() == PaddingOption::Nan;
    for (bool flag : {isNan, op->hasAttr(roundsToTf32Name)})
      parts.push_back(arith::ConstantOp::create(rewriter, op.getLoc(), rewriter.getBoolAttr(flag)));
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

/// The access to one block: where its elements are, and which of them exist.
struct BlockAccess {
  Value pointers, mask;
  BlockAccess(OpBuilder &builder, Location location, const Descriptor &descriptor, ValueRange indices) {
    SmallVector<Value> offsets;
    for (Value index : indices)
      offsets.push_back(toI64(builder, location, index));
    Window window{descriptor.base, descriptor.shape, descriptor.strides, offsets, descriptor.block};
    pointers = window.pointers(builder, location);
    mask = window.mask(builder, location, descriptor.dims());
  }
};

struct RewriteLoad : OpConversionPattern<DescriptorLoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorLoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Descriptor descriptor(op.getDesc().getType(), adaptor.getDesc());
    BlockAccess access(rewriter, op.getLoc(), descriptor, op.getIndices());
    Value padding = descriptor.padding(rewriter, op.getLoc(), descriptor.block);
    Value loaded = LoadOp::create(rewriter, op.getLoc(), access.pointers, access.mask, padding, op.getCache(),
                                  op.getEvict(), false);
    rewriter.replaceOp(op, descriptor.rounded(rewriter, op.getLoc(), loaded));
    return success();
  }
};

struct RewriteStore : OpConversionPattern<DescriptorStoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorStoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Descriptor descriptor(op.getDesc().getType(), adaptor.getDesc());
    BlockAccess access(rewriter, op.getLoc(), descriptor, op.getIndices());
    rewriter.replaceOpWithNewOp<StoreOp>(op, access.pointers, op.getSrc(), access.mask);
    return success();
  }
};

struct RewriteReduce : OpConversionPattern<DescriptorReduceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorReduceOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    TensorDescType type = op.getDesc().getType();
    std::optional<RMWOp> update = updateOf(op.getKind(), type.getBlockType().getElementType());
    Descriptor descriptor(type, adaptor.getDesc());
    Type element = descriptor.block.getElementType();
    if (!update || ((element.isF16() || element.isBF16()) && *update != RMWOp::FAdd))
      return op.emitOpError() << "atomic_" << stringifyDescriptorReduceKind(op.getKind()) << " of " << element
                              << " is not supported on this target";
    BlockAccess access(rewriter, op.getLoc(), descriptor, op.getIndices());
    AtomicRMWOp::create(rewriter, op.getLoc(), op.getSrc().getType(), *update, access.pointers, op.getSrc(),
                        access.mask, MemSemantic::Relaxed, MemSyncScope::GPU);
    rewriter.eraseOp(op);
    return success();
  }
};

/// The access to one row for each of some row numbers.
struct RowAccess {
  Value pointers, mask;
  RankedTensorType type;
  RowAccess(OpBuilder &builder, Location location, const Descriptor &descriptor, Value rows, Value column) {
    int64_t count = cast<RankedTensorType>(rows.getType()).getDimSize(0), width = descriptor.block.getDimSize(1);
    type = RankedTensorType::get({count, width}, descriptor.block.getElementType());
    // Each row's first element, then along the row as through a window of one row.
    Value row = toI64(builder, location, rows);
    Value stride = SplatOp::create(builder, location, descriptor.strides[0], {count});
    Value start = arith::MulIOp::create(builder, location, row, stride);
    auto line = RankedTensorType::get({width}, type.getElementType());
    SmallVector<Value> offset{toI64(builder, location, column)};
    Window window{descriptor.base, descriptor.shape.take_back(), descriptor.strides.take_back(), offset, line};
    Value along = spread(builder, location, window.pointers(builder, location), 1, type.getShape());
    pointers = AddPtrOp::create(builder, location, along.getType(), along,
                                spread(builder, location, start, 0, type.getShape()));
    Value zero = arith::ConstantOp::create(builder, location, builder.getZeroAttr(row.getType()));
    Value size = SplatOp::create(builder, location, descriptor.shape[0], {count});
    Value exists = arith::AndIOp::create(
        builder, location, arith::CmpIOp::create(builder, location, arith::CmpIPredicate::sge, row, zero),
        arith::CmpIOp::create(builder, location, arith::CmpIPredicate::slt, row, size));
    mask = arith::AndIOp::create(builder, location, spread(builder, location, exists, 0, type.getShape()),
                                 spread(builder, location, window.mask(builder, location, {0}), 1, type.getShape()));
  }
};

struct RewriteGather : OpConversionPattern<DescriptorGatherOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorGatherOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Descriptor descriptor(op.getDesc().getType(), adaptor.getDesc());
    RowAccess access(rewriter, op.getLoc(), descriptor, op.getXOffsets(), op.getYOffset());
    Value loaded = LoadOp::create(rewriter, op.getLoc(), access.pointers, access.mask,
                                  descriptor.padding(rewriter, op.getLoc(), access.type));
    rewriter.replaceOp(op, descriptor.rounded(rewriter, op.getLoc(), loaded));
    return success();
  }
};

struct RewriteScatter : OpConversionPattern<DescriptorScatterOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorScatterOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Descriptor descriptor(op.getDesc().getType(), adaptor.getDesc());
    RowAccess access(rewriter, op.getLoc(), descriptor, op.getXOffsets(), op.getYOffset());
    rewriter.replaceOpWithNewOp<StoreOp>(op, access.pointers, op.getSrc(), access.mask);
    return success();
  }
};

/// A descriptor argument of a kernel, by the place of its first part. Whoever launches has checked it: the base and all strides but the last
/// are multiples of 16 bytes, and elements of a row lie side by side.
struct KernelDescriptor {
  FuncOp function;
  unsigned first;
  RankedTensorType block;

  static std::vector<KernelDescriptor> findAll(ModuleOp module) {
    std::vector<KernelDescriptor> found;
    module.walk([&](FuncOp function) {
      unsigned next = 0;
      for (Type type : function.getArgumentTypes()) {
        auto descriptor = dyn_cast<TensorDescType>(type);
        if (descriptor && isLeftAlone(descriptor))
          descriptor = {};
        if (descriptor && function.isPublic() && !function.isExternal())
          found.push_back({function, next, descriptor.getSignlessBlockType()});
        next += descriptor ? Descriptor::countParts(descriptor.getBlockType().getRank()) : 1;
      }
    });
    return found;
  }

  void notePromises() {
    OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
    auto isMultipleOf = [&](unsigned argument, int64_t number) {
      if (number > 1)
        function.setArgAttr(argument, divisibilityName, builder.getI32IntegerAttr(number));
    };
    isMultipleOf(first, 16);
    unsigned stride = first + 1 + block.getRank();
    for (int64_t dim = 0; dim + 1 < block.getRank(); ++dim)
      isMultipleOf(stride++, 16 / std::max<int64_t>(1, block.getElementTypeBitWidth() / 8));
    Value one = arith::ConstantOp::create(builder, function.getLoc(), builder.getI64IntegerAttr(1));
    function.getArgument(stride).replaceAllUsesWith(one);
  }
};

struct RewriteDescriptors : impl::RewriteDescriptorsBase<RewriteDescriptors> {
  std::function<void(ModuleOp)> choose;

  void run() override {
    if (choose)
      choose(getOperation());
    std::vector<KernelDescriptor> arguments = KernelDescriptor::findAll(getOperation());
    TypeConverter converter;
    converter.addConversion([](Type type) { return type; });
    converter.addConversion(getParts);
    RewritePatternSet patterns(&getContext());
    patterns.add<RewriteMake, RewriteLoad, RewriteStore, RewriteReduce, RewriteGather, RewriteScatter>(converter,
                                                                                                       &getContext());
    if (failed(convertTypes(getOperation(), converter, std::move(patterns))))
      return signalPassFailure();
    for (KernelDescriptor &argument : arguments)
      argument.notePromises();
    dropLowerBounds(getOperation());
  }
};

} // namespace

std::unique_ptr<Pass> createRewriteDescriptorsExcept(std::function<void(ModuleOp)> choose) {
  auto pass = std::make_unique<RewriteDescriptors>();
  pass->choose = std::move(choose);
  return pass;
}

} // namespace triton::tensor
