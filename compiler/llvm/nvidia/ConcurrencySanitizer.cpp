#include "compiler/llvm/nvidia/ConcurrencySanitizer.h"

#include "compiler/gpu/Buffers.h"
#include "compiler/gpu/PrivateAttributes.h"
#include "compiler/gpu/dialect/ExplicitOps.h"
#include "compiler/llvm/gpu/Asserts.h"
#include "compiler/llvm/nvidia/SanitizerRoutines.h"
#include "compiler/llvm/nvidia/memory/TensorMaps.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace mlir;

namespace triton::nvidia {

/// 0 for the kernel's own warps, else one more than the number of the partition that `op` stands in.
static unsigned actorOf(Operation *op) {
  for (Region *region = op->getParentRegion(); region; region = region->getParentRegion())
    if (isa<gpu::WarpSpecializePartitionsOp>(region->getParentOp()))
      return 1 + region->getRegionNumber();
  return 0;
}

static bool isMbarrier(Value buffer) {
  auto type = dyn_cast<gpu::MemDescType>(buffer.getType());
  return type && gpu::isShared(type) && type.getElementType().isInteger(64) && gpu::getBufferBytes(type) == 8;
}

namespace {

/// The calls of one op, by the first thread of its actor.
class Checks {
public:
  Checks(Emitter &emitter, Operation *op)
      : emitter(emitter), builder(emitter.builder), op(op), plan(*gpu::SanitizerPlan::of(emitter.source)),
        actor(emitter.i32(actorOf(op))) {}

  /// Runs `body` in the first thread, where the predicate, if there is one, holds.
  void once(Value predicate, llvm::function_ref<void()> body) {
    emitter.emitIf(isFirstThread(emitter, predicate), body);
  }

  void call(Routine which, llvm::ArrayRef<llvm::Value *> numbers, llvm::ArrayRef<Fault> faults = {}) {
    llvm::SmallVector<llvm::Value *> arguments{state()};
    llvm::append_range(arguments, numbers);
    llvm::Value *found = builder.CreateCall(routine(emitter.module, plan, which), arguments);
    for (Fault fault : faults)
      emitter.emitIf(builder.CreateICmpEQ(found, emitter.i32(int(fault))),
                     [&] { failAssertAt(emitter, op, messageOf(fault)); });
  }

  void access(Value buffer, bool writes, Ending ending, Value barrier = Value()) {
    auto [first, last] = rangeOf(buffer);
    static constexpr Fault faults[] = {Fault::Writes, Fault::Reads, Fault::Copy, Fault::Store, Fault::Dot};
    call(Routine::Access,
         {actor, first, last, emitter.i32(writes), number(ending), barrier ? address(barrier) : emitter.i32(0)},
         faults);
  }
  /// All that the op does to buffers.
  void accesses(Ending ending) {
    auto memory = dyn_cast<MemoryEffectOpInterface>(op);
    if (!memory || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return;
    SmallVector<MemoryEffects::EffectInstance> effects;
    memory.getEffects(effects);
    llvm::erase_if(effects, [](MemoryEffects::EffectInstance &effect) {
      return !effect.getValue() || !isa<gpu::MemDescType>(effect.getValue().getType()) ||
             isMbarrier(effect.getValue()) || !isa<MemoryEffects::Read, MemoryEffects::Write>(effect.getEffect());
    });
    if (effects.empty())
      return;
    once(Value(), [&] {
      for (MemoryEffects::EffectInstance &effect : effects)
        access(effect.getValue(), isa<MemoryEffects::Write>(effect.getEffect()), ending);
    });
  }
  void commit(Ending ending) {
    once(Value(), [&] { call(Routine::Commit, {actor, number(ending)}); });
  }
  void drain(Ending ending, unsigned groups) {
    once(Value(), [&] { call(Routine::Drain, {actor, number(ending), emitter.i32(groups)}); });
  }
  /// A barrier that tells when what is under way of this kind is over, and is arrived at then.
  void release(Ending ending, Value barrier, Value predicate) {
    once(predicate, [&] {
      call(Routine::Release, {actor, number(ending), address(barrier)});
      call(Routine::Arrive, {actor, address(barrier), emitter.i32(1), emitter.i32(0)}, Fault::Underflow);
    });
  }
  void arrive(Value barrier, unsigned count, unsigned bytes, Value predicate) {
    once(predicate, [&] {
      call(Routine::Arrive, {actor, address(barrier), emitter.i32(count), emitter.i32(bytes)}, Fault::Underflow);
    });
  }
  /// Lets the other actors go on, so that what nothing orders is found at the access that ought to have waited, not at the one that came late.
  void pause(unsigned nanoseconds, Value skipped = Value()) {
    if (plan.actors == 1)
      return;
    llvm::Value *pauses = isFirstThread(emitter, Value());
    if (skipped)
      pauses = builder.CreateAnd(pauses, builder.CreateNot(emitter.scalar(skipped)));
    emitter.emitIf(pauses, [&] { emitter.intrinsic(llvm::Intrinsic::nvvm_nanosleep, {emitter.i32(nanoseconds)}); });
  }
  void copy(Value barrier, Value buffer, Value predicate) {
    auto type = cast<gpu::MemDescType>(buffer.getType());
    auto swizzled = dyn_cast<gpu::NvmmaSharedAttr>(type.getEncoding());
    const int64_t bytes = type.getNumElements() * type.getElementBits() / 8;
    once(predicate, [&] {
      access(buffer, /*writes=*/true, Ending::Mbarrier, barrier);
      if (swizzled && swizzled.getFp4Padded())
        call(Routine::Forget, {address(barrier)});
      else
        call(Routine::Deliver, {address(barrier), emitter.i32(bytes)});
    });
  }

  llvm::Value *address(Value barrier) {
    auto offset = [&](llvm::Value *pointer) { return builder.CreatePtrToInt(pointer, builder.getInt32Ty()); };
    return builder.CreateSub(offset(emitter.registers(barrier)[0]), offset(emitter.sharedBase()));
  }

  Emitter &emitter;
  llvm::IRBuilder<> &builder;
  Operation *op;
  const gpu::SanitizerPlan plan;
  llvm::Value *actor;

  /// Tells partitions, which know buffers only, where tensor memory begins.
  void tellTensorMemory() {
    if (emitter.tensorMemory)
      builder.CreateStore(emitter.tensorMemory, columnsPlace());
  }

private:
  llvm::Value *columnsPlace() {
    return builder.CreateConstGEP1_32(builder.getInt32Ty(), state(), gpu::SanitizerPlan::columnsWord);
  }
  llvm::Value *tensorMemory() {
    return emitter.isPartition() ? builder.CreateLoad(builder.getInt32Ty(), columnsPlace()) : emitter.tensorMemory;
  }

  llvm::Value *number(Ending ending) { return emitter.i32(int(ending)); }

  llvm::Value *state() {
    auto slice = emitter.source->getAttrOfType<IntegerAttr>(gpu::globalScratchBytesName);
    llvm::Value *begin = builder.CreateMul(linearCta(emitter), emitter.i64(slice.getInt()));
    llvm::Value *base = emitter.function->getArg(emitter.function->arg_size() - 2);
    return builder.CreateGEP(builder.getInt8Ty(), base, builder.CreateAdd(begin, emitter.i64(plan.offset)));
  }

  /// The first and the last byte or column. A part of a buffer in shared memory stands for all of it.
  std::pair<llvm::Value *, llvm::Value *> rangeOf(Value buffer) {
    while (auto part = buffer.getDefiningOp<gpu::MemDescSubsliceOp>())
      buffer = part.getSrc();
    auto type = cast<gpu::MemDescType>(buffer.getType());
    llvm::Value *first = nullptr;
    if (gpu::isShared(type)) {
      auto given =
          op->getAttrOfType<IntegerAttr>(gpu::allocationOffsetName); // an op that makes the buffer, and fills it
      first = buffer.getDefiningOp() == op && given ? emitter.i32(given.getInt()) : address(buffer);
      return {first, builder.CreateAdd(first, emitter.i32(gpu::getAllocationBytes(type) - 1))};
    }
    auto given = op->getAttrOfType<IntegerAttr>(gpu::tensorMemoryOffsetName);
    if (buffer.getDefiningOp() == op && given) {
      first = emitter.i32(given.getInt());
    } else {
      llvm::Value *column = builder.CreateSub(emitter.registers(buffer)[0], tensorMemory());
      first = builder.CreateAnd(column, emitter.i32(0xffff));
    }
    first = builder.CreateAdd(first, emitter.i32(gpu::SanitizerPlan::firstColumn));
    auto own = gpu::MemDescType::get(type.getShape(), type.getElementType(), type.getEncoding(), type.getMemorySpace(),
                                     type.getMutableMemory(), type.getShape()); // not of what it is a part of
    return {first, builder.CreateAdd(first, emitter.i32(gpu::getAllocationColumns(own) - 1))};
  }
};

} // namespace

/// Functions that are called have no state: their caller's is not passed on.
static bool isSanitized(Emitter &emitter) {
  return gpu::SanitizerPlan::isOn(emitter.source) &&
         emitter.function->getCallingConv() == llvm::CallingConv::PTX_Kernel;
}

void beginSanitizer(Emitter &emitter) {
  if (!isSanitized(emitter))
    return;
  Checks checks(emitter, emitter.source);
  llvm::Value *isFirst = emitter.builder.CreateICmpEQ(emitter.machine.threadOfCta(emitter), emitter.i32(0));
  emitter.emitIf(isFirst, [&] { checks.call(Routine::Begin, {}); });
}

/// A product of tensor memory, or a copy to it, that goes on until one of the barriers tells.
static void beginProduct(Checks &checks, bool isAsync, OperandRange barriers, OperandRange predicates) {
  checks.accesses(isAsync ? Ending::Products : Ending::Now);
  for (auto [index, barrier] : llvm::enumerate(barriers))
    checks.release(Ending::Products, barrier, index < predicates.size() ? predicates[index] : Value());
}

void sanitizeBefore(Emitter &emitter, Operation *op) {
  if (!isSanitized(emitter))
    return;
  Checks checks(emitter, op);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](gpu::InitBarrierOp init) {
        checks.once(Value(), [&] {
          checks.call(Routine::Init, {checks.address(init.getAlloc()), emitter.i32(init.getCount())});
        });
      })
      .Case(
          [&](gpu::BarrierExpectOp expect) { checks.arrive(expect.getAlloc(), 1, expect.getSize(), expect.getPred()); })
      .Case([&](gpu::ArriveBarrierOp arrive) {
        const unsigned times = arrive->hasAttr(gpu::perWarpName) ? emitter.numWarps()
                               : arrive.getPerWarpGroup()        ? emitter.numWarps() / 4
                                                                 : 1;
        checks.arrive(arrive.getAlloc(), times * arrive.getCount(), 0, arrive.getPred());
      })
      .Case([&](gpu::WaitBarrierOp wait) {
        checks.once(wait.getPred(), [&] {
          llvm::Value *parity = emitter.builder.CreateAnd(emitter.scalar(wait.getPhase()), emitter.i32(1));
          checks.call(Routine::Wait, {checks.actor, checks.address(wait.getAlloc()), parity}, Fault::Deadlock);
        });
      })
      .Case<gpu::AsyncTmaCopyGlobalToLocalOp, gpu::AsyncTmaGatherOp>(
          [&](auto copy) { checks.copy(copy.getBarrier(), copy.getResult(), copy.getPred()); })
      .Case<gpu::AsyncTmaCopyLocalToGlobalOp, gpu::AsyncTmaReduceOp, gpu::AsyncTmaScatterOp>([&](auto) {
        checks.accesses(Ending::Stores);
        checks.commit(Ending::Stores);
      })
      .Case([&](gpu::AsyncCopyGlobalToLocalOp) { checks.accesses(Ending::Copies); })
      .Case([&](gpu::AsyncCommitGroupOp) { checks.commit(Ending::Copies); })
      .Case([&](gpu::AsyncCopyMbarrierArriveOp arrive) {
        checks.once(Value(), [&] {
          checks.call(Routine::Release,
                      {checks.actor, emitter.i32(int(Ending::Copies)), checks.address(arrive.getBarrier())});
          checks.call(Routine::Forget, {checks.address(arrive.getBarrier())});
        });
      })
      .Case([&](gpu::WarpGroupDotOp dot) {
        checks.accesses(dot.getIsAsync() ? Ending::Dots : Ending::Now);
        if (dot.getIsAsync())
          checks.commit(Ending::Dots);
      })
      .Case<gpu::TCGen5MMAOp, gpu::TCGen5MMAScaledOp>([&](auto product) {
        beginProduct(checks, product.getIsAsync() || !product.getBarriers().empty(), product.getBarriers(),
                     product.getBarrierPreds());
      })
      .Case([&](gpu::TMEMCopyOp copy) {
        checks.accesses(Ending::Products);
        if (copy.getBarrier())
          checks.release(Ending::Products, copy.getBarrier(), Value());
      })
      .Case(
          [&](gpu::TCGen5CommitOp commit) { checks.release(Ending::Products, commit.getBarrier(), commit.getPred()); })
      .Case([&](gpu::WarpSpecializeOp specialized) {
        const unsigned partitions = specialized.getPartitionRegions().size();
        checks.once(Value(), [&] {
          checks.tellTensorMemory();
          checks.call(Routine::Fork, {emitter.i32((2u << partitions) - 2)});
        });
      })
      .Case([&](gpu::CLCTryCancelOp cancel) {
        constexpr int answerBytes = 16;
        checks.once(Value(), [&] {
          checks.access(cancel.getResult(), /*writes=*/true, Ending::Mbarrier, cancel.getBarrier());
          checks.call(Routine::Deliver, {checks.address(cancel.getBarrier()), emitter.i32(answerBytes)});
        });
      })
      .Default([&](Operation *) { checks.accesses(Ending::Now); });
}

/// How long an actor pauses, in nanoseconds: a routine takes about one thousand, and others have several to run before the first is passed again.
static constexpr unsigned afterWait = 2'000, afterArrival = 20'000;

void sanitizeBehind(Emitter &emitter, Operation *op) {
  if (!isSanitized(emitter))
    return;
  Checks checks(emitter, op);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](gpu::WaitBarrierOp wait) {
        checks.once(wait.getPred(),
                    [&] { checks.call(Routine::Pass, {checks.actor, checks.address(wait.getAlloc())}); });
        checks.pause(afterWait);
        if (wait.getPred())
          checks.pause(afterArrival, wait.getPred());
      })
      .Case([&](gpu::ArriveBarrierOp) { checks.pause(afterArrival); })
      .Case([&](gpu::AsyncWaitOp wait) { checks.drain(Ending::Copies, wait.getNum()); })
      .Case([&](gpu::TmaStoreWaitOp wait) { checks.drain(Ending::Stores, wait.getPendings()); })
      .Case([&](gpu::WarpGroupDotWaitOp wait) { checks.drain(Ending::Dots, wait.getPendings()); })
      .Case([&](gpu::WarpSpecializeOp) { checks.once(Value(), [&] { checks.call(Routine::Join, {}); }); });
}

void sanitizeEnd(Emitter &emitter, Operation *op) {
  if (!isSanitized(emitter))
    return;
  Checks checks(emitter, op);
  checks.once(Value(), [&] { checks.call(Routine::Leave, {checks.actor}, Fault::Deadlock); });
}

} // namespace triton::nvidia
