// Each register's place in the buffer comes from its own coordinates, that along one axis replaced by an index. An index out of range is cut to
// the bits that the axis has, so that no access leaves the buffer.
#include "compiler/llvm/gpu/memory/SharedIndexed.h"
#include "compiler/llvm/gpu/Families.h"
#include "compiler/llvm/gpu/memory/SharedAccess.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace triton;
using namespace triton::simt;
using layout::LinearLayout;

namespace {

/// Where the elements lie that the registers of `indices` choose.
class IndexedPlaces {
public:
  IndexedPlaces(Emitter &emitter, Operation *op, Value buffer, Value indices, unsigned axis)
      : emitter(emitter), op(op), type(cast<gpu::MemDescType>(buffer.getType())),
        indexType(cast<RankedTensorType>(indices.getType())), place(placeOf(emitter, buffer)),
        indices(emitter.registers(indices)), axis(axis), inverse(gpu::toLinear(type).pseudoInvert()) {}

  llvm::LogicalResult check() {
    if (inverse.hasOutput("block") && !inverse.isZeroOn(inputNames(), {"block"}))
      return op->emitError() << "'" << op->getName() << "' finds elements in the memory of its own CTA, " << type
                             << " lies in several";
    if (inverse.hasOutput("block"))
      inverse = inverse.removeOutput("block");
    return success();
  }

  /// The address of each register's element.
  Registers addresses() {
    Registers result;
    llvm::IRBuilder<> &builder = emitter.builder;
    for (auto [coordinates, index] : llvm::zip_equal(emitter.coordinates(indexType), indices)) {
      llvm::SmallVector<std::pair<llvm::StringRef, llvm::Value *>> at;
      for (auto [dim, input] : llvm::enumerate(inverse.inputs())) {
        llvm::Value *own = coordinates[dim];
        if (dim == axis)
          own = builder.CreateAnd(builder.CreateZExtOrTrunc(index, builder.getInt32Ty()),
                                  emitter.i32(type.getShape()[dim] - 1));
        at.emplace_back(input.name, own);
      }
      llvm::Value *offset = emitter.apply(inverse, at)[0];
      result.push_back(elementAddress(emitter, place, offset, ~uint64_t(0), 0, bits()));
    }
    return result;
  }

  unsigned bits() { return memoryBits(element()); }
  llvm::Type *element() { return emitter.type(type.getElementType()); }

private:
  llvm::SmallVector<llvm::StringRef> inputNames() const {
    return llvm::map_to_vector(inverse.inputs(),
                               [](const LinearLayout::Input &input) -> llvm::StringRef { return input.name; });
  }

  Emitter &emitter;
  Operation *op;
  gpu::MemDescType type;
  RankedTensorType indexType;
  SharedPlace place;
  Registers indices;
  unsigned axis;
  LinearLayout inverse; // dim0, dim1, … -> offset
};

} // namespace

static llvm::LogicalResult loadIndexed(Emitter &emitter, gpu::LocalGatherOp op) {
  IndexedPlaces places(emitter, op, op.getSrc(), op.getIndices(), op.getAxis());
  if (failed(places.check()))
    return failure();
  Registers result;
  for (llvm::Value *address : places.addresses()) {
    llvm::Value *loaded = emitter.loadShared(emitter.builder.getIntNTy(places.bits()), address, places.bits() / 8);
    result.push_back(fromMemory(emitter, loaded, places.element()));
  }
  emitter.define(op.getResult(), std::move(result));
  return success();
}

static llvm::LogicalResult storeIndexed(Emitter &emitter, gpu::LocalScatterOp op) {
  IndexedPlaces places(emitter, op, op.getDst(), op.getIndices(), op.getAxis());
  if (failed(places.check()))
    return failure();
  for (auto [address, value] : llvm::zip_equal(places.addresses(), emitter.registers(op.getValues())))
    emitter.storeShared(toMemory(emitter, value), address, places.bits() / 8);
  return success();
}

llvm::LogicalResult
triton::simt::updateIndexed(Emitter &emitter, gpu::LocalAtomicScatterRMWOp op,
                            llvm::function_ref<llvm::Value *(llvm::Value *, llvm::Value *, llvm::Value *)> update) {
  llvm::IRBuilder<> &builder = emitter.builder;
  IndexedPlaces places(emitter, op, op.getDst(), op.getIndices(), op.getAxis());
  if (failed(places.check()))
    return failure();
  auto type = cast<RankedTensorType>(op.getIndices().getType());
  llvm::Value *isMine = emitter.writesElements(type);
  const Registers addresses = places.addresses(), values(emitter.registers(op.getValues()));
  const Registers masks = op.getMask() ? Registers(emitter.registers(op.getMask())) : Registers();
  bool hasCopies = isMine != nullptr;
  for (unsigned reg = 0; reg < values.size(); ++reg)
    hasCopies |= emitter.isCopy(type, reg);
  if (hasCopies && !op.getResult().use_empty())
    return op.emitError() << "gives each old value to one thread, but several hold the elements of " << type;
  Registers results;
  for (auto [reg, address] : llvm::enumerate(addresses)) {
    if (emitter.isCopy(type, reg)) {
      results.push_back(llvm::PoisonValue::get(places.element()));
      continue;
    }
    llvm::Value *guard = isMine;
    if (!masks.empty())
      guard = guard ? builder.CreateAnd(guard, masks[reg]) : masks[reg];
    results.push_back(update(address, values[reg], guard));
  }
  emitter.define(op.getResult(), std::move(results));
  return success();
}

Emitted triton::simt::emitSharedIndexed(Emitter &emitter, Operation *op) {
  return llvm::TypeSwitch<Operation *, Emitted>(op)
      .Case([&](gpu::LocalGatherOp op) { return loadIndexed(emitter, op); })
      .Case([&](gpu::LocalScatterOp op) { return storeIndexed(emitter, op); })
      .Default([](Operation *) -> Emitted { return std::nullopt; });
}
