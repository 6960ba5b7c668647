// The memory a syntax tree lives in. Nodes, lists and strings are allocated one after the other and go all at once.
#pragma once

#include "compiler/syntax/Ast.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"

#include <memory>
#include <vector>

namespace triton::syntax {

class Tree {
public:
  explicit Tree(std::shared_ptr<const Source> source) : source(std::move(source)) {}
  Tree(const Tree &) = delete;
  Tree &operator=(const Tree &) = delete;
  ~Tree();

  /// What was parsed: `module` in ParseMode::Module, `expression` in ParseMode::Expression.
  Module *module = nullptr;
  Expression *expression = nullptr;

  /// All ranges in the tree point into this text.
  const std::shared_ptr<const Source> source;

  template <typename NodeType> NodeType *make(uint32_t begin, uint32_t end) {
    auto *node = new (arena.Allocate<NodeType>()) NodeType;
    node->range = {source.get(), begin, end};
    return node;
  }

  Constant *makeConstant(uint32_t begin, uint32_t end, ConstantValue value);

  /// The list, copied into the arena.
  template <typename T> llvm::ArrayRef<T> copy(llvm::ArrayRef<T> list) { return list.copy(arena); }
  llvm::StringRef copy(llvm::StringRef text) { return text.copy(arena); }

  size_t bytesAllocated() const { return arena.getBytesAllocated(); }

private:
  llvm::BumpPtrAllocator arena;
  std::vector<Constant *> wideIntegers; // integers of more than 64 bits own memory outside the arena
};

} // namespace triton::syntax
