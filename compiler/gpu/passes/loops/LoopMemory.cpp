// Plans of loops that fit into shared memory. How much is taken once a loop is pipelined is seen from its plan: rings instead of buffers that the
// loop fills, beside all else that is alive at the same time, placed as it will be.
#include "compiler/gpu/SharedFrames.h"
#include "compiler/gpu/Target.h"
#include "compiler/gpu/Tma.h"
#include "compiler/gpu/passes/loops/LoopPlan.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::gpu {

MemDescType ringType(MemDescType one, unsigned buffers) {
  SmallVector<int64_t> all = {int64_t(buffers)};
  llvm::append_range(all, one.getShape());
  return MemDescType::get(all, one.getElementType(), one.getEncoding(), one.getMemorySpace(), /*mutableMemory=*/true);
}

MemDescType placeType(RingCopy &copy) {
  auto type = cast<RankedTensorType>(copy.load.getType());
  return MemDescType::get(type.getShape(), type.getElementType(), copy.layout,
                          SharedMemoryAttr::get(type.getContext()));
}

MemDescType placeType(RingBlock &block) { return blockBufferType(block.load.getDesc().getType()); }

bool storesAlternately(const LoopPlan &plan, const RingCopy &copy) {
  return copy.transposing && plan.transposedBuffers > 1 && plan.inFlight;
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
  llvm::DenseSet<Operation *> gone; // whose bytes rings take the place of
  SmallVector<PlacedBuffer> added;

  Operation *around() { return plan.specialized ? plan.specialized : loop; }

  void add(MemDescType type) { added.push_back(sharedBuffer(around(), type, lives.ofUse(around()))); }

  void addRings() {
    for (RingCopy &copy : plan.copies) {
      add(ringType(placeType(copy), plan.buffers));
      for (Operation *user : copy.load->getUsers()) {
        // What a ring holds is read in the layout that it is used in.
        if (isa<ConvertLayoutOp>(user) || user == copy.filled)
          gone.insert(user);
        if (auto filled = dyn_cast<LocalAllocOp>(user); filled && storesAlternately(plan, copy)) {
          add(ringType(filled.getType(), plan.transposedBuffers));
          gone.insert(user);
        }
      }
    }
    for (RingBlock &block : plan.blocks) {
      add(ringType(placeType(block), plan.buffers));
      gone.insert(block.load);
      for (Operation *user : block.load->getUsers())
        if (isa<ConvertLayoutOp>(user) || user == block.filled)
          gone.insert(user);
    }
  }

  void addBarriers() {
    const bool haveDelayed[] = {llvm::any_of(plan.blocks, [](const RingBlock &block) { return !block.isDelayed; }),
                                llvm::any_of(plan.blocks, [](const RingBlock &block) { return block.isDelayed; })};
    for (bool hasBlocks : haveDelayed)
      for (unsigned kind = 0; hasBlocks && kind < (plan.frees ? 2 : 1); ++kind)
        add(barrierType(loop.getContext(), plan.buffers));
    if (plan.splitsBarrier)
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
    addRings();
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

LoopPlan fitIntoShared(scf::ForOp loop, LoopPlan rings, llvm::function_ref<LoopPlan(const LoopPlan &)> complete) {
  auto module = loop->getParentOfType<ModuleOp>();
  const int64_t limit = Target{unsigned(getComputeCapability(module).value_or(90))}.sharedBytes();
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
  auto remove = [](LoopPlan &plan, Operation *load) {
    llvm::erase_if(plan.copies, [&](RingCopy &copy) { return copy.load == load; });
    llvm::erase_if(plan.blocks, [&](RingBlock &block) { return block.load == load; });
  };

  for (; rings && rings.buffers >= 2; --rings.buffers)
    if (LoopPlan plan = complete(rings); fits(plan))
      return plan;
  rings.buffers = 2;
  while (rings) {
    struct Ring {
      Operation *load;
      bool isOperand; // of a dot, which reads it where it is
      int64_t bytes;
      size_t position;
    };
    SmallVector<Ring> order;
    auto add = [&](auto &ring) {
      order.push_back({ring.load, bool(ring.filled), getBufferBytes(placeType(ring)), order.size()});
    };
    llvm::for_each(rings.copies, add);
    llvm::for_each(rings.blocks, add);
    llvm::sort(order, [](const Ring &left, const Ring &right) {
      return std::tuple(left.isOperand, left.bytes, left.position) <
             std::tuple(right.isOperand, right.bytes, right.position);
    });
    for (const Ring &ring : order) {
      LoopPlan fewer = rings;
      remove(fewer, ring.load);
      if (LoopPlan plan = complete(fewer); fits(plan))
        return plan;
    }
    // No single one is enough.
    auto lighter = [](const Ring &left, const Ring &right) { return left.bytes < right.bytes; };
    remove(rings, llvm::max_element(order, lighter)->load);
  }
  return rings;
}

} // namespace triton::gpu
