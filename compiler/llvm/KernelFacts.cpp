#include "compiler/llvm/KernelFacts.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Metadata.h"

namespace triton {

static constexpr llvm::StringLiteral metadataName = "triton.kernel";

static llvm::Metadata *number(llvm::LLVMContext &context, unsigned bits, uint64_t value) {
  return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getIntNTy(context, bits), value));
}

void writeFacts(llvm::Module &module, const KernelFacts &facts) {
  llvm::LLVMContext &context = module.getContext();
  llvm::SmallVector<llvm::Metadata *> parts{
      llvm::MDString::get(context, facts.name), number(context, 32, facts.numWarps),
      number(context, 64, facts.scratchBytes), number(context, 1, facts.waitsForPrograms),
      number(context, 1, facts.polls)};
  for (const std::string &type : facts.types)
    parts.push_back(llvm::MDString::get(context, type));
  llvm::NamedMDNode *node = module.getOrInsertNamedMetadata(metadataName);
  node->clearOperands();
  node->addOperand(llvm::MDNode::get(context, parts));
}

std::optional<KernelFacts> readFacts(const llvm::Module &module) {
  const llvm::NamedMDNode *node = module.getNamedMetadata(metadataName);
  if (!node || node->getNumOperands() != 1 || node->getOperand(0)->getNumOperands() < 5)
    return std::nullopt;
  const llvm::MDNode *parts = node->getOperand(0);
  auto *name = llvm::dyn_cast_or_null<llvm::MDString>(parts->getOperand(0));
  auto number = [&](unsigned index) -> std::optional<uint64_t> {
    auto *constant = llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(parts->getOperand(index));
    return constant ? std::optional(constant->getZExtValue()) : std::nullopt;
  };
  const auto warps = number(1), scratch = number(2), waits = number(3), polls = number(4);
  if (!name || !warps || !scratch || !waits || !polls)
    return std::nullopt;
  KernelFacts facts{name->getString().str(), int(*warps), *scratch, *waits != 0, *polls != 0, {}};
  for (const llvm::MDOperand &operand : llvm::drop_begin(parts->operands(), 5)) {
    auto *type = llvm::dyn_cast_or_null<llvm::MDString>(operand);
    if (!type)
      return std::nullopt;
    facts.types.push_back(type->getString().str());
  }
  return facts;
}

} // namespace triton
