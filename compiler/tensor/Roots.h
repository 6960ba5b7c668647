// Where pointers come from.
//   In:  a pointer, a tensor of pointers, a block pointer or a descriptor.
//   Out: the values it was made from by adding offsets, moving elements, choosing and going round loops: kernel arguments, as a rule.
#pragma once

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"

namespace triton::tensor {

using Sources = llvm::SmallVector<mlir::Value, 2>;

/// What a value that tensor IR knows nothing of is made from; none: it is a root.
using FurtherSources = llvm::function_ref<Sources(mlir::Value)>;

/// In the order in which they are found: of what is chosen from, the first choice first.
llvm::SmallVector<mlir::Value> rootsOf(mlir::Value pointers, FurtherSources further = nullptr);

} // namespace triton::tensor
