#include "compiler/gpu/passes/layouts/LayoutAnchors.h"

#include "compiler/layout/Scan.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::gpu {

Value accessedPointers(Operation *op) {
  Value pointers = llvm::TypeSwitch<Operation *, Value>(op)
                       .Case<tensor::LoadOp, tensor::StoreOp, tensor::AtomicRMWOp, tensor::AtomicCASOp>(
                           [](auto access) { return access.getPtr(); })
                       .Default(Value());
  return pointers && isa<RankedTensorType>(pointers.getType()) ? pointers : Value();
}

Value accessMask(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<tensor::LoadOp, tensor::StoreOp, tensor::AtomicRMWOp>([](auto access) { return access.getMask(); })
      .Default(Value());
}

// Atomics come in words at most: two 16-bit floats.
int64_t widestAccess(Operation *op) { return isa<tensor::AtomicRMWOp, tensor::AtomicCASOp>(op) ? 4 : 16; }

// Dimensions from the one with the longest runs; where two are alike, the last first.
static SmallVector<unsigned> orderOf(const AccessFacts &facts) {
  auto order = llvm::to_vector(llvm::reverse(llvm::seq<unsigned>(0, facts.rank())));
  llvm::sort(order, [&](unsigned a, unsigned b) {
    const int64_t runOfA = facts.dimensions[a].contiguity, runOfB = facts.dimensions[b].contiguity;
    return runOfA != runOfB ? runOfA > runOfB : a > b;
  });
  return order;
}

static int64_t bytesOf(Value pointers) {
  return std::max<int64_t>(1, tensor::getElementBits(tensor::getAccessedType(pointers.getType())) / 8);
}

// As many elements along `dimension` as one instruction moves: neighbours in memory, under one mask.
static int64_t vectorAlong(unsigned dimension, Operation *op, AccessAnalysis &access) {
  Value pointers = accessedPointers(op);
  int64_t elements =
      std::min(access.of(pointers).alignedRun(dimension), std::max<int64_t>(1, widestAccess(op) / bytesOf(pointers)));
  if (Value mask = accessMask(op); mask && isa<RankedTensorType>(mask.getType()))
    elements = std::min(elements, access.of(mask).dimensions[dimension].constancy);
  return elements;
}

Attribute exchangeLayout(RankedTensorType type, CtaThreads threads) {
  // Every bit of every position, the last dimension's first, each from its lowest bit.
  SmallVector<layout::Coordinates> bits;
  for (int64_t dimension = type.getRank() - 1; dimension >= 0; --dimension)
    for (int64_t step = 1; step < type.getDimSize(dimension); step *= 2) {
      bits.emplace_back(type.getRank(), 0);
      bits.back()[dimension] = step;
    }
  const unsigned lastBits = llvm::Log2_64(type.getShape().back()), laneBits = llvm::Log2_32(threads.lanes),
                 threadBits = laneBits + llvm::Log2_32(threads.warps);
  const unsigned registerBits = bits.size() > threadBits ? bits.size() - threadBits : 0;
  const unsigned high = std::min(registerBits, lastBits);
  std::vector<layout::Coordinates> registers(bits.begin() + lastBits - high, bits.begin() + lastBits);
  bits.erase(bits.begin() + lastBits - high, bits.begin() + lastBits);
  std::vector<layout::Coordinates> lanes, warps;
  for (const layout::Coordinates &bit : bits) {
    auto &taker = lanes.size() < laneBits ? lanes : warps.size() + laneBits < threadBits ? warps : registers;
    taker.push_back(bit);
  }
  lanes.resize(laneBits, layout::Coordinates(type.getRank(), 0));
  warps.resize(threadBits - laneBits, layout::Coordinates(type.getRank(), 0));
  std::vector<layout::LinearLayout::Output> outputs;
  for (auto [dimension, size] : llvm::enumerate(type.getShape()))
    outputs.push_back({layout::dimension(dimension), size});
  return LinearAttr::get(type.getContext(),
                         layout::LinearLayout({{"register", registers}, {"lane", lanes}, {"warp", warps}}, outputs));
}

Attribute scanLayout(RankedTensorType type, unsigned axis, CtaThreads threads) {
  const layout::BlockedLayout runs = layout::layoutOfRuns(type.getShape(), axis, threads.lanes, threads.warps);
  return BlockedAttr::get(type.getContext(), runs.sizePerThread, runs.threadsPerWarp, runs.warpsPerCta, runs.order);
}

// Vectors of up to `vector` elements along order[0], lanes side by side, up to `row` elements of a warp in one row.
static BlockedAttr spread(MLIRContext *context, ArrayRef<int64_t> shape, ArrayRef<unsigned> order, int64_t vector,
                          int64_t row, CtaThreads threads) {
  // All threads before wide vectors.
  const int64_t share = std::max<int64_t>(1, ShapedType::getNumElements(shape) / threads.count());
  SmallVector<int64_t> registers(shape.size(), 1), lanes(shape.size(), 1), warps(shape.size(), 1);
  registers[order[0]] = std::min({vector, share, shape[order[0]]});
  // Warps as far apart as they can, so that what belongs together along the fast dimension stays in one warp.
  int64_t lanesLeft = threads.lanes, warpsLeft = threads.warps;
  for (unsigned dimension : order) {
    const int64_t size = dimension == order[0] ? std::min(shape[dimension], row) : shape[dimension];
    lanes[dimension] = std::min(lanesLeft, std::max<int64_t>(1, size / registers[dimension]));
    lanesLeft /= lanes[dimension];
  }
  for (unsigned dimension : llvm::reverse(order)) {
    warps[dimension] = std::min(warpsLeft, shape[dimension] / (registers[dimension] * lanes[dimension]));
    warpsLeft /= warps[dimension];
  }
  // Threads that the tensor has nothing for hold copies; the slowest dimension counts them.
  lanes[order.back()] *= lanesLeft;
  warps[order.back()] *= warpsLeft;
  return BlockedAttr::get(context, registers, lanes, warps, order);
}

BlockedAttr coalescedLayout(Operation *op, AccessAnalysis &access, CtaThreads threads, int64_t rowBytes) {
  if (Value pointers = accessedPointers(op)) {
    const SmallVector<unsigned> order = orderOf(access.of(pointers));
    return spread(op->getContext(), cast<RankedTensorType>(pointers.getType()).getShape(), order,
                  vectorAlong(order[0], op, access), rowBytes / bytesOf(pointers), threads);
  }
  // Blocks that TMA brings to shared memory are read from there in rows.
  if (isa<tensor::DescriptorLoadOp, tensor::DescriptorGatherOp>(op)) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    auto order = llvm::to_vector(llvm::reverse(llvm::seq<unsigned>(0, type.getRank())));
    const int64_t bytes = std::max<int64_t>(1, tensor::getElementBits(type) / 8);
    return spread(op->getContext(), type.getShape(), order, widestAccess(op) / bytes, rowBytes / bytes, threads);
  }
  return {};
}

} // namespace triton::gpu
