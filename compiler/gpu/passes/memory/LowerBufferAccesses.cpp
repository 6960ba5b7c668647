// On AMD GPUs, accesses by a base and offsets become accesses by pointers, marked as what they were, and copies to shared memory a load and a store, but for those that go there directly.
//
//   %x = amdg.buffer_load %base[%offsets], %mask : tensor<64xf32, #blocked>
// becomes
//   %p = tt.addptr (tt.splat %base), %offsets
//   %x = tt.load %p, %mask {amdg.buffer}
//
// So are accesses at 32-bit offsets from an argument that `tt.pointer_range = 32` says points to less than 2^31 bytes, in loops that move their pointers too. From here on what is known of pointers holds for them: how wide accesses are, who writes what. AMD's code generator takes a marked access apart again, into the base, which a wave
// has once, and 32-bit offsets. Runs last, when all layouts are there.
#include "compiler/gpu/DirectCopies.h"
#include "compiler/gpu/dialect/AmdOps.h"
#include "compiler/gpu/passes/Passes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_LOWERBUFFERACCESSES
#include "compiler/gpu/passes/Passes.h.inc"

/// The pointers of an access.
static Value pointersOf(OpBuilder &builder, Location loc, Value base, Value offsets) {
  auto type = cast<RankedTensorType>(offsets.getType()).clone(base.getType());
  Value same = tensor::SplatOp::create(builder, loc, type, base);
  return tensor::AddPtrOp::create(builder, loc, type, same, offsets);
}

static void lower(amd::BufferLoadOp op) {
  OpBuilder builder(op);
  Value pointers = pointersOf(builder, op.getLoc(), op.getPtr(), op.getOffsets());
  auto load = tensor::LoadOp::create(builder, op.getLoc(), pointers, op.getMask(), op.getOther(), op.getCache(),
                                     tensor::EvictionPolicy::Normal, /*isVolatile=*/false);
  load->setAttr(bufferAccessName, builder.getUnitAttr());
  op.replaceAllUsesWith(load.getResult());
}

static void lower(amd::BufferStoreOp op) {
  OpBuilder builder(op);
  Value pointers = pointersOf(builder, op.getLoc(), op.getPtr(), op.getOffsets());
  auto store = tensor::StoreOp::create(builder, op.getLoc(), pointers, op.getValue(), op.getMask(), op.getCache(),
                                       tensor::EvictionPolicy::Normal);
  store->setAttr(bufferAccessName, builder.getUnitAttr());
}

static void lower(amd::BufferAtomicRMWOp op) {
  OpBuilder builder(op);
  Value pointers = pointersOf(builder, op.getLoc(), op.getPtr(), op.getOffsets());
  auto update = tensor::AtomicRMWOp::create(builder, op.getLoc(), op.getType(), op.getAtomicRmwOp(), pointers,
                                            op.getValue(), op.getMask(), op.getSem(), op.getScope());
  op.replaceAllUsesWith(update.getResult());
}

/// A load and a store: these copies go through registers, where the compiler orders them like other accesses.
static void copyThroughRegisters(Operation *op, Value token, Value pointers, Value buffer, Value mask, Value other,
                                 tensor::CacheModifier cache, bool isBuffer) {
  OpBuilder builder(op);
  auto load = tensor::LoadOp::create(builder, op->getLoc(), pointers, mask, other, cache,
                                     tensor::EvictionPolicy::Normal, /*isVolatile=*/false);
  if (isBuffer)
    load->setAttr(bufferAccessName, builder.getUnitAttr());
  LocalStoreOp::create(builder, op->getLoc(), load.getResult(), buffer);
  token.replaceAllUsesWith(
      AsyncCommitGroupOp::create(builder, op->getLoc(), token.getType(), ValueRange()).getResult());
}

static void lower(amd::BufferLoadToLocalOp op) {
  OpBuilder builder(op);
  Value pointers = pointersOf(builder, op.getLoc(), op.getPtr(), op.getOffsets());
  copyThroughRegisters(op, op.getToken(), pointers, op.getDest(), op.getMask(), op.getOther(), op.getCache(), true);
}

static void lower(AsyncCopyGlobalToLocalOp op) {
  copyThroughRegisters(op, op.getToken(), op.getSrc(), op.getResult(), op.getMask(), op.getOther(), op.getCache(),
                       false);
}

/// Marks an access of a small argument.
static void markSmall(Operation *op, Value pointers) {
  if (auto load = dyn_cast<tensor::LoadOp>(op); load && readsAnew(load))
    return; // LLVM takes what an instruction of buffers reads for what stays there
  if (!smallArgument(pointers))
    return;
  op->setAttr(bufferAccessName, UnitAttr::get(op->getContext()));
  op->setAttr(bufferOfArgumentName, UnitAttr::get(op->getContext()));
}

namespace {
struct LowerBufferAccesses : impl::LowerBufferAccessesBase<LowerBufferAccesses> {
  using LowerBufferAccessesBase::LowerBufferAccessesBase;

  void run() override {
    auto target = getOperation()->getAttrOfType<StringAttr>(targetName);
    if (!target || !target.getValue().starts_with("hip:"))
      return;
    SmallVector<Operation *> accesses;
    getOperation().walk([&](Operation *op) {
      if (op->hasAttr(directCopyName))
        markSmall(op, cast<AsyncCopyGlobalToLocalOp>(op).getSrc());
      else if (isa<amd::BufferLoadOp, amd::BufferStoreOp, amd::BufferAtomicRMWOp, amd::BufferLoadToLocalOp,
                   AsyncCopyGlobalToLocalOp>(op))
        accesses.push_back(op);
      else if (isa<tensor::LoadOp, tensor::StoreOp>(op) && isa<RankedTensorType>(op->getOperand(0).getType()))
        markSmall(op, op->getOperand(0));
    });
    for (Operation *op : accesses) {
      llvm::TypeSwitch<Operation *>(op)
          .Case<amd::BufferLoadOp, amd::BufferStoreOp, amd::BufferAtomicRMWOp, amd::BufferLoadToLocalOp,
                AsyncCopyGlobalToLocalOp>([](auto access) { lower(access); });
      op->erase();
    }
  }
};
} // namespace

} // namespace triton::gpu
