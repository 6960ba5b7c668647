#include "compiler/llvm/nvidia/Records.h"

#include "compiler/gpu/Records.h"
#include "compiler/llvm/nvidia/memory/TensorMaps.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace mlir;

namespace triton::nvidia {

/// How many records this thread's warp has written: a variable that LLVM makes a register.
static constexpr llvm::StringLiteral countName = "records", sliceName = "records.slice";

static llvm::AllocaInst *variable(Emitter &emitter, llvm::StringRef name) {
  for (llvm::Instruction &instruction : emitter.function->getEntryBlock())
    if (auto *found = llvm::dyn_cast<llvm::AllocaInst>(&instruction); found && found->getName() == name)
      return found;
  return nullptr;
}

static llvm::AllocaInst *makeVariable(Emitter &emitter, llvm::StringRef name, llvm::Value *initial) {
  llvm::AllocaInst *variable;
  {
    llvm::IRBuilder<>::InsertPointGuard guard(emitter.builder);
    llvm::BasicBlock &entry = emitter.function->getEntryBlock();
    emitter.builder.SetInsertPoint(&entry, entry.begin());
    variable = emitter.builder.CreateAlloca(initial->getType(), nullptr, name);
  }
  emitter.builder.CreateStore(initial, variable);
  return variable;
}

/// In the whole CTA, not in a partition of its warps.
static llvm::Value *threadOfCta(Emitter &emitter) {
  return emitter.intrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, {});
}

/// A register of the GPU, read where the code says so: not before accesses that come earlier, nor after later ones.
static llvm::Value *readNow(Emitter &emitter, llvm::StringRef name, bool isWide) {
  llvm::IRBuilder<> &builder = emitter.builder;
  return emitter.inlineAsm(("mov.u" + llvm::Twine(isWide ? 64 : 32) + " $0, %" + name + ";").str(),
                           isWide ? "=l,~{memory}" : "=r,~{memory}",
                           isWide ? builder.getInt64Ty() : builder.getInt32Ty(), {}, AsmEffects::SideEffect);
}

void beginRecords(Emitter &emitter) {
  std::optional<gpu::RecordsPlan> plan = gpu::RecordsPlan::of(emitter.source);
  if (!plan)
    return;
  llvm::IRBuilder<> &builder = emitter.builder;
  llvm::Value *buffer = emitter.function->getArg(emitter.function->arg_size() - 1);
  llvm::Value *slice = builder.CreateGEP(builder.getInt8Ty(), buffer,
                                         builder.CreateMul(linearCta(emitter), emitter.i64(plan->sliceBytes())));
  // Without a buffer nothing is written: a launch by a program that knows nothing of the profiler.
  llvm::Value *isThere = builder.CreateICmpNE(buffer, llvm::ConstantPointerNull::get(builder.getPtrTy(1)));
  makeVariable(emitter, countName, emitter.i32(0));
  makeVariable(emitter, sliceName,
               builder.CreateSelect(isThere, slice, llvm::ConstantPointerNull::get(builder.getPtrTy(1))));
  llvm::Value *isFirst = builder.CreateICmpEQ(threadOfCta(emitter), emitter.i32(0));
  emitter.emitIf(builder.CreateAnd(isThere, isFirst), [&] {
    auto store = [&](llvm::Value *value, unsigned offset) {
      builder.CreateAlignedStore(value, builder.CreateConstGEP1_32(builder.getInt8Ty(), slice, offset),
                                 llvm::Align(value->getType()->getIntegerBitWidth() / 8));
    };
    store(emitter.i32(0xDEADBEEF), 0);
    store(builder.CreateTrunc(linearCta(emitter), builder.getInt32Ty()), 4);
    store(readNow(emitter, "smid", /*isWide=*/false), 8);
    store(emitter.i32(plan->recordBytes()), 12);
    store(readNow(emitter, "globaltimer", /*isWide=*/true), 16);
    store(readNow(emitter, "clock64", /*isWide=*/true), 24);
  });
}

static llvm::LogicalResult emitRecord(Emitter &emitter, record::RecordOp record) {
  llvm::AllocaInst *countVariable = variable(emitter, countName), *sliceVariable = variable(emitter, sliceName);
  if (!countVariable)
    return record.emitError() << "only a kernel can note scopes for the profiler, not a function that it calls "
                                 "without inlining it";
  std::optional<gpu::RecordsPlan> plan = gpu::RecordsPlan::of(emitter.source);
  auto scope = record->getAttrOfType<IntegerAttr>(gpu::recordScopeName);
  assert(plan && "the kernel began with it");
  if (!scope)
    return record.emitError() << "has no number of its scope: " << gpu::recordScopeName;
  llvm::IRBuilder<> &builder = emitter.builder;
  // A beginning is read as late as possible, an end first: what noting takes belongs to nobody.
  llvm::Value *clock = record.getIsStart() ? nullptr : readNow(emitter, "clock64", /*isWide=*/true);

  llvm::Value *thread = threadOfCta(emitter);
  llvm::Value *warp = builder.CreateLShr(thread, 5), *unit = emitter.i32(0), *writes = emitter.i1(false);
  for (auto [index, writer] : llvm::enumerate(plan->warps)) {
    llvm::Value *isWriter = builder.CreateICmpEQ(warp, emitter.i32(writer));
    writes = builder.CreateOr(writes, isWriter);
    unit = builder.CreateSelect(isWriter, emitter.i32(index), unit);
  }
  writes = builder.CreateAnd(writes, builder.CreateICmpEQ(builder.CreateAnd(thread, 31), emitter.i32(0)));
  llvm::Value *slice = builder.CreateLoad(builder.getPtrTy(1), sliceVariable);
  writes = builder.CreateAnd(writes, builder.CreateICmpNE(slice, llvm::ConstantPointerNull::get(builder.getPtrTy(1))));

  llvm::Value *count = builder.CreateLoad(builder.getInt32Ty(), countVariable);
  llvm::Value *slot = builder.CreateAnd(count, plan->capacity - 1), *next = builder.CreateAdd(count, emitter.i32(1));
  builder.CreateStore(next, countVariable);
  llvm::Value *index = builder.CreateAdd(builder.CreateMul(unit, emitter.i32(plan->capacity)), slot);
  llvm::Value *place = builder.CreateAdd(builder.CreateMul(index, emitter.i32(8)), emitter.i32(plan->recordsOffset()));
  llvm::Value *countPlace = builder.CreateAdd(builder.CreateMul(unit, emitter.i32(4)), emitter.i32(40));
  auto addressOf = [&](llvm::Value *offset) {
    return builder.CreatePtrToInt(builder.CreateGEP(builder.getInt8Ty(), slice, offset), builder.getInt64Ty());
  };
  llvm::Value *address = addressOf(place), *countAddress = addressOf(countPlace);

  uint32_t tag = uint32_t(scope.getInt()) << 23 | (record.getIsStart() ? 0 : 1u << 31);
  if (!clock)
    clock = readNow(emitter, "clock64", /*isWide=*/true);
  llvm::Value *low = builder.CreateTrunc(clock, builder.getInt32Ty()), *first = emitter.i32(tag);
  if (!plan->is32Bit) {
    llvm::Value *high = builder.CreateTrunc(builder.CreateLShr(clock, 32), builder.getInt32Ty());
    first = builder.CreateOr(builder.CreateAnd(high, 0x7ff), first);
  }
  // Predicated, not branched around: the warp goes on without a join.
  emitter.inlineAsm("@$0 st.global.v2.b32 [$1], {$2, $3};\n\t@$0 st.global.b32 [$4], $5;", "b,l,r,r,l,r,~{memory}",
                    builder.getVoidTy(), {writes, address, first, low, countAddress, next}, AsmEffects::SideEffect);
  return success();
}

Emitted emitRecords(Emitter &emitter, Operation *op) {
  auto record = dyn_cast<record::RecordOp>(op);
  return record ? Emitted(emitRecord(emitter, record)) : std::nullopt;
}

} // namespace triton::nvidia
