// What loads, stores and atomics mean, through pointers, block pointers and descriptors.
#include "compiler/interpreter/Operations.h"

#include "compiler/interpreter/Indexing.h"
#include "compiler/tensor/MemoryAccess.h"
#include "compiler/tensor/Tf32.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <cstring>

using namespace mlir;

namespace triton::interpreter {

namespace {

/// The elements one op accesses: where each is, and whether it is accessed at all.
struct Places {
  Type element;
  SmallVector<int64_t> shape;
  std::vector<uint64_t> addresses;
  std::vector<bool> active;

  size_t size() const { return addresses.size(); }
};

uint64_t byteSize(Type element) { return std::max(bitWidth(element) / 8, 1u); }

/// Reads and writes single elements, and reports the first access that is none.
class Accessor {
public:
  Accessor(Operation *op, const Memory &memory, const Places &places)
      : op(op), memory(memory), element(places.element) {
    if (!memory.checker)
      return;
    watched = tensor::accessOf(op);
    AccessSite found = tensor::siteOf(op, *watched);
    found.shape = places.shape;
    if (memory.place)
      found.place = memory.place();
    site = memory.keep(std::move(found));
  }

  /// Fails if element `index` of the block must not be accessed at `address`.
  LogicalResult check(size_t index, uint64_t address) const {
    if (!memory.checker)
      return success();
    auto problem = memory.checker->check({site, watched->kind, watched->acquires, watched->releases,
                                          unsigned(byteSize(element)), address, int64_t(index), memory.program});
    return problem ? LogicalResult(op->emitError() << *problem) : success();
  }

  /// Fails if the program has looked at `bits` for too long.
  LogicalResult look(uint64_t address, uint64_t bits) const {
    auto problem = memory.waiting.noteLook(address, bits);
    return problem ? LogicalResult(op->emitError() << *problem) : success();
  }

  FailureOr<uint64_t> read(uint64_t address) const {
    void *place = memory.access(address, byteSize(element));
    if (!place)
      return op->emitOpError() << "reads " << memory.explain(address, byteSize(element));
    uint64_t bits = 0;
    std::memcpy(&bits, place, byteSize(element));
    return element.isInteger(1) ? bits != 0 : bits;
  }

  LogicalResult write(uint64_t address, uint64_t bits) const {
    void *place = memory.access(address, byteSize(element));
    if (!place)
      return op->emitOpError() << "writes " << memory.explain(address, byteSize(element));
    if (const std::string *name = memory.protectedAt(address, byteSize(element)))
      return op->emitError() << "argument '" << *name << "' is read-only, and the kernel stores to it";
    std::memcpy(place, &bits, byteSize(element));
    return success();
  }

private:
  Operation *op;
  const Memory &memory;
  Type element;
  std::optional<tensor::MemoryAccess> watched;
  const AccessSite *site = nullptr;
};

Places throughPointers(const Array &pointers, const Array *mask) {
  Places places{cast<tensor::PointerType>(pointers.element()).getPointeeType(), SmallVector<int64_t>(pointers.shape()),
                std::vector<uint64_t>(pointers.bits()), std::vector<bool>(pointers.size(), true)};
  if (mask)
    for (size_t index = 0; index < places.size(); ++index)
      places.active[index] = mask->unsignedAt(index);
  return places;
}

/// A window onto a tensor in memory, at `offsets`.
struct Window {
  uint64_t base;
  ArrayRef<uint64_t> shape, strides;
  SmallVector<int64_t> offsets;
  RankedTensorType block;

  Places places(ArrayRef<int32_t> checked) const {
    Places result{block.getElementType(), SmallVector<int64_t>(block.getShape()), {}, {}};
    uint64_t bytes = byteSize(block.getElementType());
    forEachIndex(block.getShape(), [&](ArrayRef<int64_t> index) {
      uint64_t address = base;
      bool inside = true;
      for (size_t dim = 0; dim < index.size(); ++dim)
        address += uint64_t(offsets[dim] + index[dim]) * strides[dim] * bytes;
      for (int32_t dim : checked) {
        int64_t place = offsets[dim] + index[dim];
        inside &= place >= 0 && place < int64_t(shape[dim]);
      }
      result.addresses.push_back(address);
      result.active.push_back(inside);
    });
    return result;
  }
};

/// The window that a block pointer is.
Window asWindow(const Array &pointer) {
  auto block = cast<RankedTensorType>(cast<tensor::PointerType>(pointer.element()).getPointeeType());
  size_t rank = block.getRank();
  ArrayRef<uint64_t> parts = pointer.bits().drop_front();
  SmallVector<int64_t> offsets(parts.drop_front(2 * rank));
  return {pointer.unsignedAt(0), parts.take_front(rank), parts.slice(rank, rank), offsets, block};
}

/// The window onto what a descriptor describes that stands at `indices`.
Window asWindow(const Array &descriptor, ArrayRef<Array> indices) {
  RankedTensorType block = cast<tensor::TensorDescType>(descriptor.element()).getSignlessBlockType();
  size_t rank = block.getRank();
  ArrayRef<uint64_t> parts = descriptor.bits().drop_front();
  SmallVector<int64_t> offsets = llvm::map_to_vector(indices, [](const Array &index) { return index.signedAt(0); });
  return {descriptor.unsignedAt(0), parts.take_front(rank), parts.slice(rank, rank), offsets, block};
}

SmallVector<int32_t> allDims(const Window &window) {
  return llvm::to_vector(llvm::seq<int32_t>(0, window.block.getRank()));
}

/// One row of what a descriptor describes for each of `rows`, from `column` on.
Places asRows(const Array &descriptor, const Array &rows, const Array &column) {
  Window window = asWindow(descriptor, {Array::splat(rows.element(), 0), column});
  Places result{window.block.getElementType(), {int64_t(rows.size()), window.block.getDimSize(1)}, {}, {}};
  for (size_t row = 0; row < rows.size(); ++row) {
    window.offsets[0] = rows.signedAt(row);
    Places line = window.places(allDims(window));
    llvm::append_range(result.addresses, line.addresses);
    result.active.insert(result.active.end(), line.active.begin(), line.active.end());
  }
  return result;
}

/// What elements outside of a tensor read as.
uint64_t padding(Type element, bool isNan) { return isNan ? encode(cast<FloatType>(element), std::nan("")) : 0; }

FailureOr<Arrays> load(Operation *op, const Memory &memory, const Places &places, const Array *other,
                       uint64_t pad = 0) {
  Accessor accessor(op, memory, places);
  auto plain = dyn_cast<tensor::LoadOp>(op);
  const bool isVolatile = plain && plain.getIsVolatile();
  memory.waiting.noteReads(isVolatile ? 0 : places.size());
  std::vector<uint64_t> bits;
  bits.reserve(places.size());
  for (size_t index = 0; index < places.size(); ++index) {
    if (!places.active[index]) {
      bits.push_back(other ? other->unsignedAt(index) : pad);
      continue;
    }
    if (failed(accessor.check(index, places.addresses[index])))
      return failure();
    auto value = accessor.read(places.addresses[index]);
    if (failed(value) || (isVolatile && failed(accessor.look(places.addresses[index], *value))))
      return failure();
    bits.push_back(*value);
  }
  return Arrays{Array(places.element, places.shape, std::move(bits))};
}

FailureOr<Arrays> store(Operation *op, const Memory &memory, const Places &places, const Array &value) {
  Accessor accessor(op, memory, places);
  memory.waiting.noteWrite();
  for (size_t index = 0; index < places.size(); ++index)
    if (places.active[index] && (failed(accessor.check(index, places.addresses[index])) ||
                                 failed(accessor.write(places.addresses[index], value.unsignedAt(index)))))
      return failure();
  return Arrays{};
}

/// The greater of two numbers, by the order that the op and the type call for; -0.0 comes before +0.0.
bool isGreater(Type element, bool isSigned, uint64_t a, uint64_t b) {
  if (auto type = dyn_cast<FloatType>(element)) {
    double left = decode(type, a), right = decode(type, b);
    return left == right ? std::signbit(right) && !std::signbit(left) : left > right;
  }
  if (!isSigned)
    return a > b;
  return llvm::SignExtend64(a, bitWidth(element)) > llvm::SignExtend64(b, bitWidth(element));
}

uint64_t update(tensor::RMWOp op, Type element, uint64_t old, uint64_t value) {
  using tensor::RMWOp;
  switch (op) {
  case RMWOp::And:
    return old & value;
  case RMWOp::Or:
    return old | value;
  case RMWOp::Xor:
    return old ^ value;
  case RMWOp::Add:
    return truncate(element, old + value);
  case RMWOp::FAdd: {
    auto type = cast<FloatType>(element);
    return encode(type, decode(type, old) + decode(type, value));
  }
  case RMWOp::Max:
    return isGreater(element, true, value, old) ? value : old;
  case RMWOp::Min:
    return isGreater(element, true, old, value) ? value : old;
  case RMWOp::UMax:
    return isGreater(element, false, value, old) ? value : old;
  case RMWOp::UMin:
    return isGreater(element, false, old, value) ? value : old;
  case RMWOp::Exchange:
    return value;
  }
  return old;
}

template <typename FunctionT>
FailureOr<Arrays> modify(Operation *op, const Memory &memory, const Places &places, FunctionT function) {
  Accessor accessor(op, memory, places);
  std::vector<uint64_t> before(places.size());
  for (size_t index = 0; index < places.size(); ++index) {
    if (!places.active[index])
      continue;
    if (failed(accessor.check(index, places.addresses[index])))
      return failure();
    auto old = accessor.read(places.addresses[index]);
    if (failed(old) || failed(accessor.look(places.addresses[index], *old)) ||
        failed(accessor.write(places.addresses[index], function(index, *old))))
      return failure();
    before[index] = *old;
  }
  return Arrays{Array(places.element, places.shape, std::move(before))};
}

Answer evaluatePointers(Operation *op, ArrayRef<Array> operands, const Memory &memory) {
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<tensor::LoadOp>([&](auto access) -> Answer {
        if (cast<tensor::PointerType>(operands[0].element()).isBlockPointer()) {
          Window window = asWindow(operands[0]);
          bool isNan = access.getPadding() == tensor::PaddingOption::Nan;
          return load(op, memory, window.places(access.getBoundaryCheck()), nullptr,
                      padding(window.block.getElementType(), isNan));
        }
        const Array *mask = access.getMask() ? &operands[1] : nullptr,
                    *other = access.getOther() ? &operands[2] : nullptr;
        return load(op, memory, throughPointers(operands[0], mask), other);
      })
      .Case<tensor::StoreOp>([&](auto access) -> Answer {
        if (cast<tensor::PointerType>(operands[0].element()).isBlockPointer())
          return store(op, memory, asWindow(operands[0]).places(access.getBoundaryCheck()), operands[1]);
        return store(op, memory, throughPointers(operands[0], access.getMask() ? &operands[2] : nullptr), operands[1]);
      })
      .Case<tensor::AtomicRMWOp>([&](auto atomic) -> Answer {
        Places places = throughPointers(operands[0], atomic.getMask() ? &operands[2] : nullptr);
        return modify(op, memory, places, [&](size_t index, uint64_t old) {
          return update(atomic.getAtomicRmwOp(), places.element, old, operands[1].unsignedAt(index));
        });
      })
      .Case<tensor::AtomicCASOp>([&](auto) -> Answer {
        return modify(op, memory, throughPointers(operands[0], nullptr), [&](size_t index, uint64_t old) {
          return old == operands[1].unsignedAt(index) ? operands[2].unsignedAt(index) : old;
        });
      })
      .Default([](Operation *) { return Answer(); });
}

/// Elements that a descriptor leads to: padded and rounded as it says in the last two of its parts.
FailureOr<Arrays> loadThrough(const Array &descriptor, Operation *op, const Memory &memory, const Places &places) {
  ArrayRef<uint64_t> flags = descriptor.bits().take_back(2);
  FailureOr<Arrays> loaded = load(op, memory, places, nullptr, padding(places.element, flags[0]));
  if (failed(loaded) || !flags[1] || !places.element.isF32())
    return loaded;
  const Array &values = loaded->front();
  std::vector<uint64_t> bits(values.bits());
  for (uint64_t &value : bits)
    value = tensor::roundToTf32(uint32_t(value));
  return Arrays{Array(values.element(), values.shape(), std::move(bits))};
}

/// A value made of several: `first`, then what the operands hold.
Array gatherParts(Type type, ArrayRef<Array> operands) {
  std::vector<uint64_t> parts;
  for (const Array &operand : operands)
    parts.push_back(isa<IntegerType>(operand.element()) ? uint64_t(operand.signedAt(0)) : operand.unsignedAt(0));
  return Array(type, {}, std::move(parts));
}

Answer evaluateWindows(Operation *op, ArrayRef<Array> operands, const Memory &memory) {
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<tensor::MakeTensorPtrOp>([&](auto make) -> Answer { return Arrays{gatherParts(make.getType(), operands)}; })
      .Case<tensor::AdvanceOp>([&](auto) -> Answer {
        std::vector<uint64_t> parts(operands[0].bits());
        size_t first = parts.size() - (operands.size() - 1);
        for (auto [index, step] : llvm::enumerate(operands.drop_front()))
          parts[first + index] += uint64_t(step.signedAt(0));
        return Arrays{Array(operands[0].element(), {}, std::move(parts))};
      })
      .Case<tensor::MakeTensorDescOp>([&](auto make) -> Answer {
        std::vector<uint64_t> parts(gatherParts(make.getType(), operands).bits());
        parts.push_back(make.getPadding() == tensor::PaddingOption::Nan);
        parts.push_back(make->hasAttr(tensor::roundsToTf32Name));
        return Arrays{Array(make.getType(), {}, std::move(parts))};
      })
      .Case<tensor::DescriptorLoadOp>([&](auto) -> Answer {
        Window window = asWindow(operands[0], operands.drop_front());
        return loadThrough(operands[0], op, memory, window.places(allDims(window)));
      })
      .Case<tensor::DescriptorStoreOp>([&](auto) -> Answer {
        Window window = asWindow(operands[0], operands.drop_front(2));
        return store(op, memory, window.places(allDims(window)), operands[1]);
      })
      .Case<tensor::DescriptorReduceOp>([&](auto reduce) -> Answer {
        std::optional<tensor::RMWOp> kind =
            tensor::updateOf(reduce.getKind(), reduce.getDesc().getType().getBlockType().getElementType());
        if (!kind)
          return FailureOr<Arrays>(op->emitOpError() << "cannot be interpreted with the kind "
                                                     << tensor::stringifyDescriptorReduceKind(reduce.getKind()));
        Window window = asWindow(operands[0], operands.drop_front(2));
        Places places = window.places(allDims(window));
        auto before = modify(op, memory, places, [&](size_t index, uint64_t old) {
          return update(*kind, places.element, old, operands[1].unsignedAt(index));
        });
        return failed(before) ? FailureOr<Arrays>(failure()) : FailureOr<Arrays>(Arrays{});
      })
      .Case<tensor::DescriptorGatherOp>([&](auto) -> Answer {
        Places places = asRows(operands[0], operands[1], operands[2]);
        return loadThrough(operands[0], op, memory, places);
      })
      .Case<tensor::DescriptorScatterOp>(
          [&](auto) -> Answer { return store(op, memory, asRows(operands[0], operands[1], operands[2]), operands[3]); })
      .Default([](Operation *) { return Answer(); });
}

} // namespace

Answer evaluateMemory(Operation *op, ArrayRef<Array> operands, const Memory &memory) {
  if (Answer answer = evaluatePointers(op, operands, memory))
    return answer;
  return evaluateWindows(op, operands, memory);
}

} // namespace triton::interpreter
