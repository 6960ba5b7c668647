// Plans of loops that fit into shared memory. How much is taken once a loop is pipelined is seen from its plan: multi-buffers instead of buffers
// that the loop fills, beside all else that is alive at the same time, placed as it will be.
#include "compiler/gpu/DotPlan.h"
#include "compiler/gpu/SharedFrames.h"
#include "compiler/gpu/Tma.h"
#include "compiler/gpu/passes/loops/LoopPlan.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::gpu {

MemDescType multiBufferType(MemDescType one, unsigned depth) {
  SmallVector<int64_t> all = {int64_t(depth)};
  llvm::append_range(all, one.getShape());
  return MemDescType::get(all, one.getElementType(), one.getEncoding(), one.getMemorySpace(), /*mutableMemory=*/true);
}

namespace {

/// What the kernel takes, and what it takes of that while the loop runs.
struct Bytes {
  int64_t inAll, inLoop;
};

struct Estimate {
  scf::ForOp loop;
  LoopPlan &plan;
  FunctionOpInterface function = loop->getParentOfType<FunctionOpInterface>();
  BufferLives lives{function};
  llvm::DenseSet<Operation *> gone; // whose bytes multi-buffers take the place of
  SmallVector<PlacedBuffer> added;

  Operation *around() { return plan.specialized ? plan.specialized : loop; }

  void add(MemDescType type) { added.push_back(sharedBuffer(around(), type, lives.ofUse(around()))); }

  void addBuffers() {
    for (LoopBuffer &buffer : plan.buffers) {
      add(multiBufferType(buffer.type, plan.depth));
      if (buffer.isTma())
        gone.insert(buffer.load);
      for (Operation *user : buffer.load->getUsers()) {
        // What a buffer holds is read in the layout that it is used in.
        if (isa<ConvertLayoutOp>(user) || user == buffer.filled)
          gone.insert(user);
        if (auto filled = dyn_cast<LocalAllocOp>(user); filled && plan.storesAlternately(buffer)) {
          add(multiBufferType(filled.getType(), plan.transposedDepth));
          gone.insert(user);
        }
      }
    }
    for (EarlyLoad &each : plan.early)
      if (each.staged) {
        add(each.buffer);
        gone.insert(each.staged);
      }
  }

  void addBarriers() {
    for (unsigned stage : {0, 1})
      if (llvm::any_of(plan.buffers, [&](LoopBuffer &buffer) { return buffer.isTma() && buffer.stage == stage; }))
        for (unsigned kind = 0; kind < (plan.release == Release::Mbarrier ? 2 : 1); ++kind)
          add(barrierType(loop.getContext(), plan.depth));
    if (plan.release == Release::SplitBarrier)
      add(barrierType(loop.getContext(), std::nullopt));
  }

  /// What accesses through descriptors go through, once they are lowered.
  void addAccesses() {
    auto buffered = [&](Operation *op, Type type) {
      auto tensor = cast<RankedTensorType>(type);
      int64_t bytes = tensor.getNumElements() * tensor::getElementBits(type) / 8;
      added.push_back({op, bytes, 128, lives.ofUse(op)});
    };
    function->walk([&](Operation *op) {
      llvm::TypeSwitch<Operation *>(op)
          .Case([&](tensor::DescriptorLoadOp load) {
            if (!gone.contains(op) && llvm::none_of(op->getUsers(), llvm::IsaPred<LocalAllocOp>))
              buffered(op, load.getType());
          })
          .Case([&](tensor::DescriptorGatherOp gather) { buffered(op, gather.getType()); })
          .Case<tensor::DescriptorStoreOp, tensor::DescriptorReduceOp, tensor::DescriptorScatterOp>(
              [&](auto store) { buffered(op, store.getSrc().getType()); });
    });
  }

  Bytes run() {
    addBuffers();
    addBarriers();
    addAccesses();
    SharedFrames frames(loop->getParentOfType<ModuleOp>());
    SmallVector<PlacedBuffer> &buffers = frames.of(function);
    llvm::erase_if(
        buffers, [&](PlacedBuffer &buffer) { return gone.contains(buffer.owner) || isOpTriviallyDead(buffer.owner); });
    // Among the others in the order of the program, as they will be.
    for (PlacedBuffer &buffer : added) {
      auto *behind = llvm::find_if(buffers, [&](PlacedBuffer &other) {
        return !isAllocation(other.owner) || other.life.own.first >= buffer.life.own.first;
      });
      buffers.insert(behind, buffer);
    }
    Bytes bytes;
    bytes.inAll = frames.place();
    Life here = lives.ofUse(around());
    llvm::erase_if(buffers, [&](PlacedBuffer &buffer) { return !buffer.life.meets(here); });
    bytes.inLoop = frames.place();
    return bytes;
  }
};

} // namespace

static int64_t sharedBytesOf(scf::ForOp loop) { return dotTarget(loop->getParentOfType<ModuleOp>()).sharedBytes(); }

bool fitsIntoShared(scf::ForOp loop, LoopPlan &plan) { return Estimate{loop, plan}.run().inAll <= sharedBytesOf(loop); }

LoopPlan fitIntoShared(scf::ForOp loop, LoopPlan loads, llvm::function_ref<LoopPlan(const LoopPlan &)> complete) {
  const int64_t limit = sharedBytesOf(loop);
  std::optional<Bytes> without;
  auto fits = [&](LoopPlan plan) {
    Bytes bytes = Estimate{loop, plan}.run();
    if (bytes.inAll <= limit)
      return true;
    if (!without) {
      LoopPlan none;
      without = Estimate{loop, none}.run();
    }
    // Where it is too much in any case, somewhere else or here.
    return (bytes.inLoop <= limit && without->inAll > limit) || bytes.inLoop <= without->inLoop;
  };
  auto leaveOut = [](LoopPlan plan, Operation *load) {
    llvm::erase_if(plan.buffers, [&](LoopBuffer &buffer) { return buffer.load == load; });
    return plan;
  };

  for (; loads && loads.depth >= 2; --loads.depth)
    if (LoopPlan plan = complete(loads); fits(plan))
      return plan;
  loads.depth = 2;
  while (loads) {
    // Those that dots read where they are go last, the largest of them at the very last.
    auto order = llvm::map_to_vector(loads.buffers, [](LoopBuffer &buffer) { return &buffer; });
    llvm::stable_sort(order, [](LoopBuffer *left, LoopBuffer *right) {
      return std::tuple(bool(left->filled), getBufferBytes(left->type)) <
             std::tuple(bool(right->filled), getBufferBytes(right->type));
    });
    for (LoopBuffer *buffer : order)
      if (LoopPlan plan = complete(leaveOut(loads, buffer->load)); fits(plan))
        return plan;
    // No single one is enough.
    auto lighter = [](LoopBuffer *left, LoopBuffer *right) {
      return getBufferBytes(left->type) < getBufferBytes(right->type);
    };
    loads = leaveOut(loads, (*llvm::max_element(order, lighter))->load);
  }
  return loads;
}

} // namespace triton::gpu
