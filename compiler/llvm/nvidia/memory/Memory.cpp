// tt.load and tt.store.
//   Each access is as wide as alignment, mask and layout allow, up to 16 bytes. Accesses without mask and modifiers are LLVM's own; the others
//   are predicated instructions, so that several stay in flight with no branch between them. What a masked-off load gives without
//   `other` is unspecified, and zero here.
//   An element that several threads hold is stored by one of them.
#include "compiler/llvm/nvidia/Families.h"
#include "compiler/llvm/nvidia/Packing.h"
#include "compiler/llvm/nvidia/memory/CachePolicy.h"
#include "compiler/llvm/nvidia/memory/GlobalAccess.h"

#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace triton::nvidia {

namespace {

/// The text of an ld or st instruction and its operands.
class Instruction {
public:
  explicit Instruction(Emitter &emitter) : emitter(emitter) {}

  void modify(tensor::CacheModifier cache, tensor::EvictionPolicy evict, bool isVolatile) {
    qualifiers = isVolatile ? ".volatile.global" : ".global";
    if (isVolatile)
      return;
    if (cache != tensor::CacheModifier::None)
      qualifiers += "." + tensor::stringifyCacheModifier(cache).str();
    if (evict == tensor::EvictionPolicy::Normal)
      return;
    std::string priority = tensor::stringifyEvictionPolicy(evict).str();
    // A cache operator and a priority in the first cache exclude each other.
    if (cache == tensor::CacheModifier::None)
      qualifiers += ".L1::" + priority;
    if (!emitter.target().isAmpereOrNewer())
      return;
    qualifiers += ".L2::cache_hint";
    policy = emitter.inlineAsm("createpolicy.fractional.L2::" + priority + ".b64 $0, 1.0;", "=l",
                               emitter.builder.getInt64Ty(), {});
  }

  /// What the op asks of the caches beside.
  void modify(const CachePolicy &asked) {
    qualifiers += asked.qualifiers;
    policy = asked.hint;
  }

  bool isPlain() const { return qualifiers == ".global"; }

  /// `.v4.b32`, and what holds one such word.
  static std::string suffix(unsigned count, unsigned bits) {
    return (count > 1 ? ".v" + std::to_string(count) : std::string()) + ".b" + std::to_string(bits);
  }
  static const char *constraint(unsigned bits) { return bits == 64 ? "l" : bits == 32 ? "r" : "h"; }

  Registers load(const AccessGroup &group, unsigned count, unsigned bits, llvm::ArrayRef<llvm::Value *> otherwise,
                 llvm::Value *mask, bool isVolatile) {
    llvm::Type *word = emitter.builder.getIntNTy(std::max(bits, 16u));
    llvm::SmallVector<llvm::Value *> arguments;
    std::string constraints, list;
    for (unsigned index = 0; index < count; ++index) {
      constraints += std::string(index ? ",=" : "=") + constraint(bits);
      list += (index ? ", $" : "$") + std::to_string(index);
    }
    unsigned next = count;
    // Where the mask is false the instruction does nothing: the result is what its register held before.
    if (mask)
      for (unsigned index = 0; index < count; ++index, ++next) {
        constraints += "," + std::to_string(index);
        arguments.push_back(emitter.builder.CreateZExt(otherwise[index], word));
      }
    std::string text = "ld" + qualifiers + suffix(count, bits) + (count > 1 ? " {" + list + "}" : " " + list) + ", ";
    text += operands(group, mask, next, arguments, constraints);
    auto *result =
        count == 1 ? word : llvm::StructType::get(emitter.context(), llvm::SmallVector<llvm::Type *>(count, word));
    llvm::Value *loaded = emitter.inlineAsm(guard(mask, next) + text, constraints + ",~{memory}", result, arguments,
                                            isVolatile ? AsmEffects::SideEffect : AsmEffects::Reads);
    Registers words;
    for (unsigned index = 0; index < count; ++index) {
      llvm::Value *part = count == 1 ? loaded : emitter.builder.CreateExtractValue(loaded, index);
      words.push_back(emitter.builder.CreateTrunc(part, emitter.builder.getIntNTy(bits)));
    }
    return words;
  }

  void store(const AccessGroup &group, unsigned bits, llvm::ArrayRef<llvm::Value *> words, llvm::Value *mask) {
    llvm::Type *word = emitter.builder.getIntNTy(std::max(bits, 16u));
    llvm::SmallVector<llvm::Value *> arguments;
    std::string constraints, list;
    for (auto [index, value] : llvm::enumerate(words)) {
      constraints += std::string(index ? "," : "") + constraint(bits);
      list += (index ? ", $" : "$") + std::to_string(index);
      arguments.push_back(emitter.builder.CreateZExt(value, word));
    }
    unsigned next = words.size();
    std::string values = words.size() > 1 ? "{" + list + "}" : list;
    std::string place = operands(group, mask, next, arguments, constraints, ", " + values);
    emitter.inlineAsm(guard(mask, next) + "st" + qualifiers + suffix(words.size(), bits) + " " + place,
                      constraints + ",~{memory}", emitter.builder.getVoidTy(), arguments, AsmEffects::SideEffect);
  }

private:
  std::string guard(llvm::Value *mask, unsigned next) {
    return mask ? "@$" + std::to_string(next - 1) + " " : std::string();
  }

  /// Address, what comes behind it, and the policy; then the mask, as the last operand.
  std::string operands(const AccessGroup &group, llvm::Value *mask, unsigned &next,
                       llvm::SmallVectorImpl<llvm::Value *> &arguments, std::string &constraints,
                       llvm::StringRef behind = "") {
    std::string text = "[$" + std::to_string(next++) + (group.offset ? " + " + std::to_string(group.offset) : "") + "]";
    text += behind;
    constraints += constraints.empty() ? "l" : ",l";
    arguments.push_back(group.pointer);
    if (policy) {
      text += ", $" + std::to_string(next++);
      constraints += ",l";
      arguments.push_back(policy);
    }
    if (mask) {
      ++next;
      constraints += ",b";
      arguments.push_back(mask);
    }
    return text + ";";
  }

  Emitter &emitter;
  std::string qualifiers;
  llvm::Value *policy = nullptr;
};

} // namespace

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
  Instruction instruction(emitter);
  const bool isVolatile = load.getIsVolatile() || isPolled(load);
  instruction.modify(load.getCache(), load.getEvict(), isVolatile);
  if (std::optional<CachePolicy> asked = cachePolicyOf(emitter, load); asked && !isVolatile)
    instruction.modify(*asked);
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
    } else if (!mask && instruction.isPlain()) {
      values = loadPlain(emitter, group, type);
    } else {
      auto [count, bits] = wordsOf(group.count * elementBits / 8, elementBits);
      Registers words = mask ? toWords(emitter.builder, otherwise, bits) : Registers();
      values = fromWords(emitter.builder, instruction.load(group, count, bits, words, mask, isVolatile), type);
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
  Instruction instruction(emitter);
  instruction.modify(store.getCache(), store.getEvict(), false);
  if (std::optional<CachePolicy> asked = cachePolicyOf(emitter, store))
    instruction.modify(*asked);
  llvm::Value *isMine = isWriter(emitter, store.getPtr().getType());
  unsigned elementBits = storageBits(values[0]->getType());
  for (const AccessGroup &group : plan.groups) {
    llvm::Value *mask = masks.empty() ? nullptr : masks[group.first];
    if (isKnown(mask, false))
      continue;
    mask = conjunction(emitter, isKnown(mask, true) ? nullptr : mask, isMine);
    llvm::ArrayRef<llvm::Value *> stored = llvm::ArrayRef(values).slice(group.first, group.count);
    if (!mask && instruction.isPlain()) {
      storePlain(emitter, group, stored);
      continue;
    }
    auto [count, bits] = wordsOf(group.count * elementBits / 8, elementBits);
    instruction.store(group, bits, toWords(emitter.builder, stored, bits), mask);
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

} // namespace triton::nvidia
