#include "compiler/llvm/nvidia/memory/GlobalAccessor.h"

#include "compiler/llvm/gpu/memory/GlobalAccess.h"
#include "compiler/llvm/nvidia/memory/CachePolicy.h"

namespace triton::nvidia {

namespace {

/// The text of an ld or st instruction and its operands.
class Instruction : public GlobalAccessor {
public:
  Instruction(Emitter &emitter, tensor::CacheModifier cache, tensor::EvictionPolicy evict, bool isVolatile)
      : emitter(emitter), isVolatile(isVolatile) {
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

  bool isPlain() const override { return qualifiers == ".global"; }

  /// `.v4.b32`, and what holds one such word.
  static std::string suffix(unsigned count, unsigned bits) {
    return (count > 1 ? ".v" + std::to_string(count) : std::string()) + ".b" + std::to_string(bits);
  }
  static const char *constraint(unsigned bits) { return bits == 64 ? "l" : bits == 32 ? "r" : "h"; }

  Registers load(const AccessGroup &group, unsigned count, unsigned bits, llvm::ArrayRef<llvm::Value *> otherwise,
                 llvm::Value *mask) override {
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

  void store(const AccessGroup &group, unsigned bits, llvm::ArrayRef<llvm::Value *> words, llvm::Value *mask) override {
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
  const bool isVolatile;
  std::string qualifiers;
  llvm::Value *policy = nullptr;
};

} // namespace

std::unique_ptr<GlobalAccessor> makeGlobalAccessor(Emitter &emitter, mlir::Operation *op, tensor::CacheModifier cache,
                                                   tensor::EvictionPolicy evict, bool isVolatile) {
  auto accessor = std::make_unique<Instruction>(emitter, cache, evict, isVolatile);
  if (std::optional<CachePolicy> asked = cachePolicyOf(emitter, op); asked && !isVolatile)
    accessor->modify(*asked);
  return accessor;
}

} // namespace triton::nvidia
