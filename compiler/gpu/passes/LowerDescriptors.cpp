// Accesses through tensor descriptors as copies by the copy engine (TMA).
//
//   %x = tt.descriptor_load %d[%i, %j]
// becomes
//   %buffer = ttg.local_alloc : memdesc<64x64xf16, #shared, #smem, mutable>
//   %barrier = ttg.local_alloc : memdesc<1xi64, …, mutable>
//   ttng.init_barrier %barrier, 1
//   ttng.barrier_expect %barrier, 8192, %true
//   ttng.async_tma_copy_global_to_local %d[%i, %j] %buffer, %barrier, %true
//   ttng.wait_barrier %barrier, 0
//   ttng.inval_barrier %barrier
//   %x = ttg.local_load %buffer
// and a store goes through a buffer likewise. A load that only fills a buffer fills it directly.
//
// Runs after loops are pipelined: what that took is not here any more. Only kernels whose descriptors fit the copy engine still have any.
#include "compiler/gpu/passes/DescriptorBuffers.h"
#include "compiler/gpu/passes/Passes.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_LOWERDESCRIPTORS
#include "compiler/gpu/passes/Passes.h.inc"

MemDescType barrierType(MLIRContext *context, std::optional<int64_t> count) {
  auto layout = SwizzledSharedAttr::get(context, 1, 1, 1, {0});
  SmallVector<int64_t> shape = {1};
  if (count)
    shape.insert(shape.begin(), *count);
  return MemDescType::get(shape, IntegerType::get(context, 64), layout, SharedMemoryAttr::get(context),
                          /*mutableMemory=*/true);
}

MemDescType blockBufferType(tensor::TensorDescType descriptor) {
  RankedTensorType block = descriptor.getSignlessBlockType();
  return MemDescType::get(block.getShape(), block.getElementType(), copyEngineLayout(descriptor),
                          SharedMemoryAttr::get(descriptor.getContext()), /*mutableMemory=*/true);
}

int64_t blockBytes(tensor::TensorDescType descriptor) {
  RankedTensorType block = descriptor.getSignlessBlockType();
  return block.getNumElements() * block.getElementTypeBitWidth() / 8;
}

namespace {

struct LowerDescriptors : impl::LowerDescriptorsBase<LowerDescriptors> {
  void runOnOperation() override {
    SmallVector<tensor::DescriptorLoadOp> loads;
    SmallVector<tensor::DescriptorStoreOp> stores;
    getOperation().walk([&](Operation *op) {
      if (auto load = dyn_cast<tensor::DescriptorLoadOp>(op))
        loads.push_back(load);
      else if (auto store = dyn_cast<tensor::DescriptorStoreOp>(op))
        stores.push_back(store);
    });
    for (tensor::DescriptorLoadOp load : loads)
      lower(load);
    for (tensor::DescriptorStoreOp store : stores)
      lower(store);
  }

  static void lower(tensor::DescriptorLoadOp load) {
    OpBuilder builder(load);
    Location loc = load.getLoc();
    tensor::TensorDescType type = load.getDesc().getType();
    Value buffer = LocalAllocOp::create(builder, loc, blockBufferType(type));
    Value barrier = LocalAllocOp::create(builder, loc, barrierType(builder.getContext(), std::nullopt));
    Value isTrue = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
    Value zero = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
    InitBarrierOp::create(builder, loc, barrier, 1);
    BarrierExpectOp::create(builder, loc, barrier, blockBytes(type), isTrue);
    AsyncTmaCopyGlobalToLocalOp::create(builder, loc, load.getDesc(), load.getIndices(), barrier, buffer, isTrue,
                                        load.getCache(), load.getEvict(), false);
    WaitBarrierOp::create(builder, loc, barrier, zero);
    InvalBarrierOp::create(builder, loc, barrier);
    for (Operation *user : llvm::make_early_inc_range(load->getUsers()))
      if (auto filled = dyn_cast<LocalAllocOp>(user);
          filled && filled.getType().getEncoding() == cast<MemDescType>(buffer.getType()).getEncoding())
        replaceBuffer(filled, buffer);
    if (!load->use_empty())
      load.getResult().replaceAllUsesWith(LocalLoadOp::create(builder, loc, load.getType(), buffer).getResult());
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
    TmaStoreWaitOp::create(builder, loc, 0);
    store.erase();
  }
};

} // namespace

} // namespace triton::gpu
