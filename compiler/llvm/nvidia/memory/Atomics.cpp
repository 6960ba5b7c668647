// tt.atomic_rmw and tt.atomic_cas.
//   Each element is updated once, by one of the threads that hold it: a scalar by the first thread of the program. Threads that hold copies of
//   the result get it through shared memory. Around a scalar access all threads wait: what the program wrote before a release is seen
//   by whoever acquires it, and no thread reads ahead of an acquire.
// PTX is written directly, since LLVM's atomicrmw loses ordering and scope. Sums of neighbouring floats go in one instruction where the
// chip has it. Maximum and minimum of floats are those of their bits: signed for values without a sign bit, the opposite unsigned one
// for values with it, which orders -0.0 below +0.0. What PTX has no instruction for is a loop around compare-and-swap.
#include "compiler/gpu/Gpu.h"
#include "compiler/llvm/nvidia/Families.h"
#include "compiler/llvm/nvidia/Packing.h"
#include "compiler/llvm/nvidia/memory/GlobalAccess.h"

#include "compiler/tensor/Tensor.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace mlir;

namespace triton::nvidia {

namespace {

using Kind = tensor::RMWOp;
using Update = llvm::function_ref<llvm::Value *(llvm::Value *)>;

const char *constraintOf(unsigned bits) { return bits == 64 ? "l" : bits == 32 ? "r" : "h"; }

class Atomic {
public:
  Atomic(Emitter &emitter, Operation *op, Value pointers, Value mask, tensor::MemSemantic semantic,
         tensor::MemSyncScope scope)
      : emitter(emitter), builder(emitter.builder), op(op), pointers(pointers), mask(mask), semantic(semantic),
        scope(scope), element(emitter.type(op->getResult(0).getType())), bits(storageBits(element)) {}

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
      std::string text =
          "atom.global." + order() + "." + span() + ".cas.b" + std::to_string(bits) + " $0, [$1], $2, $3;";
      std::string constraint = constraintOf(bits);
      llvm::Value *old = access(text, "=" + constraint + ",l," + constraint + "," + constraint, word,
                                {group.address(emitter), bitCast(builder, compared[group.first], word),
                                 bitCast(builder, values[group.first], word)},
                                guard);
      return Registers{bitCast(builder, old, element)};
    });
  }

private:
  std::string order() const { return tensor::stringifyMemSemantic(semantic).str(); }
  std::string span() const { return tensor::stringifyMemSyncScope(scope).str(); }
  bool releases() const {
    return semantic == tensor::MemSemantic::Release || semantic == tensor::MemSemantic::AcquireRelease;
  }
  bool acquires() const {
    return semantic == tensor::MemSemantic::Acquire || semantic == tensor::MemSemantic::AcquireRelease;
  }
  bool isScalar() const { return !isa<RankedTensorType>(pointers.getType()); }

  /// How many bytes one instruction adds to.
  unsigned vectorBytes(Kind kind) const {
    if (kind != Kind::FAdd || isScalar())
      return bits / 8;
    bool hasVectors = emitter.target().capability >= 90;
    if (element->isFloatTy())
      return hasVectors ? 16 : 4;
    if (element->isHalfTy())
      return hasVectors ? 16 : 4;
    if (element->isBFloatTy())
      return hasVectors ? 16 : 2;
    return bits / 8;
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
    emitter.intrinsic(llvm::Intrinsic::nvvm_barrier_cluster_arrive_aligned, {});
    emitter.intrinsic(llvm::Intrinsic::nvvm_barrier_cluster_wait_aligned, {});
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
    llvm::Type *word = builder.getIntNTy(std::max(bits, 16u));
    std::string text = "{ .reg .b32 a; mapa.shared::cluster.u32 a, $1, $2; ld.shared::cluster.b" +
                       std::to_string(bits) + " $0, [a]; }";
    for (llvm::Value *place : places) {
      llvm::Value *address = builder.CreatePtrToInt(place, builder.getInt32Ty());
      llvm::Value *value = emitter.inlineAsm(text, std::string("=") + constraintOf(bits) + ",r,r,~{memory}", word,
                                             {address, rank}, AsmEffects::SideEffect);
      value = builder.CreateTrunc(value, builder.getIntNTy(bits));
      shared.push_back(fromStorage(builder, bitCast(builder, value, storageType(builder, element)), element));
    }
    wait();
    return shared;
  }

  /// One instruction, done only where `guard`, if there is one, is true. Its operands end with the guard.
  llvm::Value *access(llvm::StringRef text, const std::string &constraints, llvm::Type *result,
                      llvm::ArrayRef<llvm::Value *> arguments, llvm::Value *guard) {
    llvm::SmallVector<llvm::Value *> all(arguments);
    std::string guarded = text.str(), allConstraints = constraints;
    if (guard) {
      unsigned outputs = result->isStructTy() ? result->getStructNumElements() : 1;
      guarded = "@$" + std::to_string(outputs + arguments.size()) + " " + guarded;
      allConstraints += ",b";
      all.push_back(guard);
    }
    return emitter.inlineAsm(guarded, allConstraints + ",~{memory}", result, all, AsmEffects::SideEffect);
  }

  /// `atom` of one word.
  llvm::Value *atom(const std::string &operation, llvm::Value *pointer, llvm::Value *value, llvm::Value *guard) {
    std::string constraint = constraintOf(storageBits(value->getType()));
    return access("atom.global." + span() + "." + order() + "." + operation + " $0, [$1], $2;",
                  "=" + constraint + ",l," + constraint, value->getType(), {pointer, value}, guard);
  }

  Registers update(Kind kind, const AccessGroup &group, llvm::ArrayRef<llvm::Value *> values, llvm::Value *guard) {
    llvm::Value *pointer = group.address(emitter);
    llvm::Type *word = builder.getIntNTy(bits);
    std::string width = std::to_string(bits);
    bool isFloat = element->isFloatingPointTy();
    if (kind == Kind::FAdd && (bits >= 32 || element->isHalfTy() || emitter.target().capability >= 90))
      return addFloats(pointer, values, guard);
    if (bits < 32)
      return {loop(pointer, [&](llvm::Value *old) { return combine(kind, old, values[0]); }, guard)};
    bool isMax = kind == Kind::Max || kind == Kind::UMax;
    llvm::Value *value = bitCast(builder, values[0], word);
    auto single = [&](const std::string &operation) {
      return Registers{bitCast(builder, atom(operation + width, pointer, value, guard), element)};
    };
    switch (kind) {
    case Kind::And:
      return single("and.b");
    case Kind::Or:
      return single("or.b");
    case Kind::Xor:
      return single("xor.b");
    case Kind::Add:
      return single("add.u");
    case Kind::Exchange:
      return single("exch.b");
    case Kind::FAdd:
      return addFloats(pointer, values, guard);
    case Kind::UMax:
    case Kind::UMin:
      if (!isFloat)
        return single(isMax ? "max.u" : "min.u");
      break;
    case Kind::Max:
    case Kind::Min:
      if (!isFloat)
        return single(isMax ? "max.s" : "min.s");
      break;
    }
    llvm::Value *isNegative = builder.CreateICmpSLT(value, llvm::ConstantInt::get(word, 0));
    llvm::Value *negative =
        atom((isMax ? "min.u" : "max.u") + width, pointer, value, conjunction(emitter, guard, isNegative));
    llvm::Value *positive = atom((isMax ? "max.s" : "min.s") + width, pointer, value,
                                 conjunction(emitter, guard, builder.CreateNot(isNegative)));
    return {bitCast(builder, builder.CreateSelect(isNegative, negative, positive), element)};
  }

  /// add.f32, add.v4.f32, add.noftz.f16x2, ….
  Registers addFloats(llvm::Value *pointer, llvm::ArrayRef<llvm::Value *> values, llvm::Value *guard) {
    std::string type = element->isBFloatTy() ? "bf16" : "f" + std::to_string(bits);
    unsigned wordBits = bits;
    if (bits == 16 && values.size() > 1)
      wordBits = 32, type += "x2";
    std::string operation = std::string("add.") + (bits == 16 ? "noftz." : "");
    Registers words = toWords(builder, values, wordBits);
    if (words.size() == 1)
      return fromWords(builder, {atom(operation + type, pointer, words[0], guard)}, element);
    llvm::Type *word = words[0]->getType();
    std::string count = "v" + std::to_string(words.size()) + ".", results, operands, constraints, inputs;
    for (unsigned index = 0; index < words.size(); ++index) {
      results += (index ? ", $" : "$") + std::to_string(index);
      operands += (index ? ", $" : "$") + std::to_string(words.size() + 1 + index);
      constraints += std::string("=") + constraintOf(wordBits) + ",";
      inputs += std::string(",") + constraintOf(wordBits);
    }
    llvm::SmallVector<llvm::Value *> arguments{pointer};
    llvm::append_range(arguments, words);
    auto *result = llvm::StructType::get(emitter.context(), llvm::SmallVector<llvm::Type *>(words.size(), word));
    std::string text = "atom.global." + span() + "." + order() + "." + operation + count + type + " {" + results +
                       "}, [$" + std::to_string(words.size()) + "], {" + operands + "};";
    llvm::Value *old = access(text, constraints + "l" + inputs, result, arguments, guard);
    Registers parts;
    for (unsigned index = 0; index < words.size(); ++index)
      parts.push_back(builder.CreateExtractValue(old, index));
    return fromWords(builder, parts, element);
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
    llvm::Value *found = access("atom." + order() + "." + span() + ".global.cas.b32 $0, [$1], $2, $3;", "=r,l,r,r",
                                word, {aligned, expected, desired}, nullptr);
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
  tensor::MemSemantic semantic;
  tensor::MemSyncScope scope;
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

} // namespace triton::nvidia
