// Functions: a public one becomes a kernel (`.entry`), a private one stays a function that kernels call.
//   A kernel's parameters are its run-time arguments, then two pointers to scratch memory in global memory (null if unused).
#include "compiler/gpu/Gpu.h"
#include "compiler/gpu/dialect/ContextVerifier.h"
#include "compiler/llvm/nvidia/Codegen.h"
#include "compiler/llvm/nvidia/DebugScopes.h"
#include "compiler/llvm/nvidia/Emitter.h"
#include "compiler/llvm/nvidia/Records.h"
#include "compiler/llvm/nvidia/WarpSpecialize.h"
#include "compiler/llvm/nvidia/memory/TensorMemory.h"
#include "compiler/support/KernelSymbols.h"
#include "compiler/tensor/Tensor.h"

#include "llvm/IR/CallingConv.h"
#include "llvm/IR/InlineAsm.h"

using namespace mlir;

namespace triton::nvidia {

static void markKernel(llvm::Function &function, unsigned threads, unsigned ctas, unsigned maxRegisters) {
  function.setCallingConv(llvm::CallingConv::PTX_Kernel);
  function.addFnAttr("nvvm.reqntid", std::to_string(threads));
  if (ctas > 1)
    function.addFnAttr("nvvm.cluster_dim", std::to_string(ctas) + ",1,1");
  if (maxRegisters)
    function.addFnAttr("nvvm.maxnreg", std::to_string(maxRegisters));
}

/// Bytes that the pointer is known to be a multiple of.
static uint64_t alignment(FunctionOpInterface op, unsigned argument) {
  auto divisibility = op.getArgAttrOfType<IntegerAttr>(argument, "tt.divisibility");
  return divisibility ? llvm::MinAlign(divisibility.getInt(), 16) : 1;
}

/// A kernel gets tensor descriptors as their 128 bytes, which TMA reads where the launch put them.
static void passDescriptorsByValue(Emitter &emitter, FunctionOpInterface op, llvm::Function &function) {
  unsigned next = 0;
  for (Type type : op.getArgumentTypes()) {
    if (isa<tensor::TensorDescType>(type)) {
      auto *bytes = llvm::ArrayType::get(emitter.builder.getInt8Ty(), 128);
      function.addParamAttr(next, llvm::Attribute::getWithByValType(emitter.context(), bytes));
      function.addParamAttr(next, llvm::Attribute::getWithAlignment(emitter.context(), llvm::Align(64)));
      function.addParamAttr(next, llvm::Attribute::get(emitter.context(), "nvvm.grid_constant"));
    }
    next += emitter.registerTypes(type).size();
  }
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
    passDescriptorsByValue(emitter, op, *function);
  if (isKernel) {
    auto atEntry = emitter.source->getAttrOfType<IntegerAttr>(gpu::entryRegistersName);
    markKernel(*function, 32 * emitter.totalNumWarps(), emitter.numCtas(),
               atEntry ? atEntry.getInt() : emitter.options.maxRegisters);
  }
  if (!isKernel)
    function->addFnAttr(llvm::Attribute::NoInline), function->setConvergent();
  return function;
}

/// Its memory operand keeps every access behind it.
static void waitForGridsBefore(Emitter &emitter) {
  auto *type = llvm::FunctionType::get(emitter.builder.getVoidTy(), false);
  auto *wait = llvm::InlineAsm::get(type, waitAtEntryText, "~{memory}", /*hasSideEffects=*/true);
  emitter.builder.CreateCall(type, wait)->setConvergent();
}

llvm::Function *Emitter::callee(FunctionOpInterface op) { return declare(*this, op); }

llvm::LogicalResult Emitter::emitFunction(FunctionOpInterface op) {
  function = declare(*this, op);
  unsigned ownWarps = gpu::getNumWarps(source);
  place = {.warps = ownWarps, .barrier = totalWarps > ownWarps ? WorkerWarps::ownBarrier : 0};
  workers.reset();
  debugScopes->enter(op, *function);
  builder.SetCurrentDebugLocation({}); // what is still set is a place in another function

  // What every block may use is computed in a block of its own, before the first.
  auto *entry = llvm::BasicBlock::Create(context(), "entry", function);
  for (Block &block : op.getFunctionBody())
    blocks[&block] = llvm::BasicBlock::Create(context(), "", function);
  builder.SetInsertPoint(entry);
  if (op.isPublic() && options.waitAtEntry)
    waitForGridsBefore(*this);
  if (op.isPublic())
    beginRecords(*this);
  if (op.isPublic() && totalWarps > ownWarps)
    workers = std::make_shared<WorkerWarps>(*this, op);
  place.entry = builder.GetInsertBlock();
  builder.CreateBr(blocks[&op.front()]);
  tensorMemory = nullptr;
  if (op.isPublic() && usesTensorMemory)
    tensorMemory = atEntry([&] { return acquireTensorMemory(*this); });

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

/// What passes leave behind, and what launches can do: a module may also come from a file.
static llvm::LogicalResult check(ModuleOp module, gpu::Target target) {
  if (int threads = gpu::getThreadsPerWarp(module); threads != 32)
    return module.emitError() << "a warp of an NVIDIA GPU has 32 threads, got " << gpu::threadsPerWarpName << " = "
                              << threads;
  // More than 32 no GPU has, which is for whoever loads the code to say: it knows the GPU.
  if (int warps = gpu::getTotalNumWarps(module); warps > 128)
    return module.emitError() << "code is made for at most 128 warps, got " << gpu::numWarpsName << " = " << warps;
  if (int ctas = gpu::getNumCtas(module); ctas > 16)
    return module.emitError() << "a cluster has at most 16 CTAs, got " << gpu::numCtasName << " = " << ctas;
  else if (ctas > 1 && !target.hasClusters())
    return module.emitError() << gpu::numCtasName << " = " << ctas << " needs sm_90 or newer, got " << target.cpu();
  return gpu::requireLayouts(module);
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
  if (failed(check(source, options.target)))
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

} // namespace triton::nvidia
