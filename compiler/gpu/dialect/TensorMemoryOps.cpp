// Tensor memory and tcgen05: what fits together, and what is read and written.
#include "compiler/gpu/dialect/OperandChecks.h"
#include "compiler/tensor/rules/Rules.h"

using namespace mlir;

namespace triton::gpu {

using layout::LinearLayout;
using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// A warp reaches 32 of the 128 rows: those that its number, modulo 4, says.
static LogicalResult checkWarpRows(Operation *op, RankedTensorType tensor, MemDescType buffer) {
  if (!hasLayout(tensor) || !isa<TensorMemoryEncodingAttr>(buffer.getEncoding()) ||
      buffer.getShape() != buffer.getAllocShape())
    return success();
  const LinearLayout &registers = toLinear(tensor), &memory = toLinear(buffer);
  auto places = registers.invertAndCompose(memory);
  auto rowOf = [&](unsigned bit) { return places->apply({{"warp", int64_t(1) << bit}})[0]; };
  if (registers.inputSize("warp") < 4 || !places || rowOf(0) != 32 || rowOf(1) != 64)
    return op->emitOpError() << "moves 32 rows of tensor memory per warp, those of warp 1 from row 32 on and of warp 2 "
                                "from row 64 on, which is not so for "
                             << tensor << " and " << buffer;
  return success();
}

static LogicalResult checkTensorMove(Operation *op, RankedTensorType tensor, MemDescType buffer) {
  if (failed(checkIsTensorMemory(op, buffer)) || failed(checkMove(op, tensor, buffer)))
    return failure();
  if (tensor.getRank() != 2)
    return op->emitOpError() << "moves matrices, got shape [" << tensor.getShape() << "]";
  return checkWarpRows(op, tensor, buffer);
}

void TMEMAllocOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(), getOperation()->getOpResult(0), TensorMemory::get());
  if (getSrc())
    effects.emplace_back(MemoryEffects::Write::get(), getOperation()->getOpResult(0), TensorMemory::get());
}

LogicalResult TMEMAllocOp::verify() {
  MemDescType type = getResult().getType();
  if (failed(checkIsTensorMemory(*this, type)))
    return failure();
  if (type.getAllocShape() != type.getShape())
    return emitOpError() << "allocates a whole buffer, not the part " << type;
  if (getSrc())
    return checkTensorMove(*this, cast<RankedTensorType>(getSrc().getType()), type);
  if (!type.getMutableMemory())
    return emitOpError() << "without a value gives a mutable buffer, not " << type;
  return success();
}

LogicalResult TMEMLoadOp::verify() { return checkTensorMove(*this, getResult().getType(), getSrc().getType()); }

LogicalResult TMEMStoreOp::verify() {
  if (failed(checkIsMutable(*this, getDst().getType())))
    return failure();
  return checkTensorMove(*this, getSrc().getType(), getDst().getType());
}

LogicalResult TMEMSubsliceOp::verify() {
  MemDescType from = getSrc().getType(), to = getResult().getType();
  if (failed(checkIsTensorMemory(*this, from)) || failed(checkIsTensorMemory(*this, to)))
    return failure();
  if (from.getRank() != 2 || to.getRank() != 2 || from.getShape()[0] != to.getShape()[0] ||
      from.getElementType() != to.getElementType())
    return emitOpError() << "takes columns of a matrix, got " << from << " and " << to;
  int32_t first = getN();
  if (first < 0 || first % to.getShape()[1] != 0 || first + to.getShape()[1] > from.getShape()[1])
    return emitOpError() << "takes " << to.getShape()[1] << " of " << from.getShape()[1]
                         << " columns at a multiple of their number, got " << first;
  return success();
}

LogicalResult TMEMCopyOp::verify() {
  MemDescType from = getSrc().getType(), to = getDst().getType();
  if (failed(checkIsShared(*this, from)) || failed(checkIsTensorMemory(*this, to)) ||
      failed(checkIsMutable(*this, to)) || (getBarrier() && failed(checkIsBarrier(*this, getBarrier()))))
    return failure();
  if (isa<PaddedSharedAttr>(from.getEncoding()))
    return emitOpError() << "copies from a buffer without padding, got " << from;
  if (isa<TensorMemoryScalesAttr>(to.getEncoding()))
    return success(); // a source of scales is packed in chunks, whose shape is its own
  if (from.getShape() != to.getShape() || from.getElementType() != to.getElementType() || from.getElementBits() != 32)
    return emitOpError() << "copies 32-bit elements of one shape, got " << from << " and " << to;
  return success();
}

/// Operands that lie in a memory, read there; the accumulator, read and written.
static void addProductEffects(OpOperand &a, OpOperand &b, OpOperand &d, Effects &effects) {
  for (OpOperand *operand : {&a, &b}) {
    bool shared = isa<SharedAttr>(cast<MemDescType>(operand->get().getType()).getEncoding());
    effects.emplace_back(MemoryEffects::Read::get(), operand,
                         shared ? static_cast<SideEffects::Resource *>(SharedMemory::get())
                                : static_cast<SideEffects::Resource *>(TensorMemory::get()));
  }
  effects.emplace_back(MemoryEffects::Read::get(), &d, TensorMemory::get());
  effects.emplace_back(MemoryEffects::Write::get(), &d, TensorMemory::get());
}

static void addBarrierEffects(MutableOperandRange barriers, Effects &effects) {
  for (OpOperand &barrier : barriers) {
    effects.emplace_back(MemoryEffects::Read::get(), &barrier, SharedMemory::get());
    effects.emplace_back(MemoryEffects::Write::get(), &barrier, SharedMemory::get());
  }
}

void TCGen5MMAOp::getEffects(Effects &effects) {
  addProductEffects(getAMutable(), getBMutable(), getDMutable(), effects);
  addBarrierEffects(getBarriersMutable(), effects);
}

void TCGen5MMAScaledOp::getEffects(Effects &effects) {
  addProductEffects(getAMutable(), getBMutable(), getDMutable(), effects);
  effects.emplace_back(MemoryEffects::Read::get(), &getAScaleMutable(), TensorMemory::get());
  effects.emplace_back(MemoryEffects::Read::get(), &getBScaleMutable(), TensorMemory::get());
  addBarrierEffects(getBarriersMutable(), effects);
}

static RankedTensorType asTensor(MemDescType type) {
  return RankedTensorType::get(type.getShape(), type.getElementType());
}

/// What dots ask of the places of their operands, and of barriers.
static LogicalResult checkProductPlaces(Operation *op, MemDescType a, MemDescType b, MemDescType d, ValueRange barriers,
                                        ValueRange predicates) {
  if (failed(checkIsShared(op, b)) || failed(checkIsTensorMemory(op, d)) || failed(checkIsMutable(op, d)))
    return failure();
  for (MemDescType operand : {a, b})
    if (isa<SharedAttr>(operand.getEncoding()) && !isa<NvmmaSharedAttr, SharedLinearAttr>(operand.getEncoding()))
      return op->emitOpError() << "reads operands from buffers in nvmma_shared or shared_linear layouts, got "
                               << operand;
  if (a.getRank() != 2 || b.getRank() != 2 || d.getRank() != 2)
    return op->emitOpError() << "multiplies matrices, got shapes [" << a.getShape() << "] and [" << b.getShape() << "]";
  if (barriers.size() != predicates.size())
    return op->emitOpError() << "needs one predicate per barrier, got " << predicates.size() << " for "
                             << barriers.size();
  for (Value barrier : barriers)
    if (failed(checkIsBarrier(op, barrier)))
      return failure();
  return success();
}

LogicalResult TCGen5MMAOp::verify() {
  auto error = [&] { return emitOpError(); };
  MemDescType a = getA().getType(), b = getB().getType(), d = getD().getType();
  if (failed(checkProductPlaces(*this, a, b, d, getBarriers(), getBarrierPreds())))
    return failure();
  auto product = tensor::inferDot(asTensor(a), asTensor(b), d.getElementType(), error);
  if (failed(product))
    return failure();
  return tensor::checkAccumulator(*product, asTensor(d), error);
}

LogicalResult TCGen5MMAScaledOp::verify() {
  MemDescType a = getA().getType(), b = getB().getType(), d = getD().getType();
  if (failed(checkProductPlaces(*this, a, b, d, getBarriers(), getBarrierPreds())))
    return failure();
  for (MemDescType scale : {getAScale().getType(), getBScale().getType()})
    if (!isa<TensorMemoryScalesAttr>(scale.getEncoding()))
      return emitOpError() << "takes scales from tensor memory in a tensor_memory_scales_encoding, got " << scale;
  int64_t packedA = getAType() == tensor::ScaleDotElemType::E2M1 ? 2 : 1;
  int64_t packedB = getBType() == tensor::ScaleDotElemType::E2M1 ? 2 : 1;
  if (a.getShape()[1] * packedA != b.getShape()[0] * packedB)
    return emitOpError() << "multiplies matrices of one K, got " << a.getShape()[1] * packedA << " and "
                         << b.getShape()[0] * packedB;
  if (a.getShape()[0] != d.getShape()[0] || b.getShape()[1] != d.getShape()[1])
    return emitOpError() << "gives a product of shape [" << a.getShape()[0] << ", " << b.getShape()[1] << "], got ["
                         << d.getShape() << "]";
  return success();
}

LogicalResult TCGen5CommitOp::verify() { return checkIsBarrier(*this, getBarrier()); }

} // namespace triton::gpu
