#include "compiler/cpu/Evaluate.h"

#include "compiler/cpu/Elementwise.h"
#include "compiler/cpu/Scalar.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace triton::cpu {

void Evaluator::begin(int64_t lanes, ArrayRef<Value> values) {
  width = lanes;
  computed = llvm::DenseSet<Value>(values.begin(), values.end());
  scopes.clear();
  scopes.push_back({0});
  patterns.clear();
  zeroBase = Scalar{builder, builder.getUnknownLoc()}.i64(0);
}

void Evaluator::enter(Operation *inner, bool isLoop) {
  scopes.back().inner = inner;
  int level = scopes.back().level + (isLoop ? 1 : 0);
  scopes.push_back({level});
}

void Evaluator::leave() {
  scopes.pop_back();
  scopes.back().inner = nullptr;
}

Coordinate Evaluator::zero() { return {zeroBase, {}, 0}; }

Coordinate Evaluator::at(Value base, Offsets offsets) {
  auto constant = Scalar::constant(base);
  if (!constant)
    return {base, std::move(offsets), level()};
  // The same everywhere: it stands outside of all loops, whatever place it was written at.
  if (*constant == 0)
    return {zeroBase, std::move(offsets), 0};
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(zeroBase);
  return {Scalar{builder, builder.getUnknownLoc()}.i64(*constant), std::move(offsets), 0};
}

Evaluator::Key Evaluator::keyOf(Value tensor, ArrayRef<Coordinate> at, bool exact) {
  Key key{tensor.getAsOpaquePointer(), exact, {}};
  for (const Coordinate &coordinate : at) {
    std::vector<int64_t> offsets(coordinate.offsets.begin(), coordinate.offsets.end());
    unsigned pattern = patterns.try_emplace(std::move(offsets), patterns.size()).first->second;
    key.at.push_back({coordinate.base.getAsOpaquePointer(), pattern});
  }
  return key;
}

Lanes Evaluator::evaluate(Value tensor, ArrayRef<Coordinate> at, bool exact) {
  if (!isa<RankedTensorType>(tensor.getType())) {
    Value scalar = scalars.lookup(tensor);
    if (isa<LLVM::LLVMPointerType>(scalar.getType()))
      return {.scalar = Scalar{builder, tensor.getLoc()}.i64(0), .pointer = scalar, .unit = 1};
    return Lanes::uniform(scalar);
  }
  Key key = keyOf(tensor, at, exact);
  for (Scope &scope : llvm::reverse(scopes))
    if (auto found = scope.memo.find(key); found != scope.memo.end())
      return found->second;

  // What does not depend on the loops around here belongs outside of them.
  int needed = 0;
  for (const Coordinate &coordinate : at)
    needed = std::max(needed, coordinate.level);
  size_t place = placeOf(needed);
  if (place == scopes.size() - 1) {
    Lanes lanes = isKnown(tensor, at, place) ? Lanes::uniform(Scalar{builder, tensor.getLoc()}.i1(true))
                                             : compute(tensor, at, exact);
    scopes[place].memo[key] = lanes;
    return lanes;
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(scopes[place].inner);
  SmallVector<Scope, 4> inner;
  while (scopes.size() > place + 1)
    inner.push_back(scopes.pop_back_val());
  Operation *continued = scopes.back().inner;
  Lanes lanes = evaluate(tensor, at, exact);
  scopes.back().inner = continued;
  while (!inner.empty())
    scopes.push_back(inner.pop_back_val());
  return lanes;
}

size_t Evaluator::placeOf(int level) const {
  size_t place = scopes.size() - 1;
  if (level < scopes.back().level)
    while (place > 0 && scopes[place - 1].level >= level)
      --place;
  return place;
}

bool Evaluator::isKnown(Value term, ArrayRef<Coordinate> at, size_t scope) {
  for (size_t i = 0; i <= scope; ++i)
    for (const Fact &fact : scopes[i].facts)
      if (fact.term == term && (!fact.coordinate.base || (at[fact.dimension].base == fact.coordinate.base &&
                                                          at[fact.dimension].offsets == fact.coordinate.offsets)))
        return true;
  return false;
}

Lanes Evaluator::compute(Value tensor, ArrayRef<Coordinate> at, bool exact) {
  Operation *op = tensor.getDefiningOp();
  auto buffer = buffers.find(tensor);
  if (buffer != buffers.end() && !computed.contains(tensor))
    return readBuffer(buffer->second, elementOf(tensor), at);
  assert(op && "a tensor that is a block argument lies in a buffer");

  Value source = tensor;
  Coordinates sourceAt(at);
  if (stepThroughView(source, sourceAt))
    return evaluate(source, sourceAt, exact);
  if (auto splat = dyn_cast<tensor::SplatOp>(op)) {
    Lanes lanes = evaluate(splat.getSrc(), {}, exact);
    if (lanes.pointer)
      lanes.unit = getStorageBytes(cast<tensor::PointerType>(elementOf(tensor)).getPointeeType());
    return lanes;
  }
  if (auto range = dyn_cast<tensor::MakeRangeOp>(op)) {
    Scalar s{builder, op->getLoc()};
    Value first = s.add(s.resize(at[0].base, elementOf(tensor)), range.getStart());
    return {.scalar = first, .offsets = at[0].offsets};
  }
  if (isa<arith::ConstantOp>(op))
    return computeConstant(op, at);
  if (isa<tensor::AddPtrOp>(op))
    return computeAddPointer(op, at, exact);
  if (isa<tensor::LoadOp>(op))
    return computeLoad(op, at);
  if (isa<tensor::GatherOp>(op))
    return computeGather(op, at);
  if (isa<tensor::MapElementwiseOp>(op))
    return computeMap(op, cast<OpResult>(tensor).getResultNumber(), at);
  if (isa<ub::PoisonOp>(op))
    return Lanes::uniform(Scalar{builder, op->getLoc()}.zero(getRegisterType(elementOf(tensor))));
  if (auto cast = dyn_cast<tensor::IntToPtrOp>(op)) {
    Lanes lanes = evaluate(cast.getSrc(), at, exact);
    lanes.pointer = LLVM::ZeroOp::create(builder, op->getLoc(), LLVM::LLVMPointerType::get(builder.getContext()));
    lanes.unit = 1;
    return lanes;
  }
  if (auto cast = dyn_cast<tensor::PtrToIntOp>(op)) {
    Lanes pointers = evaluate(cast.getSrc(), at, /*exact=*/true);
    return Lanes::of(materialise(pointers, elementOf(cast.getSrc())));
  }
  if (auto bitcast = dyn_cast<tensor::BitcastOp>(op); bitcast && isa<tensor::PointerType>(elementOf(tensor)))
    return evaluate(bitcast.getSrc(), at, exact);
  if (auto select = dyn_cast<arith::SelectOp>(op); select && isa<tensor::PointerType>(elementOf(tensor))) {
    Value mask = vector(select.getCondition(), at);
    Value yes = materialise(evaluate(select.getTrueValue(), at, true), elementOf(tensor));
    Value no = materialise(evaluate(select.getFalseValue(), at, true), elementOf(tensor));
    Value chosen = Scalar{builder, op->getLoc()}.select(mask, yes, no);
    Lanes lanes = width == 1 ? Lanes::uniform(chosen) : Lanes::of(chosen);
    lanes.pointer = LLVM::ZeroOp::create(builder, op->getLoc(), LLVM::LLVMPointerType::get(builder.getContext()));
    lanes.unit = 1;
    return lanes;
  }
  if (isElementwise(op))
    return computeElementwise(op, at, exact);
  op->emitError() << "the CPU target cannot compute " << op->getName() << " as part of an expression";
  hasFailed = true;
  return Lanes::uniform(Scalar{builder, op->getLoc()}.zero(getRegisterType(elementOf(tensor))));
}

<<<<<<< ours
=======
Lanes Evaluator::readBuffer(const Buffer &buffer, Type element, ArrayRef<Coordinate> at) {
  Scalar s{builder, builder.getUnknownLoc()};
  Value base = s.i64(0);
  Offsets offsets;
  for (auto [coordinate, stride] : llvm::zip_equal(at, buffer.strides)) {
    if (stride == 0)
      continue;
    base = s.add(base, s.mul(coordinate.base, stride));
    offsets = addScaled(coordinate.offsets, stride, offsets);
  }
  bool isPointer = isa<tensor::PointerType>(element);
  Type stored = isPointer ? Type(builder.getI64Type()) : element;
  Value value = Memory(builder, target, s.loc).loadBuffer(buffer.pointer, stored, width, base, offsets);
  Lanes lanes = isa<VectorType>(value.getType()) ? Lanes::of(value) : Lanes::uniform(value);
  if (isPointer) {
    lanes.pointer = LLVM::ZeroOp::create(builder, s.loc, LLVM::LLVMPointerType::get(builder.getContext()));
    lanes.unit = 1;
  }
  return lanes;
}

Lanes Evaluator::computeConstant(Operation *op, ArrayRef<Coordinate> at) {
  auto elements = cast<DenseElementsAttr>(cast<arith::ConstantOp>(op).getValue());
  Type element = elements.getElementType();
  Type type = getRegisterType(element);
  auto scalarOf = [&](Attribute attribute) -> Value {
    if (auto real = dyn_cast<FloatAttr>(attribute); real && tensor::isFloat8(element))
      attribute = IntegerAttr::get(type, real.getValue().bitcastToAPInt());
    return arith::ConstantOp::create(builder, op->getLoc(), cast<TypedAttr>(attribute));
  };
  if (elements.isSplat())
    return Lanes::uniform(scalarOf(elements.getSplatValue<Attribute>()));
  // A table: small ones occur in tests and after folding.
  Scalar s{builder, op->getLoc()};
  SmallVector<Attribute> values(elements.getValues<Attribute>());
  auto table = VectorType::get({int64_t(values.size())}, type);
  SmallVector<Value> entries;
  for (Attribute value : values)
    entries.push_back(scalarOf(value));
  Value all = vector::FromElementsOp::create(builder, op->getLoc(), table, entries);
  Value base = s.i64(0);
  Offsets offsets;
  int64_t stride = 1;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  for (size_t d = shape.size(); d-- > 0; stride *= shape[d]) {
    base = s.add(base, s.mul(at[d].base, stride));
    offsets = addScaled(at[d].offsets, stride, offsets);
  }
  SmallVector<Value> lanes;
  for (int64_t lane = 0; lane < (offsets.empty() ? 1 : width); ++lane) {
    Value index = s.add(base, offsets.empty() ? 0 : offsets[lane]);
    if (auto constant = Scalar::constant(index))
      lanes.push_back(vector::ExtractOp::create(builder, op->getLoc(), all, *constant));
    else
      lanes.push_back(LLVM::ExtractElementOp::create(builder, op->getLoc(), all, index));
  }
  if (offsets.empty())
    return Lanes::uniform(lanes[0]);
  return Lanes::of(vector::FromElementsOp::create(builder, op->getLoc(), VectorType::get({width}, type), lanes));
}

Lanes Evaluator::computeAddPointer(Operation *op, ArrayRef<Coordinate> at, bool exact) {
  auto addPointer = cast<tensor::AddPtrOp>(op);
  Scalar s{builder, op->getLoc()};
  // As in an extension, what has few bits wraps in earnest.
  const bool mayWrap = exact || tensor::getElementBits(addPointer.getOffset().getType()) < 32;
  Lanes base = evaluate(addPointer.getPtr(), at, exact), offset = evaluate(addPointer.getOffset(), at, mayWrap);
  Type i64 = builder.getI64Type();
  int64_t bytes = getStorageBytes(cast<tensor::PointerType>(elementOf(addPointer.getPtr())).getPointeeType());
  auto scaled = [&](Lanes lanes, int64_t by) {
    if (by == 1)
      return lanes;
    if (lanes.vector)
      lanes.vector = s.mul(s.resize(lanes.vector, i64), by);
    if (lanes.scalar)
      lanes.scalar = s.mul(s.resize(lanes.scalar, i64), by);
    for (int64_t &offset : lanes.offsets)
      offset *= by;
    return lanes;
  };
  auto isZero = [](const Lanes &lanes) {
    auto constant = Scalar::constant(lanes.scalar);
    return lanes.isUniform() && constant && *constant == 0;
  };
  if (isZero(base)) {
    base.unit = bytes;
  } else if (base.unit != bytes) { // addresses as integers: count bytes
    base = scaled(base, base.unit);
    offset = scaled(offset, bytes);
    base.unit = 1;
  }
  // A wide offset is exact in 64 bits; a narrow one is extended, which is exact unless it wraps within the vector.
  Lanes sum;
  sum.pointer = base.pointer;
  sum.unit = base.unit;
  sum.condition = base.condition && offset.condition ? s.bitAnd(base.condition, offset.condition)
                  : base.condition                   ? base.condition
                                                     : offset.condition;
  sum.assumed = base.assumed || offset.assumed;
  bool canAdd = base.scalar && offset.scalar &&
                (base.offsets.empty() || offset.offsets.empty() || base.multiplier == offset.multiplier);
  bool isNarrow = offset.scalar && !offset.offsets.empty() && !offset.scalar.getType().isInteger(64);
  if (canAdd && !(mayWrap && isNarrow)) {
    sum.scalar =
        isZero(base) ? s.resize(offset.scalar, i64) : s.add(s.resize(base.scalar, i64), s.resize(offset.scalar, i64));
    sum.offsets = addScaled(offset.offsets, 1, base.offsets);
    sum.multiplier = base.offsets.empty() ? offset.multiplier : base.multiplier;
    if (sum.multiplier)
      sum.multiplier = s.resize(sum.multiplier, i64);
    sum.assumed |= isNarrow;
    return sum;
  }
  auto lanesOf = [&](Lanes lanes, Value tensor) -> Value {
    if (!lanes.isExact())
      lanes = evaluate(tensor, at, /*exact=*/true);
    lanes.pointer = {};
    return materialise(lanes, builder.getI64Type());
  };
  sum.condition = {};
  sum.assumed = false;
  if (isZero(base)) {
    sum.vector = lanesOf(offset, addPointer.getOffset());
    return sum;
  }
  Value left, right;
  left = lanesOf(base, addPointer.getPtr());
  right = lanesOf(offset, addPointer.getOffset());
  sum.vector = s.add(s.resize(left, i64), s.resize(right, i64));
  return sum;
}

std::optional<Lanes> Evaluator::computePattern(Operation *op, ArrayRef<Coordinate> at, bool exact) {
  if (!isa<IntegerType>(elementOf(op->getResult(0))) || elementOf(op->getResult(0)).isInteger(1))
    return std::nullopt;
  Scalar s{builder, op->getLoc()};
  auto operand = [&](unsigned i) { return evaluate(op->getOperand(i), at, exact); };
  auto merged = [&](const Lanes &a, const Lanes &b) -> Lanes {
    Lanes lanes;
    lanes.assumed = a.assumed || b.assumed;
    lanes.condition = a.condition && b.condition ? s.bitAnd(a.condition, b.condition)
                      : a.condition              ? a.condition
                                                 : b.condition;
    return lanes;
  };
  if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    Lanes a = operand(0), b = operand(1);
    if (!a.scalar || !b.scalar || (!a.offsets.empty() && !b.offsets.empty() && a.multiplier != b.multiplier))
      return std::nullopt;
    Lanes sum = merged(a, b);
    bool isAdd = isa<arith::AddIOp>(op);
    sum.scalar = isAdd ? s.add(a.scalar, b.scalar) : s.sub(a.scalar, b.scalar);
    sum.offsets = addScaled(b.offsets, isAdd ? 1 : -1, a.offsets);
    if (!sum.offsets.empty())
      sum.multiplier = a.offsets.empty() ? b.multiplier : a.multiplier;
    return sum;
  }
  if (isa<arith::MulIOp>(op)) {
    Lanes a = operand(0), b = operand(1);
    if (!a.isUniform())
      std::swap(a, b);
    if (!a.isUniform() || !b.scalar)
      return std::nullopt;
    Lanes product = merged(a, b);
    product.scalar = s.mul(a.scalar, b.scalar);
    if (b.offsets.empty())
      return product;
    if (auto factor = Scalar::constant(a.scalar)) {
      product.offsets = addScaled(b.offsets, *factor, {});
      product.multiplier = b.multiplier;
    } else {
      product.offsets = b.offsets;
      product.multiplier = b.multiplier ? s.mul(b.multiplier, a.scalar) : a.scalar;
    }
    return product;
  }
  if (isa<arith::ShLIOp>(op)) {
    Lanes a = operand(0), b = operand(1);
    auto amount = b.isUniform() ? Scalar::constant(b.scalar) : std::nullopt;
    if (!a.scalar || !amount || *amount < 0 || *amount > 31)
      return std::nullopt;
    a.scalar = s.shiftLeft(a.scalar, *amount);
    a.offsets = addScaled(a.offsets, int64_t(1) << *amount, {});
    return a;
  }
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op)) {
    Lanes a = operand(0);
    bool isExtension = !isa<arith::TruncIOp>(op);
    if (!a.scalar || a.scalar.getType().isInteger(1))
      return std::nullopt;
    // Arithmetic in few bits wraps in earnest, also where addresses come from it.
    bool mayWrap = exact || a.scalar.getType().getIntOrFloatBitWidth() < 32;
    if (mayWrap && isExtension && !a.offsets.empty())
      return std::nullopt;
    Type element = elementOf(op->getResult(0));
    bool isSigned = !isa<arith::ExtUIOp>(op);
    a.scalar = s.resize(a.scalar, element, isSigned);
    if (a.multiplier)
      a.multiplier = s.resize(a.multiplier, element, true);
    a.assumed |= isExtension && !a.offsets.empty();
    return a;
  }
  if (isa<arith::RemSIOp, arith::RemUIOp>(op) && !exact) {
    // A wrapped index (`offsets % n`) is contiguous in every vector but the one where it wraps.
    Lanes a = operand(0), b = operand(1);
    if (!a.scalar || a.multiplier || !isArithmetic(a.offsets, 1) || !b.isUniform())
      return std::nullopt;
    FailureOr<Value> remainder = emitElementwise(builder, op, {a.scalar, b.scalar}, target);
    if (llvm::failed(remainder))
      return std::nullopt;
    Lanes result = a;
    result.scalar = *remainder;
    auto contiguity = op->getAttrOfType<DenseIntElementsAttr>(tensor::contiguityName);
    if (contiguity && contiguity.isSplat() && contiguity.getSplatValue<APInt>().getSExtValue() >= width) {
      result.assumed = true;
      return result;
    }
    Type i64 = builder.getI64Type();
    bool isSigned = isa<arith::RemSIOp>(op);
    Value last = s.add(s.resize(result.scalar, i64, isSigned), width - 1);
    Value fits = s.compare(arith::CmpIPredicate::slt, last, s.resize(b.scalar, i64, isSigned));
    if (isSigned)
      fits = s.bitAnd(fits, s.compare(arith::CmpIPredicate::sge, a.scalar, s.integer(a.scalar.getType(), 0)));
    result.condition = a.condition ? s.bitAnd(a.condition, fits) : fits;
    return result;
  }
  return std::nullopt;
}

Lanes Evaluator::computeElementwise(Operation *op, ArrayRef<Coordinate> at, bool exact) {
  if (std::optional<Lanes> pattern = computePattern(op, at, exact))
    return *pattern;
  if (isa<arith::AndIOp>(op) && elementOf(op->getResult(0)).isInteger(1)) {
    Lanes a = evaluate(op->getOperand(0), at), b = evaluate(op->getOperand(1), at);
    for (auto [left, right] : {std::pair(&a, &b), std::pair(&b, &a)})
      if (auto constant = left->isUniform() ? Scalar::constant(left->scalar) : std::nullopt)
        return *constant ? *right : *left;
  }
  bool allUniform = true;
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    allUniform &= evaluate(operand, at).isUniform();
  for (Value operand : op->getOperands())
    operands.push_back(allUniform ? evaluate(operand, at).scalar : vector(operand, at));
  FailureOr<Value> result = emitElementwise(builder, op, operands, target);
  if (llvm::failed(result)) {
    hasFailed = true;
    return Lanes::uniform(Scalar{builder, op->getLoc()}.zero(getRegisterType(elementOf(op->getResult(0)))));
  }
  return isa<VectorType>(result->getType()) ? Lanes::of(*result) : Lanes::uniform(*result);
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
      other = fill.isUniform() ? fill.scalar : vector(load.getOther(), at);
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

Lanes Evaluator::computeMap(Operation *op, unsigned number, ArrayRef<Coordinate> at) {
  auto map = cast<tensor::MapElementwiseOp>(op);
  IRMapping mapping = scalars;
  Block &body = map.getScalarOp().front();
  for (auto [argument, source] : llvm::zip_equal(body.getArguments(), map.getSrcs()))
    mapping.map(argument, vector(source, at));
  for (Operation &inner : body.without_terminator()) {
    SmallVector<Value> operands;
    Memory memory(builder, target, inner.getLoc());
    for (Value operand : inner.getOperands())
      operands.push_back(memory.broadcast(mapping.lookupOrDefault(operand), width));
    if (isa<arith::ConstantOp>(inner)) {
      mapping.map(inner.getResult(0), builder.clone(inner)->getResult(0));
      continue;
    }
    FailureOr<Value> result = emitElementwise(builder, &inner, operands, target);
    if (llvm::failed(result)) {
      hasFailed = true;
      break;
    }
    mapping.map(inner.getResult(0), *result);
  }
  Value result = mapping.lookupOrNull(body.getTerminator()->getOperand(number));
  if (!result)
    result = Scalar{builder, op->getLoc()}.zero(getRegisterType(elementOf(op->getResult(number))));
  return isa<VectorType>(result.getType()) ? Lanes::of(result) : Lanes::uniform(result);
}

>>>>>>> theirs
Predicate Evaluator::predicate(Value mask, ArrayRef<Coordinate> at) {
  Scalar s{builder, mask.getLoc()};
  Value source = mask;
  Coordinates sourceAt(at);
  if (isa<RankedTensorType>(mask.getType()) && stepThroughView(source, sourceAt))
    return predicate(source, sourceAt);
  auto both = mask.getDefiningOp<arith::AndIOp>();
  if (both && isa<RankedTensorType>(mask.getType()) && !buffers.contains(mask)) {
    Predicate a = predicate(both.getLhs(), at), b = predicate(both.getRhs(), at);
    auto merge = [&](Value left, Value right) { return left && right ? s.bitAnd(left, right) : left ? left : right; };
    return {merge(a.uniform, b.uniform), merge(a.lanes, b.lanes)};
  }
  Lanes lanes = evaluate(mask, at);
  if (!lanes.isUniform())
    return {{}, vector(mask, at)};
  auto constant = Scalar::constant(lanes.scalar);
  if (constant && *constant)
    return {};
  return {lanes.scalar, {}};
}

Value Evaluator::materialise(const Lanes &lanes, Type element) {
  Scalar s{builder, builder.getUnknownLoc()};
  Memory memory(builder, target, s.loc);
  Value value = lanes.vector;
  if (!value) {
    value = memory.broadcast(lanes.scalar, width);
    if (!lanes.offsets.empty()) {
      auto type = cast<VectorType>(value.getType());
      SmallVector<Attribute> steps;
      for (int64_t offset : lanes.offsets)
        steps.push_back(IntegerAttr::get(type.getElementType(),
                                         APInt(64, offset, true).sextOrTrunc(type.getElementTypeBitWidth())));
      Value step = arith::ConstantOp::create(builder, s.loc, DenseElementsAttr::get(type, steps));
      if (lanes.multiplier)
        step = s.mul(step, memory.broadcast(lanes.multiplier, width));
      value = s.add(value, step);
    }
  }
  value = memory.broadcast(value, width);
  if (!lanes.pointer)
    return value;
  // Addresses as integers.
  value = s.mul(s.resize(value, builder.getI64Type()), lanes.unit);
  Value base = LLVM::PtrToIntOp::create(builder, s.loc, builder.getI64Type(), lanes.pointer);
  return s.add(value, memory.broadcast(base, width));
}

Value Evaluator::vector(Value tensor, ArrayRef<Coordinate> at) {
  Lanes lanes = evaluate(tensor, at);
  if (!lanes.isExact())
    lanes = evaluate(tensor, at, /*exact=*/true);
  return materialise(lanes, elementOf(tensor));
}

Value Evaluator::uniform(Value tensor, ArrayRef<Coordinate> at) {
  Lanes lanes = evaluate(tensor, at);
  assert(lanes.isUniform() && "the caller's coordinates have no lanes");
  if (!lanes.pointer)
    return lanes.scalar;
  Memory memory(builder, target, tensor.getLoc());
  Scalar s{builder, tensor.getLoc()};
  return memory.addressOf(lanes.pointer, s.resize(lanes.scalar, builder.getI64Type()), lanes.unit);
}

} // namespace triton::cpu
