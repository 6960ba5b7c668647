#include "compiler/gpu/BufferLives.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace triton::gpu {

BufferLives::BufferLives(FunctionOpInterface function) : function(function), aliases(function) { number(function); }

void BufferLives::number(Operation *op) {
  auto enter = static_cast<int64_t>(order.size());
  order.push_back(op);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : block)
        number(&inner);
  points[op] = {enter, static_cast<int64_t>(order.size())};
  order.push_back(nullptr); // the op's end
}

/// A copy by TMA into a buffer. Reads of the buffer wait for it; a buffer that is not read must not be given away before the copy is done.
static bool fillsBuffer(Operation *op) { return isa<AsyncTmaCopyGlobalToLocalOp, AsyncTmaGatherOp>(op); }

/// What begins something that goes on after the op, and what waits for it.
static bool isAsync(Operation *op) {
  if (auto dot = dyn_cast<WarpGroupDotOp>(op))
    return dot.getIsAsync();
  if (isa<TCGen5MMAOp, TCGen5MMAScaledOp>(op))
    return op->hasAttr("is_async");
  return isa<AsyncCopyGlobalToLocalOp, AsyncTmaCopyLocalToGlobalOp, AsyncTmaReduceOp, AsyncTmaScatterOp, TMEMCopyOp>(
             op) ||
         fillsBuffer(op);
}
/// Whether `wait` is for the barrier that tells when the work is done: named by the op itself, or by a commit of the tensor cores' behind it.
static bool arrivesAt(Operation *begun, WaitBarrierOp wait) {
  Value barrier = wait.getAlloc();
  if (wait.getPred())
    return false;
  return llvm::is_contained(begun->getOperands(), barrier) || llvm::any_of(barrier.getUsers(), [&](Operation *user) {
           return isa<TCGen5CommitOp>(user) && user->getBlock() == begun->getBlock() && begun->isBeforeInBlock(user);
         });
}

static bool waitsForAll(Operation *op, Operation *begun) {
  if (auto wait = dyn_cast<WarpGroupDotWaitOp>(op))
    return isa<WarpGroupDotOp>(begun) && wait.getPendings() == 0;
  if (auto wait = dyn_cast<AsyncWaitOp>(op))
    return isa<AsyncCopyGlobalToLocalOp>(begun) && wait.getNum() == 0;
  if (isa<TCGen5MMAOp, TCGen5MMAScaledOp, TMEMCopyOp>(begun) || fillsBuffer(begun))
    return isa<WaitBarrierOp>(op) && arrivesAt(begun, cast<WaitBarrierOp>(op));
  auto wait = dyn_cast<TmaStoreWaitOp>(op);
  return wait && wait.getPendings() == 0 && !isa<WarpGroupDotOp, AsyncCopyGlobalToLocalOp>(begun);
}

/// The first wait behind `op` that is sure to run and leaves nothing in flight.
int64_t BufferLives::endOfAsync(Operation *op) {
  for (int64_t point = points[op].last; point < static_cast<int64_t>(order.size()); ++point)
    if (Operation *later = order[point]; later && waitsForAll(later, op))
      if (later->getBlock()->findAncestorOpInBlock(*op))
        return point;
  // In a ring, the wait is for another view of the barriers, and an iteration later.
  return fillsBuffer(op) ? points[op].last : points[function].last;
}

Points BufferLives::pointsOfUse(Operation *user, Operation *alloc) {
  Points used = points[user];
  for (Operation *parent = user->getParentOp(); parent != function; parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface, WarpSpecializeOp>(parent) && !parent->isAncestor(alloc))
      used.include(points[parent]); // iterations follow each other, partitions run side by side
  // Without structure, loops are not seen.
  for (Region *region = user->getParentRegion(); region != &function.getFunctionBody();
       region = region->getParentRegion())
    if (!region->hasOneBlock())
      used.include(points[region->getParentOp()]);
  if (!isAsync(user))
    return used;
  // What is under way when an iteration ends is so when the next one begins.
  const int64_t end = endOfAsync(user);
  for (Operation *parent = user->getParentOp(); parent != function; parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent) && end > points[parent].last)
      used.include(points[parent]);
  used.last = std::max(used.last, end);
  return used;
}

/// What partitions allocate is theirs; the others run beside it all the time.
Life BufferLives::inPartition(Operation *alloc, Points own) {
  Life life{own, own};
  for (Region *region = alloc->getParentRegion(); region != &function.getFunctionBody();
       region = region->getParentRegion()) {
    Operation *parent = region->getParentOp();
    if (!isa<WarpSpecializeOp, WarpSpecializePartitionsOp>(parent))
      continue;
    if (!life.partition)
      life.partition = region;
    life.toOthers.include(points[parent]);
  }
  return life;
}

Life BufferLives::of(Operation *alloc) {
  // Everything may come after everything.
  if (!llvm::hasSingleElement(function.getFunctionBody()))
    return {points[function], points[function]};
  Points used = points[alloc];
  for (Value view : aliases.views(alloc)) {
    // What a loop carries lives as long as the loop.
    if (auto argument = dyn_cast<BlockArgument>(view))
      used.include(points[argument.getOwner()->getParentOp()]);
    for (Operation *user : view.getUsers())
      used.include(pointsOfUse(user, alloc));
  }
  return inPartition(alloc, used);
}

/// Which buffers are in use at the same time as each: those of a long program are few of all.
static std::vector<SmallVector<PlacedBuffer *, 0>> findNeighbours(MutableArrayRef<PlacedBuffer> buffers) {
  SmallVector<unsigned> byBegin = llvm::to_vector(llvm::seq<unsigned>(0, buffers.size()));
  llvm::sort(byBegin, [&](unsigned a, unsigned b) {
    return std::pair(buffers[a].life.toOthers.first, a) < std::pair(buffers[b].life.toOthers.first, b);
  });
  std::vector<SmallVector<PlacedBuffer *, 0>> neighbours(buffers.size());
  SmallVector<unsigned> alive;
  for (unsigned index : byBegin) {
    const Life &life = buffers[index].life;
    llvm::erase_if(alive, [&](unsigned other) { return buffers[other].life.toOthers.last < life.toOthers.first; });
    for (unsigned other : alive)
      if (buffers[other].life.meets(life)) {
        neighbours[index].push_back(&buffers[other]);
        neighbours[other].push_back(&buffers[index]);
      }
    alive.push_back(index);
  }
  return neighbours;
}

int64_t placeBuffers(MutableArrayRef<PlacedBuffer> buffers) {
  SmallVector<PlacedBuffer *> bySize;
  for (PlacedBuffer &buffer : buffers)
    bySize.push_back(&buffer);
  // In the order of the program where sizes are equal.
  llvm::sort(bySize, [](PlacedBuffer *a, PlacedBuffer *b) { return std::pair(-a->size, a) < std::pair(-b->size, b); });
  const std::vector<SmallVector<PlacedBuffer *, 0>> allNeighbours = findNeighbours(buffers);
  int64_t end = 0;
  std::vector<bool> isPlaced(buffers.size());
  for (PlacedBuffer *buffer : bySize) {
    SmallVector<PlacedBuffer *> neighbours;
    for (PlacedBuffer *other : allNeighbours[buffer - buffers.data()])
      if (isPlaced[other - buffers.data()])
        neighbours.push_back(other);
    llvm::sort(neighbours, [](PlacedBuffer *a, PlacedBuffer *b) { return a->offset < b->offset; });
    int64_t offset = 0;
    for (PlacedBuffer *other : neighbours)
      if (offset < other->offset + other->size && other->offset < offset + buffer->size)
        offset = llvm::alignTo(other->offset + other->size, buffer->alignment);
    buffer->offset = offset;
    isPlaced[buffer - buffers.data()] = true;
    end = std::max(end, offset + buffer->size);
  }
  return end;
}

} // namespace triton::gpu
