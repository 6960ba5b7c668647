// Accesses lane by lane, for types and lanes that no instruction of the processor masks.
#include "compiler/cpu/Memory.h"

#include "compiler/cpu/Scalar.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace triton::cpu {

/// Room on the stack for `count` elements, at the function's beginning. Accesses share it by size and `purpose`: each
/// is done with it at once.
Value Memory::stackSlot(Type element, int64_t count, StringRef purpose) {
  auto function = builder.getInsertionBlock()->getParentOp();
  while (!isa<FunctionOpInterface>(function))
    function = function->getParentOp();
  Block &entry = cast<FunctionOpInterface>(function).getFunctionBody().front();
  Type type = LLVM::LLVMArrayType::get(element, count);
  for (auto slot : entry.getOps<LLVM::AllocaOp>())
    if (slot.getElemType() == type && slot->getAttr("cpu.slot") == builder.getStringAttr(purpose))
      return slot;
  OpBuilder top = OpBuilder::atBlockBegin(&entry);
  Value one = arith::ConstantOp::create(top, loc, top.getI64IntegerAttr(1));
  auto slot = LLVM::AllocaOp::create(top, loc, LLVM::LLVMPointerType::get(top.getContext()), type, one, 64);
  slot->setAttr("cpu.slot", top.getStringAttr(purpose));
  return slot;
}

/// Calls `body` with the number of every active lane, in order: one small loop whatever the width, where an instruction
/// would be split into a branch per lane.
void Memory::forActiveLanes(Value mask, int64_t width, llvm::function_ref<void(Value)> body) {
  Scalar s{builder, loc};
  Type bitsType = builder.getIntegerType(unsigned(width));
  Value bits =
      s.resize(LLVM::BitcastOp::create(builder, loc, bitsType, mask), builder.getI64Type(), /*isSigned=*/false);
  auto loop = scf::WhileOp::create(
      builder, loc, TypeRange{builder.getI64Type()}, ValueRange{bits},
      [&](OpBuilder &inner, Location, ValueRange carried) {
        Value zero = arith::ConstantOp::create(inner, loc, inner.getI64IntegerAttr(0));
        Value more = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::ne, carried[0], zero);
        scf::ConditionOp::create(inner, loc, more, carried);
      },
      [](OpBuilder &, Location, ValueRange) {});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(loop.getAfterBody());
  Value left = loop.getAfterBody()->getArgument(0);
  body(math::CountTrailingZerosOp::create(builder, loc, left));
  Value next = s.bitAnd(left, s.sub(left, s.i64(1)));
  scf::YieldOp::create(builder, loc, ValueRange{next});
}

/// The address of a lane whose number is only known when the program runs. `slot` holds the lanes' distances, if they
/// are no line.
Value Memory::addressOfLane(const Lanes &address, Value lane, Value slot, Type element) {
  if (!slot)
    return addressOf(scalarAddress(address, 0), lane, getStorageBytes(element));
  Type i64 = builder.getI64Type();
  Value distance = LLVM::LoadOp::create(builder, loc, i64, addressOf(slot, lane, 8), 8);
  return addressOf(address.pointer, distance, 1);
}

/// Puts the distances of all lanes from the pointer, in bytes, on the stack. Null if the lanes are neighbours.
Value Memory::storeDistances(const Lanes &address, int64_t width, Type element) {
  if (isContiguous(address, element))
    return {};
  Value slot = stackSlot(builder.getI64Type(), width, "distances");
  LLVM::StoreOp::create(builder, loc, laneDistances(address, width), slot, 8);
  return slot;
}

Value Memory::loadMasked(const Lanes &address, Type element, int64_t width, Value mask, Value other) {
  Type stored = getStorageType(element);
  auto type = VectorType::get({width}, stored);
  int64_t bytes = getStorageBytes(element);
  Value fill = toStorage(broadcast(other, width), element);
  if (hasMasks(element) && isContiguous(address, element))
    return fromStorage(
        LLVM::MaskedLoadOp::create(builder, loc, type, scalarAddress(address, 0), mask, fill, bytes).getResult(),
        element);
  if (hasGathers(element) || width > 64) {
    Value pointers = lanePointers(address, width);
    return fromStorage(LLVM::masked_gather::create(builder, loc, type, pointers, mask, fill, bytes).getResult(),
                       element);
  }
  Value distances = storeDistances(address, width, element), slot = stackSlot(stored, width, "lanes");
  LLVM::StoreOp::create(builder, loc, fill, slot, bytes);
  forActiveLanes(mask, width, [&](Value lane) {
    Value value = LLVM::LoadOp::create(builder, loc, stored, addressOfLane(address, lane, distances, element), bytes);
    LLVM::StoreOp::create(builder, loc, value, addressOf(slot, lane, bytes), bytes);
  });
  return fromStorage(LLVM::LoadOp::create(builder, loc, type, slot, bytes), element);
}

void Memory::storeMasked(const Lanes &address, Type element, int64_t width, Value mask, Value value) {
  int64_t bytes = getStorageBytes(element);
  value = toStorage(value, element);
  if (hasMasks(element) && isContiguous(address, element)) {
    LLVM::MaskedStoreOp::create(builder, loc, value, scalarAddress(address, 0), mask, bytes);
    return;
  }
  if (hasGathers(element) || width > 64) {
    LLVM::masked_scatter::create(builder, loc, value, lanePointers(address, width), mask, bytes);
    return;
  }
  Type stored = getStorageType(element);
  Value distances = storeDistances(address, width, element), slot = stackSlot(stored, width, "lanes");
  LLVM::StoreOp::create(builder, loc, value, slot, bytes);
  forActiveLanes(mask, width, [&](Value lane) {
    Value one = LLVM::LoadOp::create(builder, loc, stored, addressOf(slot, lane, bytes), bytes);
    LLVM::StoreOp::create(builder, loc, one, addressOfLane(address, lane, distances, element), bytes);
  });
}

} // namespace triton::cpu
