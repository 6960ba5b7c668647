#include "compiler/llvm/amd/DirectCopy.h"

#include "compiler/gpu/DirectCopies.h"
#include "compiler/llvm/amd/BufferAccess.h"
#include "compiler/llvm/gpu/memory/SharedAccess.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/MDBuilder.h"

using namespace mlir;
using namespace triton::simt;

namespace triton::amd {

/// Elements of a piece.
static unsigned pieceOf(gpu::AsyncCopyGlobalToLocalOp op) {
  auto bytes = op->getAttrOfType<IntegerAttr>(gpu::directCopyName);
  return 8 * unsigned(bytes.getInt()) / cast<gpu::MemDescType>(op.getResult().getType()).getElementBits();
}
/// Instructions of a wave.
static unsigned instructionsOf(gpu::AsyncCopyGlobalToLocalOp op) {
  auto type = cast<RankedTensorType>(op.getSrc().getType());
  return unsigned(gpu::toLinear(type).inputSize("register")) / pieceOf(op);
}

/// The fewest copies that a group of the function has.
static unsigned fewestInGroup(Operation *op) {
  std::optional<unsigned> fewest;
  auto function = op->getParentOfType<FunctionOpInterface>();
  function->walk([&](Block *block) {
    unsigned count = 0;
    for (Operation &each : *block) {
      if (auto copy = dyn_cast<gpu::AsyncCopyGlobalToLocalOp>(each)) {
        count += instructionsOf(copy);
      } else if (isa<gpu::AsyncCommitGroupOp>(each)) {
        fewest = std::min(fewest.value_or(count), count);
        count = 0;
      }
    }
  });
  return fewest.value_or(0);
}

/// Until at most so many accesses of global memory and of LDS are under way; 63 and 15 are any number.
static void waitUntil(Emitter &emitter, unsigned global, unsigned lds) {
  constexpr unsigned exports = 7 << 4; // any number
  emitter.intrinsic(llvm::Intrinsic::amdgcn_s_waitcnt,
                    {emitter.i32((global & 15) | (global >> 4) << 14 | lds << 8 | exports)});
}

static void emitWait(Emitter &emitter, gpu::AsyncWaitOp wait) {
  waitUntil(emitter, std::min(wait.getNum() * fewestInGroup(wait), 63u), 15);
}

bool hasDirectCopies(ModuleOp module) {
  return module.walk([](gpu::AsyncCopyGlobalToLocalOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

void meetBesideCopies(Emitter &emitter) {
  // Fences of a wave keep accesses in their order and wait for nothing.
  auto fence = [&] {
    emitter.builder.CreateFence(llvm::AtomicOrdering::AcquireRelease,
                                emitter.context().getOrInsertSyncScopeID("wavefront"));
  };
  fence();
  waitUntil(emitter, 63, 0);
  emitter.intrinsic(llvm::Intrinsic::amdgcn_s_barrier, {});
  fence();
}

static llvm::LogicalResult emitCopy(Emitter &emitter, gpu::AsyncCopyGlobalToLocalOp op,
                                    const gpu::AmdArchitecture &target) {
  llvm::IRBuilder<> &builder = emitter.builder;
  auto type = cast<RankedTensorType>(op.getSrc().getType());
  auto buffer = cast<gpu::MemDescType>(op.getResult().getType());
  const unsigned elements = pieceOf(op), bits = buffer.getElementBits(), piece = elements * bits / 8;
  auto map = offsetsOf(emitter, type, buffer);
  SharedPlace place = placeOf(emitter, op.getResult());
  auto isSideBySide = [&] {
    int64_t next = 1;
    for (llvm::StringRef input : {"register", "lane", "warp"}) {
      const int64_t end = input == "register" ? elements : int64_t(elements) * target.lanes;
      for (unsigned bit = 0; (1u << bit) < map->inputSize(input) && next < end; ++bit, next *= 2)
        if (map->basis(input, bit)[0] != next)
          return false;
    }
    const bool hasGaps = place.padding.size() > 1 || (!place.padding.empty() && place.padding[0].first % next != 0);
    auto *skew = llvm::dyn_cast_or_null<llvm::ConstantInt>(place.skew);
    return next == int64_t(elements) * target.lanes && (!place.skew || (skew && skew->isZero())) && !hasGaps;
  };
  if (!map || !isSideBySide())
    return op.emitError() << "cannot copy directly from " << type << " to " << buffer
                          << ": lanes do not write side by side";

  BufferPlace source = placeInBuffer(emitter, op, op.getCache(), target);
  if (!source.resource)
    return op.emitError() << "cannot copy directly from pointers that no buffer instruction reaches";
  llvm::ArrayRef<llvm::Value *> pointers = emitter.registers(op.getSrc()), mask;
  if (op.getMask())
    mask = emitter.registers(op.getMask());
  // Where the wave's pieces begin: the lanes' part is the instruction's.
  llvm::Value *ofWave = emitter.i32(0);
  for (unsigned bit = 0; (1u << bit) < map->inputSize("warp"); ++bit) {
    llvm::Value *isSet = builder.CreateAnd(builder.CreateLShr(emitter.warpId(), bit), 1);
    ofWave = builder.CreateXor(ofWave, builder.CreateMul(isSet, emitter.i32(uint32_t(map->basis("warp", bit)[0]))));
  }
  for (unsigned reg = 0; reg < pointers.size(); reg += elements) {
    const auto constant = uint32_t(map->apply({{"register", int64_t(reg)}})[0]);
    llvm::Value *offset = builder.CreateXor(ofWave, constant);
    for (auto [interval, gap] : place.padding)
      offset = builder.CreateAdd(
          offset, builder.CreateMul(builder.CreateLShr(offset, llvm::Log2_32(interval)), emitter.i32(gap)));
    offset = builder.CreateMul(offset, emitter.i32(bits / 8));
    llvm::Value *from = source.offsetOf(emitter, pointers[reg], mask.empty() ? nullptr : mask[reg]);
    emitter.intrinsic(llvm::Intrinsic::amdgcn_raw_ptr_buffer_load_lds,
                      {source.resource, builder.CreatePtrAdd(place.base, offset), emitter.i32(piece), from,
                       emitter.i32(0), emitter.i32(0), emitter.i32(source.cache)});
  }
  emitter.define(op.getToken(), Registers());
  return success();
}

Emitted emitDirectCopies(Emitter &emitter, Operation *op, const gpu::AmdArchitecture &target) {
  if (auto copy = dyn_cast<gpu::AsyncCopyGlobalToLocalOp>(op))
    return emitCopy(emitter, copy, target);
  if (auto wait = dyn_cast<gpu::AsyncWaitOp>(op)) {
    if (hasDirectCopies(emitter.source)) // others are complete
      emitWait(emitter, wait);
    emitter.define(wait.getRetToken(), Registers());
    return success();
  }
  if (auto commit = dyn_cast<gpu::AsyncCommitGroupOp>(op)) {
    emitter.define(commit.getAsyncToken(), Registers());
    return success();
  }
  return std::nullopt;
}

static bool isCopy(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == llvm::Intrinsic::amdgcn_raw_ptr_buffer_load_lds;
}

void separateCopies(llvm::Module &module) {
  llvm::MDNode *scopes = nullptr;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        if (isCopy(instruction)) {
          if (!scopes) {
            llvm::MDBuilder builder(module.getContext());
            llvm::MDNode *domain = builder.createAnonymousAliasScopeDomain("LDS");
            scopes = llvm::MDNode::get(module.getContext(), builder.createAnonymousAliasScope(domain, "copies"));
          }
          instruction.setMetadata(llvm::LLVMContext::MD_alias_scope, scopes);
        }
  if (!scopes)
    return;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load && load->getPointerAddressSpace() == 3)
          load->setMetadata(llvm::LLVMContext::MD_noalias, scopes);
}

} // namespace triton::amd
