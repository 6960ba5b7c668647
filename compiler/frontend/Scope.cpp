#include "compiler/frontend/Scope.h"

#include "llvm/ADT/SmallVector.h"

using namespace triton;
using namespace triton::frontend;
using llvm::SmallVector;

bool triton::frontend::unchanged(const std::optional<LocalBinding> &before, const std::optional<LocalBinding> &after) {
  if (!before || !after)
    return !before && !after;
  if (before->state != after->state)
    return false;
  SmallVector<mlir::Value> a, b;
  flatten(before->value, a);
  flatten(after->value, b);
  return a == b && before->value.type() == after->value.type();
}
