#include "compiler/gpu/passes/layouts/LayoutCost.h"

#include "compiler/gpu/passes/layouts/LayoutAnchors.h"
#include "compiler/layout/Conversion.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

#include <set>

using namespace mlir;

namespace triton::gpu {

// A barrier and the latency of shared memory on both sides of it.
constexpr int64_t exchangeLatency = 60;
// Issuing one memory instruction; what it touches takes more.
constexpr int64_t memoryIssue = 4;
// A shuffle, and picking what to offer and what was taken.
constexpr int64_t shuffle = 6;

// What loops are taken to do, in all: 8 rounds each.
static int64_t repeated(int64_t cost, unsigned loopDepth) { return cost << (3 * std::min(loopDepth, 4u)); }

static unsigned loopDepthOf(Value value) {
  unsigned depth = 0;
  for (Operation *op = value.getParentBlock()->getParentOp(); op; op = op->getParentOp())
    depth += isa<LoopLikeOpInterface>(op);
  return depth;
}

static bool isForAmd(Operation *op) {
  auto target = op->getParentOfType<ModuleOp>()->getAttrOfType<StringAttr>(targetName);
  return target && target.getValue().starts_with("hip:");
}

int64_t LayoutCost::ofSlot(unsigned slot, Attribute layout) {
  auto [found, isNew] = slotCosts.try_emplace({slot, layout.getAsOpaquePointer()}, 0);
  const LayoutSlot &known = problem.slots()[slot];
  if (isNew && !known.isCarried)
    found->second = repeated(once(known, layout), known.loopDepth);
  return found->second;
}

int64_t LayoutCost::ofConversion(Value value, Attribute from, Attribute to) {
  if (from == to)
    return 0;
  auto type = cast<RankedTensorType>(value.getType());
  auto [found, isNew] = conversionCosts.try_emplace({type, from, to}, 0);
  if (isNew)
    found->second = convertOnce(type, from, to, isForAmd(value.getParentBlock()->getParentOp()));
  return repeated(found->second, loopDepthOf(value));
}

// Bytes of LDS whose use costs as much as an instruction: a CU of AMD's has 64 KiB for all its workgroups, and an exchange of a whole tile takes more of it than the loop does.
constexpr int64_t ldsBytesOfInstruction = 128;

static int64_t registersOf(RankedTensorType type) { return toLinear(type).inputSize("register"); }

int64_t LayoutCost::convertOnce(RankedTensorType type, Attribute from, Attribute to, bool isAmd) {
  const int64_t bits = std::max<int64_t>(8, tensor::getElementBits(type));
  const layout::LinearLayout &source = toLinear(withLayout(type, from)), &target = toLinear(withLayout(type, to));
  const layout::ConversionPlan plan = layout::planConversion(source, target, bits);
  switch (plan.kind) {
  case layout::ConversionPlan::Kind::Nothing:
  case layout::ConversionPlan::Kind::Registers:
    return 1; // nothing at run time, but the same layout is better to read
  case layout::ConversionPlan::Kind::Lanes:
    return shuffle * plan.exchange.rounds.size() * std::max<int64_t>(1, bits / 32);
  case layout::ConversionPlan::Kind::Shared:
  case layout::ConversionPlan::Kind::Cluster:
    break;
  }
  // An instruction for each vector, and for each 128 bytes of it that a warp moves.
  auto access = [&](int64_t registers, unsigned vectorBits) {
    const int64_t instructions = std::max<int64_t>(1, registers >> vectorBits);
    return instructions * (2 + std::max<int64_t>(1, (bits << vectorBits) / 32));
  };
  const int64_t occupancy = isAmd ? type.getNumElements() * bits / 8 / ldsBytesOfInstruction : 0;
  return exchangeLatency + occupancy + access(source.inputSize("register"), plan.shared.storeVectorBits) +
         access(target.inputSize("register"), plan.shared.loadVectorBits);
}

// What the lanes of a warp touch together: lanes at the same row and in the same `bytes` of a run touch one piece of memory.
static int64_t piecesOf(const AccessFacts &facts, const layout::LinearLayout &layout, int64_t elementBytes,
                        int64_t bytes) {
  std::set<layout::Coordinates> pieces;
  const int64_t lanes = layout.inputSize("lane");
  unsigned along = 0;
  for (unsigned d = 1; d < facts.rank(); ++d)
    if (facts.dimensions[d].contiguity >= facts.dimensions[along].contiguity)
      along = d;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    layout::Coordinates place(facts.rank(), 0);
    for (unsigned bit = 0; (int64_t(1) << bit) < lanes; ++bit)
      if (lane >> bit & 1)
        for (auto [component, basis] : llvm::zip_equal(place, layout.basis("lane", bit)))
          component ^= basis;
    for (unsigned d = 0; d < facts.rank(); ++d) {
      place[d] /= facts.dimensions[d].constancy;
      if (d == along)
        place[d] /= std::clamp<int64_t>(bytes / elementBytes, 1, facts.dimensions[d].contiguity);
    }
    pieces.insert(place);
  }
  return pieces.size();
}

// What one instruction keeps the memory pipeline busy for: a slot for each sector; where a load brings the same bytes to several lanes, one for each 64 bytes
// of registers that it fills, which goes twice as fast as sectors come. A store that touches many cache lines takes as long as if it
// filled them: an accumulator's registers written as they are, 16 bytes here and 16 bytes a row below, took 35 us where rows of 128 bytes took
// 19 us (f16, tiles of 64 x 64, H200).
static int64_t memorySlots(Operation *op, const AccessFacts &facts, const layout::LinearLayout &layout,
                           int64_t elementBytes, int64_t vectorBytes) {
  constexpr int64_t sectorBytes = 32, lineBytes = 128, filledBytes = 64;
  const int64_t sectors = piecesOf(facts, layout, elementBytes, sectorBytes);
  if (isa<tensor::LoadOp>(op))
    return std::max(sectors, layout.inputSize("lane") * vectorBytes / filledBytes);
  // Not on AMD GPUs: the exchange that would gather rows takes LDS as large as the tile, of which a CU has 64 KiB.
  if (!isa<tensor::StoreOp>(op) || isForAmd(op))
    return sectors;
  return std::max(sectors, lineBytes / sectorBytes * piecesOf(facts, layout, elementBytes, lineBytes));
}

static int64_t bytesOf(Value pointers) {
  return std::max<int64_t>(1, tensor::getElementBits(tensor::getAccessedType(pointers.getType())) / 8);
}

// The instructions a thread moves its elements with.
int64_t LayoutCost::instructionsOf(Operation *op, RankedTensorType type) {
  Value pointers = accessedPointers(op);
  const int64_t bytes = bytesOf(pointers);
  const layout::LinearLayout &layout = toLinear(type);
  int64_t vector =
      std::min<int64_t>(vectorElements(access.of(pointers), layout), std::max<int64_t>(1, widestAccess(op) / bytes));
  if (Value mask = accessMask(op); mask && isa<RankedTensorType>(mask.getType()))
    vector = std::min<int64_t>(vector, maskElements(access.of(mask), layout));
  return std::max<int64_t>(1, registersOf(type) / vector);
}

// How many bits of an index move along `axis`.
static int64_t bitsAlong(const layout::LinearLayout &layout, StringRef input, unsigned axis) {
  int64_t bits = 0;
  for (unsigned bit = 0; (int64_t(1) << bit) < layout.inputSize(input); ++bit)
    bits += layout.basis(input, bit)[axis] != 0;
  return bits;
}

int64_t LayoutCost::ofReduction(Operation *op, unsigned axis, RankedTensorType type) {
  const layout::LinearLayout &layout = toLinear(type);
  const int64_t registers = layout.inputSize("register");
  const int64_t results = std::max<int64_t>(1, registers >> bitsAlong(layout, "register", axis));
  // In a thread, between lanes, between warps.
  int64_t cost = registers + results * shuffle * bitsAlong(layout, "lane", axis);
  if (bitsAlong(layout, "warp", axis))
    cost += exchangeLatency + 4 * results;
  return cost * op->getNumOperands();
}

// What goes between threads is the totals of runs, and each element is combined twice: in its run, and with what stands before that.
int64_t LayoutCost::ofScan(Operation *op, unsigned axis, RankedTensorType type) {
  const layout::LinearLayout &layout = toLinear(type);
  const int64_t registers = layout.inputSize("register");
  // A run ends where threads hold the next bit of the position.
  int64_t run = layout.outputs()[axis].size;
  for (StringRef input : {"lane", "warp"})
    for (unsigned bit = 0; (int64_t(1) << bit) < layout.inputSize(input); ++bit)
      if (const int64_t step = layout.basis(input, bit)[axis])
        run = std::min(run, step);
  const int64_t runs = std::max<int64_t>(1, registers / run);
  const int64_t laneBits = bitsAlong(layout, "lane", axis), warpBits = bitsAlong(layout, "warp", axis);
  int64_t cost = laneBits || warpBits ? 2 * registers : registers;
  if (laneBits) // a round for each bit, and one for what the lane before has
    cost += runs * shuffle * (laneBits + 1);
  if (warpBits)
    cost += exchangeLatency + runs * (int64_t(4) << warpBits);
  return cost * op->getNumOperands();
}

int64_t LayoutCost::once(const LayoutSlot &slot, Attribute layout) {
  const RankedTensorType type = withLayout(slot.type, layout);
  int64_t cheap = 0;
  for (Value operand : slot.op->getOperands())
    if (problem.isCheap(operand))
      cheap += problem.costOfCheap(operand);
  const int64_t registers = registersOf(type);
  return llvm::TypeSwitch<Operation *, int64_t>(slot.op)
      .Case<tensor::LoadOp, tensor::StoreOp, tensor::AtomicRMWOp, tensor::AtomicCASOp>([&](auto op) {
        // Addresses are computed once per instruction, and mostly differ by constants.
        const int64_t instructions = instructionsOf(op, type), bytes = bytesOf(op.getPtr());
        const int64_t slots =
            memorySlots(op, access.of(op.getPtr()), toLinear(type), bytes, registers / instructions * bytes);
        return instructions * (memoryIssue + slots + cheap / 4);
      })
      .Case<tensor::ReduceOp>([&](auto op) { return ofReduction(op, op.getAxis(), type) + cheap * registers; })
      .Case<tensor::ScanOp>([&](auto op) { return ofScan(op, op.getAxis(), type) + cheap * registers; })
      .Case<tensor::DotOp, tensor::ExpandDimsOp, tensor::BroadcastOp, tensor::TransOp, tensor::ReshapeOp,
            tensor::JoinOp, tensor::SplitOp, tensor::CatOp>([&](auto) { return cheap * registers; })
      .Default([&](Operation *op) {
        const bool isSlow = isa<math::MathDialect>(op->getDialect()) ||
                            isa<arith::DivFOp, arith::DivSIOp, arith::RemSIOp, tensor::PreciseDivFOp>(op);
        return registers * (cheap + (isSlow ? 8 : 1));
      });
}

} // namespace triton::gpu
