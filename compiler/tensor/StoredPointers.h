// Which of a kernel's arguments lead to memory that it may store to.
//   In:  a pointer or a descriptor among the arguments of a function.
//   Out: whether some op may store through it, or through what is computed from it.
// Followed are offsets, splats, choices, loops, calls, descriptors, and addresses as integers. An address that is itself stored to memory, or handed to an op of which nothing is
// known, counts as stored through. A pointer that comes from memory does not: it leads to what another argument, or nobody, has named.
#pragma once

#include "mlir/IR/Value.h"

namespace triton::tensor {

bool mayStoreThrough(mlir::BlockArgument argument);

} // namespace triton::tensor
