// tt.scan: any combination of any number of operands, forward or from the end.
#include "compiler/gpu/ExchangePlans.h"
#include "compiler/gpu/Scratch.h"
#include "compiler/llvm/gpu/CombineProgram.h"
#include "compiler/llvm/gpu/Families.h"
#include "compiler/llvm/gpu/memory/Convert.h"

using namespace mlir;
using namespace triton;
using namespace triton::simt;

static llvm::LogicalResult emitScanOp(Emitter &emitter, tensor::ScanOp op) {
  gpu::ScanPlan plan = gpu::getPlan(op);
  llvm::SmallVector<llvm::Value *> buffers;
  for (unsigned offset : gpu::scratchOffsets(op))
    buffers.push_back(emitter.builder.CreatePtrAdd(emitter.sharedAddress(op), emitter.i32(offset)));
  unsigned count = op.getSrcs().size();
  auto convert = [&](unsigned operand, bool into, llvm::ArrayRef<llvm::Value *> values) {
    auto type = cast<RankedTensorType>(op.getSrcs()[operand].getType());
    const layout::LinearLayout &map = emitter.layout(type);
    unsigned bits = gpu::getMemoryBits(type.getElementType());
    auto conversion =
        into ? layout::planConversion(map, *plan.through, bits) : layout::planConversion(*plan.through, map, bits);
    return convertRegisters(emitter, conversion, values, [&] { return buffers[(into ? 1 : 2) * count + operand]; });
  };
  std::vector<Registers> operands;
  for (auto [index, source] : llvm::enumerate(op.getSrcs())) {
    Registers held(emitter.registers(source));
    operands.push_back(plan.through ? convert(index, true, held) : held);
  }
  std::vector<Registers> results = emitThreadProgram(emitter, plan.program, op.getCombineOp(), operands, buffers);
  if (results.empty())
    return failure();
  for (auto [index, result] : llvm::enumerate(op.getResult()))
    emitter.define(result, plan.through ? convert(index, false, results[index]) : results[index]);
  return success();
}

Emitted triton::simt::emitScan(Emitter &emitter, Operation *op) {
  if (auto scan = dyn_cast<tensor::ScanOp>(op))
    return emitScanOp(emitter, scan);
  return std::nullopt;
}
