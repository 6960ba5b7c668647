#include "compiler/cpu/Memory.h"

#include "compiler/cpu/Scalar.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace triton::cpu {

Value Memory::broadcast(Value value, int64_t width) {
  if (width == 1 || isa<VectorType>(value.getType()))
    return value;
  auto type = VectorType::get({width}, value.getType());
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)) && isa<IntegerAttr, FloatAttr>(constant))
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, constant));
  return vector::BroadcastOp::create(builder, loc, type, value);
}

Value Memory::anyLane(Value mask) { return vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR, mask); }

Value Memory::allLanes(Value mask) {
  return vector::ReductionOp::create(builder, loc, vector::CombiningKind::AND, mask);
}

Value Memory::addressOf(Value pointer, Value index, int64_t bytes) {
  auto constant = Scalar::constant(index);
  if (constant && *constant == 0)
    return pointer;
  Type unit = bytes == 1   ? builder.getI8Type()
              : bytes == 2 ? builder.getI16Type()
              : bytes == 4 ? builder.getI32Type()
              : bytes == 8 ? builder.getI64Type()
                           : Type();
  if (!unit) {
    index = Scalar{builder, loc}.mul(index, bytes);
    unit = builder.getI8Type();
  }
  return LLVM::GEPOp::create(builder, loc, pointer.getType(), unit, pointer, ArrayRef<LLVM::GEPArg>{index});
}

Value Memory::fromStorage(Value stored, Type element) {
  if (!element.isInteger(1))
    return stored;
  Scalar s{builder, loc};
  return s.compare(arith::CmpIPredicate::ne, stored, s.integer(stored.getType(), 0));
}

Value Memory::toStorage(Value value, Type element) {
  return element.isInteger(1) ? Scalar{builder, loc}.resize(value, builder.getI8Type(), /*isSigned=*/false) : value;
}

Value Memory::emitIf(Value condition, Type result, llvm::function_ref<Value()> yes, llvm::function_ref<Value()> no) {
  auto constant = Scalar::constant(condition);
  if (constant)
    return *constant ? yes() : no ? no() : Value();
  SmallVector<Type> results;
  if (result)
    results.push_back(result);
  auto ifOp = scf::IfOp::create(builder, loc, results, condition, /*withElseRegion=*/bool(result));
  auto fill = [&](Block *block, llvm::function_ref<Value()> emit) {
    OpBuilder::InsertionGuard guard(builder);
    if (!result)
      builder.setInsertionPoint(block->getTerminator());
    else
      builder.setInsertionPointToEnd(block);
    Value value = emit();
    if (result)
      scf::YieldOp::create(builder, loc, value);
  };
  fill(ifOp.thenBlock(), yes);
  if (result)
    fill(ifOp.elseBlock(), no);
  return result ? ifOp.getResult(0) : Value();
}

bool Memory::isContiguous(const Lanes &address, Type element) const {
  return address.scalar && !address.multiplier && address.unit == getStorageBytes(element) &&
         isArithmetic(address.offsets, 1);
}

bool Memory::hasMasks(Type element) const {
  int64_t bytes = getStorageBytes(element);
  return target.avx512f || (target.avx && bytes >= 4);
}

Value Memory::scalarAddress(const Lanes &address, int64_t lane) {
  Scalar s{builder, loc};
  if (address.scalar) {
    Value index = s.resize(address.scalar, builder.getI64Type());
    int64_t offset = address.offsets.empty() ? 0 : address.offsets[lane];
    if (address.multiplier) {
      index = s.add(index, s.mul(s.resize(address.multiplier, builder.getI64Type()), offset));
      offset = 0;
    }
    Value first = addressOf(address.pointer, index, address.unit);
    return offset ? addressOf(first, s.i64(offset), address.unit) : first;
  }
  Value index = vector::ExtractOp::create(builder, loc, address.vector, lane);
  return addressOf(address.pointer, s.resize(index, builder.getI64Type()), address.unit);
}

Value Memory::laneDistances(const Lanes &address, int64_t width) {
  Scalar s{builder, loc};
  Value index = address.vector;
  if (!index) {
    index = broadcast(s.resize(address.scalar, builder.getI64Type()), width);
    Offsets offsets = address.offsets;
    offsets.resize(width, 0);
    auto type = cast<VectorType>(index.getType());
    Value steps = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, ArrayRef<int64_t>(offsets)));
    if (address.multiplier)
      steps = s.mul(steps, broadcast(s.resize(address.multiplier, builder.getI64Type()), width));
    index = s.add(index, steps);
  }
  return s.mul(s.resize(index, builder.getI64Type()), address.unit);
}

Value Memory::lanePointers(const Lanes &address, int64_t width) {
  auto pointers = VectorType::get({width}, address.pointer.getType());
  return LLVM::GEPOp::create(builder, loc, pointers, builder.getI8Type(), address.pointer,
                             ArrayRef<LLVM::GEPArg>{laneDistances(address, width)});
}

/// By how many elements lanes lie apart, where that is a known number which vectors reach over: 2 to 4, or back by one. 0 otherwise.
static int64_t shortStride(const Lanes &address, int64_t bytes) {
  if (!address.scalar || address.multiplier || address.unit != bytes || address.offsets.size() < 4)
    return 0;
  for (int64_t stride : {2, 3, 4, -1})
    if (isArithmetic(address.offsets, stride))
      return stride;
  return 0;
}

/// Lanes of a short stride: everything from the first to the last, of which the lanes are picked. What lies between two of them is on the
/// same page as one of the two, so that reading it does no harm.
Value Memory::loadStrided(const Lanes &address, Type stored, int64_t stride, int64_t width) {
  auto type = VectorType::get({width}, stored);
  const int64_t bytes = getStorageBytes(stored), last = (width - 1) * stride;
  Value low = scalarAddress(address, stride < 0 ? width - 1 : 0), found;
  // As many vectors as the stride; the last one ends with the last lane.
  for (int64_t i = 0; i < std::max<int64_t>(stride, 1); ++i) {
    const int64_t start = stride < 0 ? 0 : std::min(i * width, last + 1 - width);
    Value part =
        LLVM::LoadOp::create(builder, loc, type, addressOf(low, Scalar{builder, loc}.i64(start), bytes), bytes);
    SmallVector<int64_t> picks;
    for (int64_t lane = 0; lane < width; ++lane) {
      const int64_t place = stride < 0 ? width - 1 - lane : lane * stride - start;
      const bool isHere = place >= 0 && place < width;
      picks.push_back(isHere ? width + place : lane);
    }
    found = vector::ShuffleOp::create(builder, loc, found ? found : part, part, picks);
  }
  return found;
}

/// The same for stores; of vectors with gaps only the lanes are written.
void Memory::storeStrided(const Lanes &address, int64_t stride, int64_t width, Value value) {
  auto type = cast<VectorType>(value.getType());
  const int64_t bytes = getStorageBytes(type.getElementType());
  Value low = scalarAddress(address, stride < 0 ? width - 1 : 0);
  for (int64_t i = 0; i < std::max<int64_t>(stride, 1); ++i) {
    SmallVector<int64_t> picks;
    SmallVector<bool> active;
    for (int64_t place = i * width; place < (i + 1) * width; ++place) {
      picks.push_back(stride < 0 ? width - 1 - place : place / stride);
      active.push_back(place % stride == 0);
    }
    Value part = vector::ShuffleOp::create(builder, loc, value, value, picks);
    Value to = addressOf(low, Scalar{builder, loc}.i64(i * width), bytes);
    if (stride < 0) {
      LLVM::StoreOp::create(builder, loc, part, to, bytes);
      continue;
    }
    Value mask = arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(VectorType::get({width}, builder.getI1Type()), ArrayRef<bool>(active)));
    LLVM::MaskedStoreOp::create(builder, loc, part, to, mask, bytes);
  }
}

Value Memory::loadActive(const Lanes &address, Type element, int64_t width, bool isVolatile) {
  Type stored = getStorageType(element);
  int64_t bytes = getStorageBytes(element);
  // What others may write meanwhile is read element by element, and before whatever is read later: on x86 that costs nothing.
  const auto loadOne = [&](int64_t lane) {
    auto load = LLVM::LoadOp::create(builder, loc, stored, scalarAddress(address, lane), bytes, isVolatile);
    if (isVolatile)
      load.setOrdering(LLVM::AtomicOrdering::acquire);
    return load;
  };
  if (width == 1 || address.isUniform())
    return fromStorage(loadOne(0), element);
  auto type = VectorType::get({width}, stored);
  if (!isVolatile && isContiguous(address, element))
    return fromStorage(LLVM::LoadOp::create(builder, loc, type, scalarAddress(address, 0), bytes), element);
  if (int64_t stride = isVolatile ? 0 : shortStride(address, bytes))
    return fromStorage(loadStrided(address, stored, stride, width), element);
  SmallVector<Value> lanes;
  for (int64_t lane = 0; lane < width; ++lane)
    lanes.push_back(loadOne(lane));
  return fromStorage(vector::FromElementsOp::create(builder, loc, type, lanes), element);
}

bool Memory::hasGathers(Type element) const { return target.avx512f && getStorageBytes(element) >= 4; }

Value Memory::load(const Lanes &address, Type element, int64_t width, Predicate predicate, Value other,
                   llvm::function_ref<Lanes()> exact, bool isVolatile) {
  bool isScalar = width == 1 || (address.isUniform() && !address.condition && !predicate.lanes &&
                                 (predicate.isAll() || !isa<VectorType>(other.getType())));
  Type registerType = getRegisterType(element);
  Type type = isScalar ? registerType : VectorType::get({width}, registerType);
  auto shaped = [&](Value value) { return isScalar ? value : broadcast(value, width); };
  auto active = [&]() -> Value {
    if (!address.condition)
      return shaped(loadActive(address, element, width, isVolatile));
    return emitIf(
        address.condition, type, [&] { return shaped(loadActive(address, element, width, isVolatile)); },
        [&] {
          // Rarely taken: short code, not fast code.
          Lanes at = exact();
          Value all = arith::ConstantOp::create(
              builder, loc, DenseElementsAttr::get(VectorType::get({width}, builder.getI1Type()), true));
          return target.avx2 ? loadMasked(at, element, width, all, Scalar{builder, loc}.zero(registerType))
                             : shaped(loadActive(at, element, width, isVolatile));
        });
  };
  auto someLanes = [&]() -> Value {
    if (!address.condition)
      return loadMasked(address, element, width, predicate.lanes, other);
    return emitIf(
        address.condition, type, [&] { return loadMasked(address, element, width, predicate.lanes, other); },
        [&] { return loadMasked(exact(), element, width, predicate.lanes, other); });
  };
  auto masked = [&]() -> Value {
    if (!predicate.lanes)
      return active();
    // Where masked accesses are no instructions, vectors whose lanes are all active go without.
    if (hasMasks(element) || address.condition || !isContiguous(address, element))
      return someLanes();
    return emitIf(allLanes(predicate.lanes), type, active, someLanes);
  };
  if (predicate.isAll())
    return active();
  Value any = predicate.uniform;
  if (predicate.lanes) {
    Value some = anyLane(predicate.lanes);
    any = any ? Scalar{builder, loc}.bitAnd(any, some) : some;
  }
  return emitIf(any, type, masked, [&] { return shaped(other); });
}

void Memory::storeActive(const Lanes &address, Type element, int64_t width, Value value, bool isStreaming) {
  int64_t bytes = getStorageBytes(element);
  value = toStorage(value, element);
  if (width == 1) {
    LLVM::StoreOp::create(builder, loc, value, scalarAddress(address, 0), bytes);
    return;
  }
  if (isContiguous(address, element)) {
    LLVM::StoreOp::create(builder, loc, value, scalarAddress(address, 0), bytes, /*isVolatile=*/false, isStreaming);
    return;
  }
  if (int64_t stride = shortStride(address, bytes); stride < 0 || (stride && target.avx512f))
    return storeStrided(address, stride, width, value);
  for (int64_t lane = 0; lane < width; ++lane)
    LLVM::StoreOp::create(builder, loc, vector::ExtractOp::create(builder, loc, value, lane).getResult(),
                          scalarAddress(address, lane), bytes);
}

void Memory::store(const Lanes &address, Type element, int64_t width, Predicate predicate, Value value,
                   llvm::function_ref<Lanes()> exact, bool isStreaming) {
  auto conditioned = [&](llvm::function_ref<void(const Lanes &)> emit) {
    if (!address.condition)
      return emit(address);
    auto ifOp = scf::IfOp::create(builder, loc, address.condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(ifOp.thenBlock()->getTerminator());
    emit(address);
    builder.setInsertionPoint(ifOp.elseBlock()->getTerminator());
    emit(exact());
  };
  auto active = [&] { conditioned([&](const Lanes &at) { storeActive(at, element, width, value, isStreaming); }); };
  if (predicate.isAll())
    return active();
  if (!predicate.lanes) {
    emitIf(
        predicate.uniform, {},
        [&] {
          active();
          return Value();
        },
        nullptr);
    return;
  }
  Value some = anyLane(predicate.lanes);
  Value any = predicate.uniform ? Scalar{builder, loc}.bitAnd(predicate.uniform, some) : some;
  auto masked = [&] {
    conditioned([&](const Lanes &at) { storeMasked(at, element, width, predicate.lanes, value); });
    return Value();
  };
  auto either = [&] {
    // AVX2 has masked stores, but a plain one is several times faster.
    if (target.avx512f || address.condition || !isContiguous(address, element))
      return masked();
    auto ifOp = scf::IfOp::create(builder, loc, allLanes(predicate.lanes), /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(ifOp.thenBlock()->getTerminator());
    active();
    builder.setInsertionPoint(ifOp.elseBlock()->getTerminator());
    return masked();
  };
  emitIf(any, {}, either, nullptr);
}

Value Memory::loadBuffer(Value pointer, Type element, int64_t width, Value base, ArrayRef<int64_t> offsets) {
  Type stored = getStorageType(element);
  int64_t bytes = getStorageBytes(element);
  Value first = addressOf(pointer, base, bytes);
  auto loadAt = [&](int64_t offset, int64_t count) -> Value {
    Value address = offset ? LLVM::GEPOp::create(builder, loc, first.getType(), stored, first,
                                                 ArrayRef<LLVM::GEPArg>{int32_t(offset)})
                                 .getResult()
                           : first;
    Type type = count == 1 ? stored : VectorType::get({count}, stored);
    return LLVM::LoadOp::create(builder, loc, type, address, bytes);
  };
  if (width == 1 || offsets.empty())
    return fromStorage(loadAt(0, 1), element);
  auto type = VectorType::get({width}, stored);
  if (isArithmetic(offsets, 1))
    return fromStorage(loadAt(0, width), element);

  // Any pattern whose span is a few vectors long: load the span, pick the lanes.
  int64_t low = *llvm::min_element(offsets), high = *llvm::max_element(offsets);
  int64_t span = int64_t(llvm::PowerOf2Ceil(high - low + 1));
  if (span <= 4 * width) {
    if (span == 1)
      return fromStorage(vector::BroadcastOp::create(builder, loc, type, loadAt(low, 1)), element);
    SmallVector<int64_t> picks;
    for (int64_t offset : offsets)
      picks.push_back(offset - low);
    Value whole = loadAt(low, span);
    return fromStorage(vector::ShuffleOp::create(builder, loc, whole, whole, picks), element);
  }
  SmallVector<Value> lanes;
  for (int64_t offset : offsets)
    lanes.push_back(loadAt(offset, 1));
  return fromStorage(vector::FromElementsOp::create(builder, loc, type, lanes), element);
}

void Memory::storeBuffer(Value pointer, Type element, Value base, ArrayRef<int64_t> offsets, Value value) {
  value = toStorage(value, element);
  Type stored = getStorageType(element);
  int64_t bytes = getStorageBytes(element);
  Value first = addressOf(pointer, base, bytes);
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type || isArithmetic(offsets, 1)) {
    LLVM::StoreOp::create(builder, loc, value, first, bytes);
    return;
  }
  for (int64_t lane = 0; lane < type.getNumElements(); ++lane) {
    Value address = LLVM::GEPOp::create(builder, loc, first.getType(), stored, first,
                                        ArrayRef<LLVM::GEPArg>{int32_t(offsets.empty() ? 0 : offsets[lane])});
    LLVM::StoreOp::create(builder, loc, vector::ExtractOp::create(builder, loc, value, lane).getResult(), address,
                          bytes);
  }
}

} // namespace triton::cpu
