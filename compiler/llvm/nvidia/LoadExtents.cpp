// Loads of global memory that stay within what the program reads.
//   In:  optimised LLVM IR. Out: the same, where a load says that it is aligned to more bytes than it has only if the block reads all of those.
//
// LLVM's code generator makes one load of neighbouring ones, and of three of 4 bytes one of 16 if the first is aligned to 16: the last 4 bytes it drops. No
// GPU minds, since memory is mapped by pages, but the array may end there: the simulator would take that for an error of the program. (NVIDIA's checker
// is told by a pragma, `used_bytes_mask`.)
#include "compiler/llvm/nvidia/LoadExtents.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Instructions.h"

namespace triton::nvidia {

namespace {
struct Load {
  int64_t begin, end; // in bytes from the base
  llvm::LoadInst *instruction;
};
} // namespace

static void limitLoads(llvm::SmallVectorImpl<Load> &loads) {
  constexpr uint64_t widest = 32; // bytes of the widest load
  llvm::sort(loads, [](const Load &left, const Load &right) { return left.begin < right.begin; });
  // Where the bytes end that are read without a gap from where each load begins.
  llvm::SmallVector<int64_t> covered(loads.size());
  for (size_t first = 0, next; first < loads.size(); first = next) {
    int64_t end = loads[first].end;
    for (next = first + 1; next < loads.size() && loads[next].begin <= end; ++next)
      end = std::max(end, loads[next].end);
    std::fill(covered.begin() + first, covered.begin() + next, end);
  }
  for (auto [load, last] : llvm::zip_equal(loads, covered)) {
    const uint64_t aligned = load.instruction->getAlign().value();
    uint64_t extent = std::min(aligned, widest);
    while (extent > uint64_t(load.end - load.begin) && load.begin + int64_t(extent) > last)
      extent /= 2;
    if (extent < std::min(aligned, widest))
      load.instruction->setAlignment(llvm::Align(extent));
  }
}

void limitLoadExtents(llvm::Module &module) {
  const llvm::DataLayout &data = module.getDataLayout();
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function) {
      llvm::MapVector<llvm::Value *, llvm::SmallVector<Load>> loads; // by base
      for (llvm::Instruction &instruction : block) {
        auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
        if (!load || load->getPointerAddressSpace() > 1 || load->getType()->isScalableTy())
          continue; // generic and global memory
        llvm::APInt offset(data.getIndexTypeSizeInBits(load->getPointerOperandType()), 0);
        llvm::Value *base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(data, offset, true);
        const int64_t begin = offset.getSExtValue(), size = data.getTypeStoreSize(load->getType()).getFixedValue();
        loads[base].push_back({begin, begin + size, load});
      }
      for (auto &[base, ofBase] : loads)
        limitLoads(ofBase);
    }
}

} // namespace triton::nvidia
