// Each register's place in the buffer comes from its own coordinates, that along one axis replaced by an index. An index out of range is cut to
// the bits that the axis has, so that no access leaves the buffer. Updates are PTX's atomics of shared memory, relaxed, by one of the threads that
// hold an element.
#include "compiler/gpu/dialect/ExplicitOps.h"
#include "compiler/llvm/gpu/memory/SharedAccess.h"
#include "compiler/llvm/nvidia/Families.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace triton;
using namespace triton::nvidia;
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

/// `add.u32`: what PTX calls an update of elements of this type; empty if it has none.
static std::string updateName(tensor::RMWOp kind, llvm::Type *element, unsigned bits) {
  using Kind = tensor::RMWOp;
  const std::string width = std::to_string(bits);
  if (kind == Kind::FAdd && (element->isHalfTy() || element->isBFloatTy()))
    return std::string("add.noftz.") + (element->isHalfTy() ? "f16" : "bf16");
  if (bits < 32)
    return "";
  switch (kind) {
  case Kind::Add:
    return "add.u" + width;
  case Kind::FAdd:
    return "add.f" + width;
  case Kind::And:
    return "and.b" + width;
  case Kind::Or:
    return "or.b" + width;
  case Kind::Xor:
    return "xor.b" + width;
  case Kind::Exchange:
    return "exch.b" + width;
  case Kind::Max:
    return "max.s" + width;
  case Kind::Min:
    return "min.s" + width;
  case Kind::UMax:
    return "max.u" + width;
  case Kind::UMin:
    return "min.u" + width;
  }
  return "";
}

static llvm::LogicalResult updateIndexed(Emitter &emitter, gpu::LocalAtomicScatterRMWOp op) {
  llvm::IRBuilder<> &builder = emitter.builder;
  IndexedPlaces places(emitter, op, op.getDst(), op.getIndices(), op.getAxis());
  if (failed(places.check()))
    return failure();
  const unsigned bits = places.bits();
  const std::string name = updateName(op.getKind(), places.element(), bits);
  if (name.empty())
    return op.emitError() << "shared memory has no atomic '" << tensor::stringifyRMWOp(op.getKind())
                          << "' for elements of " << op.getDst().getType().getElementType();
  auto type = cast<RankedTensorType>(op.getIndices().getType());
  llvm::Value *isMine = emitter.writesElements(type);
  const Registers addresses = places.addresses(), values(emitter.registers(op.getValues()));
  const Registers masks = op.getMask() ? Registers(emitter.registers(op.getMask())) : Registers();
  bool hasCopies = isMine != nullptr;
  for (unsigned reg = 0; reg < values.size(); ++reg)
    hasCopies |= emitter.isCopy(type, reg);
  if (hasCopies && !op.getResult().use_empty())
    return op.emitError() << "gives each old value to one thread, but several hold the elements of " << type;
  llvm::Type *word = builder.getIntNTy(bits);
  const std::string constraint = bits == 64 ? "l" : bits == 32 ? "r" : "h";
  Registers results;
  for (auto [reg, address] : llvm::enumerate(addresses)) {
    if (emitter.isCopy(type, reg)) {
      results.push_back(llvm::PoisonValue::get(places.element()));
      continue;
    }
    llvm::Value *guard = isMine ? isMine : emitter.i1(true);
    if (!masks.empty())
      guard = builder.CreateAnd(guard, masks[reg]);
    llvm::Value *old = emitter.inlineAsm(
        "@$3 atom.shared." + name + " $0, [$1], $2;", "=" + constraint + ",r," + constraint + ",b,~{memory}", word,
        {builder.CreatePtrToInt(address, builder.getInt32Ty()), toMemory(emitter, values[reg]), guard},
        AsmEffects::SideEffect);
    results.push_back(fromMemory(emitter, old, places.element()));
  }
  emitter.define(op.getResult(), std::move(results));
  return success();
}

Emitted triton::nvidia::emitSharedIndexed(Emitter &emitter, Operation *op) {
  return llvm::TypeSwitch<Operation *, Emitted>(op)
      .Case([&](gpu::LocalGatherOp op) { return loadIndexed(emitter, op); })
      .Case([&](gpu::LocalScatterOp op) { return storeIndexed(emitter, op); })
      .Case([&](gpu::LocalAtomicScatterRMWOp op) { return updateIndexed(emitter, op); })
      .Default([](Operation *) -> Emitted { return std::nullopt; });
}
