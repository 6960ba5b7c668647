#include "compiler/gpu/Scratch.h"

#include "compiler/gpu/ExchangePlans.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::gpu {

using Parts = llvm::SmallVector<unsigned>;

static unsigned bytesOf(int64_t elements, Type type) {
  return elements * getMemoryBits(getElementTypeOrSelf(type)) / 8;
}

static unsigned sharedElements(const layout::ConversionPlan &plan) {
  return plan.usesBuffer() ? plan.shared.memory.totalInputSize() : 0;
}

static Parts partsOf(ConvertLayoutOp op) {
  ConvertPlan plan = getPlan(op);
  return plan.usesBuffer() ? Parts{sharedElements(plan) * (plan.pieceBits / 8)} : Parts();
}

static Parts partsOf(tensor::ReduceOp op) {
  Parts parts;
  ReducePlan plan = getPlan(op);
  bool crossesCtas = plan.ctas && *plan.ctas;
  if (plan.program.usesBuffer() || crossesCtas)
    for (Value source : op.getSrcs())
      parts.push_back(bytesOf(plan.program.slots, source.getType()));
  if (crossesCtas)
    for (Value result : op.getResult()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      parts.push_back(bytesOf(type ? type.getNumElements() : 1, result.getType()));
    }
  return parts;
}

static Parts partsOf(tensor::ScanOp op) {
  Parts parts;
  ScanPlan plan = getPlan(op);
  if (plan.program.usesBuffer() || plan.through)
    for (Value source : op.getSrcs())
      parts.push_back(bytesOf(plan.program.slots, source.getType()));
  if (!plan.through)
    return parts;
  for (bool into : {true, false})
    for (Value source : op.getSrcs()) {
      auto type = cast<RankedTensorType>(source.getType());
      const layout::LinearLayout &map = toLinear(type);
      unsigned bits = getMemoryBits(type.getElementType());
      auto conversion =
          into ? layout::planConversion(map, *plan.through, bits) : layout::planConversion(*plan.through, map, bits);
      parts.push_back(bytesOf(sharedElements(conversion), type));
    }
  return parts;
}

static Parts partsOf(tensor::GatherOp op) {
  GatherPlan plan = getPlan(op);
  Parts parts;
  if (!plan.inWarp || plan.through)
    parts.push_back(plan.inWarp ? 0 : plan.store.outputs()[0].size * plan.pieceBits / 8);
  if (plan.through) {
    auto type = cast<RankedTensorType>(op.getSrc().getType());
    auto conversion = layout::planConversion(toLinear(type), *plan.through, getMemoryBits(type.getElementType()));
    parts.push_back(bytesOf(sharedElements(conversion), type));
  }
  return parts;
}

/// The registers that one thread holds of each capture.
static Parts partsOf(WarpSpecializeOp op) {
  Parts parts;
  for (unsigned index : op.getStoredCaptures()) {
    Type type = op.getExplicitCaptures()[index].getType();
    auto buffer = dyn_cast<MemDescType>(type);
    parts.push_back(buffer && isa<SharedMemoryAttr>(buffer.getMemorySpace()) ? 16 : 8);
  }
  return parts;
}

Parts scratchParts(Operation *op) {
  return llvm::TypeSwitch<Operation *, Parts>(op)
      .Case<ConvertLayoutOp, tensor::ReduceOp, tensor::ScanOp, tensor::GatherOp, WarpSpecializeOp>(
          [](auto op) { return partsOf(op); })
      .Case([](tensor::CatOp op) {
        auto type = cast<RankedTensorType>(op.getType());
        return needsBuffer(op) ? Parts{bytesOf(type.getNumElements(), type)} : Parts();
      })
      .Case([](tensor::HistogramOp op) {
        return Parts{static_cast<unsigned>(cast<RankedTensorType>(op.getType()).getNumElements() * 4)};
      })
      .Case([](TensormapCreateOp) { return Parts{128}; })
      .Case<tensor::AtomicRMWOp, tensor::AtomicCASOp>([](auto op) {
        auto type = dyn_cast<RankedTensorType>(op.getType());
        return needsBuffer(op) ? Parts{bytesOf(type ? type.getNumElements() : 1, op.getType())} : Parts();
      })
      .Default(Parts());
}

static Parts offsetsOf(ArrayRef<unsigned> parts) {
  Parts offsets;
  unsigned next = 0;
  for (unsigned bytes : parts) {
    offsets.push_back(next);
    next = llvm::alignTo(next + bytes, 16);
  }
  return offsets;
}

Parts scratchOffsets(Operation *op) { return offsetsOf(scratchParts(op)); }

unsigned scratchBytes(Operation *op) {
  Parts parts = scratchParts(op);
  return parts.empty() ? 0 : offsetsOf(parts).back() + parts.back();
}

} // namespace triton::gpu
