// Source text -> syntax tree, for the whole grammar of Python 3.14.
//   In:  UTF-8 text (see Encoding.h for files in other encodings).
//   Out: a tree, always; it is complete exactly when no error was reported. Statements with errors are left out of it.
// Linear in the length of the text; nesting too deep for the machine's stack is an error like any other.
#pragma once

#include "compiler/support/Diagnostic.h"
#include "compiler/syntax/Tree.h"

#include <memory>

namespace triton::syntax {

enum class ParseMode {
  Module,    // a file
  Expression // one expression, as for Python's `eval`
};

std::unique_ptr<Tree> parse(std::shared_ptr<const Source> source, Diagnostics &diagnostics,
                            ParseMode mode = ParseMode::Module);

} // namespace triton::syntax
