// tt.load and tt.store.
//   Each access is as wide as alignment, mask and layout allow, up to 16 bytes. Accesses without mask and modifiers are LLVM's own; the others are the
//   machine's. What a masked-off load gives without `other` is unspecified, and zero here.
//   An element that several threads hold is stored by one of them.
#include "compiler/llvm/gpu/Families.h"
#include "compiler/llvm/gpu/Packing.h"
#include "compiler/llvm/gpu/memory/GlobalAccess.h"

#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace triton::simt {

/// How an access of so many bytes is cut into words: their number and their bits.
static std::pair<unsigned, unsigned> wordsOf(unsigned bytes, unsigned elementBits) {
  unsigned bits = elementBits == 64 ? 64 : std::min(8 * bytes, 32u);
  return {8 * bytes / bits, bits};
}

static bool isKnown(llvm::Value *mask, bool value) {
  auto *constant = llvm::dyn_cast_or_null<llvm::ConstantInt>(mask);
  return constant && constant->isOne() == value;
}

/// Words that hold several elements stay whole: LLVM takes vectors of bytes apart and puts them together one by one.
static Registers loadPlain(Emitter &emitter, const AccessGroup &group, llvm::Type *type) {
  llvm::IRBuilder<> &builder = emitter.builder;
  const unsigned elementBits = storageBits(type), bytes = group.count * elementBits / 8;
  auto [count, bits] = wordsOf(bytes, elementBits);
  llvm::Type *word = bits == elementBits ? storageType(builder, type) : builder.getIntNTy(bits);
  llvm::Type *whole = count == 1 ? word : llvm::FixedVectorType::get(word, count);
  return fromWords(builder,
                   unpack(builder, builder.CreateAlignedLoad(whole, group.address(emitter), llvm::Align(bytes))), type);
}

static void storePlain(Emitter &emitter, const AccessGroup &group, llvm::ArrayRef<llvm::Value *> values) {
  llvm::IRBuilder<> &builder = emitter.builder;
  const unsigned elementBits = storageBits(values[0]->getType()), bytes = group.count * elementBits / 8;
  auto [count, bits] = wordsOf(bytes, elementBits);
  Registers words;
  if (bits == elementBits)
    for (llvm::Value *value : values)
      words.push_back(toStorage(builder, value));
  else
    words = toWords(builder, values, bits);
  builder.CreateAlignedStore(count == 1 ? words[0] : pack(builder, words), group.address(emitter), llvm::Align(bytes));
}

static llvm::LogicalResult checkPointer(Operation *op, Value pointer) {
  auto type = cast<tensor::PointerType>(getElementTypeOrSelf(pointer.getType()));
  if (type.isBlockPointer())
    return op->emitOpError("accesses a block pointer, which no instruction does: rewrite it to plain pointers first");
  return success();
}

/// Whether a loop runs until what this load reads has changed: it must read memory each time, beyond this multiprocessor's cache.
static bool isPolled(tensor::LoadOp load) {
  auto loop = dyn_cast<scf::WhileOp>(load->getParentOp());
  return loop && load->getBlock() == loop.getBeforeBody();
}

/// For who asks why an access is slow (`MLIR_ENABLE_DIAGNOSTICS=remarks`).
static void remarkIfNarrow(Operation *op, const AccessPlan &plan) {
  if (plan.width == 1 && plan.groups.size() > 1)
    op->emitRemark("Warning: vectorization fails: each thread accesses its ")
        << plan.groups.size() << " elements one by one, as they are not known to lie side by side or to share a mask";
}

static llvm::LogicalResult emitLoad(Emitter &emitter, tensor::LoadOp load) {
  if (failed(checkPointer(load, load.getPtr())))
    return failure();
  llvm::Type *type = emitter.type(load.getType());
  AccessPlan plan = planAccess(emitter, load.getPtr(), load.getMask(), 16);
  remarkIfNarrow(load, plan);
  Registers masks = load.getMask() ? Registers(emitter.registers(load.getMask())) : Registers();
  Registers others = load.getOther() ? Registers(emitter.registers(load.getOther())) : Registers();
  auto accessor = emitter.machine.accessGlobal(emitter, load, load.getCache(), load.getEvict(),
                                               load.getIsVolatile() || isPolled(load));
  unsigned elementBits = storageBits(type);

  Registers results(plan.holder.size());
  for (const AccessGroup &group : plan.groups) {
    llvm::Value *mask = masks.empty() ? nullptr : masks[group.first];
    Registers otherwise;
    for (unsigned index = 0; index < group.count; ++index)
      otherwise.push_back(others.empty() ? llvm::Constant::getNullValue(type) : others[group.first + index]);
    Registers values;
    if (isKnown(mask, true))
      mask = nullptr;
    if (isKnown(mask, false)) {
      values = otherwise;
    } else if (!mask && accessor->isPlain()) {
      values = loadPlain(emitter, group, type);
    } else {
      auto [count, bits] = wordsOf(group.count * elementBits / 8, elementBits);
      Registers words = mask ? toWords(emitter.builder, otherwise, bits) : Registers();
      values = fromWords(emitter.builder, accessor->load(group, count, bits, words, mask), type);
    }
    for (unsigned index = 0; index < group.count; ++index)
      results[group.first + index] = values[index];
  }
  for (unsigned reg = 0; reg < results.size(); ++reg)
    results[reg] = results[plan.holder[reg]];
  emitter.define(load.getResult(), std::move(results));
  return success();
}

static llvm::LogicalResult emitStore(Emitter &emitter, tensor::StoreOp store) {
  if (failed(checkPointer(store, store.getPtr())))
    return failure();
  AccessPlan plan = planAccess(emitter, store.getPtr(), store.getMask(), 16);
  remarkIfNarrow(store, plan);
  Registers values(emitter.registers(store.getValue()));
  Registers masks = store.getMask() ? Registers(emitter.registers(store.getMask())) : Registers();
  auto accessor =
      emitter.machine.accessGlobal(emitter, store, store.getCache(), store.getEvict(), /*isVolatile=*/false);
  llvm::Value *isMine = isWriter(emitter, store.getPtr().getType());
  unsigned elementBits = storageBits(values[0]->getType());
  for (const AccessGroup &group : plan.groups) {
    llvm::Value *mask = masks.empty() ? nullptr : masks[group.first];
    if (isKnown(mask, false))
      continue;
    mask = conjunction(emitter, isKnown(mask, true) ? nullptr : mask, isMine);
    llvm::ArrayRef<llvm::Value *> stored = llvm::ArrayRef(values).slice(group.first, group.count);
    if (!mask && accessor->isPlain()) {
      storePlain(emitter, group, stored);
      continue;
    }
    auto [count, bits] = wordsOf(group.count * elementBits / 8, elementBits);
    accessor->store(group, bits, toWords(emitter.builder, stored, bits), mask);
  }
  return success();
}

Emitted emitMemory(Emitter &emitter, Operation *op) {
  if (auto load = dyn_cast<tensor::LoadOp>(op))
    return emitLoad(emitter, load);
  if (auto store = dyn_cast<tensor::StoreOp>(op))
    return emitStore(emitter, store);
  return std::nullopt;
}

} // namespace triton::simt
