#include "compiler/llvm/nvidia/memory/AtomicText.h"

#include "compiler/llvm/gpu/Packing.h"

namespace triton::nvidia {

static const char *constraintOf(unsigned bits) { return bits == 64 ? "l" : bits == 32 ? "r" : "h"; }
static std::string semantic(AtomicOrder order) { return tensor::stringifyMemSemantic(order.semantic).str(); }
static std::string span(AtomicOrder order) { return tensor::stringifyMemSyncScope(order.scope).str(); }

/// One instruction, done only where `guard`, if there is one, is true. Its operands end with the guard.
static llvm::Value *access(Emitter &emitter, llvm::StringRef text, const std::string &constraints, llvm::Type *result,
                           llvm::ArrayRef<llvm::Value *> arguments, llvm::Value *guard) {
  llvm::SmallVector<llvm::Value *> all(arguments);
  std::string guarded = text.str(), allConstraints = constraints;
  if (guard) {
    unsigned outputs = result->isStructTy() ? result->getStructNumElements() : 1;
    guarded = "@$" + std::to_string(outputs + arguments.size()) + " " + guarded;
    allConstraints += ",b";
    all.push_back(guard);
  }
  return emitter.inlineAsm(guarded, allConstraints + ",~{memory}", result, all, AsmEffects::SideEffect);
}

/// `atom` of one word.
static llvm::Value *atom(Emitter &emitter, AtomicOrder order, const std::string &operation, llvm::Value *pointer,
                         llvm::Value *value, llvm::Value *guard) {
  std::string constraint = constraintOf(storageBits(value->getType()));
  return access(emitter, "atom.global." + span(order) + "." + semantic(order) + "." + operation + " $0, [$1], $2;",
                "=" + constraint + ",l," + constraint, value->getType(), {pointer, value}, guard);
}

/// add.f32, add.v4.f32, add.noftz.f16x2, ….
Registers addFloats(Emitter &emitter, AtomicOrder order, llvm::Value *pointer, llvm::ArrayRef<llvm::Value *> values,
                    llvm::Value *guard) {
  llvm::IRBuilder<> &builder = emitter.builder;
  llvm::Type *element = values[0]->getType();
  const unsigned bits = storageBits(element);
  std::string type = element->isBFloatTy() ? "bf16" : "f" + std::to_string(bits);
  unsigned wordBits = bits;
  if (bits == 16 && values.size() > 1)
    wordBits = 32, type += "x2";
  std::string operation = std::string("add.") + (bits == 16 ? "noftz." : "");
  Registers words = toWords(builder, values, wordBits);
  if (words.size() == 1)
    return fromWords(builder, {atom(emitter, order, operation + type, pointer, words[0], guard)}, element);
  llvm::Type *word = words[0]->getType();
  std::string count = "v" + std::to_string(words.size()) + ".", results, operands, constraints, inputs;
  for (unsigned index = 0; index < words.size(); ++index) {
    results += (index ? ", $" : "$") + std::to_string(index);
    operands += (index ? ", $" : "$") + std::to_string(words.size() + 1 + index);
    constraints += std::string("=") + constraintOf(wordBits) + ",";
    inputs += std::string(",") + constraintOf(wordBits);
  }
  llvm::SmallVector<llvm::Value *> arguments{pointer};
  llvm::append_range(arguments, words);
  auto *result = llvm::StructType::get(emitter.context(), llvm::SmallVector<llvm::Type *>(words.size(), word));
  std::string text = "atom.global." + span(order) + "." + semantic(order) + "." + operation + count + type + " {" +
                     results + "}, [$" + std::to_string(words.size()) + "], {" + operands + "};";
  llvm::Value *old = access(emitter, text, constraints + "l" + inputs, result, arguments, guard);
  Registers parts;
  for (unsigned index = 0; index < words.size(); ++index)
    parts.push_back(builder.CreateExtractValue(old, index));
  return fromWords(builder, parts, element);
}

llvm::Value *updateAtomically(Emitter &emitter, AtomicOrder order, tensor::RMWOp kind, llvm::Value *pointer,
                              llvm::Value *value, llvm::Value *guard) {
  using Kind = tensor::RMWOp;
  auto name = [&]() -> std::string {
    switch (kind) {
    case Kind::And:
      return "and.b";
    case Kind::Or:
      return "or.b";
    case Kind::Xor:
      return "xor.b";
    case Kind::Exchange:
      return "exch.b";
    case Kind::UMax:
      return "max.u";
    case Kind::UMin:
      return "min.u";
    case Kind::Max:
      return "max.s";
    case Kind::Min:
      return "min.s";
    case Kind::Add:
    case Kind::FAdd: // is never asked for
      return "add.u";
    }
    return "";
  };
  return atom(emitter, order, name() + std::to_string(value->getType()->getIntegerBitWidth()), pointer, value, guard);
}

llvm::Value *compareAndSwap(Emitter &emitter, AtomicOrder order, llvm::Value *pointer, llvm::Value *expected,
                            llvm::Value *desired, llvm::Value *guard) {
  const unsigned bits = expected->getType()->getIntegerBitWidth();
  const std::string constraint = constraintOf(bits);
  return access(emitter,
                "atom.global." + semantic(order) + "." + span(order) + ".cas.b" + std::to_string(bits) +
                    " $0, [$1], $2, $3;",
                "=" + constraint + ",l," + constraint + "," + constraint, expected->getType(),
                {pointer, expected, desired}, guard);
}

llvm::Value *compareAndSwapAround(Emitter &emitter, AtomicOrder order, llvm::Value *pointer, llvm::Value *expected,
                                  llvm::Value *desired) {
  return access(emitter, "atom." + semantic(order) + "." + span(order) + ".global.cas.b32 $0, [$1], $2, $3;",
                "=r,l,r,r", expected->getType(), {pointer, expected, desired}, /*guard=*/nullptr);
}

} // namespace triton::nvidia
