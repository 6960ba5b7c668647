// Cluster launch control: a program asks for one that has not begun, and runs it in its place.
#include "compiler/gpu/dialect/ExplicitOps.h"
#include "compiler/llvm/nvidia/Families.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace mlir;
using namespace triton;
using namespace triton::nvidia;

/// One thread of the program asks; every CTA of a cluster gets the answer.
static llvm::LogicalResult tryCancel(Emitter &emitter, gpu::CLCTryCancelOp op) {
  if (emitter.target().capability < 100)
    return op.emitError() << "'" << op->getName() << "' needs compute capability 10.0 or newer, not "
                          << emitter.target().str();
  llvm::Value *asks = isFirstThread(emitter, Value());
  const bool isCluster = emitter.numCtas() > 1;
  if (isCluster)
    asks = emitter.builder.CreateAnd(asks, emitter.builder.CreateICmpEQ(emitter.ctaRank(), emitter.i32(0)));
  emitter.emitIf(asks, [&] {
    using namespace llvm::Intrinsic;
    emitter.intrinsic(isCluster ? nvvm_clusterlaunchcontrol_try_cancel_async_multicast_shared
                                : nvvm_clusterlaunchcontrol_try_cancel_async_shared,
                      {emitter.registers(op.getResult())[0], emitter.registers(op.getBarrier())[0]});
  });
  return success();
}

/// With clusters a program is a cluster, and the answer names its first CTA.
static llvm::Value *programId(Emitter &emitter, gpu::CLCGetProgramIdOp op) {
  using namespace llvm::Intrinsic;
  static constexpr llvm::Intrinsic::ID table[] = {nvvm_clusterlaunchcontrol_query_cancel_get_first_ctaid_x,
                                                  nvvm_clusterlaunchcontrol_query_cancel_get_first_ctaid_y,
                                                  nvvm_clusterlaunchcontrol_query_cancel_get_first_ctaid_z};
  llvm::Value *cta = emitter.intrinsic(table[static_cast<unsigned>(op.getAxis())], {emitter.scalar(op.getAnswer())});
  const bool isAlongCluster = op.getAxis() == tensor::ProgramIDDim::X;
  return isAlongCluster ? emitter.builder.CreateUDiv(cta, emitter.i32(emitter.numCtas())) : cta;
}

Emitted triton::nvidia::emitLaunchControl(Emitter &emitter, Operation *op) {
  return llvm::TypeSwitch<Operation *, Emitted>(op)
      .Case([&](gpu::CLCTryCancelOp op) { return tryCancel(emitter, op); })
      .Case([&](gpu::CLCLoadResultOp op) {
        llvm::Value *address = emitter.registers(op.getSrc())[0];
        emitter.define(op.getResult(), emitter.loadShared(emitter.builder.getInt128Ty(), address, 16));
        return success();
      })
      .Case([&](gpu::CLCIsCanceledOp op) {
        emitter.define(op.getResult(),
                       emitter.intrinsic(llvm::Intrinsic::nvvm_clusterlaunchcontrol_query_cancel_is_canceled,
                                         {emitter.scalar(op.getAnswer())}));
        return success();
      })
      .Case([&](gpu::CLCGetProgramIdOp op) {
        emitter.define(op.getResult(), programId(emitter, op));
        return success();
      })
      .Default([](Operation *) -> Emitted { return std::nullopt; });
}
