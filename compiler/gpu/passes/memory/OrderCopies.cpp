// Orders what TMA does to global memory with what comes before and after it. TMA works beside the threads: without more,
// its stores may still be under way when the next access comes, and it need not see what threads have stored.
//
//   ttng.async_tma_copy_local_to_global %d[%i, %j] %buffer
//   ttng.async_tma_store_wait {pendings = 0 : i32}            the buffer may be used again
//   %x = tt.load %p                                           of the same tensor
// becomes
//   ttng.async_tma_copy_local_to_global %d[%i, %j] %buffer
//   ttng.async_tma_store_wait {pendings = 0 : i32, written}   the tensor may be read
//   ttg.barrier
//   %x = tt.load %p
// and where a copy may read or overwrite what threads have stored to the same tensor, or what another program has told them of by an atomic,
//   ttng.fence_async_global
//   ttg.barrier
// comes before it, outside of loops that only copy.
//
// Different kernel arguments are taken for different tensors. An atomic, or a barrier, may tell others of everything before it. Stores of one
// op in a loop are taken for stores to different places if they name different ones.
//
// Runs while copies still have the descriptor that says what they are of.
#include "compiler/gpu/GlobalRoots.h"
#include "compiler/gpu/passes/Passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_ORDERCOPIES
#include "compiler/gpu/passes/Passes.h.inc"

namespace {

/// An op that touches global memory.
struct GlobalAccess {
  Operation *op;
  Value root; // null: any tensor
  bool reads = false, writes = false;
  bool byEngine = false;
  bool tellsOthers = false; // atomics and barriers: what was done before may be looked for elsewhere
};

struct OrderCopies : impl::OrderCopiesBase<OrderCopies> {
  void run() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (!function.isExternal())
        order(function);
  }

  static bool isCopy(Operation *op) {
    return isa<AsyncTmaCopyGlobalToLocalOp, AsyncTmaGatherOp, AsyncTmaCopyLocalToGlobalOp, AsyncTmaReduceOp,
               AsyncTmaScatterOp>(op);
  }

  static std::optional<GlobalAccess> accessOf(Operation *op) {
    if (isa<CallOpInterface>(op))
      return GlobalAccess{op, {}, true, true, false, true};
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (!effects || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() || isa<tensor::PrintOp, tensor::AssertOp>(op))
      return std::nullopt;
    SmallVector<MemoryEffects::EffectInstance> instances;
    effects.getEffects(instances);
    GlobalAccess access{.op = op, .byEngine = isCopy(op)};
    for (MemoryEffects::EffectInstance &instance : instances) {
      bool isGlobal = instance.getResource() == tensor::GlobalMemory::get();
      access.reads |= isGlobal && isa<MemoryEffects::Read>(instance.getEffect());
      access.writes |= isGlobal && isa<MemoryEffects::Write>(instance.getEffect());
    }
    if (!access.reads && !access.writes)
      return std::nullopt;
    access.root = writtenRoot(op);
    access.tellsOthers = isa<tensor::AtomicRMWOp, tensor::AtomicCASOp, tensor::DebugBarrierOp>(op);
    return access;
  }

  void order(FunctionOpInterface function) {
    SmallVector<GlobalAccess> accesses;
    function->walk([&](Operation *op) {
      if (std::optional<GlobalAccess> access = accessOf(op))
        accesses.push_back(*access);
    });
    fenced.clear();
    for (GlobalAccess &access : accesses) {
      if (!access.byEngine)
        continue;
      if (llvm::any_of(accesses, [&](GlobalAccess &other) { return isWrittenBefore(access, other); }))
        fenceBefore(access, accesses);
      if (access.writes && llvm::any_of(accesses, [&](GlobalAccess &other) { return isLookedAtAfter(access, other); }))
        waitUntilWritten(access.op);
    }
  }

  static LoopLikeOpInterface commonLoop(Operation *first, Operation *then) {
    for (auto loop = first->getParentOfType<LoopLikeOpInterface>(); loop;
         loop = loop->getParentOfType<LoopLikeOpInterface>())
      if (loop->isProperAncestor(then))
        return loop;
    return {};
  }

  /// Whether `then` may run after `first`.
  static bool mayFollow(Operation *first, Operation *then) {
    if (commonLoop(first, then))
      return true;
    for (Operation *op = first; op; op = op->getParentOp())
      if (Operation *later = op->getBlock() ? op->getBlock()->findAncestorOpInBlock(*then) : nullptr)
        return op != later && op->isBeforeInBlock(later);
    return true; // in other blocks of the function
  }

  /// Whether TMA must see what threads did before.
  static bool isWrittenBefore(const GlobalAccess &copy, const GlobalAccess &other) {
    return !other.byEngine && other.writes && !isa<tensor::DebugBarrierOp>(other.op) && mayFollow(other.op, copy.op) &&
           (other.tellsOthers || mayBeSameTensor(copy.root, other.root));
  }

  /// Whether somebody may look at what TMA writes, before the kernel ends.
  static bool isLookedAtAfter(const GlobalAccess &store, const GlobalAccess &other) {
    if (!mayFollow(store.op, other.op))
      return false;
    if (other.tellsOthers)
      return true;
    if (!mayBeSameTensor(store.root, other.root))
      return false;
    bool bothUpdate = isa<AsyncTmaReduceOp>(store.op) && isa<AsyncTmaReduceOp>(other.op);
    return bothUpdate ? false : !other.byEngine || !other.writes || mayMeet(store.op, other.op);
  }

  /// Whether two stores by TMA may be to the same place, the second behind the first.
  static bool mayMeet(Operation *first, Operation *then) {
    auto one = dyn_cast<AsyncTmaCopyLocalToGlobalOp>(first), two = dyn_cast<AsyncTmaCopyLocalToGlobalOp>(then);
    if (!one || !two)
      return first != then;
    auto moves = [&](Value coordinate) { return !commonLoop(first, then).isDefinedOutsideOfLoop(coordinate); };
    if (first == then)
      return !llvm::any_of(one.getCoord(), moves);
    ArrayRef<int64_t> block = one.getDesc().getType().getBlockType().getShape();
    if (one.getDesc() != two.getDesc())
      return true;
    for (auto [a, b, size] : llvm::zip_equal(one.getCoord(), two.getCoord(), block))
      if (std::optional<int64_t> distance = distanceOf(a, b); distance && std::abs(*distance) >= size)
        return false;
    return true;
  }

  /// b - a, if it is a constant.
  static std::optional<int64_t> distanceOf(Value a, Value b) {
    auto split = [](Value value) {
      APInt constant;
      if (matchPattern(value, m_ConstantInt(&constant)))
        return std::pair(Value(), constant.getSExtValue());
      if (auto sum = value.getDefiningOp<arith::AddIOp>(); sum && matchPattern(sum.getRhs(), m_ConstantInt(&constant)))
        return std::pair(sum.getLhs(), constant.getSExtValue());
      return std::pair(value, int64_t(0));
    };
    auto [baseA, offsetA] = split(a);
    auto [baseB, offsetB] = split(b);
    return baseA == baseB ? std::optional(offsetB - offsetA) : std::nullopt;
  }

  /// The wait behind the store, which frees its buffer, waits for the tensor too.
  static void waitUntilWritten(Operation *store) {
    auto wait = dyn_cast_or_null<TmaStoreWaitOp>(store->getNextNode());
    if (!wait || wait.getPendings() != 0)
      return; // written by hand, with its own waits
    wait.setWritten(true);
    OpBuilder builder(wait->getContext());
    builder.setInsertionPointAfter(wait);
    BarrierOp::create(builder, wait.getLoc()); // one thread has waited
  }

  /// In front of the outermost loop around the copy that contains nothing to be seen.
  void fenceBefore(const GlobalAccess &copy, ArrayRef<GlobalAccess> accesses) {
    Operation *place = copy.op;
    for (Operation *around = place->getParentOp(); around; around = around->getParentOp()) {
      // Partitions too: the fence is for threads that wrote before the partitions began.
      if (!isa<LoopLikeOpInterface, WarpSpecializeOp>(around))
        continue;
      bool containsWrite = llvm::any_of(accesses, [&](const GlobalAccess &other) {
        return around->isProperAncestor(other.op) && isWrittenBefore(copy, other);
      });
      if (containsWrite)
        break;
      place = around;
    }
    // One fence is for all copies up to the next write.
    if (Operation *earlier = fenced.lookup(place->getBlock())) {
      auto isBetween = [&](const GlobalAccess &other) {
        if (!isWrittenBefore(copy, other))
          return false;
        Operation *at = place->getBlock()->findAncestorOpInBlock(*other.op);
        return !at || (!at->isBeforeInBlock(earlier) && at->isBeforeInBlock(place));
      };
      if (earlier == place || (earlier->isBeforeInBlock(place) && llvm::none_of(accesses, isBetween)))
        return;
    }
    OpBuilder builder(place);
    FenceAsyncGlobalOp::create(builder, copy.op->getLoc());
    BarrierOp::create(builder, copy.op->getLoc());
    fenced[place->getBlock()] = place;
  }

  llvm::DenseMap<Block *, Operation *> fenced; // the last op of a block that has a fence before it
};

} // namespace

} // namespace triton::gpu
