#include "compiler/gpu/SharedAccesses.h"

#include "compiler/gpu/Scratch.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace triton::gpu {

static int64_t offsetOf(Operation *op) {
  auto offset = op->getAttrOfType<IntegerAttr>(allocationOffsetName);
  assert(offset && "shared memory has been allocated");
  return offset.getInt();
}

static constexpr ByteRange everything{0, std::numeric_limits<int64_t>::max()};

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
  for (LocalAllocOp alloc : aliases.of(view)) {
    int64_t offset = offsetOf(alloc);
    result.push_back({offset + begin, offset + begin + (size < 0 ? getAllocationBytes(alloc.getType()) : size)});
  }
  return result;
}

SharedEffects getSharedEffects(Operation *op, const BufferAliases &aliases) {
  SharedEffects effects;
  if (isa<BarrierOp>(op)) {
    effects.isBarrier = true;
    return effects;
  }
  if (isa<FenceAsyncSharedOp>(op)) {
    effects.isFence = true;
    return effects;
  }
  if (auto wait = dyn_cast<AsyncWaitOp>(op)) {
    effects.wait = SharedEffects::Wait::Copies;
    effects.waitsForAll = wait.getNum() == 0;
    return effects;
  }
  if (auto wait = dyn_cast<WarpGroupDotWaitOp>(op)) {
    effects.wait = SharedEffects::Wait::Products;
    effects.waitsForAll = wait.getPendings() == 0;
    return effects;
  }
  // Exchanges write their bytes, wait, and read them.
  if (op->hasAttr(allocationOffsetName) && !isa<LocalAllocOp>(op)) {
    int64_t begin = offsetOf(op);
    ByteRange bytes{begin, begin + scratchBytes(op)};
    effects.accesses.push_back({bytes, true, false, op});
    effects.waits = true;
    effects.after.push_back({bytes, false, false, op});
    return effects;
  }
  if (auto call = dyn_cast<CallOpInterface>(op)) {
    // Anything that the callee, or what it calls, or what is handed to it, may touch.
    bool touches = llvm::any_of(op->getOperandTypes(), llvm::IsaPred<MemDescType>);
    if (Operation *callee = call.resolveCallable())
      callee->walk(
          [&](Operation *inner) { touches |= inner->hasAttr(allocationOffsetName) || isa<CallOpInterface>(inner); });
    if (touches)
      effects.accesses.push_back({everything, true}); // of no op
    return effects;
  }
  auto memory = dyn_cast<MemoryEffectOpInterface>(op);
  if (!memory)
    return effects;
  auto dot = dyn_cast<WarpGroupDotOp>(op);
  SmallVector<MemoryEffects::EffectInstance> instances;
  memory.getEffects(instances);
  for (MemoryEffects::EffectInstance &instance : instances) {
    bool writes = isa<MemoryEffects::Write>(instance.getEffect());
    if (!isa<SharedMemory>(instance.getResource()) || !instance.getValue() ||
        !(writes || isa<MemoryEffects::Read>(instance.getEffect())))
      continue;
    for (ByteRange bytes : bytesOf(instance.getValue(), aliases)) {
      SharedAccess access{bytes, writes, bool(dot), op};
      effects.accesses.push_back(access);
      // Behind the wait these are like any other access, for all threads to see.
      if (isa<AsyncCopyGlobalToLocalOp>(op) || (dot && dot.getIsAsync()))
        effects.begins.push_back({bytes, writes, false, op});
    }
  }
  return effects;
}

} // namespace triton::gpu
