// Walking a tree without knowing its nodes.
#pragma once

#include "compiler/syntax/Fields.h"

namespace triton::syntax {

/// Calls `visit(child)` for each node directly below `node`, in the order of CPython's fields.
template <typename V> void forEachChild(const Node &node, V &&visit) {
  visitFields(node, [&]<typename Field>(llvm::StringRef, const Field &field) {
    if constexpr (std::is_convertible_v<Field, const Node *>) {
      if (field)
        visit(static_cast<const Node *>(field));
    } else if constexpr (requires { static_cast<const Node *>(*field.begin()); }) {
      for (auto *child : field)
        if (child)
          visit(static_cast<const Node *>(child));
    }
  });
}

} // namespace triton::syntax
