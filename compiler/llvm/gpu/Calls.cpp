// tt.call and tt.return: tensors are passed, and given back, as their registers.
#include "compiler/llvm/gpu/BlockArguments.h"
#include "compiler/llvm/gpu/Families.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace triton::simt {

static llvm::LogicalResult emitCall(Emitter &emitter, tensor::CallOp call) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(call, call.getCalleeAttr());
  if (!callee || callee.isExternal())
    return call.emitOpError() << "calls '" << call.getCallee() << "', which has no body";
  if (emitter.isPartition())
    return call.emitOpError() << "calls '" << call.getCallee()
                              << "' in a partition of warps, whose functions have to be inlined";
  llvm::SmallVector<llvm::Value *> arguments;
  for (const Registers &registers : gatherRegisters(emitter, call.getOperands()))
    llvm::append_range(arguments, registers);
  llvm::CallInst *result = emitter.builder.CreateCall(emitter.callee(callee), arguments);
  result->setConvergent();
  unsigned next = 0;
  for (Value value : call.getResults()) {
    Registers registers;
    for (size_t count = emitter.registerTypes(value.getType()).size(); count; --count)
      registers.push_back(emitter.builder.CreateExtractValue(result, next++));
    emitter.define(value, registers);
  }
  return success();
}

static llvm::LogicalResult emitReturn(Emitter &emitter, tensor::ReturnOp op) {
  emitter.machine.leaveFunction(emitter);
  if (op.getSrcs().empty()) {
    emitter.builder.CreateRetVoid();
    return success();
  }
  llvm::Value *whole = llvm::PoisonValue::get(emitter.function->getReturnType());
  unsigned next = 0;
  for (const Registers &registers : gatherRegisters(emitter, op.getSrcs()))
    for (llvm::Value *value : registers)
      whole = emitter.builder.CreateInsertValue(whole, value, next++);
  emitter.builder.CreateRet(whole);
  return success();
}

Emitted emitCalls(Emitter &emitter, Operation *op) {
  if (auto call = dyn_cast<tensor::CallOp>(op))
    return emitCall(emitter, call);
  if (auto back = dyn_cast<tensor::ReturnOp>(op))
    return emitReturn(emitter, back);
  return std::nullopt;
}

} // namespace triton::simt
