// Gives every buffer, and every op that exchanges values through shared memory, a byte offset such that what is alive at the same time never
// overlaps.
//
//   %a = ttg.local_alloc %x                       : 4096 bytes
//   %y = ttg.local_load %a
//   %z = ttg.convert_layout %y                    : 4096 bytes while it runs
// becomes
//   %a = ttg.local_alloc %x {allocation.offset = 0}
//   %y = ttg.local_load %a
//   %z = ttg.convert_layout %y {allocation.offset = 0}
// with `ttg.shared = 4096` on the module.
//
// A buffer lives from its allocation to the last use of a view of it: through all of a loop that uses it and does not contain it, and, where
// something asynchronous works on it, to the wait that leaves nothing in flight. Partitions of warps run side by side, so what one of them
// uses lives as long as all of them. Biggest first, each at the lowest place that is free for
// its whole life; once placed it is not moved. A function that is called has its bytes behind those of all its callers.
#include "compiler/gpu/Buffers.h"
#include "compiler/gpu/ContextVerifier.h"
#include "compiler/gpu/Scratch.h"
#include "compiler/gpu/passes/Passes.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_ALLOCATESHARED
#include "compiler/gpu/passes/Passes.h.inc"

namespace {

/// Points of the program from first to last, both included.
struct Life {
  int64_t first, last;
  void include(Life other) {
    first = std::min(first, other.first);
    last = std::max(last, other.last);
  }
  bool meets(Life other) const { return first <= other.last && other.first <= last; }
};

struct Buffer {
  Operation *owner;
  int64_t bytes, alignment;
  Life life;
  int64_t offset = 0;
};

/// The lives of the buffers of one function.
class Lives {
public:
  explicit Lives(FunctionOpInterface function) : function(function), aliases(function) { number(function); }
  SmallVector<Buffer> buffers();

private:
  void number(Operation *op);
  Life lifeOf(LocalAllocOp alloc);
  Life lifeOfUse(Operation *user, Operation *alloc);
  int64_t endOfAsync(Operation *op);

  FunctionOpInterface function;
  BufferAliases aliases;
  llvm::DenseMap<Operation *, Life> points; // of an op, the ops in it included
  SmallVector<Operation *> order;
};

} // namespace

void Lives::number(Operation *op) {
  auto enter = static_cast<int64_t>(order.size());
  order.push_back(op);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : block)
        number(&inner);
  points[op] = {enter, static_cast<int64_t>(order.size())};
  order.push_back(nullptr); // the op's end
}

/// What begins something that goes on after the op, and what waits for it.
static bool isAsync(Operation *op) {
  if (auto dot = dyn_cast<WarpGroupDotOp>(op))
    return dot.getIsAsync();
  return isa<AsyncCopyGlobalToLocalOp, AsyncTmaCopyLocalToGlobalOp, AsyncTmaReduceOp, AsyncTmaScatterOp>(op);
}
static bool waitsForAll(Operation *op, Operation *begun) {
  if (auto wait = dyn_cast<WarpGroupDotWaitOp>(op))
    return isa<WarpGroupDotOp>(begun) && wait.getPendings() == 0;
  if (auto wait = dyn_cast<AsyncWaitOp>(op))
    return isa<AsyncCopyGlobalToLocalOp>(begun) && wait.getNum() == 0;
  auto wait = dyn_cast<TmaStoreWaitOp>(op);
  return wait && wait.getPendings() == 0 && !isa<WarpGroupDotOp, AsyncCopyGlobalToLocalOp>(begun);
}

/// The first wait behind `op` that is sure to run and leaves nothing in flight.
int64_t Lives::endOfAsync(Operation *op) {
  for (int64_t point = points[op].last; point < static_cast<int64_t>(order.size()); ++point)
    if (Operation *later = order[point]; later && waitsForAll(later, op))
      if (later->getParentOp()->isProperAncestor(op) || later->getBlock() == op->getBlock())
        return point;
  return points[function].last;
}

Life Lives::lifeOfUse(Operation *user, Operation *alloc) {
  Life life = points[user];
  for (Operation *parent = user->getParentOp(); parent != function; parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent) && !parent->isAncestor(alloc))
      life.include(points[parent]);
    else if (isa<WarpSpecializeOp>(parent))
      life.include(points[parent]); // partitions run side by side
  if (isAsync(user))
    life.last = std::max(life.last, endOfAsync(user));
  return life;
}

Life Lives::lifeOf(LocalAllocOp alloc) {
  // Without structure, loops are not seen: everything may come after everything.
  if (!llvm::hasSingleElement(function.getFunctionBody()))
    return points[function];
  Life life = points[alloc];
  for (Value view : aliases.views(alloc)) {
    // What a loop carries lives as long as the loop.
    if (auto argument = dyn_cast<BlockArgument>(view))
      life.include(points[argument.getOwner()->getParentOp()]);
    for (Operation *user : view.getUsers())
      life.include(lifeOfUse(user, alloc));
  }
  return life;
}

SmallVector<Buffer> Lives::buffers() {
  SmallVector<Buffer> result;
  for (LocalAllocOp alloc : aliases.allocations())
    result.push_back({alloc, getAllocationBytes(alloc.getType()), std::max<int64_t>(16, alloc.getAlignmentOrDefault()),
                      lifeOf(alloc)});
  function->walk([&](Operation *op) {
    // All banks, where there is enough to fill them: plans count banks from the start of the buffer.
    if (int64_t bytes = scratchBytes(op))
      result.push_back({op, bytes, bytes >= 128 ? 128 : 16, lifeOfUse(op, op)});
  });
  return result;
}

/// Sets the offsets; gives the end of the highest buffer.
static int64_t place(MutableArrayRef<Buffer> buffers) {
  SmallVector<Buffer *> bySize;
  for (Buffer &buffer : buffers)
    bySize.push_back(&buffer);
  // In the order of the program where sizes are equal.
  llvm::sort(bySize, [](Buffer *a, Buffer *b) { return std::pair(-a->bytes, a) < std::pair(-b->bytes, b); });
  int64_t end = 0;
  SmallVector<Buffer *> placed;
  for (Buffer *buffer : bySize) {
    SmallVector<Buffer *> neighbours;
    for (Buffer *other : placed)
      if (other->life.meets(buffer->life))
        neighbours.push_back(other);
    llvm::sort(neighbours, [](Buffer *a, Buffer *b) { return a->offset < b->offset; });
    int64_t offset = 0;
    for (Buffer *other : neighbours)
      if (offset < other->offset + other->bytes && other->offset < offset + buffer->bytes)
        offset = llvm::alignTo(other->offset + other->bytes, buffer->alignment);
    buffer->offset = offset;
    placed.push_back(buffer);
    end = std::max(end, offset + buffer->bytes);
  }
  return end;
}

namespace {

struct AllocateShared : impl::AllocateSharedBase<AllocateShared> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(requireLayouts(module)))
      return signalPassFailure();
    Builder builder(&getContext());
    llvm::MapVector<Operation *, SmallVector<Buffer>> frames;
    llvm::DenseMap<Operation *, int64_t> sizes, bases;
    for (auto function : module.getOps<FunctionOpInterface>()) {
      if (function.isExternal())
        continue;
      frames[function] = Lives(function).buffers();
      sizes[function] = llvm::alignTo(place(frames[function]), 1024);
    }
    // Calls go down: a callee's bytes begin behind those of every caller. Functions do not call themselves.
    bool changed = true;
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
      for (Buffer &buffer : buffers) {
        int64_t offset = bases[function] + buffer.offset;
        buffer.owner->setAttr(allocationOffsetName, builder.getI32IntegerAttr(offset));
        total = std::max(total, offset + buffer.bytes);
      }
    module->setAttr(sharedBytesName, builder.getI32IntegerAttr(total));
  }
};

} // namespace

} // namespace triton::gpu
