#include "compiler/llvm/nvidia/WarpSpecialize.h"

#include "compiler/gpu/PrivateAttributes.h"
#include "compiler/gpu/SanitizerPlan.h"
#include "compiler/gpu/Scratch.h"
#include "compiler/llvm/nvidia/ConcurrencySanitizer.h"
#include "compiler/llvm/nvidia/Families.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace mlir;

namespace triton::nvidia {

WorkerWarps::WorkerWarps(Emitter &emitter, FunctionOpInterface kernel)
    : emitter(emitter), builder(emitter.builder), ownWarps(emitter.numWarps()) {
  kernel->walk([&](gpu::WarpSpecializeOp op) { ops.push_back(op); });
  isOnlyOne = ops.size() == 1 && ops.front().isOnlyOne();
  gather();
  llvm::Value *thread = emitter.intrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, {});
  warp = emitter.intrinsic(llvm::Intrinsic::nvvm_shfl_sync_idx_i32,
                           {emitter.i32(-1), builder.CreateLShr(thread, 5), emitter.i32(0), emitter.i32(31)});
  llvm::BasicBlock *own = block("own"), *others = block("others");
  end = block("end");
  builder.CreateCondBr(builder.CreateICmpULT(warp, emitter.i32(ownWarps)), own, others);
  builder.SetInsertPoint(end);
  builder.CreateRetVoid();
  builder.SetInsertPoint(others);
  llvm::Value *number = builder.CreateLShr(warp, 2);
  for (Group &group : groups) {
    llvm::BasicBlock *start = block("group"), *next = &group == &groups.back() ? nullptr : block("");
    llvm::Value *isMember = nullptr;
    for (unsigned member : group.members) {
      llvm::Value *is = builder.CreateICmpEQ(number, emitter.i32(member));
      isMember = isMember ? builder.CreateOr(isMember, is) : is;
    }
    if (next)
      builder.CreateCondBr(isMember, start, next);
    else
      builder.CreateBr(start);
    builder.SetInsertPoint(start);
    setRegisters(group.registers);
    waitForWork(group);
    if (next)
      builder.SetInsertPoint(next);
  }
  if (groups.empty())
    builder.CreateBr(end);
  builder.SetInsertPoint(own);
  setRegisters(ownRegisters);
}

llvm::BasicBlock *WorkerWarps::block(const llvm::Twine &name) {
  return llvm::BasicBlock::Create(emitter.context(), name, emitter.function);
}

/// The warpgroups behind the kernel's own, by the registers that they are to have.
void WorkerWarps::gather() {
  if (ops.empty())
    return;
  // What no partition needs keeps the least that there is.
  llvm::SmallVector<unsigned> registers((emitter.totalNumWarps() - ownWarps) / 4, 24);
  for (gpu::WarpSpecializeOp op : ops) {
    auto counts = op.getActualRegisters();
    if (!counts) {
      registers.assign(registers.size(), 0);
      ownRegisters = 0;
      break;
    }
    ownRegisters = counts->front();
    for (auto [first, size, count] :
         llvm::zip_equal(*op.getWarpGroupStartIds(), op.getPartitionNumWarps(), counts->drop_front()))
      for (int number = first / 4; number <= (first + size - 1) / 4; ++number)
        registers[number - ownWarps / 4] = count;
  }
  if (auto count = emitter.source->getAttrOfType<IntegerAttr>(gpu::entryRegistersName))
    entryRegisters = count.getInt();
  for (auto [index, count] : llvm::enumerate(registers)) {
    Group *known = llvm::find_if(groups, [&](const Group &group) { return group.registers == count; });
    if (known == groups.end())
      known = &groups.emplace_back(Group{count, {}});
    known->members.push_back(index + ownWarps / 4);
  }
}

/// Of each thread of the warpgroups that come here, from now on.
void WorkerWarps::setRegisters(unsigned count) {
  // ptxas cannot tell how many registers a function has whose callers have different numbers.
  if (gpu::SanitizerPlan::isOn(emitter.source))
    return;
  if (!count || !entryRegisters || count == entryRegisters ||
      !(emitter.target().isHopper() || emitter.target().isBlackwell()))
    return;
  emitter.intrinsic(count > entryRegisters ? llvm::Intrinsic::nvvm_setmaxnreg_inc_sync_aligned_u32
                                           : llvm::Intrinsic::nvvm_setmaxnreg_dec_sync_aligned_u32,
                    {emitter.i32(count)});
}

void WorkerWarps::waitForWork(Group &group) {
  group.wait = block("wait");
  builder.CreateBr(group.wait);
  builder.SetInsertPoint(group.wait);
  emitter.ctaBarrier();
  if (isOnlyOne)
    return;
  auto offset = emitter.source->getAttrOfType<IntegerAttr>(gpu::partitionStateName);
  llvm::Value *place = builder.CreatePtrAdd(emitter.sharedBase(), emitter.i32(offset ? offset.getInt() : 0));
  llvm::Value *number = emitter.loadShared(builder.getInt32Ty(), place, 4);
  number = emitter.shuffleIndex(number, emitter.i32(0)); // for ptxas: all lanes alike
  group.choice = builder.CreateSwitch(number, end, ops.size());
}

/// Says which op's partitions are to run; 0: none any more.
void WorkerWarps::tell(unsigned number) {
  if (isOnlyOne)
    return;
  auto offset = emitter.source->getAttrOfType<IntegerAttr>(gpu::partitionStateName);
  llvm::Value *place = builder.CreatePtrAdd(emitter.sharedBase(), emitter.i32(offset ? offset.getInt() : 0));
  emitter.emitIf(isFirstThread(emitter, Value()), [&] { emitter.storeShared(emitter.i32(number), place, 4); });
}

void WorkerWarps::dismiss() {
  if (isOnlyOne || ops.empty())
    return;
  tell(0);
  emitter.ctaBarrier();
}

void WorkerWarps::storeCaptures(gpu::WarpSpecializeOp op) {
  llvm::SmallVector<unsigned> stored = op.getStoredCaptures();
  if (stored.empty())
    return;
  emitter.barrier(); // threads that used these bytes for something else are done with that
  llvm::Value *bytes = emitter.sharedAddress(op);
  emitter.emitIf(isFirstThread(emitter, Value()), [&] {
    for (auto [index, offset] : llvm::zip_equal(stored, gpu::scratchOffsets(op)))
      for (auto [place, value] : llvm::enumerate(emitter.registers(op.getExplicitCaptures()[index])))
        emitter.storeShared(value, builder.CreatePtrAdd(bytes, emitter.i32(offset + 8 * place)), 8);
  });
}

llvm::SmallVector<Registers> WorkerWarps::loadCaptures(gpu::WarpSpecializeOp op) {
  llvm::SmallVector<Registers> captures(op.getExplicitCaptures().size());
  for (auto [registers, capture] : llvm::zip_equal(captures, op.getExplicitCaptures()))
    registers = Registers(emitter.registers(capture));
  llvm::SmallVector<unsigned> stored = op.getStoredCaptures();
  for (auto [index, offset] : llvm::zip_equal(stored, gpu::scratchOffsets(op)))
    for (auto [place, value] : llvm::enumerate(captures[index])) {
      llvm::Value *address = builder.CreatePtrAdd(emitter.sharedAddress(op), emitter.i32(offset + 8 * place));
      value = emitter.loadShared(value->getType(), address, 8);
    }
  return captures;
}

llvm::LogicalResult WorkerWarps::emitPartitions(gpu::WarpSpecializeOp op, Group &group) {
  llvm::IRBuilder<>::InsertPointGuard guard(builder);
  llvm::BasicBlock *start = block("work"), *done = block("done");
  unsigned number = llvm::find(ops, op) - ops.begin() + 1;
  if (group.choice) {
    group.choice->addCase(emitter.i32(number), start);
  } else {
    builder.SetInsertPoint(group.wait);
    builder.CreateBr(start);
  }
  builder.SetInsertPoint(start);
  for (auto [index, region] : llvm::enumerate(op.getPartitionRegions())) {
    unsigned first = (*op.getWarpGroupStartIds())[index], count = op.getPartitionNumWarps()[index];
    if (!llvm::is_contained(group.members, first / 4))
      continue;
    llvm::BasicBlock *body = block("partition"), *next = block("");
    llvm::Value *place = builder.CreateSub(warp, emitter.i32(first));
    builder.CreateCondBr(builder.CreateICmpULT(place, emitter.i32(count)), body, next);
    builder.SetInsertPoint(body);
    llvm::SmallVector<Registers> captures = loadCaptures(op);
    auto emitBody = [&] {
      llvm::LogicalResult emitted = emitRegion(emitter, region, captures, {});
      sanitizeEnd(emitter, region.front().getTerminator());
      return emitted;
    };
    if (failed(emitter.emitForWarps(first, count, firstPartitionBarrier + index, emitBody)))
      return failure();
    builder.CreateBr(done);
    builder.SetInsertPoint(next);
  }
  builder.CreateBr(done);
  builder.SetInsertPoint(done);
  emitter.ctaBarrier();
  builder.CreateBr(isOnlyOne ? end : group.wait);
  return success();
}

llvm::LogicalResult WorkerWarps::emit(gpu::WarpSpecializeOp op) {
  for (Group &group : groups)
    if (failed(emitPartitions(op, group)))
      return failure();
  storeCaptures(op);
  tell(llvm::find(ops, op) - ops.begin() + 1);
  emitter.ctaBarrier();
  if (failed(emitRegion(emitter, op.getDefaultRegion(), {}, op.getResults())))
    return failure();
  sanitizeEnd(emitter, op);
  emitter.ctaBarrier();
  return success();
}

static llvm::LogicalResult check(Emitter &emitter, gpu::WarpSpecializeOp op) {
  if (!op.getWarpGroupStartIds())
    return op.emitOpError() << "has partitions without warps: gpu-place-partitions gives them some";
  if (!emitter.workers)
    return op.emitOpError() << "stands in a function that a kernel calls; only a kernel has warps for partitions";
  if (emitter.numCtas() > 1)
    return op.emitOpError() << "is for programs of one CTA, not of " << emitter.numCtas();
  unsigned most = WorkerWarps::barriers - WorkerWarps::firstPartitionBarrier;
  if (op.getPartitionRegions().size() > most)
    return op.emitOpError() << "has " << op.getPartitionRegions().size() << " partitions; there are barriers for "
                            << most;
  for (Type type : op.getOperandTypes())
    if (isa<RankedTensorType>(type))
      return op.emitOpError() << "cannot hand a tensor to partitions, got " << type
                              << ": each thread holds other elements";
  return success();
}

Emitted emitWarpSpecialize(Emitter &emitter, Operation *op) {
  auto specialized = dyn_cast<gpu::WarpSpecializeOp>(op);
  if (!specialized)
    return std::nullopt;
  if (failed(check(emitter, specialized)))
    return failure();
  return emitter.workers->emit(specialized);
}

} // namespace triton::nvidia
