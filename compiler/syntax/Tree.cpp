#include "compiler/syntax/Tree.h"

using namespace triton::syntax;

Tree::~Tree() {
  for (Constant *constant : wideIntegers)
    constant->~Constant();
}

Constant *Tree::makeConstant(uint32_t begin, uint32_t end, ConstantValue value) {
  auto *constant = make<Constant>(begin, end);
  constant->value = std::move(value);
  if (auto *integer = constant->as<llvm::APInt>(); integer && integer->getBitWidth() > 64)
    wideIntegers.push_back(constant);
  return constant;
}
