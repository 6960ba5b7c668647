#include "compiler/gpu/SharedFrames.h"

#include "compiler/gpu/Scratch.h"

#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;

namespace triton::gpu {

PlacedBuffer sharedBuffer(Operation *owner, MemDescType type, Life life, int64_t alignment) {
  int64_t needed = cast<SharedAttr>(type.getEncoding()).getAlignment();
  return {owner, getAllocationBytes(type), std::max({int64_t(16), needed, alignment}), life};
}

static SmallVector<PlacedBuffer> buffersOf(FunctionOpInterface function) {
  BufferLives lives(function);
  SmallVector<PlacedBuffer> result;
  for (Operation *op : lives.allocations())
    if (auto alloc = dyn_cast<LocalAllocOp>(op); alloc && isShared(alloc.getType()))
      result.push_back(sharedBuffer(alloc, alloc.getType(), lives.of(alloc), alloc.getAlignmentOrDefault()));
  function->walk([&](Operation *op) {
    // All banks, where there is enough to fill them: plans count banks from the start of the buffer.
    if (int64_t bytes = scratchBytes(op))
      result.push_back({op, bytes, bytes >= 128 ? 128 : 16, lives.ofUse(op)});
  });
  return result;
}

SharedFrames::SharedFrames(ModuleOp module) {
  for (auto function : module.getOps<FunctionOpInterface>())
    if (!function.isExternal())
      frames[function] = buffersOf(function);
}

int64_t SharedFrames::place() {
  llvm::DenseMap<Operation *, int64_t> sizes, bases;
  for (auto &[function, buffers] : frames)
    sizes[function] = llvm::alignTo(placeBuffers(buffers), 1024);
  // Calls go down: a callee's bytes begin behind those of every caller. Functions do not call themselves.
  bool changed = frames.size() > 1;
  for (size_t round = 0; changed && round <= frames.size(); ++round) {
    changed = false;
    for (auto &[function, buffers] : frames)
      function->walk([&](CallOpInterface call) {
        Operation *callee = call.resolveCallable();
        int64_t base = bases[function] + sizes[function];
        if (!callee || !frames.contains(callee) || bases[callee] >= base)
          return;
        bases[callee] = base;
        changed = true;
      });
  }
  int64_t total = 0;
  for (auto &[function, buffers] : frames)
    for (PlacedBuffer &buffer : buffers) {
      buffer.offset += bases[function];
      total = std::max(total, buffer.offset + buffer.size);
    }
  return total;
}

} // namespace triton::gpu
