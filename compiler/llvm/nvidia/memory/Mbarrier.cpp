// mbarriers: one thread of the CTA makes them, ends them, arrives (or one of each warp or warpgroup) and announces bytes; every thread waits.
#include "compiler/gpu/PrivateAttributes.h"
#include "compiler/gpu/SharedAccesses.h"
#include "compiler/llvm/nvidia/Families.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace mlir;
using namespace triton;
using namespace triton::nvidia;

/// The address of a barrier as assembly takes it.
static llvm::Value *addressOf(Emitter &emitter, Value barrier) {
  return emitter.builder.CreatePtrToInt(emitter.registers(barrier)[0], emitter.builder.getInt32Ty());
}

llvm::Value *triton::nvidia::isFirstThread(Emitter &emitter, Value predicate) {
  llvm::Value *first = emitter.builder.CreateICmpEQ(emitter.threadId(), emitter.i32(0));
  return predicate ? emitter.builder.CreateAnd(first, emitter.scalar(predicate)) : first;
}

/// One instruction, on a barrier and up to one number, by one thread: the CTA's first, or where `issues` says so.
static llvm::LogicalResult emitOnce(Emitter &emitter, Value barrier, const std::string &text, Value predicate,
                                    llvm::Value *number = nullptr, llvm::Value *issues = nullptr) {
  llvm::SmallVector<llvm::Value *> arguments{issues ? issues : isFirstThread(emitter, predicate),
                                             addressOf(emitter, barrier)};
  if (number)
    arguments.push_back(number);
  emitter.inlineAsm("@$0 " + text, number ? "b,r,r,~{memory}" : "b,r,~{memory}", emitter.builder.getVoidTy(), arguments,
                    AsmEffects::SideEffect);
  return success();
}

static llvm::LogicalResult emitInit(Emitter &emitter, gpu::InitBarrierOp op) {
  // The fence is for TMA; other threads learn of the barrier by a barrier of the CTA.
  std::string fence = emitter.target().hasTma() ? " @$0 fence.mbarrier_init.release.cluster;" : "";
  return emitOnce(emitter, op.getAlloc(), "mbarrier.init.shared::cta.b64 [$1], $2;" + fence, Value(),
                  emitter.i32(op.getCount()));
}

static llvm::LogicalResult emitArrive(Emitter &emitter, gpu::ArriveBarrierOp op) {
  fenceTensorMemory(emitter, "before");
  llvm::Value *issues = nullptr;
  bool perWarp = op->hasAttr(gpu::perWarpName);
  if (perWarp || op.getPerWarpGroup()) {
    // What the other lanes did comes before this.
    if (perWarp)
      emitter.intrinsic(llvm::Intrinsic::nvvm_bar_warp_sync, {emitter.i32(-1)});
    llvm::Value *thread = emitter.builder.CreateAnd(emitter.threadId(), emitter.i32(perWarp ? 31 : 127));
    issues = emitter.builder.CreateICmpEQ(thread, emitter.i32(0));
    if (op.getPred())
      issues = emitter.builder.CreateAnd(issues, emitter.scalar(op.getPred()));
  }
  // A count is for sm_90 and newer; one arrival needs none.
  const bool counts = op.getCount() != 1;
  return emitOnce(emitter, op.getAlloc(),
                  counts ? "mbarrier.arrive.shared::cta.b64 _, [$1], $2;" : "mbarrier.arrive.shared::cta.b64 _, [$1];",
                  op.getPred(), emitter.i32(op.getCount()), issues);
}

static llvm::LogicalResult emitWait(Emitter &emitter, gpu::WaitBarrierOp op) {
  llvm::SmallVector<llvm::Value *> arguments{addressOf(emitter, op.getAlloc()), emitter.scalar(op.getPhase())};
  std::string skip, constraints = "r,r,~{memory}";
  if (op.getPred()) {
    arguments.push_back(emitter.scalar(op.getPred()));
    skip = "@!$2 bra.uni done;\n";
    constraints = "r,r,b,~{memory}";
  }
  // Waits on its own for a while where the hardware can, else asks again and again.
  std::string test = emitter.target().capability >= 90 ? "try_wait" : "test_wait";
  emitter.inlineAsm("{\n.reg .pred complete;\n" + skip + "wait:\nmbarrier." + test +
                        ".parity.shared::cta.b64 complete, [$0], $1;\n@!complete bra.uni wait;\ndone:\n}",
                    constraints, emitter.builder.getVoidTy(), arguments, AsmEffects::Convergent);
  fenceTensorMemory(emitter, "after");
  return success();
}

Emitted triton::nvidia::emitMbarrier(Emitter &emitter, Operation *op) {
  return llvm::TypeSwitch<Operation *, Emitted>(op)
      .Case([&](gpu::InitBarrierOp op) { return emitInit(emitter, op); })
      .Case([&](gpu::InvalBarrierOp op) {
        return emitOnce(emitter, op.getAlloc(), "mbarrier.inval.shared::cta.b64 [$1];", Value());
      })
      .Case([&](gpu::BarrierExpectOp op) {
        return emitOnce(emitter, op.getAlloc(), "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$1], $2;", op.getPred(),
                        emitter.i32(op.getSize()));
      })
      .Case([&](gpu::ArriveBarrierOp op) { return emitArrive(emitter, op); })
      .Case([&](gpu::WaitBarrierOp op) { return emitWait(emitter, op); })
      .Case([&](gpu::AsyncCopyMbarrierArriveOp op) {
        std::string mode = op.getNoIncrement() ? ".noinc" : "";
        emitter.inlineAsm("cp.async.mbarrier.arrive" + mode + ".shared.b64 [$0];", "r,~{memory}",
                          emitter.builder.getVoidTy(), {addressOf(emitter, op.getBarrier())}, AsmEffects::SideEffect);
        return success();
      })
      .Case([&](gpu::ClusterArriveOp op) {
        emitter.inlineAsm(op.getRelaxed() ? "barrier.cluster.arrive.relaxed.aligned;"
                                          : "barrier.cluster.arrive.aligned;",
                          "~{memory}", emitter.builder.getVoidTy(), {}, AsmEffects::Convergent);
        return success();
      })
      .Case([&](gpu::ClusterWaitOp) {
        emitter.inlineAsm("barrier.cluster.wait.aligned;", "~{memory}", emitter.builder.getVoidTy(), {},
                          AsmEffects::Convergent);
        return success();
      })
      .Default([](Operation *) -> Emitted { return std::nullopt; });
}
