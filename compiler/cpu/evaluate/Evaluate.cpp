#include "compiler/cpu/evaluate/Evaluate.h"

#include "compiler/cpu/Scalar.h"
#include "compiler/cpu/evaluate/Elementwise.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace triton::cpu {

void Evaluator::begin(int64_t lanes, ArrayRef<Value> values) {
  width = lanes;
  computed = llvm::DenseSet<Value>(values.begin(), values.end());
  unbroken.clear();
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
  if (std::optional<Lanes> lanes = computeUnbroken(tensor, at, exact))
    return *lanes;
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
