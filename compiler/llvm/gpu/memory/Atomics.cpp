// tt.atomic_rmw and tt.atomic_cas.
//   Each element is updated once, by one of the threads that hold it: a scalar by the first thread of the program. Threads that hold copies of
//   the result get it through shared memory. Around a scalar access all threads wait: what the program wrote before a release is seen
//   by whoever acquires it, and no thread reads ahead of an acquire.
// Sums of neighbouring floats go in one instruction where the chip has it. Maximum and minimum of floats are those of their bits: signed for values without a sign bit, the opposite unsigned one
// for values with it, which orders -0.0 below +0.0. What there is no instruction for is a loop around compare-and-swap.
#include "compiler/gpu/Gpu.h"
#include "compiler/llvm/gpu/Families.h"
#include "compiler/llvm/gpu/Packing.h"
#include "compiler/llvm/gpu/memory/GlobalAccess.h"

#include "compiler/tensor/Tensor.h"

using namespace mlir;

namespace triton::simt {

namespace {

using Kind = tensor::RMWOp;
using Update = llvm::function_ref<llvm::Value *(llvm::Value *)>;

class Atomic {
public:
  Atomic(Emitter &emitter, Operation *op, Value pointers, Value mask, tensor::MemSemantic semantic,
         tensor::MemSyncScope scope)
      : emitter(emitter), builder(emitter.builder), op(op), pointers(pointers), mask(mask), order{semantic, scope},
        element(emitter.type(op->getResult(0).getType())), bits(storageBits(element)) {}

  llvm::LogicalResult emitUpdate(Kind kind, Value operand) {
    if (element->isPointerTy() || element->isIntegerTy(1))
      return op->emitOpError("updates elements of a type that has no atomics");
    if (kind == Kind::Add && element->isFloatingPointTy())
      kind = Kind::FAdd;
    Registers values(emitter.registers(operand));
    return emitGroups(vectorBytes(kind), [&](const AccessGroup &group, llvm::Value *guard) {
      return update(kind, group, llvm::ArrayRef(values).slice(group.first, group.count), guard);
    });
  }

  llvm::LogicalResult emitSwap(Value expected, Value desired) {
    if (bits < 16)
      return op->emitOpError() << "swaps elements of " << bits << " bits: atomics have 16, 32 or 64";
    Registers compared(emitter.registers(expected)), values(emitter.registers(desired));
    return emitGroups(bits / 8, [&](const AccessGroup &group, llvm::Value *guard) {
      llvm::Type *word = builder.getIntNTy(bits);
      llvm::Value *old = emitter.machine.compareAndSwap(emitter, order, group.address(emitter),
                                                        bitCast(builder, compared[group.first], word),
                                                        bitCast(builder, values[group.first], word), guard);
      return Registers{bitCast(builder, old, element)};
    });
  }

private:
  bool releases() const {
    return order.semantic == tensor::MemSemantic::Release || order.semantic == tensor::MemSemantic::AcquireRelease;
  }
  bool acquires() const {
    return order.semantic == tensor::MemSemantic::Acquire || order.semantic == tensor::MemSemantic::AcquireRelease;
  }
  bool isScalar() const { return !isa<RankedTensorType>(pointers.getType()); }

  /// How many bytes one instruction adds to.
  unsigned vectorBytes(Kind kind) const {
    if (kind != Kind::FAdd || isScalar())
      return bits / 8;
    return std::max(bits / 8, emitter.machine.floatAddBytes(element));
  }

  llvm::LogicalResult emitGroups(unsigned maxBytes,
                                 llvm::function_ref<Registers(const AccessGroup &, llvm::Value *)> emit) {
    bool isShared = op->hasAttr(gpu::allocationOffsetName) && !op->use_empty();
    if (!isShared && !op->use_empty() &&
        (isScalar() || emitter.writesElements(cast<RankedTensorType>(pointers.getType()))))
      return op->emitOpError("has a result that several threads need, but no shared memory was allocated for it");
    AccessPlan plan = planAccess(emitter, pointers, mask, maxBytes);
    Registers masks = mask ? Registers(emitter.registers(mask)) : Registers();
    llvm::Value *isMine = isWriter(emitter, pointers.getType());
    if (isScalar() && releases())
      wait();
    Registers results(plan.holder.size());
    for (const AccessGroup &group : plan.groups) {
      llvm::Value *guard = conjunction(emitter, masks.empty() ? nullptr : masks[group.first], isMine);
      for (auto [index, value] : llvm::enumerate(emit(group, guard)))
        results[group.first + index] = value;
    }
    for (unsigned reg = 0; reg < results.size(); ++reg)
      results[reg] = results[plan.holder[reg]];
    if (isShared)
      results = share(results, isMine);
    else if (isScalar() && acquires())
      wait();
    emitter.define(op->getResult(0), std::move(results));
    return success();
  }

  /// Of all threads of the program.
  void wait() {
    if (emitter.numCtas() == 1)
      return emitter.barrier();
    emitter.machine.clusterBarrier(emitter);
  }

  /// Results from the threads that have them to those that hold copies, through the op's shared memory.
  Registers share(llvm::ArrayRef<llvm::Value *> results, llvm::Value *isMine) {
    llvm::Value *memory = emitter.sharedAddress(op);
    llvm::Type *stored = storageType(builder, element);
    llvm::SmallVector<llvm::Value *> places;
    auto type = dyn_cast<RankedTensorType>(pointers.getType());
    if (!type) {
      places.push_back(memory);
    } else {
      for (const Indices &index : emitter.coordinates(type)) {
        llvm::Value *flat = emitter.i32(0);
        for (auto [dim, coordinate] : llvm::enumerate(index))
          flat = builder.CreateAdd(builder.CreateMul(flat, emitter.i32(type.getDimSize(dim))), coordinate);
        places.push_back(builder.CreateGEP(stored, memory, flat));
      }
    }
    auto write = [&] {
      for (auto [value, place] : llvm::zip_equal(results, places))
        emitter.storeShared(toStorage(builder, value), place, bits / 8);
    };
    if (isMine)
      emitter.emitIf(isMine, write);
    else
      write();
    // Elements that several CTAs hold were updated by the first of those.
    const uint64_t copies = type ? emitter.layout(type).freeBits("block") : emitter.numCtas() - 1;
    if (copies)
      return readFrom(builder.CreateAnd(emitter.ctaRank(), emitter.i32(~copies)), places);
    emitter.barrier();
    Registers shared;
    for (llvm::Value *place : places)
      shared.push_back(fromStorage(builder, emitter.loadShared(stored, place, bits / 8), element));
    return shared;
  }

  /// From the memory of another CTA of the cluster, when all have written; none goes on before all have read.
  Registers readFrom(llvm::Value *rank, llvm::ArrayRef<llvm::Value *> places) {
    wait();
    Registers shared;
    for (llvm::Value *place : places) {
      llvm::Value *value = emitter.machine.loadFromCta(emitter, place, rank, bits / 8);
      shared.push_back(fromStorage(builder, bitCast(builder, value, storageType(builder, element)), element));
    }
    wait();
    return shared;
  }

  Registers update(Kind kind, const AccessGroup &group, llvm::ArrayRef<llvm::Value *> values, llvm::Value *guard) {
    llvm::Value *pointer = group.address(emitter);
    llvm::Type *word = builder.getIntNTy(bits);
    bool isFloat = element->isFloatingPointTy();
    if (kind == Kind::FAdd && emitter.machine.floatAddBytes(element))
      return emitter.machine.addFloats(emitter, order, pointer, values, guard);
    if (bits < 32)
      return {loop(pointer, [&](llvm::Value *old) { return combine(kind, old, values[0]); }, guard)};
    bool isMax = kind == Kind::Max || kind == Kind::UMax;
    llvm::Value *value = bitCast(builder, values[0], word);
    auto single = [&](Kind kind, llvm::Value *guard) {
      return emitter.machine.update(emitter, order, kind, pointer, value, guard);
    };
    const bool isExtremum = kind == Kind::Max || kind == Kind::UMax || kind == Kind::Min || kind == Kind::UMin;
    if (!isFloat || !isExtremum)
      return {bitCast(builder, single(kind, guard), element)};
    llvm::Value *isNegative = builder.CreateICmpSLT(value, llvm::ConstantInt::get(word, 0));
    llvm::Value *negative = single(isMax ? Kind::UMin : Kind::UMax, conjunction(emitter, guard, isNegative));
    llvm::Value *positive =
        single(isMax ? Kind::Max : Kind::Min, conjunction(emitter, guard, builder.CreateNot(isNegative)));
    return {bitCast(builder, builder.CreateSelect(isNegative, negative, positive), element)};
  }

  /// What an update writes, for types whose updates are loops.
  llvm::Value *combine(Kind kind, llvm::Value *old, llvm::Value *value) {
    using namespace llvm::Intrinsic;
    bool isFloat = element->isFloatingPointTy(), isMax = kind == Kind::Max || kind == Kind::UMax;
    switch (kind) {
    case Kind::And:
      return builder.CreateAnd(old, value);
    case Kind::Or:
      return builder.CreateOr(old, value);
    case Kind::Xor:
      return builder.CreateXor(old, value);
    case Kind::Add:
      return builder.CreateAdd(old, value);
    case Kind::FAdd:
      return builder.CreateFAdd(old, value);
    case Kind::Exchange:
      return value;
    case Kind::Max:
    case Kind::Min:
      return builder.CreateBinaryIntrinsic(isFloat ? (isMax ? maxnum : minnum) : (isMax ? smax : smin), old, value);
    case Kind::UMax:
    case Kind::UMin:
      return builder.CreateBinaryIntrinsic(isFloat ? (isMax ? maxnum : minnum) : (isMax ? umax : umin), old, value);
    }
    return old;
  }

  /// Reads the aligned 32 bits around an element of 8 or 16, and tries to write them updated until nobody came between.
  llvm::Value *loop(llvm::Value *pointer, Update function, llvm::Value *guard) {
    llvm::Type *word = builder.getInt32Ty(), *part = builder.getIntNTy(bits);
    auto block = [&] { return llvm::BasicBlock::Create(emitter.context(), "", emitter.function); };
    llvm::BasicBlock *before = builder.GetInsertBlock(), *start = block(), *again = block(), *after = block();
    builder.CreateCondBr(guard ? guard : emitter.i1(true), start, after);

    builder.SetInsertPoint(start);
    llvm::Value *address = builder.CreatePtrToInt(pointer, builder.getInt64Ty());
    llvm::Value *aligned = builder.CreateIntToPtr(builder.CreateAnd(address, ~uint64_t(3)), pointer->getType());
    llvm::Value *shift = builder.CreateShl(builder.CreateTrunc(builder.CreateAnd(address, 3), word), 3);
    llvm::Value *keep = builder.CreateNot(builder.CreateShl(emitter.i32((1u << bits) - 1), shift));
    llvm::Value *first = builder.CreateAlignedLoad(word, aligned, llvm::Align(4), /*isVolatile=*/true);
    builder.CreateBr(again);

    builder.SetInsertPoint(again);
    llvm::PHINode *expected = builder.CreatePHI(word, 2);
    expected->addIncoming(first, start);
    llvm::Value *old = bitCast(builder, builder.CreateTrunc(builder.CreateLShr(expected, shift), part), element);
    llvm::Value *updated = builder.CreateZExt(bitCast(builder, function(old), part), word);
    llvm::Value *desired = builder.CreateOr(builder.CreateAnd(expected, keep), builder.CreateShl(updated, shift));
    llvm::Value *found = emitter.machine.compareAndSwapAround(emitter, order, aligned, expected, desired);
    expected->addIncoming(found, again);
    builder.CreateCondBr(builder.CreateICmpEQ(found, expected), after, again);

    builder.SetInsertPoint(after);
    llvm::PHINode *result = builder.CreatePHI(element, 2);
    result->addIncoming(llvm::Constant::getNullValue(element), before);
    result->addIncoming(old, again);
    return result;
  }

  Emitter &emitter;
  llvm::IRBuilder<> &builder;
  Operation *op;
  Value pointers, mask;
  AtomicOrder order;
  llvm::Type *element;
  unsigned bits;
};

} // namespace

Emitted emitAtomics(Emitter &emitter, Operation *op) {
  if (auto update = dyn_cast<tensor::AtomicRMWOp>(op))
    return Atomic(emitter, op, update.getPtr(), update.getMask(), update.getSem(), update.getScope())
        .emitUpdate(update.getAtomicRmwOp(), update.getVal());
  if (auto swap = dyn_cast<tensor::AtomicCASOp>(op))
    return Atomic(emitter, op, swap.getPtr(), Value(), swap.getSem(), swap.getScope())
        .emitSwap(swap.getCmp(), swap.getVal());
  return std::nullopt;
}

} // namespace triton::simt
