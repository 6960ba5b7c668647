// A tree as text, in the form of CPython's `ast.dump`.
#pragma once

#include "compiler/syntax/Ast.h"

#include <string>

namespace triton::syntax {

struct DumpOptions {
  /// Also `lineno`, `col_offset`, `end_lineno` and `end_col_offset` of each node that has them in CPython.
  bool includeAttributes = false;
  /// Also the fields that are None or an empty list, which CPython 3.13 and later leave out.
  bool showEmpty = false;
  /// Spaces by which each level is indented, one node to a line; negative for one line in all.
  int indent = -1;
};

std::string dump(const Node *node, DumpOptions options = {});

} // namespace triton::syntax
