// Accesses through tensor descriptors as copies by TMA.
//
//   %x = tt.descriptor_load %d[%i, %j]
// becomes
//   %buffer = ttg.local_alloc : memdesc<64x64xf16, #shared, #smem, mutable>
//   %barrier = ttg.local_alloc : memdesc<1xi64, …, mutable>
//   ttng.init_barrier %barrier, 1
//   ttng.barrier_expect %barrier, 8192, %true
//   ttng.async_tma_copy_global_to_local %d[%i, %j] %buffer, %barrier, %true
//   ttng.wait_barrier %barrier, 0
//   %x = ttg.local_load %buffer
//   ttng.inval_barrier %barrier              behind the load: one barrier of all threads frees both
// and stores and updates go through a buffer likewise. A load that only fills a buffer fills it directly. Rows that are gathered or scattered go
// through a buffer of all of them; their numbers are spread over the warps, four by four.
//
// Runs after loops are pipelined: what that took is not here any more. Only descriptors that fit TMA are still there.
#include "compiler/gpu/Tma.h"
#include "compiler/gpu/passes/Passes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_LOWERDESCRIPTORS
#include "compiler/gpu/passes/Passes.h.inc"

namespace {

struct LowerDescriptors : impl::LowerDescriptorsBase<LowerDescriptors> {
  void run() override {
    if (failed(checkDescriptors(getOperation())))
      return signalPassFailure();
    SmallVector<Operation *> accesses;
    getOperation().walk([&](Operation *op) {
      if (isa<tensor::DescriptorLoadOp, tensor::DescriptorStoreOp, tensor::DescriptorReduceOp,
              tensor::DescriptorGatherOp, tensor::DescriptorScatterOp>(op))
        accesses.push_back(op);
    });
    for (Operation *access : accesses)
      llvm::TypeSwitch<Operation *>(access)
          .Case<tensor::DescriptorLoadOp, tensor::DescriptorStoreOp, tensor::DescriptorReduceOp,
                tensor::DescriptorGatherOp, tensor::DescriptorScatterOp>([](auto op) { lower(op); });
  }

  /// A buffer that TMA has filled with `bytes` bytes: `copy` starts that, and is given the barrier and a constant true. Gives the barrier,
  /// which is to be ended.
  static Value fill(OpBuilder &builder, Location loc, int64_t bytes, llvm::function_ref<void(Value, Value)> copy) {
    Value barrier = LocalAllocOp::create(builder, loc, barrierType(builder.getContext(), std::nullopt));
    Value isTrue = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
    Value zero = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
    InitBarrierOp::create(builder, loc, barrier, 1);
    BarrierExpectOp::create(builder, loc, barrier, bytes, isTrue);
    copy(barrier, isTrue);
    WaitBarrierOp::create(builder, loc, barrier, zero);
    return barrier;
  }

  static void lower(tensor::DescriptorLoadOp load) {
    OpBuilder builder(load);
    Location loc = load.getLoc();
    tensor::TensorDescType type = load.getDesc().getType();
    Value buffer = LocalAllocOp::create(builder, loc, blockBufferType(type));
    Value filling = fill(builder, loc, blockBytes(type), [&](Value barrier, Value isTrue) {
      AsyncTmaCopyGlobalToLocalOp::create(builder, loc, load.getDesc(), load.getIndices(), barrier, buffer, isTrue,
                                          load.getCache(), load.getEvict(), false);
    });
    for (Operation *user : llvm::make_early_inc_range(load->getUsers()))
      if (auto filled = dyn_cast<LocalAllocOp>(user);
          filled && filled.getType().getEncoding() == cast<MemDescType>(buffer.getType()).getEncoding())
        replaceBuffer(filled, buffer);
    if (!load->use_empty())
      load.getResult().replaceAllUsesWith(LocalLoadOp::create(builder, loc, load.getType(), buffer).getResult());
    InvalBarrierOp::create(builder, loc, filling);
    load.erase();
  }

  /// The users of a filled buffer take `buffer`, which is mutable: views of it are made again.
  static void replaceBuffer(LocalAllocOp filled, Value buffer) {
    replaceUses(filled.getResult(), buffer);
    filled.erase();
  }
  static void replaceUses(Value old, Value view) {
    for (OpOperand &use : llvm::make_early_inc_range(old.getUses())) {
      if (auto trans = dyn_cast<MemDescTransOp>(use.getOwner())) {
        OpBuilder builder(trans);
        replaceUses(trans.getResult(), MemDescTransOp::create(builder, trans.getLoc(), view, trans.getOrder()));
        trans.erase();
      } else {
        use.set(view);
      }
    }
  }

  static void lower(tensor::DescriptorStoreOp store) {
    OpBuilder builder(store);
    Location loc = store.getLoc();
    MemDescType type = blockBufferType(store.getDesc().getType());
    Value buffer = LocalAllocOp::create(builder, loc, type, store.getSrc());
    AsyncTmaCopyLocalToGlobalOp::create(builder, loc, store.getDesc(), store.getIndices(), buffer);
    TmaStoreWaitOp::create(builder, loc, 0, false);
    store.erase();
  }

  static void lower(tensor::DescriptorReduceOp update) {
    OpBuilder builder(update);
    Location loc = update.getLoc();
    MemDescType type = blockBufferType(update.getDesc().getType());
    Value buffer = LocalAllocOp::create(builder, loc, type, update.getSrc());
    AsyncTmaReduceOp::create(builder, loc, update.getKind(), update.getDesc(), update.getIndices(), buffer);
    TmaStoreWaitOp::create(builder, loc, 0, false);
    update.erase();
  }

  /// Row numbers four by four in each thread, all lanes alike, spread over the warps.
  static Value spreadRows(OpBuilder &builder, Location loc, Value rows, int numWarps) {
    auto type = cast<RankedTensorType>(rows.getType());
    layout::LinearLayout::Input registers{"register", {}}, lanes{"lane", {5, {0}}}, warps{"warp", {}};
    int64_t perThread = std::max<int64_t>(4, type.getNumElements() / numWarps);
    for (int64_t bit = 1; bit < perThread; bit *= 2)
      registers.bases.push_back({bit});
    for (int64_t bit = perThread; warps.bases.size() < llvm::Log2_32(numWarps); bit *= 2)
      warps.bases.push_back({bit < type.getNumElements() ? bit : 0});
    auto layout =
        LinearAttr::get(builder.getContext(), layout::LinearLayout::fromBases({registers, lanes, warps, {"block", {}}},
                                                                              {layout::dimension(0)}));
    return ConvertLayoutOp::create(builder, loc, withLayout(type, layout), rows);
  }

  static MemDescType rowBufferType(tensor::TensorDescType descriptor, Type rows) {
    auto type = cast<RankedTensorType>(rows);
    return MemDescType::get(type.getShape(), type.getElementType(), tmaLayout(descriptor),
                            SharedMemoryAttr::get(type.getContext()), /*mutableMemory=*/true);
  }

  static void lower(tensor::DescriptorGatherOp gather) {
    OpBuilder builder(gather);
    Location loc = gather.getLoc();
    MemDescType type = rowBufferType(gather.getDesc().getType(), gather.getType());
    Value rows = spreadRows(builder, loc, gather.getXOffsets(), getNumWarps(gather));
    Value buffer = LocalAllocOp::create(builder, loc, type);
    Value filling =
        fill(builder, loc, type.getNumElements() * type.getElementBits() / 8, [&](Value barrier, Value isTrue) {
          AsyncTmaGatherOp::create(builder, loc, gather.getDesc(), rows, gather.getYOffset(), barrier, buffer, isTrue);
        });
    gather.getResult().replaceAllUsesWith(LocalLoadOp::create(builder, loc, gather.getType(), buffer).getResult());
    InvalBarrierOp::create(builder, loc, filling);
    gather.erase();
  }

  static void lower(tensor::DescriptorScatterOp scatter) {
    OpBuilder builder(scatter);
    Location loc = scatter.getLoc();
    MemDescType type = rowBufferType(scatter.getDesc().getType(), scatter.getSrc().getType());
    Value rows = spreadRows(builder, loc, scatter.getXOffsets(), getNumWarps(scatter));
    Value buffer = LocalAllocOp::create(builder, loc, type, scatter.getSrc());
    AsyncTmaScatterOp::create(builder, loc, scatter.getDesc(), rows, scatter.getYOffset(), buffer);
    TmaStoreWaitOp::create(builder, loc, 0, false);
    scatter.erase();
  }
};

} // namespace

} // namespace triton::gpu
