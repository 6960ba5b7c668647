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
  llvm::SmallVector<llvm::Metadata *> parts{llvm::MDString::get(context, facts.name),
                                            number(context, 32, facts.numWarps),
                                            number(context, 64, facts.scratchBytes)};
  for (const std::string &type : facts.types)
    parts.push_back(llvm::MDString::get(context, type));
  llvm::NamedMDNode *node = module.getOrInsertNamedMetadata(metadataName);
  node->clearOperands();
  node->addOperand(llvm::MDNode::get(context, parts));
}

std::optional<KernelFacts> readFacts(const llvm::Module &module) {
  const llvm::NamedMDNode *node = module.getNamedMetadata(metadataName);
  if (!node || node->getNumOperands() != 1 || node->getOperand(0)->getNumOperands() < 3)
    return std::nullopt;
  const llvm::MDNode *parts = node->getOperand(0);
  auto *name = llvm::dyn_cast_or_null<llvm::MDString>(parts->getOperand(0));
  auto *warps = llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(parts->getOperand(1));
  auto *scratch = llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(parts->getOperand(2));
  if (!name || !warps || !scratch)
    return std::nullopt;
  KernelFacts facts{name->getString().str(), int(warps->getZExtValue()), scratch->getZExtValue(), {}};
  for (const llvm::MDOperand &operand : llvm::drop_begin(parts->operands(), 3)) {
    auto *type = llvm::dyn_cast_or_null<llvm::MDString>(operand);
    if (!type)
      return std::nullopt;
    facts.types.push_back(type->getString().str());
  }
  return facts;
}

} // namespace triton
