// tt.reduce: any combination of any number of operands, by the program that the layout asks for.
#include "compiler/gpu/ExchangePlans.h"
#include "compiler/gpu/Scratch.h"
#include "compiler/llvm/nvidia/CombineProgram.h"
#include "compiler/llvm/nvidia/Families.h"

using namespace mlir;
using namespace triton;
using namespace triton::nvidia;

static llvm::LogicalResult emitReduction(Emitter &emitter, tensor::ReduceOp op) {
  auto program = gpu::getPlan(op);
  if (!program)
    return op.emitError() << "reducing " << op.getSrcs()[0].getType() << " along dimension " << op.getAxis()
                          << " would combine elements of different CTAs";
  std::vector<Registers> operands;
  for (Value source : op.getSrcs())
    operands.emplace_back(emitter.registers(source));
  llvm::SmallVector<llvm::Value *> buffers;
  for (unsigned offset : gpu::scratchOffsets(op))
    buffers.push_back(emitter.builder.CreatePtrAdd(emitter.sharedAddress(op), emitter.i32(offset)));
  std::vector<Registers> results = emitThreadProgram(emitter, *program, op.getCombineOp(), operands, buffers);
  if (results.empty())
    return failure();
  for (auto [result, registers] : llvm::zip(op.getResult(), results))
    emitter.define(result, registers);
  return success();
}

Emitted triton::nvidia::emitReduce(Emitter &emitter, Operation *op) {
  if (auto reduction = dyn_cast<tensor::ReduceOp>(op))
    return emitReduction(emitter, reduction);
  return std::nullopt;
}
