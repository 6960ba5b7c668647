#include "compiler/llvm/gpu/Emitter.h"

#include "compiler/gpu/AccessAnalysis.h"
#include "compiler/gpu/Gpu.h"
#include "compiler/llvm/gpu/DebugScopes.h"
#include "compiler/llvm/gpu/Families.h"
#include "compiler/tensor/Tensor.h"

#include "llvm/IR/InlineAsm.h"

using namespace mlir;

namespace triton::simt {

Emitter::Emitter(llvm::Module &module, ModuleOp source, const EmitOptions &options, const Machine &machine)
    : usesTensorMemory(source->hasAttr(gpu::tensorMemoryColumnsName)), builder(module.getContext()), module(module),
      source(source), options(options), machine(machine), ctas(gpu::getNumCtas(source)),
      totalWarps(gpu::getTotalNumWarps(source)),
      debugScopes(std::make_shared<DebugScopes>(module, options.variableInfo)) {}

Emitter::~Emitter() = default;

gpu::AccessAnalysis &Emitter::access() {
  if (!accessAnalysis)
    accessAnalysis = std::make_shared<gpu::AccessAnalysis>(source);
  return *accessAnalysis;
}

gpu::AccessAnalysis &Emitter::provenAccess() {
  if (provenAccessAnalysis)
    return *provenAccessAnalysis;
  access();
  provenAccessAnalysis = accessAnalysis;
  source->walk([&](Operation *op) {
    if (!op->hasAttr(tensor::contiguityName))
      return WalkResult::advance();
    provenAccessAnalysis = std::make_shared<gpu::AccessAnalysis>(source, gpu::Runs::Proven);
    return WalkResult::interrupt();
  });
  return *provenAccessAnalysis;
}

llvm::LogicalResult Emitter::emit(Operation *op) {
  static constexpr Emitted (*families[])(Emitter &, Operation *) = {
      emitElementwise, emitShape,  emitMemory,  emitConvert, emitControlFlow, emitMath,   emitCasts, emitReduce,
      emitDot,         emitShared, emitProgram, emitAtomics, emitScan,        emitGather, emitCalls, emitSharedIndexed,
  };
  builder.SetCurrentDebugLocation(debugScopes->location(op->getLoc(), function));
  // What is a machine's own comes first: views of its memories look like those of others.
  Emitted emitted = machine.emitOwn(*this, op);
  for (auto family : families)
    if (!emitted)
      emitted = family(*this, op);
  if (!emitted)
    return op->emitError() << "the " << machine.vendor() << " target has no code for '" << op->getName() << "'";
  if (options.variableInfo && succeeded(*emitted) && op->getNumResults() > 0)
    nameRegisters(op->getResult(0));
  return *emitted;
}

void Emitter::nameRegisters(Value value) {
  if (auto name = dyn_cast<NameLoc>(value.getLoc()))
    if (auto held = values.find(value); held != values.end())
      debugScopes->declare(name, value, held->second, builder);
}

void Emitter::nameArguments(Block &block) {
  if (options.variableInfo)
    for (BlockArgument argument : block.getArguments())
      nameRegisters(argument);
}

llvm::LogicalResult Emitter::emitBody(Block &block) {
  nameArguments(block);
  for (Operation &op : block.without_terminator())
    if (failed(emit(&op)))
      return failure();
  return success();
}

Registers Emitter::emitScalarRegion(Region &region, llvm::ArrayRef<llvm::Value *> arguments) {
  Block &block = region.front();
  for (auto [argument, value] : llvm::zip_equal(block.getArguments(), arguments))
    define(argument, value);
  if (failed(emitBody(block)))
    return {};
  Registers results;
  for (Value operand : block.getTerminator()->getOperands())
    results.push_back(scalar(operand));
  return results;
}

llvm::ArrayRef<llvm::Value *> Emitter::registers(Value value) {
  auto found = values.find(value);
  assert(found != values.end() && "a value is used before it is emitted");
  return found->second;
}

llvm::Value *Emitter::scalar(Value value) {
  llvm::ArrayRef<llvm::Value *> held = registers(value);
  assert(held.size() == 1 && "not a scalar");
  return held.front();
}

void Emitter::define(Value value, Registers registers) { values[value] = std::move(registers); }

llvm::Type *Emitter::type(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    type = tensor.getElementType();
  if (isa<tensor::PointerType>(type))
    return builder.getPtrTy(1);
  if (isa<tensor::TensorDescType>(type))
    return builder.getPtrTy();
  if (type.isF64())
    return builder.getDoubleTy();
  if (type.isF32())
    return builder.getFloatTy();
  if (type.isF16())
    return builder.getHalfTy();
  if (type.isBF16())
    return builder.getBFloatTy();
  if (type.isIndex())
    return builder.getInt32Ty();
  return builder.getIntNTy(type.getIntOrFloatBitWidth());
}

llvm::SmallVector<llvm::Type *> Emitter::registerTypes(Type type) {
  if (isa<gpu::AsyncTokenType>(type))
    return {};
  if (auto buffer = dyn_cast<gpu::MemDescType>(type)) {
    if (isa<gpu::TensorMemoryAttr>(buffer.getMemorySpace()))
      return {builder.getInt32Ty()};
    return {builder.getPtrTy(3), builder.getInt32Ty()};
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  return llvm::SmallVector<llvm::Type *>(tensor ? layout(tensor).inputSize("register") : 1, this->type(type));
}

const layout::LinearLayout &Emitter::layout(RankedTensorType type) {
  // The same for every element type.
  auto &held = layouts[type.clone(IntegerType::get(type.getContext(), 1))];
  if (!held)
    held = std::make_unique<layout::LinearLayout>(gpu::toLinear(type));
  return *held;
}

llvm::Value *Emitter::atEntry(llvm::function_ref<llvm::Value *()> make) {
  llvm::IRBuilder<>::InsertPointGuard guard(builder);
  builder.SetInsertPoint(place.entry->getTerminator());
  builder.SetCurrentDebugLocation({});
  return make();
}

llvm::LogicalResult Emitter::emitForWarps(unsigned first, unsigned count, unsigned barrier,
                                          llvm::function_ref<llvm::LogicalResult()> body) {
  llvm::BasicBlock *entry = builder.GetInsertBlock(), *start = llvm::BasicBlock::Create(context(), "", function);
  builder.CreateBr(start);
  builder.SetInsertPoint(start);
  Place around = std::exchange(place, Place{.entry = entry, .first = first, .warps = count, .barrier = barrier});
  llvm::LogicalResult result = body();
  place = std::move(around);
  return result;
}

llvm::Value *Emitter::threadId() {
  if (!place.thread)
    place.thread = atEntry([&]() -> llvm::Value * {
      llvm::CallInst *id = machine.threadOfCta(*this);
      unsigned begin = lanes() * place.first, end = begin + lanes() * place.warps;
      id->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(32, begin), llvm::APInt(32, end)));
      return begin ? builder.CreateNUWSub(id, i32(begin)) : id;
    });
  return place.thread;
}

llvm::Value *Emitter::laneId() {
  if (!place.lane) {
    llvm::Value *id = threadId();
    place.lane = place.warps == 1 ? id : atEntry([&] { return builder.CreateAnd(id, i32(lanes() - 1), "lane"); });
  }
  return place.lane;
}

llvm::Value *Emitter::warpId() {
  if (!place.warp) {
    llvm::Value *id = threadId();
    place.warp = place.warps == 1 ? static_cast<llvm::Value *>(i32(0)) : atEntry([&]() -> llvm::Value * {
      llvm::CallInst *uniform = machine.uniform(*this, builder.CreateLShr(id, llvm::Log2_32(lanes())));
      uniform->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(32, 0), llvm::APInt(32, place.warps)));
      uniform->setName("warp");
      return uniform;
    });
  }
  return place.warp;
}

llvm::Value *Emitter::ctaRank() {
  if (!place.rank)
    place.rank = ctas == 1 ? static_cast<llvm::Value *>(i32(0))
                           : atEntry([&]() -> llvm::Value * { return machine.ctaRank(*this); });
  return place.rank;
}

llvm::Value *Emitter::input(llvm::StringRef name) {
  if (name == "lane")
    return laneId();
  if (name == "thread")
    return threadId();
  if (name == "warp")
    return warpId();
  if (name == "block")
    return ctaRank();
  return i32(0);
}

llvm::Value *Emitter::sharedBase() {
  llvm::GlobalVariable *memory = module.getGlobalVariable("shared", /*AllowInternal=*/true);
  if (!memory) {
    auto *bytes = llvm::ArrayType::get(builder.getInt8Ty(), 0);
    memory = new llvm::GlobalVariable(module, bytes, /*isConstant=*/false, llvm::GlobalValue::ExternalLinkage, nullptr,
                                      "shared", nullptr, llvm::GlobalValue::NotThreadLocal, /*AddressSpace=*/3);
    memory->setAlignment(llvm::Align(1024));
  }
  return memory;
}

llvm::Value *Emitter::sharedAddress(Operation *op) {
  auto offset = op->getAttrOfType<IntegerAttr>(gpu::allocationOffsetName);
  if (!offset && !lacksMemory) {
    op->emitOpError() << "needs shared memory, but none was allocated for it";
    lacksMemory = true;
  }
  return builder.CreatePtrAdd(sharedBase(), i32(offset ? offset.getInt() : 0));
}

void Emitter::barrier() { machine.barrier(*this, place.barrier, place.warps); }

void Emitter::sharedBarrier() { machine.sharedBarrier(*this, place.barrier, place.warps); }

void Emitter::ctaBarrier() { machine.barrier(*this, 0, totalWarps); }

llvm::Value *Emitter::loadShared(llvm::Type *type, llvm::Value *address, unsigned alignment) {
  return builder.CreateAlignedLoad(type, address, llvm::Align(alignment));
}

void Emitter::storeShared(llvm::Value *value, llvm::Value *address, unsigned alignment) {
  builder.CreateAlignedStore(value, address, llvm::Align(alignment));
}

llvm::Value *Emitter::shuffle(llvm::Value *value, llvm::function_ref<llvm::Value *(llvm::Value *)> move) {
  llvm::Type *type = value->getType();
  bool isPointer = type->isPointerTy();
  unsigned bits = isPointer ? 64 : type->getPrimitiveSizeInBits().getFixedValue();
  llvm::Value *raw = isPointer ? builder.CreatePtrToInt(value, builder.getInt64Ty())
                               : builder.CreateBitCast(value, builder.getIntNTy(bits));
  if (bits <= 32) {
    raw = builder.CreateTrunc(move(builder.CreateZExt(raw, builder.getInt32Ty())), builder.getIntNTy(bits));
  } else {
    llvm::Value *low = move(builder.CreateTrunc(raw, builder.getInt32Ty()));
    llvm::Value *high = move(builder.CreateTrunc(builder.CreateLShr(raw, 32), builder.getInt32Ty()));
    raw = builder.CreateOr(builder.CreateZExt(low, builder.getInt64Ty()),
                           builder.CreateShl(builder.CreateZExt(high, builder.getInt64Ty()), 32), "",
                           /*IsDisjoint=*/true);
  }
  return isPointer ? builder.CreateIntToPtr(raw, type) : builder.CreateBitCast(raw, type);
}

llvm::Value *Emitter::shuffleXor(llvm::Value *value, unsigned mask) {
  return shuffle(value, [&](llvm::Value *word) { return machine.shuffleXor(*this, word, mask); });
}
llvm::Value *Emitter::shuffleIndex(llvm::Value *value, llvm::Value *lane) {
  return shuffle(value, [&](llvm::Value *word) { return machine.shuffleIndex(*this, word, lane); });
}

llvm::Value *Emitter::inlineAsm(llvm::StringRef text, llvm::StringRef constraints, llvm::Type *result,
                                llvm::ArrayRef<llvm::Value *> arguments, AsmEffects effects) {
  llvm::SmallVector<llvm::Type *> types;
  for (llvm::Value *argument : arguments)
    types.push_back(argument->getType());
  auto *signature = llvm::FunctionType::get(result, types, /*isVarArg=*/false);
  auto *assembly =
      llvm::InlineAsm::get(signature, text, constraints, effects != AsmEffects::None && effects != AsmEffects::Reads);
  llvm::CallInst *call = builder.CreateCall(assembly, arguments);
  call->setDoesNotThrow();
  if (effects == AsmEffects::Convergent)
    call->setConvergent();
  if (effects == AsmEffects::None)
    call->setDoesNotAccessMemory();
  if (effects == AsmEffects::Reads)
    call->setOnlyReadsMemory();
  if (effects == AsmEffects::None || effects == AsmEffects::Reads)
    call->addFnAttr(llvm::Attribute::WillReturn);
  return call;
}

llvm::CallInst *Emitter::intrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Value *> arguments,
                                   llvm::ArrayRef<llvm::Type *> overloads) {
  return builder.CreateIntrinsic(id, overloads, arguments);
}

llvm::Value *Emitter::callExternal(llvm::StringRef name, llvm::Type *result, llvm::ArrayRef<llvm::Value *> arguments,
                                   bool pure) {
  llvm::SmallVector<llvm::Type *> types;
  for (llvm::Value *argument : arguments)
    types.push_back(argument->getType());
  llvm::FunctionCallee callee = module.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
  llvm::CallInst *call = builder.CreateCall(callee, arguments);
  call->setDoesNotThrow();
  if (pure)
    call->setDoesNotAccessMemory();
  return call;
}

void Emitter::emitIf(llvm::Value *condition, llvm::function_ref<void()> body) {
  auto *inside = llvm::BasicBlock::Create(context(), "", function);
  auto *after = llvm::BasicBlock::Create(context(), "", function);
  builder.CreateCondBr(condition, inside, after);
  builder.SetInsertPoint(inside);
  body();
  builder.CreateBr(after);
  builder.SetInsertPoint(after);
}

} // namespace triton::simt
