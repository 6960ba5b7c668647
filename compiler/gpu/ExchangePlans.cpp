#include "compiler/gpu/ExchangePlans.h"

#include "compiler/gpu/DotPlan.h"
#include "compiler/gpu/PrivateAttributes.h"
#include "compiler/layout/Reduction.h"
#include "compiler/layout/Scan.h"

using namespace mlir;

namespace triton::gpu {

using layout::LinearLayout;

unsigned getMemoryBits(Type element) {
  return std::max<unsigned>(8, llvm::PowerOf2Ceil(tensor::getElementBits(element)));
}

/// What one conversion or gather may take. Room is left for what else is alive, but not too much of it: every piece costs a barrier.
static int64_t exchangeRoom(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  const Target target = module ? dotTarget(module) : Target();
  return llvm::bit_floor(target.sharedBytes() - 1);
}

/// How many bits of each element have room together, at least a byte.
static unsigned bitsWithRoom(int64_t elements, unsigned bits, int64_t room) {
  while (bits > 8 && elements * bits / 8 > room)
    bits /= 2;
  return bits;
}

/// A plan for parts of the elements that have room, or for the smallest there are.
static ConvertPlan planParts(const LinearLayout &from, const LinearLayout &to, unsigned bits, int64_t elements,
                             int64_t room) {
  ConvertPlan plan{};
  int64_t bytes = elements * bits / 8;
  SmallVector<unsigned> fromBits, toBits;
  for (layout::CommonRegisterBit cut : layout::commonRegisterBits(from, to)) {
    if (bytes <= room)
      break;
    plan.cuts.push_back(cut);
    fromBits.push_back(cut.from);
    toBits.push_back(cut.to);
    bytes /= 2;
  }
  llvm::sort(toBits, std::greater<>());
  plan.pieceBits = bitsWithRoom(bytes * 8 / bits, bits, room);
  static_cast<layout::ConversionPlan &>(plan) = layout::planConversion(
      layout::withoutRegisterBits(from, fromBits), layout::withoutRegisterBits(to, toBits), plan.pieceBits);
  return plan;
}

ConvertPlan getPlan(ConvertLayoutOp op) {
  auto from = cast<RankedTensorType>(op.getSrc().getType()), to = cast<RankedTensorType>(op.getType());
  const unsigned bits = getMemoryBits(from.getElementType());
  auto planFor = [&](unsigned pieceBits) {
    return ConvertPlan{layout::planConversion(toLinear(from), toLinear(to), pieceBits), pieceBits, {}};
  };
  ConvertPlan plan = planFor(bits);
  if (!plan.usesBuffer())
    return plan;
  const int64_t elements = plan.shared.memory.totalInputSize();
  const bool inCta = plan.kind == layout::ConversionPlan::Kind::Shared;
  if (auto given = op->getAttrOfType<IntegerAttr>(allocationRoomName); given && inCta)
    return planParts(toLinear(from), toLinear(to), bits, elements, given.getInt());
  const int64_t room = exchangeRoom(op);
  const unsigned pieceBits = bitsWithRoom(elements, bits, room);
  if (inCta && elements * pieceBits / 8 > room)
    return planParts(toLinear(from), toLinear(to), bits, elements, room);
  return pieceBits == bits ? plan : planFor(pieceBits);
}

ReducePlan getPlan(tensor::ReduceOp op) {
  const LinearLayout &from = toLinear(cast<RankedTensorType>(op.getSrcs()[0].getType()));
  // A scalar is in all threads: no outputs, no bits.
  LinearLayout to;
  if (auto type = dyn_cast<RankedTensorType>(op.getResult()[0].getType()))
    to = toLinear(type);
  return {layout::planReduction(from, op.getAxis(), to), layout::reductionCtas(from, op.getAxis())};
}

ScanPlan getPlan(tensor::ScanOp op) {
  const LinearLayout &map = toLinear(cast<RankedTensorType>(op.getSrcs()[0].getType()));
  if (layout::canScan(map, op.getAxis()))
    return {layout::planScan(map, op.getAxis(), op.getReverse()), std::nullopt};
  LinearLayout through = layout::scannableLayout(map, op.getAxis());
  return {layout::planScan(through, op.getAxis(), op.getReverse()), through};
}

GatherPlan getPlan(tensor::GatherOp op) {
  auto source = cast<RankedTensorType>(op.getSrc().getType()), result = cast<RankedTensorType>(op.getType());
  unsigned bits = getMemoryBits(source.getElementType());
  std::optional<LinearLayout> through;
  if (toLinear(source).inputSize("block") > 1)
    through = layout::scannableLayout(toLinear(source), op.getAxis());
  auto planFor = [&](unsigned pieceBits) -> GatherPlan {
    return {layout::planGather(through ? *through : toLinear(source), toLinear(result), op.getAxis(), pieceBits),
            through, pieceBits};
  };
  GatherPlan plan = planFor(bits);
  if (plan.inWarp)
    return plan;
  const unsigned pieceBits = bitsWithRoom(plan.store.outputs()[0].size, bits, exchangeRoom(op));
  return pieceBits == bits ? plan : planFor(pieceBits);
}

bool needsBuffer(tensor::CatOp op) {
  const LinearLayout &from = toLinear(cast<RankedTensorType>(op.getLhs().getType()));
  const LinearLayout &to = toLinear(cast<RankedTensorType>(op.getType()));
  // Threads that hold copies of the result must hold copies of the operands, and have room for both.
  return to.inputSize("register") != 2 * from.inputSize("register") || to.freeBits("lane") != from.freeBits("lane") ||
         to.freeBits("warp") != from.freeBits("warp") || to.freeBits("register");
}

static bool resultIsShared(Operation *op) {
  if (op->use_empty())
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return !type || toLinear(type).freeBits("lane") || toLinear(type).freeBits("warp") ||
         toLinear(type).freeBits("block");
}
bool needsBuffer(tensor::AtomicRMWOp op) { return resultIsShared(op); }
bool needsBuffer(tensor::AtomicCASOp op) { return resultIsShared(op); }

} // namespace triton::gpu
