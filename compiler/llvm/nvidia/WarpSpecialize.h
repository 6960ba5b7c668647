// The warps of a kernel beside its own, and the partitions that they run.
//   In:  a kernel whose partitions have warps and registers.
//   Out: where the kernel begins, its own warps and the others part. The others wait at the CTA's barrier until a `ttg.warp_specialize` has
//        work for them, do it, come to that barrier once more, and wait again; or end with the kernel.
// Barrier 0 is the CTA's, 1 that of the kernel's own warps, each partition has one behind that.
#pragma once

#include "compiler/gpu/Gpu.h"
#include "compiler/llvm/nvidia/Families.h"

namespace triton::nvidia {

class WorkerWarps {
public:
  /// Ends the current block: the kernel's own warps go on in a new one.
  WorkerWarps(Emitter &emitter, mlir::FunctionOpInterface kernel);

  llvm::LogicalResult emit(gpu::WarpSpecializeOp op);
  /// The kernel's own warps end: so do the others.
  void dismiss();

  static constexpr unsigned ownBarrier = 1, firstPartitionBarrier = 2, barriers = 16;

private:
  /// Warpgroups with the same registers, which wait in one place.
  struct Group {
    unsigned registers; // 0: those that they begin with
    llvm::SmallVector<unsigned> members;
    llvm::BasicBlock *wait = nullptr;
    llvm::SwitchInst *choice = nullptr; // of the op whose partitions run; null: there is only one
  };

  llvm::BasicBlock *block(const llvm::Twine &name);
  void gather();
  void setRegisters(unsigned count);
  void waitForWork(Group &group);
  void tell(unsigned number);
  void storeCaptures(gpu::WarpSpecializeOp op);
  llvm::SmallVector<Registers> loadCaptures(gpu::WarpSpecializeOp op);
  llvm::LogicalResult emitPartitions(gpu::WarpSpecializeOp op, Group &group);

  Emitter &emitter;
  llvm::IRBuilder<> &builder;
  llvm::SmallVector<gpu::WarpSpecializeOp> ops;
  llvm::SmallVector<Group> groups;
  unsigned ownWarps, ownRegisters = 0, entryRegisters = 0;
  bool isOnlyOne;
  llvm::Value *warp = nullptr;
  llvm::BasicBlock *end = nullptr;
};

} // namespace triton::nvidia
