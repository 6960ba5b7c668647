// Functions: a public one becomes a kernel , a private one stays a function that kernels call.
//   A kernel's parameters are its run-time arguments, then two pointers to scratch memory in global memory (null if unused).
#include "compiler/gpu/Gpu.h"
#include "compiler/gpu/dialect/ContextVerifier.h"
#include "compiler/llvm/gpu/DebugScopes.h"
#include "compiler/llvm/gpu/Emitter.h"
#include "compiler/support/KernelSymbols.h"
#include "compiler/tensor/Tensor.h"

using namespace mlir;

namespace triton::simt {

/// Bytes that the pointer is known to be a multiple of.
static uint64_t alignment(FunctionOpInterface op, unsigned argument) {
  auto divisibility = op.getArgAttrOfType<IntegerAttr>(argument, "tt.divisibility");
  return divisibility ? llvm::MinAlign(divisibility.getInt(), 16) : 1;
}

static llvm::Function *declare(Emitter &emitter, FunctionOpInterface op) {
  const std::string symbol = ptxSymbol(op.getName());
  if (llvm::Function *known = emitter.module.getFunction(symbol))
    return known;
  bool isKernel = op.isPublic();
  llvm::SmallVector<llvm::Type *> parameters, results;
  for (Type type : op.getArgumentTypes())
    llvm::append_range(parameters, emitter.registerTypes(type));
  for (Type type : op.getResultTypes())
    llvm::append_range(results, emitter.registerTypes(type));
  if (isKernel)
    parameters.append(2, emitter.builder.getPtrTy(1));
  llvm::Type *result =
      results.empty() ? emitter.builder.getVoidTy() : llvm::StructType::get(emitter.context(), results);
  auto *function = llvm::Function::Create(
      llvm::FunctionType::get(result, parameters, /*isVarArg=*/false),
      isKernel ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage, symbol, emitter.module);
  function->setDoesNotThrow();
  if (isKernel)
    emitter.machine.markKernel(emitter, op, *function);
  if (!isKernel)
    function->addFnAttr(llvm::Attribute::NoInline), function->setConvergent();
  return function;
}

llvm::Function *Emitter::callee(FunctionOpInterface op) { return declare(*this, op); }

llvm::LogicalResult Emitter::emitFunction(FunctionOpInterface op) {
  function = declare(*this, op);
  unsigned ownWarps = gpu::getNumWarps(source);
  place = {.warps = ownWarps, .barrier = totalWarps > ownWarps ? machine.ownBarrier() : 0};
  workers.reset();
  debugScopes->enter(op, *function);
  builder.SetCurrentDebugLocation({}); // what is still set is a place in another function

  // What every block may use is computed in a block of its own, before the first.
  auto *entry = llvm::BasicBlock::Create(context(), "entry", function);
  for (Block &block : op.getFunctionBody())
    blocks[&block] = llvm::BasicBlock::Create(context(), "", function);
  builder.SetInsertPoint(entry);
  if (op.isPublic())
    machine.beginKernel(*this, op);
  place.entry = builder.GetInsertBlock();
  builder.CreateBr(blocks[&op.front()]);
  tensorMemory = nullptr;
  if (op.isPublic())
    machine.enterKernel(*this);

  unsigned next = 0;
  for (BlockArgument argument : op.getArguments()) {
    Registers held;
    for (llvm::Type *type : registerTypes(argument.getType())) {
      llvm::Argument *parameter = function->getArg(next++);
      if (uint64_t bytes = alignment(op, argument.getArgNumber()); bytes > 1 && type->isPointerTy())
        parameter->addAttr(llvm::Attribute::getWithAlignment(context(), llvm::Align(bytes)));
      if (auto name = dyn_cast<NameLoc>(argument.getLoc()))
        parameter->setName(name.getName().getValue());
      held.push_back(parameter);
    }
    define(argument, held);
  }

  // Arguments of later blocks are phis, filled in by the branches.
  for (Block &block : llvm::drop_begin(op.getFunctionBody())) {
    builder.SetInsertPoint(blocks[&block]);
    for (BlockArgument argument : block.getArguments()) {
      Registers phis;
      for (llvm::Type *type : registerTypes(argument.getType()))
        phis.push_back(builder.CreatePHI(type, 2));
      define(argument, phis);
    }
  }
  for (Block &block : op.getFunctionBody()) {
    builder.SetInsertPoint(blocks[&block]);
    nameArguments(block);
    for (Operation &inner : block)
      if (failed(emit(&inner)))
        return failure();
  }
  return success();
}

/// LLVM takes time that grows with the square of what a function passes in registers, and no GPU has thousands of them.
static llvm::LogicalResult checkSignature(Emitter &emitter, FunctionOpInterface op) {
  constexpr size_t limit = 1024;
  for (auto [types, verb] : {std::pair(op.getArgumentTypes(), "takes"), std::pair(op.getResultTypes(), "returns")}) {
    size_t values = 0;
    for (Type type : types)
      values += emitter.registerTypes(type).size();
    if (values > limit)
      return op.emitError() << "'" << op.getName() << "' " << verb << " " << values
                            << " values in each thread, of which a function can pass " << limit;
  }
  return success();
}

llvm::LogicalResult Emitter::emitModule() {
  if (failed(machine.check(source)) || failed(gpu::requireLayouts(source)))
    return failure();
  for (auto op : source.getOps<FunctionOpInterface>())
    if (failed(checkSignature(*this, op)))
      return failure();
  for (auto op : source.getOps<FunctionOpInterface>())
    if (!op.isExternal() && failed(emitFunction(op)))
      return failure();
  debugScopes->finish();
  return failure(lacksMemory);
}

} // namespace triton::simt
