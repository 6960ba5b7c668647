// Approximate divisions of many numbers by one divisor, as a softmax divides its row by the row's sum.
//   In:  optimised LLVM IR. Out: the same, where
//     %x = call float @llvm.nvvm.div.full(float %a, float %d)
//     %y = call float @llvm.nvvm.div.full(float %b, float %d)
//   is
//     %f = 2^-2 where |%d| > 2^126, 2^24 where |%d| < 2^-126, else 1
//     %r = rcp.approx.ftz(%d * %f)
//     %x = (%a * %f) * %r;  %y = (%b * %f) * %r
//
// That is how ptxas expands div.full.f32, bit for bit: the factor keeps the reciprocal, and what it is taken of, a normal number. But ptxas shares the
// reciprocal alone, and multiplies each dividend under two predicates, which are three multiplications for a division; here they are two. It also
// expands 64 divisions for a seventh of the time that it takes for a whole attention kernel.
//
// The multiplications are not contracted: ptxas does not fuse its own with an addition either. Leaves alone a division that is the only one by its divisor, and blocks
// with few divisions: the factor is in a register where ptxas has predicates, and a kernel with few registers can lose resident warps by that (a softmax of
// 4096 columns by 8 warps, 16 for a thread, has 34 in place of 32).
#include "compiler/llvm/nvidia/SharedDivisors.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace triton::nvidia {

static constexpr size_t fewestDivisions = 32; // in a block

static void divideTogether(llvm::ArrayRef<llvm::IntrinsicInst *> divisions) {
  llvm::IRBuilder<> builder(divisions.front());
  llvm::Type *type = builder.getFloatTy();
  auto number = [&](double value) { return llvm::ConstantFP::get(type, value); };
  llvm::Value *divisor = divisions.front()->getArgOperand(1);
  llvm::Value *size = builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, divisor);
  llvm::Value *isHuge = builder.CreateFCmpOGT(size, number(0x1p126));
  llvm::Value *isTiny = builder.CreateFCmpOLT(size, number(0x1p-126));
  llvm::Value *factor = builder.CreateSelect(isHuge, number(0x1p-2), number(1));
  factor = builder.CreateSelect(isTiny, number(0x1p24), factor);
  llvm::Value *reciprocal =
      builder.CreateIntrinsic(llvm::Intrinsic::nvvm_rcp_approx_ftz_f, {builder.CreateFMul(divisor, factor)});
  for (llvm::IntrinsicInst *division : divisions) {
    llvm::IRBuilder<> here(division);
    llvm::Value *dividend = here.CreateFMul(division->getArgOperand(0), factor);
    division->replaceAllUsesWith(here.CreateFMul(dividend, reciprocal));
    division->eraseFromParent();
  }
}

void shareDivisors(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function) {
      llvm::MapVector<llvm::Value *, llvm::SmallVector<llvm::IntrinsicInst *>> byDivisor;
      for (llvm::Instruction &instruction : block)
        if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
            call && call->getIntrinsicID() == llvm::Intrinsic::nvvm_div_full)
          byDivisor[call->getArgOperand(1)].push_back(call);
      size_t count = 0;
      for (auto &[divisor, divisions] : byDivisor)
        count += divisions.size();
      if (count < fewestDivisions)
        continue;
      // A divisor that is itself a quotient is replaced before what is divided by it: quotients stand before their uses.
      for (auto &[divisor, divisions] : byDivisor)
        if (divisions.size() > 1)
          divideTogether(divisions);
    }
}

} // namespace triton::nvidia
