// Puts operands of warpgroup products into shared memory, where wgmma reads them.
//
//   %d = tt.dot %a, %b, %c : tensor<128x64xf16, #blocked> * tensor<64x128xf16, #blocked> -> tensor<128x128xf32, #mma>
// becomes, when #mma is of version 3,
//   %x = ttg.local_alloc %a : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
//   %y = ttg.local_alloc %b : …
//   ttng.fence_async_shared
//   %d = ttng.warp_group_dot %x, %y, %c
//
// A buffer is filled where its source is computed: what a loop does not change is stored once, before it. It keeps the order in which the
// source's threads hold elements, so that stores and copies are wide; only 16-bit elements may lie along M or N, others are put along K. A
// transposition of the source becomes a view of the buffer. Operand A stays in registers where it already is laid out for them.
//
// Runs after layouts are assigned and before loops are pipelined, which recognises loads that only fill buffers. Leaves mma.sync alone.
#include "compiler/gpu/passes/Passes.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_LOWERDOTS
#include "compiler/gpu/passes/Passes.h.inc"

namespace {

/// The dimension along which a thread holds neighbouring elements; of the lanes if it holds one element.
unsigned fastestDim(RankedTensorType type) {
  const layout::LinearLayout &map = toLinear(type);
  for (StringRef input : {"register", "lane", "warp"})
    for (unsigned bit = 0; (int64_t(1) << bit) < map.inputSize(input); ++bit)
      for (auto [dim, component] : llvm::enumerate(map.basis(input, bit)))
        if (component == 1)
          return dim;
  return type.getRank() - 1;
}

struct Lowering {
  tensor::DotOp dot;
  OpBuilder builder{dot};
  Location loc = dot.getLoc();

  /// The buffer of `tensor`, in which `k` is the dimension along K.
  Value buffer(Value tensor, unsigned k) {
    auto type = cast<RankedTensorType>(tensor.getType());
    bool isTransposed = type.getElementTypeBitWidth() == 16 ? fastestDim(type) == 0 : k == 0;
    // The copy engine writes rows.
    if (tensor.getDefiningOp<tensor::DescriptorLoadOp>() && type.getElementTypeBitWidth() == 16)
      isTransposed = false;
    auto layout = NvmmaSharedAttr::getDefault(type.getShape(), type.getElementType(), isTransposed);
    auto bufferType =
        MemDescType::get(type.getShape(), type.getElementType(), layout, SharedMemoryAttr::get(dot.getContext()));
    for (Operation *user : tensor.getUsers())
      if (auto known = dyn_cast<LocalAllocOp>(user))
        if (known.getType() == bufferType)
          return known;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(tensor);
    Value filled = LocalAllocOp::create(builder, loc, bufferType, tensor);
    FenceAsyncSharedOp::create(builder, loc, builder.getBoolAttr(false));
    return filled;
  }

  Value sharedOperand(Value tensor, unsigned k) {
    while (auto convert = tensor.getDefiningOp<ConvertLayoutOp>())
      tensor = convert.getSrc();
    if (auto trans = tensor.getDefiningOp<tensor::TransOp>()) {
      Value source = trans.getSrc();
      while (auto convert = source.getDefiningOp<ConvertLayoutOp>())
        source = convert.getSrc();
      return MemDescTransOp::create(builder, loc, buffer(source, 1 - k), ArrayRef<int32_t>{1, 0});
    }
    return buffer(tensor, k);
  }

  void run() {
    Value a = dot.getA();
    if (!isa<DotOperandAttr>(cast<RankedTensorType>(a.getType()).getEncoding()))
      a = sharedOperand(a, 1);
    Value b = sharedOperand(dot.getB(), 0);
    auto product = WarpGroupDotOp::create(builder, loc, dot.getD().getType(), a, b, dot.getC(), Value(),
                                          dot.getInputPrecision(), dot.getMaxNumImpreciseAcc(), false);
    dot.getD().replaceAllUsesWith(product.getD());
    SmallVector<Value> operands = {dot.getA(), dot.getB()};
    dot.erase();
    for (Value operand : operands)
      eraseIfDead(operand);
  }

  /// What only the dot used: left behind, it would look as if registers were needed.
  static void eraseIfDead(Value value) {
    Operation *definition = value.getDefiningOp();
    if (!definition || !definition->use_empty() || !isa<ConvertLayoutOp, tensor::TransOp>(definition))
      return;
    Value source = definition->getOperand(0);
    definition->erase();
    eraseIfDead(source);
  }
};

struct LowerDots : impl::LowerDotsBase<LowerDots> {
  void runOnOperation() override {
    SmallVector<tensor::DotOp> dots;
    getOperation()->walk([&](tensor::DotOp dot) {
      auto layout = dyn_cast_or_null<MmaAttr>(cast<RankedTensorType>(dot.getD().getType()).getEncoding());
      if (layout && layout.isWgmma())
        dots.push_back(dot);
    });
    for (tensor::DotOp dot : dots)
      Lowering{dot}.run();
  }
};

} // namespace

} // namespace triton::gpu
