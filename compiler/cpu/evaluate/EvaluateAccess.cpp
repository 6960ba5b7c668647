// Elements that lie somewhere else: behind a view, in a buffer, in memory.
#include "compiler/cpu/evaluate/Evaluate.h"

#include "compiler/cpu/Scalar.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace triton::cpu {

Coordinates Evaluator::reshape(ArrayRef<Coordinate> at, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  // Sizes are powers of two, so a reshape regroups the bits of the row-major index.
  auto bitsOf = [](ArrayRef<int64_t> shape) {
    SmallVector<std::pair<int, int>> ranges(shape.size()); // first bit, number of bits
    int position = 0;
    for (size_t d = shape.size(); d-- > 0;) {
      ranges[d] = {position, int(llvm::Log2_64(shape[d]))};
      position += ranges[d].second;
    }
    return ranges;
  };
  auto source = bitsOf(from), target = bitsOf(to);
  Coordinates result;
  Location loc = builder.getUnknownLoc();
  Scalar s{builder, loc};
  for (auto [first, count] : target) {
    Coordinate sum = zero();
    bool isZero = true;
    for (auto [d, range] : llvm::enumerate(source)) {
      int low = std::max(first, range.first), high = std::min(first + count, range.first + range.second);
      if (low >= high)
        continue;
      const Coordinate &part = at[d];
      if (isZero && low == range.first && high == range.first + range.second && low == first) {
        sum = part;
        isZero = false;
        continue;
      }
      int down = low - range.first, up = low - first;
      int64_t mask = (int64_t(1) << (high - low)) - 1;
      Offsets offsets;
      for (int64_t offset : part.offsets)
        offsets.push_back(((offset >> down) & mask) << up);
      // Outside of the loops that neither depends on, as its level says.
      int level = std::max(sum.level, part.level);
      OpBuilder::InsertionGuard guard(builder);
      if (size_t place = placeOf(level); place + 1 < scopes.size())
        builder.setInsertionPoint(scopes[place].inner);
      Value base = s.shiftLeft(s.bitAnd(s.shiftRight(part.base, down), mask), up);
      sum = {isZero ? base : s.add(sum.base, base), addScaled(offsets, 1, sum.offsets), level};
      isZero = false;
    }
    result.push_back(std::move(sum));
  }
  return result;
}

bool Evaluator::stepThroughView(Value &tensor, Coordinates &at) {
  Operation *op = tensor.getDefiningOp();
  if (!op || (buffers.contains(tensor) && !computed.contains(tensor)))
    return false;
  if (auto expand = dyn_cast<tensor::ExpandDimsOp>(op)) {
    at.erase(at.begin() + expand.getAxis());
    tensor = expand.getSrc();
    return true;
  }
  if (auto broadcast = dyn_cast<tensor::BroadcastOp>(op)) {
    for (auto [d, size] : llvm::enumerate(shapeOf(broadcast.getSrc())))
      if (size == 1)
        at[d] = zero();
    tensor = broadcast.getSrc();
    return true;
  }
  if (auto trans = dyn_cast<tensor::TransOp>(op)) {
    Coordinates source(at.size(), zero());
    for (auto [d, from] : llvm::enumerate(trans.getOrder()))
      source[from] = at[d];
    at = std::move(source);
    tensor = trans.getSrc();
    return true;
  }
  if (auto reshapeOp = dyn_cast<tensor::ReshapeOp>(op)) {
    at = reshape(at, shapeOf(tensor), shapeOf(reshapeOp.getSrc()));
    tensor = reshapeOp.getSrc();
    return true;
  }
  if (auto split = dyn_cast<tensor::SplitOp>(op)) {
    at.push_back(tensor == split.getOutRHS() ? this->at(Scalar{builder, op->getLoc()}.i64(1)) : zero());
    tensor = split.getSrc();
    return true;
  }
  return false;
}

Lanes Evaluator::readBuffer(const Buffer &buffer, Type element, ArrayRef<Coordinate> at) {
  Location location = builder.getUnknownLoc();
  auto [base, offsets] = elementsAt(builder, location, buffer, at);
  bool isPointer = isa<tensor::PointerType>(element);
  Type stored = isPointer ? Type(builder.getI64Type()) : element;
  Value value = Memory(builder, target, location).loadBuffer(buffer.pointer, stored, width, base, offsets);
  Lanes lanes = isa<VectorType>(value.getType()) ? Lanes::of(value) : Lanes::uniform(value);
  if (isPointer) {
    lanes.pointer = LLVM::ZeroOp::create(builder, location, LLVM::LLVMPointerType::get(builder.getContext()));
    lanes.unit = 1;
  }
  return lanes;
}

Lanes Evaluator::computeLoad(Operation *op, ArrayRef<Coordinate> at) {
  auto load = cast<tensor::LoadOp>(op);
  Type element = elementOf(load.getResult());
  bool isPointer = isa<tensor::PointerType>(element);
  Type loaded = isPointer ? Type(builder.getI64Type()) : element;
  Lanes address = evaluate(load.getPtr(), at);
  Predicate active = load.getMask() ? predicate(load.getMask(), at) : Predicate();
  Memory memory(builder, target, op->getLoc());
  Value other;
  if (!active.isAll()) {
    // Without `other` the value is unspecified: zero, which no later arithmetic stumbles over.
    if (load.getOther()) {
      Lanes fill = evaluate(load.getOther(), at);
      other = fill.isUniform() && !fill.condition ? fill.scalar : vector(load.getOther(), at);
    } else {
      other = Scalar{builder, op->getLoc()}.zero(getRegisterType(loaded));
    }
  }
  auto exact = [&] { return evaluate(load.getPtr(), at, /*exact=*/true); };
  // `exact` emits inside of a branch; what it computes must not be remembered outside.
  auto inBranch = [&]() -> Lanes {
    enter(nullptr, /*isLoop=*/false);
    Operation *owner = builder.getInsertionBlock()->getParentOp();
    scopes[scopes.size() - 2].inner = owner;
    Lanes lanes = exact();
    leave();
    return lanes;
  };
  Value value = memory.load(address, loaded, width, active, other, inBranch, load.getIsVolatile());
  Lanes lanes = isa<VectorType>(value.getType()) ? Lanes::of(value) : Lanes::uniform(value);
  if (isPointer) {
    lanes.pointer = LLVM::ZeroOp::create(builder, op->getLoc(), LLVM::LLVMPointerType::get(builder.getContext()));
    lanes.unit = 1;
  }
  return lanes;
}

Lanes Evaluator::computeGather(Operation *op, ArrayRef<Coordinate> at) {
  auto gather = cast<tensor::GatherOp>(op);
  auto found = buffers.find(gather.getSrc());
  assert(found != buffers.end() && "the plan keeps the source of a gather in a buffer");
  const Buffer &buffer = found->second;
  Scalar s{builder, op->getLoc()};
  Value base = s.i64(0);
  Offsets offsets;
  for (auto [d, coordinate] : llvm::enumerate(at)) {
    if (int(d) == int(gather.getAxis()))
      continue;
    base = s.add(base, s.mul(coordinate.base, buffer.strides[d]));
    offsets = addScaled(coordinate.offsets, buffer.strides[d], offsets);
  }
  // An index out of range reads some element, not other memory.
  int64_t size = shapeOf(gather.getSrc())[gather.getAxis()];
  Value index = vector(gather.getIndices(), at);
  index = s.mul(s.bitAnd(s.resize(index, builder.getI64Type(), false), size - 1), buffer.strides[gather.getAxis()]);
  Type stored = getStorageType(elementOf(gather.getSrc()));
  Memory memory(builder, target, op->getLoc());
  Lanes address{.pointer = buffer.pointer, .unit = getStorageBytes(stored)};
  if (width == 1) {
    address.scalar = s.add(index, base);
  } else {
    Value lanes = memory.broadcast(base, width);
    if (!offsets.empty())
      lanes = s.add(lanes, arith::ConstantOp::create(
                               builder, op->getLoc(),
                               DenseElementsAttr::get(cast<VectorType>(lanes.getType()), ArrayRef<int64_t>(offsets))));
    address.vector = s.add(index, lanes);
  }
  Value value = memory.load(address, elementOf(gather.getSrc()), width, {}, {}, nullptr);
  return width == 1 ? Lanes::uniform(value) : Lanes::of(value);
}

} // namespace triton::cpu
