// Puts operands of dots into shared memory, where wgmma and tcgen05 read them.
//
//   %d = tt.dot %a, %b, %c : tensor<128x64xf16, #blocked> * tensor<64x128xf16, #blocked> -> tensor<128x128xf32, #mma>
// becomes, when #mma is of version 3,
//   %x = ttg.local_alloc %a : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
//   %y = ttg.local_alloc %b : …
//   ttng.fence_async_shared
//   %d = ttng.warp_group_dot %x, %y, %c
//
// and what tcgen05 does becomes
//   %acc = ttng.tmem_alloc %c : (tensor<128x128xf32, #rows>) -> !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
//   ttng.tc_gen5_mma %x, %y, %acc, %true, %true
//   %d = ttng.tmem_load %acc
// where accumulators that are only added to, also from one iteration of a loop to the next, stay where they are.
//
// A buffer is filled where its source is computed: what a loop does not change is stored once, before it. It keeps the order in which the
// source's threads hold elements, so that stores and copies are wide; only 16-bit elements, with tcgen05 also bytes, may lie along M or N, others are put along K. A
// transposition of the source becomes a view of the buffer. Operand A stays in registers where it already is laid out for them.
//
// Dots by multiply-adds whose rows and columns do not fit into registers are cut along K:
//   %x = ttg.local_alloc %a            consecutive along M, so that threads read rows side by side
//   %y = ttg.local_alloc %b            consecutive along N
//   %d = %c + the dots of %x[:, k : k + 2] and %y[k : k + 2, :], each read when its turn comes
//
// Runs after layouts are assigned and before loops are pipelined, which recognises loads that only fill buffers. Leaves mma.sync alone.
#include "compiler/gpu/passes/dots/LowerDots.h"

#include "compiler/gpu/DotPlan.h"
#include "compiler/gpu/dialect/encodings/LayoutInference.h"
#include "compiler/gpu/passes/Passes.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_LOWERDOTS
#include "compiler/gpu/passes/Passes.h.inc"

namespace {

struct Lowering {
  tensor::DotOp dot;
  OpBuilder builder{dot};
  Location loc = dot.getLoc();

  /// Whether operand A is laid out for this dot: it may also be that of another, which shares it.
  bool isInRegisters() {
    auto layout = dyn_cast<DotOperandAttr>(cast<RankedTensorType>(dot.getA().getType()).getEncoding());
    return layout && layout.getOpIdx() == 0 && layout.getParent() == dot.getD().getType().getEncoding();
  }

  /// What is loaded and then transposed is converted before: loops read it from the buffers of their copies as it is wanted.
  void convertFirst() {
    auto convert = dot.getA().getDefiningOp<ConvertLayoutOp>();
    auto trans = convert ? convert.getSrc().getDefiningOp<tensor::TransOp>() : tensor::TransOp();
    if (!trans || !trans->hasOneUse() ||
        !isa_and_nonnull<tensor::LoadOp, tensor::DescriptorLoadOp>(trans.getSrc().getDefiningOp()))
      return;
    auto wanted = cast<RankedTensorType>(convert.getType()), source = cast<RankedTensorType>(trans.getSrc().getType());
    SmallVector<int32_t> back(trans.getOrder().size());
    for (auto [index, dim] : llvm::enumerate(trans.getOrder()))
      back[dim] = index;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(trans);
    auto read = RankedTensorType::get(source.getShape(), source.getElementType(), transLayout(wanted, back));
    Value converted = ConvertLayoutOp::create(builder, loc, read, trans.getSrc());
    Value turned = tensor::TransOp::create(
        builder, loc,
        RankedTensorType::get(wanted.getShape(), wanted.getElementType(), transLayout(read, trans.getOrder())),
        converted, trans.getOrderAttr());
    convert.getSrcMutable().assign(turned);
    trans.erase();
  }

  void run() {
    if (isInRegisters())
      convertFirst();
    Value a = isInRegisters() ? dot.getA() : sharedOperand(builder, loc, dot.getA(), 1, {16});
    Value b = sharedOperand(builder, loc, dot.getB(), 0, {16});
    auto product = WarpGroupDotOp::create(builder, loc, dot.getD().getType(), a, b, dot.getC(), Value(),
                                          dot.getInputPrecision(), dot.getMaxNumImpreciseAcc(), false);
    dot.getD().replaceAllUsesWith(product.getD());
    SmallVector<Value> operands = {dot.getA(), dot.getB()};
    dot.erase();
    for (Value operand : operands)
      eraseIfDead(operand);
  }
};

/// A dot by multiply-adds, a few elements along K at a time.
struct Slicing {
  tensor::DotOp dot;
  OpBuilder builder{dot};
  Location loc = dot.getLoc();
  RankedTensorType a = cast<RankedTensorType>(dot.getA().getType()), b = cast<RankedTensorType>(dot.getB().getType());

  /// Registers of both operands for one element along K.
  int64_t registersPerK() const {
    return (toLinear(a).inputSize("register") + toLinear(b).inputSize("register")) / a.getShape().back();
  }

  Value buffer(Value tensor, unsigned fastest) {
    while (auto convert = tensor.getDefiningOp<ConvertLayoutOp>())
      tensor = convert.getSrc();
    auto type = cast<RankedTensorType>(tensor.getType());
    auto layout = SwizzledSharedAttr::get(dot.getContext(), 1, 1, 1, {fastest, 1 - fastest});
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(tensor);
    return LocalAllocOp::create(
        builder, loc,
        MemDescType::get(type.getShape(), type.getElementType(), layout, SharedMemoryAttr::get(dot.getContext())),
        tensor);
  }

  Value slice(Value buffer, RankedTensorType whole, unsigned k, int32_t start, int64_t size) {
    SmallVector<int64_t> shape(whole.getShape());
    SmallVector<int32_t> offsets = {0, 0};
    shape[k] = size;
    offsets[k] = start;
    auto view = MemDescSubsliceOp::create(builder, loc, buffer, offsets, shape);
    return LocalLoadOp::create(builder, loc, RankedTensorType::get(shape, whole.getElementType(), whole.getEncoding()),
                               view);
  }

  void run() {
    constexpr int64_t mostRegisters = 128, wantedRegisters = 64;
    int64_t depth = a.getShape().back(), perK = registersPerK();
    if (a.getRank() != 2 || perK * depth <= mostRegisters)
      return;
    int64_t size = std::min<int64_t>(depth, llvm::bit_floor<uint64_t>(std::max<int64_t>(1, wantedRegisters / perK)));
    Value left = buffer(dot.getA(), 0), right = buffer(dot.getB(), 1), sum = dot.getC();
    for (int64_t start = 0; start < depth; start += size)
      sum = tensor::DotOp::create(builder, loc, sum.getType(), slice(left, a, 1, start, size),
                                  slice(right, b, 0, start, size), sum, dot.getInputPrecision(), 0);
    SmallVector<Value> operands = {dot.getA(), dot.getB()};
    dot.getD().replaceAllUsesWith(sum);
    dot.erase();
    for (Value operand : operands)
      eraseIfDead(operand);
  }
};

/// For who asks why a product is slow (`MLIR_ENABLE_DIAGNOSTICS=remarks`).
void remarkWithoutWgmma(tensor::DotOp dot) {
  auto a = cast<RankedTensorType>(dot.getA().getType()), b = cast<RankedTensorType>(dot.getB().getType());
  dot.emitRemark("Warning: MMA version 3 (wgmma) is not used, due to unsupported shapes or data types: [")
      << a.getShape() << "] of " << a.getElementType() << " and [" << b.getShape() << "] of " << b.getElementType();
}

struct LowerDots : impl::LowerDotsBase<LowerDots> {
  void run() override {
    lowerTcgen05Dots(getOperation());
    const bool hasWgmma = dotTarget(getOperation()).hasWgmma();
    SmallVector<tensor::DotOp> dots, sliced;
    getOperation()->walk([&](tensor::DotOp dot) {
      Attribute encoding = cast<RankedTensorType>(dot.getD().getType()).getEncoding();
      auto layout = dyn_cast_or_null<MmaAttr>(encoding);
      if (layout && layout.isWgmma())
        dots.push_back(dot);
      else if (hasWgmma)
        remarkWithoutWgmma(dot);
      if (isa_and_nonnull<BlockedAttr>(encoding))
        sliced.push_back(dot);
    });
    for (tensor::DotOp dot : dots)
      Lowering{dot}.run();
    for (tensor::DotOp dot : sliced)
      Slicing{dot}.run();
  }
};

} // namespace

} // namespace triton::gpu
