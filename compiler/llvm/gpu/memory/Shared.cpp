// Buffers in shared memory: a buffer is its address and what is XORed into every offset within it; loads and stores go by the linear map from
// registers to offsets. Barriers.
#include "compiler/gpu/Buffers.h"
#include "compiler/gpu/PrivateAttributes.h"
#include "compiler/llvm/gpu/Families.h"
#include "compiler/llvm/gpu/memory/SharedAccess.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace triton;
using namespace triton::simt;
using layout::LinearLayout;

SharedPlace triton::simt::placeOf(Emitter &emitter, Value buffer) {
  llvm::ArrayRef<llvm::Value *> held = emitter.registers(buffer);
  SharedPlace place{held[0], held[1]};
  if (auto padded = dyn_cast<gpu::PaddedSharedAttr>(cast<gpu::MemDescType>(buffer.getType()).getEncoding()))
    for (auto [interval, padding] : llvm::zip(padded.getIntervals(), padded.getPaddings()))
      place.padding.push_back({static_cast<unsigned>(interval), static_cast<unsigned>(padding)});
  return place;
}

std::optional<LinearLayout> triton::simt::offsetsOf(Emitter &emitter, RankedTensorType type, gpu::MemDescType buffer) {
  auto map = emitter.layout(type).invertAndCompose(gpu::toLinear(buffer));
  if (!map)
    return std::nullopt;
  // Each CTA moves between its own registers and its own memory.
  if (map->hasOutput("block") && !map->isZeroOn({"register", "lane", "warp"}, {"block"}))
    return std::nullopt;
  if (map->hasInput("block") && !map->isZeroOn({"block"}, {"offset"}))
    return std::nullopt;
  return map->sublayout({"register", "lane", "warp"}, {"offset"});
}

static llvm::LogicalResult noMap(Operation *op, Type tensor, Type buffer) {
  return op->emitError() << "'" << op->getName() << "' cannot move " << tensor << " to or from " << buffer
                         << ": the buffer's layout does not hold every element in the CTA that has it";
}

static llvm::LogicalResult store(Emitter &emitter, Operation *op, Value source, Value buffer) {
  auto type = cast<RankedTensorType>(source.getType());
  auto map = offsetsOf(emitter, type, cast<gpu::MemDescType>(buffer.getType()));
  if (!map)
    return noMap(op, type, buffer.getType());
  storeRegisters(emitter, placeOf(emitter, buffer), *map, emitter.registers(source));
  return success();
}

static llvm::LogicalResult emitAlloc(Emitter &emitter, gpu::LocalAllocOp op) {
  emitter.define(op, Registers{emitter.sharedAddress(op), emitter.i32(0)});
  return op.getSrc() ? store(emitter, op, op.getSrc(), op.getResult()) : success();
}

static llvm::LogicalResult emitLoad(Emitter &emitter, gpu::LocalLoadOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  auto map = offsetsOf(emitter, type, cast<gpu::MemDescType>(op.getSrc().getType()));
  if (!map)
    return noMap(op, type, op.getSrc().getType());
  emitter.define(op.getResult(), loadRegisters(emitter, placeOf(emitter, op.getSrc()), *map, emitter.type(type)));
  return success();
}

static llvm::LogicalResult emitIndex(Emitter &emitter, gpu::MemDescIndexOp op) {
  llvm::ArrayRef<llvm::Value *> held = emitter.registers(op.getSrc());
  int64_t bytes = gpu::getBufferBytes(cast<gpu::MemDescType>(op.getType()));
  llvm::Value *offset = emitter.builder.CreateMul(emitter.scalar(op.getIndex()), emitter.i32(bytes));
  emitter.define(op, Registers{emitter.builder.CreatePtrAdd(held[0], offset), held[1]});
  return success();
}

static llvm::LogicalResult emitSubslice(Emitter &emitter, gpu::MemDescSubsliceOp op) {
  llvm::IRBuilder<> &builder = emitter.builder;
  llvm::ArrayRef<llvm::Value *> held = emitter.registers(op.getSrc());
  auto type = cast<gpu::MemDescType>(op.getSrc().getType());
  llvm::ArrayRef<int32_t> offsets = op.getOffsets();
  llvm::Value *address = held[0];
  if (type.isMultiBuffered()) {
    address = builder.CreatePtrAdd(address, emitter.i32(offsets[0] * gpu::getBufferBytes(type)));
    offsets = offsets.drop_front();
  }
  LinearLayout places = gpu::toLinear(type).pseudoInvert();
  llvm::SmallVector<layout::DimensionSize> at;
  for (auto [dim, offset] : llvm::enumerate(offsets))
    at.emplace_back(layout::dimension(dim), offset);
  int64_t skew = 0;
  for (auto [output, value] : llvm::zip(places.outputs(), places.apply(at)))
    if (output.name == "offset")
      skew = value;
  emitter.define(op, Registers{address, builder.CreateXor(held[1], emitter.i32(skew))});
  return success();
}

static llvm::LogicalResult emitReinterpret(Emitter &emitter, gpu::MemDescReinterpretOp op) {
  llvm::ArrayRef<llvm::Value *> held = emitter.registers(op.getSrc());
  unsigned from = std::max(8u, cast<gpu::MemDescType>(op.getSrc().getType()).getElementBits()),
           to = std::max(8u, cast<gpu::MemDescType>(op.getType()).getElementBits());
  llvm::Value *skew = held[1];
  if (from > to)
    skew = emitter.builder.CreateMul(skew, emitter.i32(from / to));
  else if (to > from)
    skew = emitter.builder.CreateUDiv(skew, emitter.i32(to / from));
  emitter.define(op, Registers{held[0], skew});
  return success();
}

Emitted triton::simt::emitShared(Emitter &emitter, Operation *op) {
  return llvm::TypeSwitch<Operation *, Emitted>(op)
      .Case([&](gpu::LocalAllocOp op) { return emitAlloc(emitter, op); })
      .Case([&](gpu::LocalLoadOp op) { return emitLoad(emitter, op); })
      .Case([&](gpu::LocalStoreOp op) { return store(emitter, op, op.getSrc(), op.getDst()); })
      .Case([&](gpu::LocalDeallocOp) { return success(); })
      .Case([&](gpu::MemDescIndexOp op) { return emitIndex(emitter, op); })
      .Case([&](gpu::MemDescSubsliceOp op) { return emitSubslice(emitter, op); })
      .Case([&](gpu::MemDescReinterpretOp op) { return emitReinterpret(emitter, op); })
      .Case<gpu::MemDescTransOp, gpu::MemDescReshapeOp>([&](auto op) -> Emitted {
        emitter.define(op.getResult(), Registers(emitter.registers(op.getSrc())));
        return success();
      })
      .Case([&](gpu::BarrierOp barrier) {
        barrier->hasAttr(gpu::sharedOnlyName) ? emitter.sharedBarrier() : emitter.barrier();
        return success();
      })
      .Default([&](Operation *op) -> Emitted {
        if (op->getName().getStringRef() != "gpu.barrier") // MLIR's own, in files of IR
          return std::nullopt;
        emitter.barrier();
        return success();
      });
}
