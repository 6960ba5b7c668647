// Gives partitions of warps their places among the warps of a CTA, and registers.
//
//   ttg.warp_specialize(%n) attributes {requestedRegisters = array<i32: 24>}
//   default { … }
//   partition0(%m: i32) num_warps(1) { … }
// becomes, in a kernel of 8 warps,
//   ttg.warp_specialize(%n) attributes {actualRegisters = array<i32: 240, 24>, requestedRegisters = …, warpGroupStartIds = array<i32: 8>}
// with `ttg.total-num-warps = 12` and `ttg.maxnreg = 168` on the module.
//
// Wide partitions come first, so that those of four warps and more begin at a warpgroup; warps are added up to whole warpgroups. Registers are
// passed on by warpgroups, once, when the kernel begins: a warpgroup keeps the most that any of its partitions asks for, and the kernel's own
// warps share what the others leave. Where some partition does not say what it needs, nothing is passed on.
// Runs last: how many CTAs fit into an SM depends on their shared memory.
#include "compiler/gpu/passes/Passes.h"

#include "compiler/gpu/Gpu.h"
#include "compiler/gpu/Target.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_PLACEPARTITIONS
#include "compiler/gpu/passes/Passes.h.inc"

namespace {

constexpr int registersOfSm = 65536, threadsPerWarp = 32, warpsPerGroup = 4;
/// What setmaxnreg takes is a multiple of 8 from here on; a thread can name 255 registers.
constexpr int leastRegisters = 24, mostRegisters = 248, registerStep = 8;
/// With so many most kernels need no more: two CTAs then share an SM rather than that one has all of it.
constexpr int enoughRegisters = 232;

struct Registers {
  int own, atEntry; // of the kernel's own warps, and of every warp when the kernel begins
};

struct PlacePartitions : impl::PlacePartitionsBase<PlacePartitions> {
  using PlacePartitionsBase::PlacePartitionsBase;
  int numWarps = 0;
  SmallVector<int> groups; // registers of the warpgroups behind the kernel's own warps

  void run() override {
    ModuleOp module = getOperation();
    numWarps = getNumWarps(module);
    SmallVector<WarpSpecializeOp> ops;
    module.walk([&](WarpSpecializeOp op) { ops.push_back(op); });
    if (ops.empty())
      return;
    if (numWarps % warpsPerGroup != 0) {
      ops.front().emitOpError() << "needs a kernel whose number of warps is a multiple of 4, got " << numWarps;
      return signalPassFailure();
    }
    int total = numWarps;
    for (WarpSpecializeOp op : ops)
      total = std::max(total, place(op));
    total = llvm::alignTo(total, warpsPerGroup);
    Builder builder(module);
    module->setAttr(totalNumWarpsName, builder.getI32IntegerAttr(total));
    groups.assign((total - numWarps) / warpsPerGroup, leastRegisters);
    Target target{unsigned(getComputeCapability(module).value_or(90))};
    // Elsewhere ptxas passes nothing on, and what warps begin with is all they have.
    bool passesOn = target.isHopper() || target.isBlackwell();
    if (passesOn && llvm::all_of(ops, [](WarpSpecializeOp op) { return op.getRequestedRegisters().has_value(); }))
      share(ops, total);
  }

  /// Gives each partition its first warp. Returns the end of the last.
  int place(WarpSpecializeOp op) {
    ArrayRef<int32_t> sizes = op.getPartitionNumWarps();
    auto order = llvm::to_vector(llvm::seq<size_t>(0, sizes.size()));
    llvm::stable_sort(order, [&](size_t a, size_t b) { return sizes[a] > sizes[b]; });
    SmallVector<int32_t> starts(sizes.size());
    int next = numWarps;
    for (size_t index : order) {
      starts[index] = next;
      next += sizes[index];
    }
    op.setWarpGroupStartIds(starts);
    return next;
  }

  /// The warpgroups behind the kernel's own that a partition runs on.
  MutableArrayRef<int> groupsOf(WarpSpecializeOp op, size_t partition) {
    int first = ((*op.getWarpGroupStartIds())[partition] - numWarps) / warpsPerGroup;
    int count = llvm::divideCeil(op.getPartitionNumWarps()[partition], warpsPerGroup);
    return MutableArrayRef(groups).slice(first, count);
  }

  void share(ArrayRef<WarpSpecializeOp> ops, int total) {
    // All warpgroups of a partition alike: it is one piece of code.
    for (bool changed = true; changed;) {
      changed = false;
      for (WarpSpecializeOp op : ops)
        for (auto [index, requested] : llvm::enumerate(*op.getRequestedRegisters())) {
          int needed = std::min<int>(llvm::alignTo(std::max(requested, leastRegisters), registerStep), mostRegisters);
          for (int held : groupsOf(op, index))
            needed = std::max(needed, held);
          for (int &held : groupsOf(op, index)) {
            changed |= held != needed;
            held = needed;
          }
        }
    }
    Registers registers = registersOf(total);
    if (registers.own < leastRegisters)
      return;
    Builder builder(ops.front()->getContext());
    getOperation()->setAttr(entryRegistersName, builder.getI32IntegerAttr(registers.atEntry));
    for (WarpSpecializeOp op : ops) {
      SmallVector<int32_t> actual = {registers.own};
      for (size_t index = 0; index < op.getPartitionNumWarps().size(); ++index)
        actual.push_back(groupsOf(op, index).front());
      op.setActualRegisters(actual);
    }
  }

  /// ptxas wants to see, when the kernel begins, what its widest instruction takes, and some more: also where only warps with more come to it.
  int leastAtEntry() {
    int widest = 0;
    auto note = [&](Type type) {
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        widest = std::max<int>(widest, toLinear(tensor).inputSize("register") * tensor.getElementTypeBitWidth() / 32);
    };
    getOperation().walk([&](Operation *op) {
      if (auto dot = dyn_cast<WarpGroupDotOp>(op)) {
        auto type = cast<RankedTensorType>(dot.getD().getType());
        auto instruction = cast<MmaAttr>(type.getEncoding()).getInstrShape();
        widest = std::max<int>(widest, instruction[1] / 2 * type.getElementTypeBitWidth() / 32);
      } else if (isa<TMEMLoadOp, TMEMStoreOp, TMEMAllocOp>(op)) {
        for (Type type : op->getOperandTypes())
          note(type);
        for (Type type : op->getResultTypes())
          note(type);
      }
    });
    return llvm::alignTo(std::min(widest, 128) + 26, registerStep);
  }

  /// What is left for the kernel's own warps if every warp begins with so many.
  int ownRegisters(int atEntry, int total) {
    int left = atEntry * total - warpsPerGroup * llvm::sum_of(groups, 0);
    return llvm::alignDown(std::max(left, 0) / numWarps, registerStep);
  }

  Registers registersOf(int total) {
    if (maxRegisters > 0) {
      int atEntry = llvm::alignDown(int(maxRegisters), registerStep);
      return {std::min(ownRegisters(atEntry, total), mostRegisters), atEntry};
    }
    const int least = leastAtEntry();
    auto shareOf = [&](int ctas) -> Registers {
      int atEntry =
          std::min<int>(llvm::alignDown(registersOfSm / (threadsPerWarp * total * ctas), registerStep), mostRegisters);
      while (atEntry > least && ownRegisters(atEntry - registerStep, total) >= mostRegisters)
        atEntry -= registerStep;
      return {std::min(ownRegisters(atEntry, total), mostRegisters), atEntry};
    };
    Registers half = shareOf(2);
    return half.own >= enoughRegisters && half.atEntry >= least ? half : shareOf(1);
  }
};

} // namespace

} // namespace triton::gpu
