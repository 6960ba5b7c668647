#include "compiler/llvm/nvidia/GlobalSanitizer.h"

#include "compiler/gpu/SanitizerPlan.h"
#include "compiler/gpu/dialect/ExplicitOps.h"
#include "compiler/llvm/gpu/Asserts.h"
#include "compiler/llvm/gpu/Families.h"
#include "compiler/llvm/gpu/memory/GlobalAccess.h"
#include "compiler/llvm/nvidia/memory/TensorMaps.h"
#include "compiler/tensor/Tensor.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/InlineAsm.h"

using namespace mlir;

namespace triton::nvidia {

namespace {

enum Flag : unsigned { writes = 1, strong = 2 };
enum class Fault { None, Write, Read };

/// A cell, in words of 32 bits: who writes and reads is a program's number plus 1, with the top bit for atomics.
constexpr int lockWord = 0, lowWord = 1, highWord = 2, launchWord = 3, writerWord = 4, writeEpochWord = 5,
              readerWord = 6, readEpochWord = 7, releaserWord = 8, releaseEpochWord = 9, wordsOfCell = 16;
constexpr unsigned cells = 1 << 16;
constexpr unsigned strongBit = 1u << 31;

int64_t programsOf(Emitter &emitter) {
  auto programs = emitter.source->getAttrOfType<IntegerAttr>(gpu::globalChecksName);
  return programs ? programs.getInt() : 0;
}

/// Clocks of all programs, one row for each, then the cells.
llvm::GlobalVariable *stateOf(llvm::Module &module, int64_t programs) {
  constexpr llvm::StringLiteral name = "gsan_state";
  if (llvm::GlobalVariable *known = module.getNamedGlobal(name))
    return known;
  auto *type = llvm::ArrayType::get(llvm::Type::getInt32Ty(module.getContext()),
                                    uint64_t(programs) * programs + uint64_t(cells) * wordsOfCell);
  auto *state = new llvm::GlobalVariable(module, type, /*isConstant=*/false, llvm::GlobalValue::InternalLinkage,
                                         llvm::ConstantAggregateZero::get(type), name, nullptr,
                                         llvm::GlobalValue::NotThreadLocal, /*AddressSpace=*/1);
  state->setAlignment(llvm::Align(64));
  return state;
}

/// Writes one routine: `function(address, flags, me, launch, programs of the grid) -> Fault`.
class Writer {
public:
  Writer(llvm::Module &module, int64_t programs, llvm::Function *function)
      : state(stateOf(module, programs)), programs(programs), function(function),
        builder(llvm::BasicBlock::Create(module.getContext(), "", function)),
        scope(module.getContext().getOrInsertSyncScopeID("device")) {
    fault = builder.CreateAlloca(builder.getInt32Ty());
    builder.CreateStore(number(0), fault);
  }

  void access() {
    locked([&] {
      auto check = [&](int who, int epochWord, Fault kind) {
        llvm::Value *event = get(cell(who)), *program = programIn(event);
        llvm::Value *isOther = builder.CreateAnd(builder.CreateIsNotNull(event), builder.CreateICmpNE(program, me()));
        llvm::Value *areAtomic = isSet(builder.CreateAnd(builder.CreateAnd(event, number(strongBit)), strongMark()));
        when(builder.CreateAnd(isOther, builder.CreateNot(areAtomic)), [&] {
          llvm::Value *isKnown = builder.CreateICmpUGE(get(clock(me(), program)), get(cell(epochWord)));
          when(builder.CreateNot(isKnown), [&] { builder.CreateStore(number(int(kind)), fault); });
        });
      };
      llvm::Value *isWrite = isSet(builder.CreateAnd(flags(), number(writes)));
      when(isWrite, [&] { check(readerWord, readEpochWord, Fault::Read); });
      check(writerWord, writeEpochWord, Fault::Write);
      llvm::Value *mine = builder.CreateOr(builder.CreateAdd(me(), number(1)), strongMark());
      llvm::Value *epoch = get(clock(me(), me()));
      auto note = [&](int who, int epochWord) {
        put(cell(who), mine);
        put(cell(epochWord), epoch);
      };
      when(isWrite, [&] { note(writerWord, writeEpochWord); });
      when(builder.CreateNot(isWrite), [&] { note(readerWord, readEpochWord); });
    });
    builder.CreateRet(builder.CreateLoad(builder.getInt32Ty(), fault));
  }

  /// What the program has done is known to whoever acquires this element from now on; so is what those knew who released it before.
  void release() {
    locked([&] {
      learn();
      put(cell(releaserWord), builder.CreateAdd(me(), number(1)));
      put(cell(releaseEpochWord), get(clock(me(), me())));
    });
    builder.CreateAtomicRMW(llvm::AtomicRMWInst::Add, clock(me(), me()), number(1), llvm::MaybeAlign(4),
                            llvm::AtomicOrdering::Monotonic, scope);
    builder.CreateRet(number(0));
  }

  void acquire() {
    locked([&] { learn(); });
    builder.CreateRet(number(0));
  }

private:
  llvm::Value *number(uint32_t value) { return builder.getInt32(value); }
  llvm::Value *flags() { return function->getArg(1); }
  llvm::Value *me() { return function->getArg(2); }
  llvm::Value *launch() { return function->getArg(3); }
  llvm::Value *isSet(llvm::Value *bits) { return builder.CreateIsNotNull(bits); }
  llvm::Value *strongMark() {
    return builder.CreateShl(builder.CreateAnd(flags(), number(strong)), number(std::countr_zero(strongBit / strong)));
  }
  llvm::Value *programIn(llvm::Value *event) {
    return builder.CreateSub(builder.CreateAnd(event, number(~strongBit)), number(1));
  }
  llvm::Value *word(llvm::Value *index) { return builder.CreateGEP(builder.getInt32Ty(), state, index); }
  llvm::Value *clock(llvm::Value *of, llvm::Value *about) {
    return word(builder.CreateAdd(builder.CreateMul(of, number(programs)), about));
  }
  llvm::Value *cell(int index) { return word(builder.CreateAdd(first, number(index))); }
  llvm::Value *get(llvm::Value *place) {
    llvm::LoadInst *load = builder.CreateAlignedLoad(builder.getInt32Ty(), place, llvm::Align(4));
    load->setAtomic(llvm::AtomicOrdering::Monotonic, scope);
    return load;
  }
  void put(llvm::Value *place, llvm::Value *value) {
    builder.CreateAlignedStore(value, place, llvm::Align(4))->setAtomic(llvm::AtomicOrdering::Monotonic, scope);
  }
  void raise(llvm::Value *place, llvm::Value *value) {
    builder.CreateAtomicRMW(llvm::AtomicRMWInst::UMax, place, value, llvm::MaybeAlign(4),
                            llvm::AtomicOrdering::Monotonic, scope);
  }
  llvm::BasicBlock *block() { return llvm::BasicBlock::Create(builder.getContext(), "", function); }

  void when(llvm::Value *condition, llvm::function_ref<void()> body) {
    llvm::BasicBlock *then = block(), *behind = block();
    builder.CreateCondBr(condition, then, behind);
    builder.SetInsertPoint(then);
    body();
    builder.CreateBr(behind);
    builder.SetInsertPoint(behind);
  }

  /// `value`, of which LLVM knows nothing.
  llvm::Value *hidden(llvm::Value *value) {
    llvm::Type *type = builder.getInt32Ty();
    auto *assembly = llvm::InlineAsm::get(llvm::FunctionType::get(type, {type}, /*isVarArg=*/false), "mov.b32 $0, $1;",
                                          "=r,r", /*hasSideEffects=*/true);
    llvm::CallInst *call = builder.CreateCall(assembly, {value});
    call->setDoesNotThrow();
    call->setConvergent();
    call->setCannotDuplicate();
    return call;
  }

  /// Runs `body` with the element's cell in hand. Where it was another's, nobody has written or read it; who released stays, as what an acquire learns too much hides a race, and too little invents one.
  ///
  /// The lanes of a warp meet behind the critical section, not in front of it: the one that has the lock would wait there for those that want it.
  void locked(llvm::function_ref<void()> body) {
    llvm::Value *address = function->getArg(0);
    llvm::Value *low = builder.CreateTrunc(address, builder.getInt32Ty());
    llvm::Value *high = builder.CreateTrunc(builder.CreateLShr(address, 32), builder.getInt32Ty());
    llvm::Value *mixed = builder.CreateMul(builder.CreateXor(low, builder.CreateMul(high, number(0x85EBCA6B))),
                                           number(0x9E3779B1)); // odd numbers without a pattern
    constexpr int indexBits = std::countr_zero(cells);
    first = builder.CreateAdd(number(uint32_t(programs * programs)),
                              builder.CreateMul(builder.CreateLShr(mixed, 32 - indexBits), number(wordsOfCell)));
    llvm::Value *lock = cell(lockWord);
    llvm::BasicBlock *attempt = block(), *inside = block(), *meet = block(), *behind = block();
    builder.CreateBr(attempt);
    builder.SetInsertPoint(attempt);
    llvm::Value *taken =
        builder.CreateAtomicCmpXchg(lock, number(0), number(1), llvm::MaybeAlign(4), llvm::AtomicOrdering::Acquire,
                                    llvm::AtomicOrdering::Monotonic, scope);
    llvm::Value *isTaken = builder.CreateExtractValue(taken, 1);
    builder.CreateCondBr(isTaken, inside, meet);

    builder.SetInsertPoint(inside);
    llvm::Value *isOfLaunch = builder.CreateICmpEQ(get(cell(launchWord)), launch());
    llvm::Value *isIts =
        builder.CreateAnd(builder.CreateICmpEQ(get(cell(lowWord)), low),
                          builder.CreateAnd(builder.CreateICmpEQ(get(cell(highWord)), high), isOfLaunch));
    when(builder.CreateNot(isIts), [&] {
      put(cell(lowWord), low);
      put(cell(highWord), high);
      for (int who : {writerWord, readerWord})
        put(cell(who), number(0));
    });
    when(builder.CreateNot(isOfLaunch), [&] {
      put(cell(launchWord), launch());
      put(cell(releaserWord), number(0));
    });
    body();
    builder.CreateAlignedStore(number(0), lock, llvm::Align(4))->setAtomic(llvm::AtomicOrdering::Release, scope);
    builder.CreateBr(meet);

    builder.SetInsertPoint(meet);
    llvm::Value *isDone = isSet(hidden(builder.CreateZExt(isTaken, builder.getInt32Ty())));
    builder.CreateCondBr(isDone, behind, attempt);
    builder.SetInsertPoint(behind);
  }

  /// What the one who released the element knew, and did until then. It may have learned more since: that is taken along, and may hide a race.
  void learn() {
    llvm::Value *releaser = get(cell(releaserWord)), *program = programIn(releaser);
    when(builder.CreateAnd(isSet(releaser), builder.CreateICmpNE(program, me())), [&] {
      raise(clock(me(), program), get(cell(releaseEpochWord)));
      llvm::BasicBlock *before = builder.GetInsertBlock(), *head = block(), *body = block(), *behind = block();
      builder.CreateBr(head);
      builder.SetInsertPoint(head);
      llvm::PHINode *index = builder.CreatePHI(builder.getInt32Ty(), 2);
      builder.CreateCondBr(builder.CreateICmpULT(index, function->getArg(4)), body, behind);
      builder.SetInsertPoint(body);
      when(builder.CreateICmpNE(index, program), [&] { raise(clock(me(), index), get(clock(program, index))); });
      index->addIncoming(number(0), before);
      index->addIncoming(builder.CreateAdd(index, number(1)), builder.GetInsertBlock());
      builder.CreateBr(head);
      builder.SetInsertPoint(behind);
    });
  }

  llvm::GlobalVariable *state;
  int64_t programs;
  llvm::Function *function;
  llvm::IRBuilder<> builder;
  llvm::SyncScope::ID scope;
  llvm::Value *fault, *first = nullptr;
};

llvm::Function *routine(llvm::Module &module, int64_t programs, llvm::StringRef name, void (Writer::*write)()) {
  const std::string full = ("gsan_" + name).str();
  if (llvm::Function *known = module.getFunction(full))
    return known;
  llvm::Type *word = llvm::Type::getInt32Ty(module.getContext()), *wide = llvm::Type::getInt64Ty(module.getContext());
  auto *function = llvm::Function::Create(llvm::FunctionType::get(word, {wide, word, word, word, word}, false),
                                          llvm::Function::InternalLinkage, full, module);
  function->addFnAttr(llvm::Attribute::NoInline);
  Writer writer(module, programs, function);
  (writer.*write)();
  return function;
}

/// The calls around one op.
class Checks {
public:
  Checks(Emitter &emitter, Operation *op) : emitter(emitter), builder(emitter.builder), op(op) {}

  /// Calls a routine with each element that this thread accesses.
  void each(Value pointers, Value mask, unsigned flags, llvm::StringRef name, void (Writer::*write)()) {
    const int64_t programs = programsOf(emitter);
    llvm::Value *me = builder.CreateTrunc(linearCta(emitter), builder.getInt32Ty());
    llvm::Value *launch = builder.CreateTrunc(emitter.inlineAsm("mov.u64 $0, %gridid;", "=l", builder.getInt64Ty(), {}),
                                              builder.getInt32Ty());
    llvm::Value *count = programCount();
    llvm::Value *most = emitter.i32(programs);
    count = builder.CreateSelect(builder.CreateICmpULT(count, most), count, most);
    llvm::Value *acts = conjunction(emitter, isWriter(emitter, pointers.getType()), builder.CreateICmpULT(me, most));
    Registers masks = mask ? Registers(emitter.registers(mask)) : Registers();
    llvm::Function *function = routine(emitter.module, programs, name, write);
    for (auto [index, pointer] : llvm::enumerate(Registers(emitter.registers(pointers)))) {
      llvm::Value *guard = masks.empty() ? acts : builder.CreateAnd(acts, masks[index]);
      emitter.emitIf(guard, [&, pointer = pointer] {
        llvm::Value *address = builder.CreatePtrToInt(pointer, builder.getInt64Ty());
        llvm::Value *found = builder.CreateCall(function, {address, emitter.i32(flags), me, launch, count});
        if (write != &Writer::access)
          return;
        fail(found, Fault::Write,
             flags & writes ? "write of global memory races with a write of another program"
                            : "read of global memory races with a write of another program");
        if (flags & writes)
          fail(found, Fault::Read, "write of global memory races with a read of another program");
      });
    }
  }

private:
  void fail(llvm::Value *found, Fault fault, llvm::StringRef message) {
    emitter.emitIf(builder.CreateICmpEQ(found, emitter.i32(int(fault))), [&] { failAssertAt(emitter, op, message); });
  }
  llvm::Value *programCount() {
    llvm::Value *count = emitter.i32(1);
    for (auto axis : {tensor::ProgramIDDim::X, tensor::ProgramIDDim::Y, tensor::ProgramIDDim::Z})
      count = builder.CreateMul(count, emitter.machine.grid(emitter, /*isSize=*/true, axis));
    return count;
  }

  Emitter &emitter;
  llvm::IRBuilder<> &builder;
  Operation *op;
};

/// An access of memory, whatever the op is.
struct Accessed {
  Value pointers, mask;
  unsigned flags;
  bool releases = false, acquires = false;
};

Accessed atomic(Value pointers, Value mask, tensor::MemSemantic semantic, tensor::MemSyncScope scope) {
  using Semantic = tensor::MemSemantic;
  // What is ordered in a CTA alone is no atomic to other programs.
  if (scope == tensor::MemSyncScope::CTA)
    return {pointers, mask, writes};
  return {pointers, mask, writes | strong, semantic == Semantic::Release || semantic == Semantic::AcquireRelease,
          semantic == Semantic::Acquire || semantic == Semantic::AcquireRelease};
}

std::optional<Accessed> accessOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Accessed>>(op)
      .Case([](tensor::LoadOp load) {
        return load.getIsVolatile() ? Accessed{load.getPtr(), load.getMask(), strong, false, true}
                                    : Accessed{load.getPtr(), load.getMask(), 0};
      })
      .Case([](tensor::StoreOp store) { return Accessed{store.getPtr(), store.getMask(), writes}; })
      .Case([](gpu::AsyncCopyGlobalToLocalOp copy) { return Accessed{copy.getSrc(), copy.getMask(), 0}; })
      .Case([](tensor::AtomicRMWOp update) {
        return atomic(update.getPtr(), update.getMask(), update.getSem(), update.getScope());
      })
      .Case([](tensor::AtomicCASOp swap) { return atomic(swap.getPtr(), Value(), swap.getSem(), swap.getScope()); })
      .Default([](Operation *) { return std::nullopt; });
}

} // namespace

void beginGlobalSanitizer(Emitter &emitter) {
  const int64_t programs = programsOf(emitter);
  if (!programs)
    return;
  llvm::IRBuilder<> &builder = emitter.builder;
  llvm::Value *me = builder.CreateTrunc(linearCta(emitter), builder.getInt32Ty());
  llvm::Value *thread = emitter.machine.threadOfCta(emitter);
  llvm::GlobalVariable *state = stateOf(emitter.module, programs);
  const int64_t threads = 32 * int64_t(emitter.totalNumWarps());
  emitter.emitIf(builder.CreateICmpULT(me, emitter.i32(programs)), [&] {
    llvm::Value *row = builder.CreateMul(me, emitter.i32(programs));
    for (int64_t first = 0; first < programs; first += threads) {
      llvm::Value *about = builder.CreateAdd(thread, emitter.i32(first));
      emitter.emitIf(builder.CreateICmpULT(about, emitter.i32(programs)), [&] {
        llvm::Value *isOwn = builder.CreateICmpEQ(about, me);
        builder.CreateStore(builder.CreateZExt(isOwn, builder.getInt32Ty()),
                            builder.CreateGEP(builder.getInt32Ty(), state, builder.CreateAdd(row, about)));
      });
    }
  });
  emitter.barrier();
}

Emitted emitChecked(Emitter &emitter, Operation *op) {
  std::optional<Accessed> access = programsOf(emitter) ? accessOf(op) : std::nullopt;
  if (!access)
    return std::nullopt;
  Checks checks(emitter, op);
  checks.each(access->pointers, access->mask, access->flags, "access", &Writer::access);
  if (access->releases) {
    if (!isa<RankedTensorType>(access->pointers.getType()))
      emitter.barrier(); // all that the program's warps have done
    checks.each(access->pointers, access->mask, access->flags, "release", &Writer::release);
  }
  Emitted emitted = simt::emitMemory(emitter, op);
  if (!emitted)
    emitted = simt::emitAtomics(emitter, op);
  if (!emitted)
    emitted = emitAsync(emitter, op);
  if (emitted && succeeded(*emitted) && access->acquires) {
    checks.each(access->pointers, access->mask, access->flags, "acquire", &Writer::acquire);
    if (!isa<RankedTensorType>(access->pointers.getType()))
      emitter.barrier(); // before any of the program's warps goes on
  }
  return emitted;
}

} // namespace triton::nvidia
