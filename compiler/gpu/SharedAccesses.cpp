#include "compiler/gpu/SharedAccesses.h"

#include "compiler/gpu/PrivateAttributes.h"
#include "compiler/gpu/Scratch.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace triton::gpu {

static constexpr ByteRange everything{0, std::numeric_limits<int64_t>::max()};

/// `size` bytes from `begin` on in what `op` was given; any bytes if it was given none yet.
static ByteRange bytesWithin(Operation *op, int64_t begin, int64_t size) {
  auto offset = op->getAttrOfType<IntegerAttr>(allocationOffsetName);
  return offset ? ByteRange{offset.getInt() + begin, offset.getInt() + begin + size} : everything;
}

/// The bytes of a view: of one buffer of a row where its number is known, else all of what it may be a view of.
static SmallVector<ByteRange, 1> bytesOf(Value view, const BufferAliases &aliases) {
  SmallVector<ByteRange, 1> result;
  int64_t begin = 0, size = -1;
  if (auto index = view.getDefiningOp<MemDescIndexOp>()) {
    APInt number;
    if (matchPattern(index.getIndex(), m_ConstantInt(&number)) && index.getSrc().getDefiningOp<LocalAllocOp>()) {
      size = getBufferBytes(cast<MemDescType>(view.getType()));
      begin = number.getSExtValue() * size;
    }
  }
  if (aliases.of(view).empty()) // a parameter: any buffer of a caller
    return {everything};
  for (Operation *alloc : aliases.of(view))
    result.push_back(bytesWithin(alloc, begin, size < 0 ? getAllocationBytes(getAllocatedType(alloc)) : size));
  return result;
}

/// The columns of a view of tensor memory, behind all bytes of shared memory.
static SmallVector<ByteRange, 1> columnsOf(Value view, const BufferAliases &aliases) {
  constexpr int64_t behindShared = int64_t(1) << 40;
  SmallVector<ByteRange, 1> result;
  for (Operation *alloc : aliases.of(view)) {
    auto offset = alloc->getAttrOfType<IntegerAttr>(tensorMemoryOffsetName);
    if (!offset)
      return {everything};
    int64_t begin = behindShared + offset.getInt();
    result.push_back({begin, begin + getAllocationColumns(getAllocatedType(alloc))});
  }
  if (result.empty())
    result.push_back(everything);
  return result;
}

/// With four warps each row is one warp's; with more, several share it, and which of them touches a column is up to the tensor's layout.
static const void *warpsOf(Operation *op) {
  Value tensor;
  if (auto load = dyn_cast<TMEMLoadOp>(op))
    tensor = load.getResult();
  else if (auto store = dyn_cast<TMEMStoreOp>(op))
    tensor = store.getSrc();
  else if (auto alloc = dyn_cast<TMEMAllocOp>(op))
    tensor = alloc.getSrc();
  if (!tensor)
    return nullptr;
  static constexpr char four = 0;
  return getNumWarps(op) == 4 ? &four : tensor.getType().getAsOpaquePointer();
}

using Async = SharedEffects::Async;

/// What begins asynchronous work that a wait of its kind ends.
static Async asyncKind(Operation *op) {
  if (isa<AsyncCopyGlobalToLocalOp>(op))
    return Async::Copies;
  if (auto dot = dyn_cast<WarpGroupDotOp>(op))
    return dot.getIsAsync() ? Async::Dots : Async::None;
  if (isa<AsyncTmaCopyLocalToGlobalOp, AsyncTmaReduceOp, AsyncTmaScatterOp>(op))
    return Async::Stores;
  return Async::None;
}

/// Whether the hardware accesses shared memory on its own, apart from the threads.
static bool isAsyncProxy(Operation *op) {
  return isa<WarpGroupDotOp, AsyncTmaCopyGlobalToLocalOp, AsyncTmaGatherOp, AsyncTmaCopyLocalToGlobalOp,
             AsyncTmaReduceOp, AsyncTmaScatterOp, TMEMCopyOp, TCGen5MMAOp, TCGen5MMAScaledOp>(op);
}

/// Whether an mbarrier tells when the op's work is done.
static bool endsAtMbarrier(Operation *op) {
  return isa<AsyncTmaCopyGlobalToLocalOp, AsyncTmaGatherOp, TMEMCopyOp, TCGen5MMAOp, TCGen5MMAScaledOp>(op);
}

static bool isMbarrier(Type type) {
  auto buffer = cast<MemDescType>(type);
  return buffer.getElementType().isInteger(64) && isa<SharedAttr>(buffer.getEncoding()) &&
         toLinear(buffer).inputSize("offset") == 1;
}

static std::optional<SharedEffects> waitEffects(Operation *op) {
  SharedEffects effects;
  effects.isBarrier = isa<BarrierOp, ClusterWaitOp>(op);
  effects.isFence = isa<FenceAsyncSharedOp>(op);
  if (auto wait = dyn_cast<AsyncWaitOp>(op)) {
    effects.wait = Async::Copies;
    effects.waitsForAll = wait.getNum() == 0;
  } else if (auto wait = dyn_cast<WarpGroupDotWaitOp>(op)) {
    effects.wait = Async::Dots;
    effects.waitsForAll = wait.getPendings() == 0;
  } else if (auto wait = dyn_cast<TmaStoreWaitOp>(op)) {
    effects.wait = Async::Stores;
    effects.waitsForAll = wait.getPendings() == 0;
  } else if (!effects.isBarrier && !effects.isFence) {
    return std::nullopt;
  }
  return effects;
}

/// What a call runs, and what that calls.
static void collectCallees(CallOpInterface call, llvm::SmallSetVector<Operation *, 4> &callees) {
  Operation *callee = call.resolveCallable();
  if (callee && callees.insert(callee))
    callee->walk([&](CallOpInterface inner) { collectCallees(inner, callees); });
}

/// Of a buffer, or of what an op exchanges values through.
static int64_t takenBytes(Operation *op) {
  auto alloc = dyn_cast<LocalAllocOp>(op);
  return alloc ? getAllocationBytes(alloc.getType()) : scratchBytes(op);
}

SharedEffects getSharedEffects(Operation *op, const BufferAliases &aliases) {
  if (auto effects = waitEffects(op))
    return *effects;
  SharedEffects effects;
  // Exchanges write their bytes, wait, and read them.
  if (op->hasAttr(allocationOffsetName) && !isa<LocalAllocOp>(op)) {
    ByteRange bytes = bytesWithin(op, 0, scratchBytes(op));
    effects.accesses.push_back({.bytes = bytes, .writes = true, .op = op});
    effects.waits = true;
    effects.after.push_back({.bytes = bytes, .writes = false, .op = op});
    return effects;
  }
  if (auto call = dyn_cast<CallOpInterface>(op)) {
    if (llvm::any_of(op->getOperandTypes(), llvm::IsaPred<MemDescType>)) {
      effects.accesses.push_back({.bytes = everything, .writes = true});
      return effects;
    }
    llvm::SmallSetVector<Operation *, 4> callees;
    collectCallees(call, callees);
    for (Operation *callee : callees)
      callee->walk([&](Operation *inner) {
        if (inner->hasAttr(allocationOffsetName))
          effects.accesses.push_back({.bytes = bytesWithin(inner, 0, takenBytes(inner)), .writes = true});
      });
    return effects;
  }
  auto memory = dyn_cast<MemoryEffectOpInterface>(op);
  if (!memory || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return effects;
  if (auto wait = dyn_cast<WaitBarrierOp>(op)) {
    for (Value buffer : wait.getDeps())
      for (Operation *op : aliases.of(buffer))
        if (auto alloc = dyn_cast<LocalAllocOp>(op))
          effects.freed.push_back({alloc, bytesWithin(alloc, 0, getAllocationBytes(alloc.getType()))});
    effects.meets = wait->hasAttr(meetsName);
  }
  if (auto arrive = dyn_cast<ArriveBarrierOp>(op))
    effects.arrives = !arrive.getPerWarpGroup() && !arrive->hasAttr(perWarpName);
  effects.begun = asyncKind(op);
  bool asyncProxy = isAsyncProxy(op);
  SmallVector<MemoryEffects::EffectInstance> instances;
  memory.getEffects(instances);
  for (MemoryEffects::EffectInstance &instance : instances) {
    bool writes = isa<MemoryEffects::Write>(instance.getEffect());
    if (isa<TensorMemory>(instance.getResource()) && instance.getValue() &&
        (writes || isa<MemoryEffects::Read>(instance.getEffect())))
      for (ByteRange columns : columnsOf(instance.getValue(), aliases))
        effects.accesses.push_back(
            {.bytes = columns, .writes = writes, .isTracked = endsAtMbarrier(op), .op = op, .warps = warpsOf(op)});
    if (!isa<SharedMemory>(instance.getResource()) || !instance.getValue() ||
        !(writes || isa<MemoryEffects::Read>(instance.getEffect())))
      continue;
    // Arriving and waiting at an mbarrier is atomic; only making and ending one must not meet anything else.
    if (isMbarrier(instance.getValue().getType()) && writes &&
        !isa<InitBarrierOp, InvalBarrierOp, LocalAllocOp, LocalStoreOp>(op))
      continue;
    for (ByteRange bytes : bytesOf(instance.getValue(), aliases)) {
      effects.accesses.push_back({.bytes = bytes,
                                  .writes = writes,
                                  .asyncProxy = asyncProxy,
                                  .isTracked = endsAtMbarrier(op),
                                  .op = op,
                                  .byFirstThread = isa<InitBarrierOp, InvalBarrierOp, BarrierExpectOp>(op)});
      // Behind the wait these are like any other access, for all threads to see.
      if (effects.begun != Async::None)
        effects.begins.push_back({.bytes = bytes, .writes = writes, .asyncProxy = asyncProxy, .op = op});
    }
  }
  return effects;
}

} // namespace triton::gpu
