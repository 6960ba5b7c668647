#include "compiler/llvm/amd/BufferAccess.h"

#include "compiler/gpu/DirectCopies.h"
#include "compiler/gpu/dialect/AmdOps.h"
#include "compiler/llvm/gpu/Packing.h"
#include "compiler/llvm/gpu/memory/GlobalAccess.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace mlir;
using namespace triton::simt;

namespace triton::amd {

/// The scalar pointer that a tensor of pointers was made of; null if there is none.
static Value baseOf(Value pointers) {
  while (Operation *op = pointers.getDefiningOp()) {
    if (auto add = dyn_cast<tensor::AddPtrOp>(op))
      pointers = add.getPtr();
    else if (auto splat = dyn_cast<tensor::SplatOp>(op))
      return splat.getSrc();
    else
      break;
  }
  return Value();
}

/// The bits of an instruction that say how caches treat an access; each generation has its own.
static unsigned cacheBits(tensor::CacheModifier cache, bool isStore, const gpu::AmdArchitecture &target) {
  using Cache = tensor::CacheModifier;
  const bool passes = cache == Cache::CS || (cache == Cache::CG && !isStore);
  const bool isShared = cache == Cache::CV || cache == Cache::WT;
  if (target.isCdna())
    return passes ? 3 : isShared ? 17 : 0; // sc0 nt; sc0 sc1
  if (target.name.starts_with("gfx11"))
    return cache == Cache::CG && !isStore ? 1 : passes || isShared ? 7 : 0; // glc; glc slc dlc
  return cache == Cache::CG && !isStore ? 16
         : passes                       ? 1
         : isShared                     ? (isStore ? 24 : 27)
                                        : 0; // scope; non-temporal; both
}

namespace {
class BufferAccessor : public GlobalAccessor {
public:
  BufferAccessor(Emitter &emitter, BufferPlace place)
      : emitter(emitter), builder(emitter.builder), place(place), resource(place.resource), cache(place.cache) {}

  bool isPlain() const override { return false; }

  Registers load(const AccessGroup &group, unsigned count, unsigned bits, llvm::ArrayRef<llvm::Value *> otherwise,
                 llvm::Value *mask) override {
    llvm::Type *type = typeOf(count * bits);
    llvm::Value *loaded =
        emitter.intrinsic(llvm::Intrinsic::amdgcn_raw_ptr_buffer_load,
                          {resource, offsetOf(group, mask), emitter.i32(0), emitter.i32(cache)}, {type});
    llvm::Type *word = builder.getIntNTy(bits);
    Registers words =
        unpack(builder, builder.CreateBitCast(loaded, count == 1 ? word : llvm::FixedVectorType::get(word, count)));
    if (mask)
      for (auto [result, other] : llvm::zip_equal(words, otherwise))
        if (auto *constant = llvm::dyn_cast<llvm::Constant>(other); !constant || !constant->isNullValue())
          result = builder.CreateSelect(mask, result, other);
    return words;
  }

  void store(const AccessGroup &group, unsigned bits, llvm::ArrayRef<llvm::Value *> words, llvm::Value *mask) override {
    llvm::Type *type = typeOf(words.size() * bits);
    llvm::Value *value = builder.CreateBitCast(words.size() == 1 ? words[0] : pack(builder, words), type);
    emitter.intrinsic(llvm::Intrinsic::amdgcn_raw_ptr_buffer_store,
                      {value, resource, offsetOf(group, mask), emitter.i32(0), emitter.i32(cache)}, {type});
  }

private:
  /// What instructions move: bytes, halves, or up to four words.
  llvm::Type *typeOf(unsigned bits) {
    return bits <= 32 ? llvm::cast<llvm::Type>(builder.getIntNTy(bits))
                      : llvm::FixedVectorType::get(builder.getInt32Ty(), bits / 32);
  }

  llvm::Value *offsetOf(const AccessGroup &group, llvm::Value *mask) {
    return place.offsetOf(emitter, group.address(emitter), mask);
  }

  Emitter &emitter;
  llvm::IRBuilder<> &builder;
  BufferPlace place;
  llvm::Value *resource;
  unsigned cache;
};
} // namespace

llvm::Value *BufferPlace::offsetOf(Emitter &emitter, llvm::Value *address, llvm::Value *mask) const {
  llvm::IRBuilder<> &builder = emitter.builder;
  llvm::Value *bytes = builder.CreateSub(builder.CreatePtrToInt(address, builder.getInt64Ty()),
                                         builder.CreatePtrToInt(base, builder.getInt64Ty()));
  llvm::Value *offset = builder.CreateTrunc(bytes, builder.getInt32Ty());
  return mask ? builder.CreateSelect(mask, offset, emitter.i32(0x80000000u)) : offset; // which is out of range
}

BufferPlace placeInBuffer(Emitter &emitter, Operation *op, tensor::CacheModifier cache,
                          const gpu::AmdArchitecture &target) {
  Value pointers = op->getOperand(0);
  Value found = !op->hasAttr(gpu::bufferAccessName)      ? Value()
                : op->hasAttr(gpu::bufferOfArgumentName) ? gpu::smallArgument(pointers)
                                                         : baseOf(pointers);
  if (!found)
    return {};
  llvm::IRBuilder<> &builder = emitter.builder;
  const unsigned flags = target.isCdna() ? 0x27000 : 0x31027000; // plain dwords; offsets are checked one by one
  llvm::Value *base = emitter.registers(found)[0];
  llvm::Value *resource =
      emitter.intrinsic(llvm::Intrinsic::amdgcn_make_buffer_rsrc,
                        {base, builder.getInt16(0), builder.getInt64(0x7fffffff), emitter.i32(flags)},
                        {builder.getPtrTy(8), base->getType()});
  return {base, resource, cacheBits(cache, isa<tensor::StoreOp>(op), target)};
}

std::unique_ptr<GlobalAccessor> accessBuffer(Emitter &emitter, Operation *op, tensor::CacheModifier cache,
                                             const gpu::AmdArchitecture &target) {
  BufferPlace place = placeInBuffer(emitter, op, cache, target);
  return place.resource ? std::make_unique<BufferAccessor>(emitter, place) : nullptr;
}

} // namespace triton::amd
