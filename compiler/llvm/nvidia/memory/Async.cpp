// Copies from global to shared memory that no thread waits for: cp.async, 4, 8 or 16 bytes at a time. What lies closer together than that goes
// through registers.
#include "compiler/gpu/AccessAnalysis.h"
#include "compiler/gpu/Gpu.h"
#include "compiler/layout/SharedVectors.h"
#include "compiler/llvm/gpu/memory/SharedAccess.h"
#include "compiler/llvm/nvidia/Families.h"
#include "compiler/llvm/nvidia/memory/CachePolicy.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace mlir;
using namespace triton;
using namespace triton::nvidia;
using layout::LinearLayout;

namespace {

class AsyncCopy {
public:
  AsyncCopy(Emitter &emitter, gpu::AsyncCopyGlobalToLocalOp op, LinearLayout map)
      : emitter(emitter), builder(emitter.builder), op(op), map(std::move(map)),
        type(cast<RankedTensorType>(op.getSrc().getType())),
        element(emitter.type(cast<gpu::MemDescType>(op.getResult().getType()).getElementType())),
        bits(memoryBits(element)), policy(cachePolicyOf(emitter, op)), pointers(emitter.registers(op.getSrc())),
        place(placeOf(emitter, op.getResult())) {
    if (op.getMask())
      mask = emitter.registers(op.getMask());
    if (op.getOther())
      other = emitter.registers(op.getOther());
    for (const LinearLayout::Input &input : this->map.inputs())
      if (input.name != "register")
        for (const layout::Coordinates &basis : input.bases)
          threadBits |= basis[0];
    fillsZero = llvm::all_of(other, [](llvm::Value *value) {
      auto *constant = llvm::dyn_cast<llvm::Constant>(value);
      return constant && constant->isNullValue();
    });
  }
  void emit();

private:
  unsigned width();
  uint64_t offsetOf(unsigned reg) { return map.apply({{"register", static_cast<int64_t>(reg)}})[0]; }
  SplitAddress addressOf(unsigned reg) {
    llvm::Value *thread = threadBits ? emitter.applyThread(map)[0] : nullptr;
    return splitAddress(emitter, place, thread, threadBits, offsetOf(reg), bits);
  }
  void copy(unsigned reg, unsigned bytes, llvm::Value *writes);
  void throughRegisters();

  Emitter &emitter;
  llvm::IRBuilder<> &builder;
  gpu::AsyncCopyGlobalToLocalOp op;
  LinearLayout map;
  RankedTensorType type;
  llvm::Type *element;
  unsigned bits;
  std::optional<CachePolicy> policy;
  llvm::ArrayRef<llvm::Value *> pointers, mask, other;
  SharedPlace place;
  uint64_t threadBits = 0;
  bool fillsZero;
};

} // namespace

/// Elements of one copy: side by side in global memory, in the buffer, and under one mask. Registers 0, 1, … of a group are neighbours.
unsigned AsyncCopy::width() {
  unsigned width = std::min(emitter.access().vectorElements(op.getSrc()), 128 / bits);
  if (op.getMask())
    width = std::min(width, emitter.access().maskElements(op.getMask()));
  return layout::planCopyWidth(map, place.padding, width);
}

void AsyncCopy::copy(unsigned reg, unsigned bytes, llvm::Value *writes) {
  auto [pointer, offset] = addressOf(reg);
  llvm::Value *target = builder.CreatePtrToInt(pointer, builder.getInt32Ty());
  // Only whole lines of 16 bytes can pass by the first-level cache.
  bool cached = bytes != 16 || op.getCache() == tensor::CacheModifier::CA;
  std::string text = std::string("cp.async.") + (cached ? "ca" : "cg") + ".shared.global" +
                     (policy ? policy->qualifiers : "") + " [$0+" + std::to_string(offset) + "], [$1], " +
                     std::to_string(bytes);
  std::string constraints = "r,l";
  llvm::SmallVector<llvm::Value *> arguments{target, pointers[reg]};
  if (!mask.empty() && fillsZero) {
    // A predicate, not a size of 0: ptxas would make one of that again, in two instructions for each copy.
    text += ", $2";
    constraints += ",b";
    arguments.push_back(builder.CreateNot(mask[reg]));
  } else if (!mask.empty()) {
    writes = writes ? builder.CreateAnd(writes, mask[reg]) : mask[reg];
  }
  if (policy && policy->hint) {
    text += ", $" + std::to_string(arguments.size());
    constraints += ",l";
    arguments.push_back(policy->hint);
  }
  if (writes) {
    text = "@$" + std::to_string(arguments.size()) + " " + text;
    constraints += ",b";
    arguments.push_back(writes);
  }
  emitter.inlineAsm(text + ";", constraints, builder.getVoidTy(), arguments, AsmEffects::SideEffect);
}

void AsyncCopy::throughRegisters() {
  Registers loaded;
  llvm::Type *memory = builder.getIntNTy(bits);
  for (unsigned reg = 0; reg < pointers.size(); ++reg) {
    auto load = [&] {
      return fromMemory(emitter, builder.CreateAlignedLoad(memory, pointers[reg], llvm::Align(bits / 8)), element);
    };
    if (mask.empty()) {
      loaded.push_back(load());
      continue;
    }
    llvm::Value *value = nullptr;
    llvm::BasicBlock *from = builder.GetInsertBlock(), *inside = nullptr;
    emitter.emitIf(mask[reg], [&] {
      value = load();
      inside = builder.GetInsertBlock();
    });
    llvm::PHINode *phi = builder.CreatePHI(element, 2);
    phi->addIncoming(value, inside);
    phi->addIncoming(other.empty() ? llvm::Constant::getNullValue(element) : other[reg], from);
    loaded.push_back(phi);
  }
  storeRegisters(emitter, place, map, loaded);
}

void AsyncCopy::emit() {
  unsigned count = width(), bytes = count * bits / 8;
  if (bytes < 4 || element->isPointerTy())
    return throughRegisters();
  llvm::Value *writes = emitter.writesElements(type);
  for (unsigned reg = 0; reg < pointers.size(); reg += count) {
    if (emitter.isCopy(type, reg))
      continue;
    copy(reg, bytes, writes);
    if (mask.empty() || fillsZero)
      continue;
    // What is not copied is stored.
    llvm::Value *missing = builder.CreateNot(mask[reg]);
    emitter.emitIf(writes ? builder.CreateAnd(missing, writes) : missing, [&] {
      for (unsigned i = 0; i < count; ++i) {
        auto [pointer, offset] = addressOf(reg + i);
        emitter.storeShared(toMemory(emitter, other[reg + i]), builder.CreatePtrAdd(pointer, emitter.i32(offset)),
                            bits / 8);
      }
    });
  }
}

static llvm::LogicalResult emitCopy(Emitter &emitter, gpu::AsyncCopyGlobalToLocalOp op) {
  auto pointers = cast<RankedTensorType>(op.getSrc().getType());
  auto buffer = cast<gpu::MemDescType>(op.getResult().getType());
  auto map = offsetsOf(emitter, pointers, buffer);
  if (!map)
    return op.emitError() << "cannot copy from " << pointers << " to " << buffer
                          << ": the buffer's layout does not hold every element";
  AsyncCopy(emitter, op, std::move(*map)).emit();
  emitter.define(op.getToken(), Registers());
  return success();
}

Emitted triton::nvidia::emitAsync(Emitter &emitter, Operation *op) {
  if (auto copy = dyn_cast<gpu::AsyncCopyGlobalToLocalOp>(op))
    return emitCopy(emitter, copy);
  if (auto commit = dyn_cast<gpu::AsyncCommitGroupOp>(op)) {
    emitter.intrinsic(llvm::Intrinsic::nvvm_cp_async_commit_group, {});
    emitter.define(commit.getAsyncToken(), Registers());
    return success();
  }
  if (auto wait = dyn_cast<gpu::AsyncWaitOp>(op)) {
    emitter.intrinsic(llvm::Intrinsic::nvvm_cp_async_wait_group, {emitter.i32(wait.getNum())});
    emitter.define(wait.getRetToken(), Registers());
    return success();
  }
  return std::nullopt;
}
