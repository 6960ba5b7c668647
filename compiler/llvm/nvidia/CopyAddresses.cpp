// Addresses of copies in loops of wgmma, without IMAD.WIDE.
//   In:  optimised LLVM IR. Out: the same, where
//     %o = sext i32 %i to i64
//     %p = getelementptr i16, ptr addrspace(1) %base, i64 %o
//     cp.async … [%p]
//   is, in a loop with wgmma,
//     %o = asm "shl.b32 l, %i, 1; shr.s32 h, %i, 31; mov.b64 %o, {l, h}"
//     %p = getelementptr i8, ptr addrspace(1) %base, i64 %o
//
// ptxas makes IMAD.WIDE of the first, one instruction, and LEA with LEA.HI.X of the second, two. But each IMAD.WIDE in an iteration goes with about a
// hundredth of the loop's speed: of 59 variants of matmuls (docs/performance.md; tiles of 128 x 256 x 64, H200), ours and Triton's, those without any run at
// 714 to 734 TFLOP/s, with 4 at 700 to 708, with 8 at 677 to 683, with 12 at 628 to 680, whatever else their loops do. Split, such a matmul goes from 657 to
// 729, attention with masked keys from 532 to 613.
//
// Runs last: what LLVM knows of the address ends here. Leaves alone bytes, which nothing is multiplied for, and addresses with other users than copies.
#include "compiler/llvm/nvidia/CopyAddresses.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"

namespace triton::nvidia {

/// Whether an instruction is inline assembly that holds `text`.
static bool isAssembly(const llvm::User *user, llvm::StringRef text) {
  auto *call = llvm::dyn_cast<llvm::CallBase>(user);
  auto *assembly = call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
  return assembly && llvm::StringRef(assembly->getAsmString()).contains(text);
}

/// The offset in bytes of `extended`, an extended i32, times 2 to the `shift`.
static llvm::Value *byHalves(llvm::CastInst *extended, unsigned shift) {
  llvm::IRBuilder<> builder(extended);
  const char *kind = llvm::isa<llvm::SExtInst>(extended) ? "s32" : "u32";
  const std::string text = "{ .reg .b32 l, h; shl.b32 l, $1, " + std::to_string(shift) + "; shr." + kind + " h, $1, " +
                           std::to_string(32 - shift) + "; mov.b64 $0, {l, h}; }";
  auto *type = llvm::FunctionType::get(builder.getInt64Ty(), {builder.getInt32Ty()}, false);
  return builder.CreateCall(llvm::InlineAsm::get(type, text, "=l,r", /*hasSideEffects=*/false),
                            {extended->getOperand(0)});
}

static void splitAddresses(llvm::Loop &loop, const llvm::DataLayout &data) {
  llvm::DenseMap<std::pair<llvm::Value *, unsigned>, llvm::Value *> offsets;
  llvm::SmallVector<llvm::GetElementPtrInst *> addresses;
  for (llvm::BasicBlock *block : loop.blocks())
    for (llvm::Instruction &instruction : *block)
      if (auto *address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction))
        addresses.push_back(address);
  for (llvm::GetElementPtrInst *address : addresses) {
    auto *extended = address->getNumIndices() == 1 ? llvm::dyn_cast<llvm::CastInst>(*address->idx_begin()) : nullptr;
    if (!extended || !llvm::isa<llvm::SExtInst, llvm::ZExtInst>(extended) || !loop.contains(extended) ||
        !extended->getSrcTy()->isIntegerTy(32) || !extended->getType()->isIntegerTy(64) ||
        !llvm::all_of(address->users(), [](llvm::User *user) { return isAssembly(user, "cp.async.c"); }))
      continue;
    const uint64_t bytes = data.getTypeAllocSize(address->getSourceElementType());
    if (bytes < 2 || !llvm::isPowerOf2_64(bytes))
      continue;
    llvm::Value *&offset = offsets[{extended, llvm::Log2_64(bytes)}];
    if (!offset)
      offset = byHalves(extended, llvm::Log2_64(bytes));
    llvm::IRBuilder<> builder(address);
    address->replaceAllUsesWith(builder.CreatePtrAdd(address->getPointerOperand(), offset));
    address->eraseFromParent();
  }
}

void splitCopyAddresses(llvm::Module &module) {
  for (llvm::Function &function : module) {
    llvm::SmallPtrSet<llvm::BasicBlock *, 4> multiplying;
    for (llvm::BasicBlock &block : function)
      if (llvm::any_of(block, [](llvm::Instruction &each) { return isAssembly(&each, "wgmma.mma_async"); }))
        multiplying.insert(&block);
    if (multiplying.empty())
      continue;
    llvm::DominatorTree dominators(function);
    llvm::LoopInfo loops(dominators);
    llvm::SmallPtrSet<llvm::Loop *, 4> innermost;
    for (llvm::BasicBlock *block : multiplying)
      if (llvm::Loop *loop = loops.getLoopFor(block); loop && innermost.insert(loop).second)
        splitAddresses(*loop, module.getDataLayout());
  }
}

} // namespace triton::nvidia
