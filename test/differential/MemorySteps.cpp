// Steps that read and write memory beyond what a kernel begins and ends with.
#include "test/differential/Generator.h"

using namespace mlir;
using namespace triton::tensor;

namespace triton::differential {

/// Loads a block that may lie partly or wholly outside of a tensor of an input's elements.
void Generator::windowStep() {
  Value base = pick(inputs);
  int64_t columns = int64_t(1) << below(4), rows = inputElements / columns - below(3);
  SmallVector<Value> shape, strides, offsets;
  auto wide = [&](int64_t value) { return constant(builder.getI64Type(), double(value)); };
  auto offset = [&](int64_t size) {
    Value fixed = constant(builder.getI32Type(), double(int64_t(below(size + 8)) - 4));
    return chance(50) ? fixed : make<arith::AddIOp>(fixed, make<GetProgramIdOp>(0));
  };
  shape = {wide(rows), wide(columns)};
  strides = {wide(columns), wide(1)};
  offsets = {offset(rows), offset(columns)};
  SmallVector<int32_t> block{int32_t(1) << below(4), int32_t(1) << below(5)};
  Value pointer = make<MakeTensorPtrOp>(base, shape, strides, offsets, block, ArrayRef<int32_t>{1, 0});
  if (chance(30))
    pointer = make<AdvanceOp>(pointer.getType(), pointer, ValueRange{offset(4), offset(4)});
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(getAccessedType(pointer.getType())));
  auto padding = isFloat && chance(30) ? PaddingOption::Nan : PaddingOption::Zero;
  keep(make<LoadOp>(pointer, ArrayRef<int32_t>{0, 1}, padding));
}

void Generator::descriptorStep() {
  Value base = pick(inputs);
  Type element = cast<PointerType>(base.getType()).getPointeeType();
  int32_t least = std::max<int32_t>(128 / element.getIntOrFloatBitWidth(), 1);
  int64_t columns = 16, rows = inputElements / columns;
  auto narrow = [&](int64_t value) { return constant(builder.getI32Type(), double(value)); };
  SmallVector<Value> shape{narrow(rows), narrow(columns - below(3))};
  SmallVector<Value> strides{constant(builder.getI64Type(), double(columns)), constant(builder.getI64Type(), 1)};
  bool isFloat = isa<FloatType>(element), gathers = chance(30);
  auto padding = isFloat && chance(30) ? PaddingOption::Nan : PaddingOption::Zero;
  SmallVector<int32_t> block{gathers ? 1 : int32_t(1) << below(4), std::max<int32_t>(least, gathers ? 32 : 8)};
  Value descriptor = make<MakeTensorDescOp>(base, shape, strides, block, chance(50), padding);
  Value column = narrow(int64_t(below(columns)) - 4);
  if (gathers) {
    Value lines = make<MakeRangeOp>(0, 8);
    lines = make<arith::SubIOp>(lines, splat(lines.getType(), int64_t(below(6))));
    return keep(make<DescriptorGatherOp>(descriptor, lines, column));
  }
  keep(make<DescriptorLoadOp>(descriptor, ValueRange{narrow(int64_t(below(rows + 4)) - 2), column}));
}

/// Reads at places that were computed, where a condition that was computed says so.
void Generator::maskedLoadStep() {
  Value raw =
      find([](RankedTensorType type) { return type.getElementType().isInteger(32) && type.getNumElements() <= 512; });
  if (!raw)
    return;
  Value base = pick(inputs);
  Value index = make<arith::RemUIOp>(raw, splat(raw.getType(), inputElements));
  Value pointers = make<SplatOp>(base, getShape(raw.getType()));
  pointers = make<AddPtrOp>(pointers.getType(), pointers, index);
  Value mask = find([&](RankedTensorType type) {
    return type.getShape() == getShape(raw.getType()) && type.getElementType().isInteger(1);
  });
  keep(make<LoadOp>(pointers, mask, mask ? constant(getAccessedType(pointers.getType()), 5) : Value()));
}

/// Changes memory that no other place in the kernel and no other program does, so that what was there before is known.
void Generator::atomicStep() {
  Value pointer = pick(tallies);
  Type element = cast<PointerType>(pointer.getType()).getPointeeType();
  Value value = find([&](RankedTensorType type) {
    return type.getElementType() == element && type.getNumElements() <= tallyElements - tallied;
  });
  if (!value)
    return;
  auto type = cast<RankedTensorType>(value.getType());
  const int64_t count = type.getNumElements();
  Value start = make<arith::MulIOp>(make<GetProgramIdOp>(0), constant(builder.getI32Type(), double(tallyElements)));
  start = make<arith::AddIOp>(start, constant(builder.getI32Type(), double(tallied)));
  tallied += count;
  Value index = make<arith::AddIOp>(make<MakeRangeOp>(0, count), make<SplatOp>(start, ArrayRef<int64_t>{count}));
  index = make<ReshapeOp>(index, type.getShape());
  Value pointers = make<SplatOp>(pointer, type.getShape());
  pointers = make<AddPtrOp>(pointers.getType(), pointers, index);
  Value mask = find([&](RankedTensorType other) {
    return other.getShape() == type.getShape() && other.getElementType().isInteger(1);
  });
  auto kind =
      isa<FloatType>(element)
          ? pick(std::array{RMWOp::FAdd, RMWOp::Exchange})
          : pick(std::array{RMWOp::Add, RMWOp::And, RMWOp::Or, RMWOp::Xor, RMWOp::Max, RMWOp::UMin, RMWOp::Exchange});
  auto order = pick(std::array{MemSemantic::Relaxed, MemSemantic::AcquireRelease});
  Value old = make<AtomicRMWOp>(type, kind, pointers, value, mask, order, MemSyncScope::GPU);
  // Without a mask's say there is no old value.
  keep(mask ? make<arith::SelectOp>(mask, old, value) : old);
}

} // namespace triton::differential
