#include "compiler/llvm/nvidia/SanitizerRoutines.h"

#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace triton::nvidia {

StringRef messageOf(Fault fault) {
  switch (fault) {
  case Fault::None:
    break;
  case Fault::Writes:
    return "Buffer being accessed has outstanding writes";
  case Fault::Reads:
    return "Buffer being accessed has outstanding reads";
  case Fault::Copy:
    return "Accessing buffer with pending access. Pending access type: async_copy_global_to_shared";
  case Fault::Store:
    return "Accessing buffer with pending access. Pending access type: async_copy_shared_to_global";
  case Fault::Dot:
    return "Accessing buffer with pending access. Pending access type: warpgroup_mma operand read";
  case Fault::Underflow:
    return "Barrier arrive underflow: current count would become negative";
  case Fault::Deadlock:
    return "Deadlock detected";
  }
  llvm_unreachable("no fault has no message");
}

namespace {

/// An event: [who knows that it is over, what is under way, the barriers that tell: 64 bits].
constexpr int knownWord = 0, underWayWord = 1, toldLowWord = 2, toldHighWord = 3;
/// A barrier: [arrivals of a phase, arrivals that are left, parity of the phase, bytes that are left].
constexpr int expectedWord = 0, remainingWord = 1, parityWord = 2, bytesWord = 3;
/// Of what is under way: the ending in four bits, the actor in four, then the groups since.
constexpr int actorShift = 4, groupShift = 8, whoseMask = 0xff, endingMask = 0xf;

/// Writes one routine. Words of the state are named by numbers; nothing here is fast, as one thread runs it.
class Writer {
public:
  Writer(Module &module, const gpu::SanitizerPlan &plan, Function *function)
      : plan(plan), function(function), builder(BasicBlock::Create(module.getContext(), "", function)),
        scope(module.getContext().getOrInsertSyncScopeID("block")) {
    fault = builder.CreateAlloca(builder.getInt32Ty());
    builder.CreateStore(number(0), fault);
  }

  void begin() {
    forRange(number(0), number(plan.words()), [&](Value *word) { store(word, number(0)); });
    store(number(gpu::SanitizerPlan::activeWord), number(1));
    forEvents([&](Value *event) { store(at(event, knownWord), number(-1)); });
    builder.CreateRet(number(0));
  }

  void access() {
    Value *actor = argument(0), *writes = isSet(argument(3)), *ending = argument(4);
    Value *bit = bitOf(actor), *whose = whoseOf(ending, actor);
    locked([&] {
      Value *end = builder.CreateAdd(placeOf(argument(2), plan.cuts), number(1));
      forRange(placeOf(argument(1), plan.cuts), end, [&](Value *buffer) {
        Value *first = builder.CreateMul(buffer, number(plan.eventsOfBuffer()));
        Value *checked = builder.CreateSelect(writes, number(plan.eventsOfBuffer()), number(1));
        forRange(number(0), checked, [&](Value *index) { check(first, index, bit, ending, whose); });
        // What was read is over for whoever knows of this write.
        when(writes, [&] {
          forRange(number(1), number(plan.eventsOfBuffer()),
                   [&](Value *index) { note(builder.CreateAdd(first, index), number(-1), number(0), nullptr); });
        });
        Value *isNow = builder.CreateICmpEQ(ending, number(int(Ending::Now)));
        Value *read = builder.CreateAdd(builder.CreateAdd(actor, number(1)),
                                        builder.CreateSelect(isNow, number(0), number(plan.actors)));
        Value *event = builder.CreateAdd(first, builder.CreateSelect(writes, number(0), read));
        Value *isAtBarrier = builder.CreateICmpEQ(ending, number(int(Ending::Mbarrier)));
        Value *hasWait = builder.CreateNot(builder.CreateOr(isNow, isAtBarrier));
        note(event, builder.CreateSelect(isNow, bit, number(0)), builder.CreateSelect(hasWait, whose, number(0)),
             builder.CreateSelect(isAtBarrier, barrierBit(argument(5)), builder.getInt64(0)));
      });
    });
  }

  void commit() {
    Value *whose = whoseOf(argument(1), argument(0));
    locked([&] {
      forEventsOf(whose, [&](Value *event) {
        Value *word = at(event, underWayWord);
        store(word, builder.CreateAdd(load(word), number(1 << groupShift)));
      });
    });
  }

  void drain() {
    Value *whose = whoseOf(argument(1), argument(0));
    locked([&] {
      forEventsOf(whose, [&](Value *event) {
        Value *groups = builder.CreateLShr(load(at(event, underWayWord)), groupShift);
        when(builder.CreateICmpUGT(groups, argument(2)), [&] { learn(event, bitOf(argument(0))); });
      });
    });
  }

  void release() {
    Value *whose = whoseOf(argument(1), argument(0));
    locked([&] { forEventsOf(whose, [&](Value *event) { tell(event, argument(2)); }); });
  }

  void init() {
    locked([&] {
      Value *barrier = barrierAt(argument(0));
      store(at(barrier, expectedWord), argument(1));
      store(at(barrier, remainingWord), argument(1));
      store(at(barrier, parityWord), number(0));
      store(at(barrier, bytesWord), number(0));
    });
  }

  void arrive() {
    Value *bit = bitOf(argument(0));
    locked([&] {
      forEvents([&](Value *event) {
        when(isSet(builder.CreateAnd(load(at(event, knownWord)), bit)), [&] { tell(event, argument(1)); });
      });
      Value *barrier = barrierAt(argument(1));
      Value *left = builder.CreateSub(load(at(barrier, remainingWord)), argument(2));
      Value *isCounted = builder.CreateICmpNE(load(at(barrier, expectedWord)), number(0));
      fail(builder.CreateAnd(isCounted, builder.CreateICmpSLT(left, number(0))), number(int(Fault::Underflow)));
      store(at(barrier, remainingWord), left);
      store(at(barrier, bytesWord), builder.CreateAdd(load(at(barrier, bytesWord)), argument(3)));
      settle(barrier);
    });
  }

  void deliver() {
    locked([&] {
      Value *barrier = barrierAt(argument(0));
      store(at(barrier, bytesWord), builder.CreateSub(load(at(barrier, bytesWord)), argument(1)));
      settle(barrier);
    });
  }

  /// No wait asks for a parity of 2: nobody is found to wait in vain.
  void forget() {
    locked([&] {
      Value *barrier = barrierAt(argument(0));
      store(at(barrier, expectedWord), number(0));
      store(at(barrier, parityWord), number(2));
    });
  }

  void wait() {
    locked([&] {
      Value *asked = builder.CreateAdd(builder.CreateShl(placeOf(argument(1), plan.barriers), 1), argument(2));
      store(waitingOf(argument(0)), builder.CreateAdd(asked, number(1)));
      findDeadlock();
    });
  }

  void pass() {
    Value *bit = bitOf(argument(0)), *barrier = barrierBit(argument(1));
    locked([&] {
      store(waitingOf(argument(0)), number(0));
      forEvents([&](Value *event) {
        Value *tells = builder.CreateAnd(told(event), barrier);
        when(builder.CreateICmpNE(tells, builder.getInt64(0)), [&] { learn(event, bit); });
      });
    });
  }

  void split() {
    locked([&] {
      forEvents([&](Value *event) { share(event, number(1), argument(0)); });
      store(number(gpu::SanitizerPlan::activeWord), builder.CreateOr(argument(0), number(1)));
    });
  }

  void leave() {
    locked([&] {
      Value *word = number(gpu::SanitizerPlan::activeWord);
      store(word, builder.CreateAnd(load(word), builder.CreateNot(bitOf(argument(0)))));
      findDeadlock();
    });
  }

  void join() {
    locked([&] {
      forEvents([&](Value *event) { share(event, number(-2), number(1)); });
      store(number(gpu::SanitizerPlan::activeWord), number(1));
    });
  }

private:
  ConstantInt *number(int32_t value) { return builder.getInt32(uint32_t(value)); }
  Argument *argument(unsigned index) { return function->getArg(1 + index); }
  Value *isSet(Value *value) { return builder.CreateICmpNE(value, number(0)); }
  Value *bitOf(Value *index) { return builder.CreateShl(number(1), index); }
  Value *whoseOf(Value *ending, Value *actor) { return builder.CreateOr(ending, builder.CreateShl(actor, actorShift)); }

  // The state
  Value *pointer(Value *word) { return builder.CreateGEP(builder.getInt32Ty(), function->getArg(0), word); }
  Value *load(Value *word) { return builder.CreateLoad(builder.getInt32Ty(), pointer(word)); }
  void store(Value *word, Value *value) { builder.CreateStore(value, pointer(word)); }
  Value *at(Value *first, int word) { return builder.CreateAdd(first, number(word)); }
  Value *waitingOf(Value *actor) { return builder.CreateAdd(actor, number(gpu::SanitizerPlan::waitingWord)); }
  Value *wordOf(Value *event) {
    return builder.CreateAdd(builder.CreateMul(event, number(gpu::SanitizerPlan::wordsOfEvent)),
                             number(plan.eventsWord()));
  }
  Value *barrierAt(Value *address) {
    return builder.CreateAdd(
        builder.CreateMul(placeOf(address, plan.barriers), number(gpu::SanitizerPlan::wordsOfBarrier)),
        number(plan.barriersWord()));
  }
  Value *barrierBit(Value *address) {
    Value *place = builder.CreateZExt(placeOf(address, plan.barriers), builder.getInt64Ty());
    return builder.CreateShl(builder.getInt64(1), place);
  }
  /// The last entry that is not above: the first for what lies before all.
  Value *placeOf(Value *address, ArrayRef<int32_t> table) {
    Value *place = number(0);
    for (int32_t entry : table.drop_front(table.empty() ? 0 : 1))
      place = builder.CreateAdd(
          place, builder.CreateZExt(builder.CreateICmpUGE(address, number(entry)), builder.getInt32Ty()));
    return place;
  }

  // Control
  void when(Value *condition, function_ref<void()> body) {
    BasicBlock *inside = block(), *after = block();
    builder.CreateCondBr(condition, inside, after);
    builder.SetInsertPoint(inside);
    body();
    builder.CreateBr(after);
    builder.SetInsertPoint(after);
  }
  void forRange(Value *begin, Value *end, function_ref<void(Value *)> body) {
    BasicBlock *before = builder.GetInsertBlock(), *head = block(), *inside = block(), *after = block();
    builder.CreateBr(head);
    builder.SetInsertPoint(head);
    PHINode *index = builder.CreatePHI(builder.getInt32Ty(), 2);
    index->addIncoming(begin, before);
    builder.CreateCondBr(builder.CreateICmpSLT(index, end), inside, after);
    builder.SetInsertPoint(inside);
    body(index);
    index->addIncoming(builder.CreateAdd(index, number(1)), builder.GetInsertBlock());
    builder.CreateBr(head);
    builder.SetInsertPoint(after);
  }
  /// The body gets the word at which an event begins.
  void forEvents(function_ref<void(Value *)> body) {
    forRange(number(0), number(plan.events()), [&](Value *event) { body(wordOf(event)); });
  }
  void forEventsOf(Value *whose, function_ref<void(Value *)> body) {
    forEvents([&](Value *event) {
      Value *found = builder.CreateAnd(load(at(event, underWayWord)), number(whoseMask));
      when(builder.CreateICmpEQ(found, whose), [&] { body(event); });
    });
  }
  BasicBlock *block() { return BasicBlock::Create(function->getContext(), "", function); }

  /// One actor at a time, and the routine's end.
  void locked(function_ref<void()> body) {
    BasicBlock *attempt = block(), *inside = block();
    Value *lock = pointer(number(gpu::SanitizerPlan::lockWord));
    builder.CreateBr(attempt);
    builder.SetInsertPoint(attempt);
    Value *taken = builder.CreateAtomicCmpXchg(lock, number(0), number(1), MaybeAlign(4), AtomicOrdering::Acquire,
                                               AtomicOrdering::Monotonic, scope);
    builder.CreateCondBr(builder.CreateExtractValue(taken, 1), inside, attempt);
    builder.SetInsertPoint(inside);
    body();
    StoreInst *free = builder.CreateAlignedStore(number(0), lock, Align(4));
    free->setAtomic(AtomicOrdering::Release, scope);
    builder.CreateRet(builder.CreateLoad(builder.getInt32Ty(), fault));
  }
  /// The first fault is the one that is told.
  void fail(Value *isFault, Value *which) {
    Value *before = builder.CreateLoad(builder.getInt32Ty(), fault);
    Value *isFirst = builder.CreateAnd(isFault, builder.CreateNot(isSet(before)));
    builder.CreateStore(builder.CreateSelect(isFirst, which, before), fault);
  }

  // Events
  /// The event `index` of a buffer is over for the actor; products come one after the other by themselves.
  void check(Value *first, Value *index, Value *bit, Value *ending, Value *whose) {
    Value *event = wordOf(builder.CreateAdd(first, index));
    Value *underWay = load(at(event, underWayWord));
    Value *isKnown = isSet(builder.CreateAnd(load(at(event, knownWord)), bit));
    Value *isProduct = builder.CreateICmpEQ(ending, number(int(Ending::Products)));
    Value *isSame = builder.CreateICmpEQ(builder.CreateAnd(underWay, number(whoseMask)), whose);
    Value *which = builder.CreateSelect(builder.CreateICmpEQ(index, number(0)), number(int(Fault::Writes)),
                                        number(int(Fault::Reads)));
    Value *kind = builder.CreateAnd(underWay, number(endingMask));
    for (auto [ending, fault] : {std::pair(Ending::Copies, Fault::Copy), std::pair(Ending::Stores, Fault::Store),
                                 std::pair(Ending::Dots, Fault::Dot)})
      which = builder.CreateSelect(builder.CreateICmpEQ(kind, number(int(ending))), number(int(fault)), which);
    fail(builder.CreateNot(builder.CreateOr(isKnown, builder.CreateAnd(isProduct, isSame))), which);
  }
  void note(Value *event, Value *known, Value *underWay, Value *barriers) {
    Value *word = wordOf(event);
    store(at(word, knownWord), known);
    store(at(word, underWayWord), underWay);
    setTold(word, barriers ? barriers : builder.getInt64(0));
  }
  void learn(Value *event, Value *bit) {
    store(at(event, knownWord), builder.CreateOr(load(at(event, knownWord)), bit));
    store(at(event, underWayWord), number(0));
  }
  /// Those of `to` know what one of `from` knows.
  void share(Value *event, Value *from, Value *to) {
    Value *known = load(at(event, knownWord));
    Value *knows = isSet(builder.CreateAnd(known, from));
    store(at(event, knownWord), builder.CreateSelect(knows, builder.CreateOr(known, to), known));
  }
  Value *told(Value *event) {
    Value *low = builder.CreateZExt(load(at(event, toldLowWord)), builder.getInt64Ty());
    Value *high = builder.CreateZExt(load(at(event, toldHighWord)), builder.getInt64Ty());
    return builder.CreateOr(low, builder.CreateShl(high, 32));
  }
  void setTold(Value *event, Value *barriers) {
    store(at(event, toldLowWord), builder.CreateTrunc(barriers, builder.getInt32Ty()));
    store(at(event, toldHighWord), builder.CreateTrunc(builder.CreateLShr(barriers, 32), builder.getInt32Ty()));
  }
  void tell(Value *event, Value *barrier) { setTold(event, builder.CreateOr(told(event), barrierBit(barrier))); }

  // Barriers
  /// A phase without arrivals and bytes that are left is over: copies that are under way will come.
  void settle(Value *barrier) {
    Value *isOver = builder.CreateAnd(builder.CreateICmpEQ(load(at(barrier, remainingWord)), number(0)),
                                      builder.CreateICmpSLE(load(at(barrier, bytesWord)), number(0)));
    when(builder.CreateAnd(isOver, isSet(load(at(barrier, expectedWord)))), [&] {
      store(at(barrier, remainingWord), load(at(barrier, expectedWord)));
      store(at(barrier, parityWord), builder.CreateXor(load(at(barrier, parityWord)), number(1)));
      store(at(barrier, bytesWord), number(0));
    });
  }
  void findDeadlock() {
    Value *active = load(number(gpu::SanitizerPlan::activeWord)), *allStuck = isSet(active);
    for (int32_t actor = 0; actor < plan.actors; ++actor) {
      Value *asked = load(waitingOf(number(actor)));
      Value *wanted = builder.CreateSelect(isSet(asked), builder.CreateSub(asked, number(1)), number(0));
      Value *barrier = builder.CreateAdd(
          builder.CreateMul(builder.CreateLShr(wanted, 1), number(gpu::SanitizerPlan::wordsOfBarrier)),
          number(plan.barriersWord()));
      Value *isOpen = builder.CreateICmpEQ(load(at(barrier, parityWord)), builder.CreateAnd(wanted, number(1)));
      Value *isStuck = builder.CreateAnd(isSet(asked), isOpen);
      Value *isAway = builder.CreateNot(isSet(builder.CreateAnd(active, number(1 << actor))));
      allStuck = builder.CreateAnd(allStuck, builder.CreateOr(isAway, isStuck));
    }
    fail(allStuck, number(int(Fault::Deadlock)));
  }

  const gpu::SanitizerPlan &plan;
  Function *function;
  IRBuilder<> builder;
  SyncScope::ID scope;
  AllocaInst *fault;
};

struct Description {
  StringLiteral name;
  unsigned numbers;
  void (Writer::*write)();
};

} // namespace

static Description describe(Routine which) {
  switch (which) {
  case Routine::Begin:
    return {"begin", 0, &Writer::begin};
  case Routine::Access:
    return {"access", 6, &Writer::access};
  case Routine::Commit:
    return {"commit", 2, &Writer::commit};
  case Routine::Drain:
    return {"drain", 3, &Writer::drain};
  case Routine::Release:
    return {"release", 3, &Writer::release};
  case Routine::Init:
    return {"init", 2, &Writer::init};
  case Routine::Arrive:
    return {"arrive", 4, &Writer::arrive};
  case Routine::Deliver:
    return {"deliver", 2, &Writer::deliver};
  case Routine::Forget:
    return {"forget", 1, &Writer::forget};
  case Routine::Wait:
    return {"wait", 3, &Writer::wait};
  case Routine::Pass:
    return {"pass", 2, &Writer::pass};
  case Routine::Fork:
    return {"fork", 1, &Writer::split};
  case Routine::Leave:
    return {"leave", 1, &Writer::leave};
  case Routine::Join:
    return {"join", 0, &Writer::join};
  }
  llvm_unreachable("every routine is described");
}

Function *routine(Module &module, const gpu::SanitizerPlan &plan, Routine which) {
  const Description description = describe(which);
  const std::string name = ("consan_" + description.name).str();
  if (Function *known = module.getFunction(name))
    return known;
  Type *word = Type::getInt32Ty(module.getContext());
  SmallVector<Type *> parameters{PointerType::get(module.getContext(), 1)};
  parameters.append(description.numbers, word);
  auto *function = Function::Create(FunctionType::get(word, parameters, /*isVarArg=*/false), Function::InternalLinkage,
                                    name, module);
  function->addFnAttr(Attribute::NoInline);
  Writer writer(module, plan, function);
  (writer.*description.write)();
  return function;
}

} // namespace triton::nvidia
