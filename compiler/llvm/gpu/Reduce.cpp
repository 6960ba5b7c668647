// tt.reduce: any combination of any number of operands, by the program that the layout asks for.
#include "compiler/gpu/ExchangePlans.h"
#include "compiler/gpu/Scratch.h"
#include "compiler/llvm/gpu/CombineProgram.h"
#include "compiler/llvm/gpu/Families.h"
#include "compiler/llvm/gpu/memory/SharedAccess.h"

using namespace mlir;
using namespace triton;
using namespace triton::simt;
using layout::LinearLayout;

/// What each CTA found, combined over the CTAs that differ in `bits` of their number: in the order of their numbers, so that all of them find the
/// same. Each reads all parts from where they were made.
static std::vector<Registers> combineCtas(Emitter &emitter, tensor::ReduceOp op, unsigned bits,
                                          std::vector<Registers> parts, llvm::ArrayRef<llvm::Value *> buffers) {
  LinearLayout places({{"register", {}}}, {{"offset", 1}});
  if (auto type = dyn_cast<RankedTensorType>(op.getResult()[0].getType())) {
    const LinearLayout &map = emitter.layout(type);
    places =
        map.reshapeOutputs({{"offset", map.totalOutputSize()}}).sublayout({"register", "lane", "warp"}, {"offset"});
  }
  for (auto [buffer, registers] : llvm::zip(buffers, parts))
    storeRegisters(emitter, {buffer}, places, registers);
  clusterBarrier(emitter);
  llvm::SmallVector<unsigned> numbers;
  for (unsigned number = 0; number <= bits; ++number)
    if ((number & ~bits) == 0)
      numbers.push_back(number);
  // Everything first, so that the CTAs do not wait for each other's arithmetic.
  std::vector<std::vector<Registers>> found;
  for (unsigned number : numbers) {
    llvm::Value *cta =
        emitter.builder.CreateOr(emitter.builder.CreateAnd(emitter.ctaRank(), emitter.i32(~bits)), emitter.i32(number));
    std::vector<Registers> &loaded = found.emplace_back();
    for (auto [buffer, registers] : llvm::zip(buffers, parts))
      loaded.push_back(loadFromCta(emitter, {buffer}, places, cta, registers[0]->getType()));
  }
  clusterBarrier(emitter);
  std::vector<Registers> result = found[0];
  for (const std::vector<Registers> &next : llvm::drop_begin(found))
    for (unsigned reg = 0; reg < result[0].size(); ++reg) {
      llvm::SmallVector<llvm::Value *> arguments;
      for (const Registers &operand : result)
        arguments.push_back(operand[reg]);
      for (const Registers &operand : next)
        arguments.push_back(operand[reg]);
      Registers combined = emitter.emitScalarRegion(op.getCombineOp(), arguments);
      if (combined.empty())
        return {};
      for (auto [operand, value] : llvm::zip(result, combined))
        operand[reg] = value;
    }
  return result;
}

static llvm::LogicalResult emitReduction(Emitter &emitter, tensor::ReduceOp op) {
  gpu::ReducePlan plan = gpu::getPlan(op);
  if (!plan.ctas || (*plan.ctas && !emitter.target().hasClusters()))
    return op.emitError() << "reducing " << op.getSrcs()[0].getType() << " along dimension " << op.getAxis()
                          << " would combine elements of different CTAs";
  std::vector<Registers> operands;
  for (Value source : op.getSrcs())
    operands.emplace_back(emitter.registers(source));
  llvm::SmallVector<llvm::Value *> buffers;
  for (unsigned offset : gpu::scratchOffsets(op))
    buffers.push_back(emitter.builder.CreatePtrAdd(emitter.sharedAddress(op), emitter.i32(offset)));
  std::vector<Registers> results = emitThreadProgram(emitter, plan.program, op.getCombineOp(), operands, buffers);
  if (!results.empty() && *plan.ctas)
    results =
        combineCtas(emitter, op, *plan.ctas, std::move(results), llvm::ArrayRef(buffers).take_back(operands.size()));
  if (results.empty())
    return failure();
  for (auto [result, registers] : llvm::zip(op.getResult(), results))
    emitter.define(result, registers);
  return success();
}

Emitted triton::simt::emitReduce(Emitter &emitter, Operation *op) {
  if (auto reduction = dyn_cast<tensor::ReduceOp>(op))
    return emitReduction(emitter, reduction);
  return std::nullopt;
}
