// Looks at a text of IR before MLIR's or LLVM's reader does: both descend once more for every bracket, whatever the stack has left, and MLIR's
// trusts some numbers that it reads.
//   In:  a text that anybody may have written.
//   Out: whether it can be given to the reader, which then finds all other mistakes.
#pragma once

#include "compiler/support/Diagnostic.h"

namespace triton {

enum class IrSyntax { Mlir, Llvm };

/// How many brackets may be open at one place, counting those of the aliases that are named there: as many regions are read in 512 KiB of stack.
inline constexpr unsigned maxIrNesting = 200;

/// False after reporting the first thing that a reader must not see.
bool isReadable(const Source &source, IrSyntax syntax, Diagnostics &diagnostics);

} // namespace triton
