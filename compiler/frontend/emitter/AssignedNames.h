// Which names a piece of kernel code binds, and whether it returns: read off the syntax tree before anything is
// emitted. Control flow uses it to know what a branch or a loop may change, so that each body is emitted once.
#pragma once

#include "compiler/syntax/Ast.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <vector>

namespace triton::frontend {

class AssignedNames {
public:
  /// The names that `body` (a part of a statement list of a tree) binds at any depth of control flow, in order of first appearance.
  llvm::ArrayRef<llvm::StringRef> of(llvm::ArrayRef<syntax::Stmt *> body);
  /// Those of one statement.
  std::vector<llvm::StringRef> of(const syntax::Stmt *statement);
  /// The names whose methods `body` calls: `a` of `a.step()` and of `a.part.step()`. A method of an aggregate may change it.
  llvm::ArrayRef<llvm::StringRef> receivers(llvm::ArrayRef<syntax::Stmt *> body);

private:
  using Part = std::pair<const void *, size_t>; // of a list: where it begins, and its length
  using Cache = llvm::DenseMap<Part, std::unique_ptr<std::vector<llvm::StringRef>>>;
  Cache cache, receiverCache;
};

/// The names that `:=` binds in an expression.
void collectNamed(const syntax::Node *expr, std::vector<llvm::StringRef> &names);

/// The names a target binds: `a`, `(a, (b, c))`.
void collectTargets(const syntax::Expr *target, std::vector<llvm::StringRef> &names);

/// The first `return` in `body` at any depth of control flow, or null.
const syntax::Return *findReturn(llvm::ArrayRef<syntax::Stmt *> body);

} // namespace triton::frontend
