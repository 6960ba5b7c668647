#include "compiler/llvm/nvidia/InstructionSanitizer.h"

#include "compiler/gpu/SanitizerPlan.h"
#include "compiler/gpu/dialect/ExplicitOps.h"
#include "compiler/llvm/gpu/Asserts.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::nvidia {

namespace {

/// The checks of one op, by the threads that execute it.
class Checks {
public:
  Checks(Emitter &emitter, Operation *op) : emitter(emitter), builder(emitter.builder), op(op) {}

  void require(llvm::Value *executes, llvm::Value *holds, const llvm::Twine &message) {
    emitter.emitIf(builder.CreateAnd(executes, builder.CreateNot(holds)),
                   [&] { failAssertAt(emitter, op, message.str()); });
  }
  void aligned(llvm::Value *executes, llvm::Value *value, uint64_t multiple, const llvm::Twine &what) {
    llvm::Value *rest = builder.CreateAnd(value, llvm::ConstantInt::get(value->getType(), multiple - 1));
    require(executes, builder.CreateIsNull(rest), what + " must be a multiple of " + llvm::Twine(multiple));
  }
  /// The innermost coordinate of a block in `buffer`.
  void column(llvm::Value *executes, llvm::Value *coordinate, Value buffer, const llvm::Twine &what) {
    const uint64_t bytes = cast<gpu::MemDescType>(buffer.getType()).getElementBits() / 8;
    if (bytes < 16)
      aligned(executes, coordinate, 16 / bytes, what);
  }
  void notNegative(llvm::Value *executes, llvm::Value *value, const llvm::Twine &what) {
    llvm::Value *zero = llvm::ConstantInt::get(value->getType(), 0);
    require(executes, builder.CreateICmpSGE(value, zero), what + " must not be negative");
  }
  void block(Value predicate, ValueRange coordinates, Value buffer, bool writes) {
    llvm::Value *executes = isFirstThread(emitter, predicate);
    column(executes, emitter.scalar(coordinates.back()), buffer, "the innermost coordinate of a TMA copy");
    for (Value coordinate : writes ? coordinates : ValueRange())
      notNegative(executes, emitter.scalar(coordinate), "a coordinate that a TMA store begins at");
  }
  /// By the threads that start copies: one of each warp, for the rows that it holds.
  void rows(Value predicate, Value rows, Value first, Value buffer, bool writes) {
    llvm::Value *executes = emitter.writesElements(cast<RankedTensorType>(rows.getType()));
    if (predicate)
      executes = builder.CreateAnd(executes, emitter.scalar(predicate));
    column(executes, emitter.scalar(first), buffer, writes ? "y_offset of a TMA scatter" : "y_offset of a TMA gather");
    if (!writes)
      return;
    notNegative(executes, emitter.scalar(first), "y_offset of a TMA scatter");
    for (llvm::Value *row : Registers(emitter.registers(rows)))
      notNegative(executes, row, "a row of a TMA scatter");
  }
  void map(gpu::TensormapCreateOp create) {
    llvm::Value *executes = isFirstThread(emitter, Value());
    llvm::Value *base = builder.CreatePtrToInt(emitter.scalar(create.getGlobalAddress()), builder.getInt64Ty());
    aligned(executes, base, 16, "the base of a tensor descriptor, in bytes,");
    for (Value stride : create.getGlobalStride())
      aligned(executes, emitter.scalar(stride), 16, "a stride of a tensor descriptor, in bytes,");
  }

private:
  Emitter &emitter;
  llvm::IRBuilder<> &builder;
  Operation *op;
};

} // namespace

void checkInstruction(Emitter &emitter, Operation *op) {
  if (!emitter.source->hasAttr(gpu::instructionChecksName))
    return;
  Checks checks(emitter, op);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](gpu::AsyncTmaCopyGlobalToLocalOp load) {
        checks.block(load.getPred(), load.getCoord(), load.getResult(), /*writes=*/false);
      })
      .Case<gpu::AsyncTmaCopyLocalToGlobalOp, gpu::AsyncTmaReduceOp>(
          [&](auto store) { checks.block(Value(), store.getCoord(), store.getSrc(), /*writes=*/true); })
      .Case([&](gpu::AsyncTmaGatherOp gather) {
        checks.rows(gather.getPred(), gather.getXOffsets(), gather.getYOffset(), gather.getResult(),
                    /*writes=*/false);
      })
      .Case([&](gpu::AsyncTmaScatterOp scatter) {
        checks.rows(Value(), scatter.getXOffsets(), scatter.getYOffset(), scatter.getSrc(), /*writes=*/true);
      })
      .Case([&](gpu::TensormapCreateOp create) { checks.map(create); });
}

} // namespace triton::nvidia
