// Constants and arithmetic at a place: as one scalar and a known pattern over the lanes while that lasts, else as vectors.
#include "compiler/cpu/evaluate/Evaluate.h"

#include "compiler/cpu/Scalar.h"
#include "compiler/cpu/evaluate/Elementwise.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace triton::cpu {

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
    if (lanes.multiplier)
      lanes.multiplier = s.resize(lanes.multiplier, i64);
    for (int64_t &offset : lanes.offsets)
      offset *= by;
    return lanes;
  };
  auto isNarrow = [](const Lanes &lanes) {
    return lanes.scalar && !lanes.offsets.empty() && !lanes.scalar.getType().isInteger(64);
  };
  auto isZero = [](const Lanes &lanes) {
    auto constant = Scalar::constant(lanes.scalar);
    return lanes.isUniform() && constant && *constant == 0;
  };
  auto useOneUnit = [&](bool exactly) {
    if (isZero(base)) {
      base.unit = bytes;
    } else if (base.unit != bytes) { // addresses as integers: count bytes
      base = scaled(base, base.unit);
      base.unit = 1;
      if (isNarrow(offset) && exactly)
        offset = Lanes::of(materialise(offset, elementOf(addPointer.getOffset())));
      offset.assumed |= isNarrow(offset);
      offset = scaled(offset, bytes);
    }
  };
  const Lanes foundBase = base, foundOffset = offset;
  useOneUnit(mayWrap);
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
  if (canAdd && !(mayWrap && isNarrow(offset))) {
    sum.scalar =
        isZero(base) ? s.resize(offset.scalar, i64) : s.add(s.resize(base.scalar, i64), s.resize(offset.scalar, i64));
    sum.offsets = addScaled(offset.offsets, 1, base.offsets);
    sum.multiplier = base.offsets.empty() ? offset.multiplier : base.multiplier;
    if (sum.multiplier)
      sum.multiplier = s.resize(sum.multiplier, i64);
    sum.assumed |= isNarrow(offset);
    return sum;
  }
  // What only holds while nothing wraps is evaluated anew, and may then count in another unit.
  if (!base.isExact() || !offset.isExact()) {
    base = foundBase.isExact() ? foundBase : evaluate(addPointer.getPtr(), at, /*exact=*/true);
    offset = foundOffset.isExact() ? foundOffset : evaluate(addPointer.getOffset(), at, /*exact=*/true);
    useOneUnit(/*exactly=*/true);
  }
  auto lanesOf = [&](Lanes lanes) {
    lanes.pointer = {};
    return materialise(lanes, i64);
  };
  sum = {.pointer = base.pointer, .unit = base.unit};
  sum.vector = isZero(base) ? lanesOf(offset) : s.add(s.resize(lanesOf(base), i64), s.resize(lanesOf(offset), i64));
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
  if (isa<arith::RemSIOp, arith::RemUIOp, arith::DivSIOp, arith::DivUIOp>(op) && !exact) {
    // A wrapped index (`offsets % n`) is contiguous, and the number of its row (`offsets / n`) the same, in every vector but those where the
    // index wraps. Hints that there is none (`max_contiguous`) are written where there is: they hold for the vectors of a GPU, whose rows are
    // aligned.
    Lanes a = operand(0), b = operand(1);
    if (!a.scalar || a.multiplier || !isArithmetic(a.offsets, 1) || !b.isUniform() || !b.isExact())
      return std::nullopt;
    if (auto divisor = Scalar::constant(b.scalar); divisor && *divisor < width)
      return std::nullopt; // some lane wraps in every vector
    const bool isSigned = isa<arith::RemSIOp, arith::DivSIOp>(op);
    FailureOr<Value> first = emitElementwise(builder, op, {a.scalar, b.scalar}, target);
    if (llvm::failed(first))
      return std::nullopt;
    const bool isQuotient = isa<arith::DivSIOp, arith::DivUIOp>(op);
    Value remainder = isQuotient ? s.sub(a.scalar, s.mul(*first, b.scalar)) : *first;
    Lanes result = a;
    result.scalar = *first;
    if (isQuotient)
      result.offsets.clear();
    Type i64 = builder.getI64Type();
    Value last = s.add(s.resize(remainder, i64, isSigned), width - 1);
    Value fits = s.compare(arith::CmpIPredicate::slt, last, s.resize(b.scalar, i64, isSigned));
    if (isSigned)
      fits = s.bitAnd(fits, s.compare(arith::CmpIPredicate::sge, a.scalar, s.integer(a.scalar.getType(), 0)));
    result.condition = a.condition ? s.bitAnd(a.condition, fits) : fits;
    return result;
  }
  return std::nullopt;
}

std::optional<Lanes> Evaluator::computeUnbroken(Value tensor, ArrayRef<Coordinate> at, bool exact) {
  for (const UnbrokenRemainder &remainder : unbroken) {
    if (remainder.term != tensor)
      continue;
    Scalar s{builder, tensor.getLoc()};
    Lanes lanes = evaluate(tensor.getDefiningOp()->getOperand(0), at, exact);
    if (lanes.scalar)
      lanes.scalar = s.add(lanes.scalar, remainder.distance);
    else
      lanes.vector = s.add(lanes.vector, Memory(builder, target, s.loc).broadcast(remainder.distance, width));
    return lanes;
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
  for (Value operand : op->getOperands()) {
    Lanes lanes = evaluate(operand, at);
    allUniform &= lanes.isUniform() && !lanes.condition;
  }
  for (Value operand : op->getOperands())
    operands.push_back(allUniform ? evaluate(operand, at).scalar : vector(operand, at));
  FailureOr<Value> result = emitElementwise(builder, op, operands, target);
  if (llvm::failed(result)) {
    hasFailed = true;
    return Lanes::uniform(Scalar{builder, op->getLoc()}.zero(getRegisterType(elementOf(op->getResult(0)))));
  }
  return isa<VectorType>(result->getType()) ? Lanes::of(*result) : Lanes::uniform(*result);
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

} // namespace triton::cpu
