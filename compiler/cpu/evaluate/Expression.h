// Which operations of tensor IR are recomputed where they are needed, and how one walks the expressions they form.
#pragma once

#include "mlir/IR/Operation.h"

namespace triton::cpu {

/// Whether the results of `op` can be computed element by element wherever they are needed: no effect, no order between
/// elements.
bool isRecomputable(mlir::Operation *op);

/// Whether the function of a `tt.map_elementwise` (or the combination of a reduction or scan) works on whole vectors.
bool isVectorisable(mlir::Region &region);

/// Whether `op` or an operation inside of it may write memory that a load can see.
bool mayWrite(mlir::Operation *op);
/// The same for `op` alone.
bool mayWriteItself(mlir::Operation *op);
/// Whether `op` or an operation inside of it reads or writes such memory.
bool touchesMemory(mlir::Operation *op);

/// Visits `root` and every tensor that computing it needs, each once for each way it is placed in the nest.
/// `dimensions[d]` is the dimension of the nest that dimension `d` of the visited tensor runs along, -1 for none. Goes
/// no deeper than tensors for which `isLeaf` holds, which it also visits.
void walkExpression(mlir::Value root, llvm::ArrayRef<int> dimensions, llvm::function_ref<bool(mlir::Value)> isLeaf,
                    llvm::function_ref<void(mlir::Value, llvm::ArrayRef<int>)> visit);

/// 0, 1, … for a tensor that is placed in a nest of its own shape.
llvm::SmallVector<int> getOwnDimensions(mlir::Value tensor);

} // namespace triton::cpu
