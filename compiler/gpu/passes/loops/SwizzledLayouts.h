// How blocks that loops copy ahead lie in shared memory, and how threads hold them that store them again in another order.
#pragma once

#include "compiler/gpu/Gpu.h"

namespace triton::gpu {

/// The dimension along which neighbouring elements of a load lie in one thread.
unsigned fastestDim(mlir::RankedTensorType type);

/// Rows of at most 128 bytes in which the 16-byte columns are permuted by the row: reading eight rows of a column hits every bank once.
mlir::Attribute swizzledLayout(mlir::RankedTensorType type);

/// The same for a block that is read in these layouts: columns as wide as it takes for lanes to hit different banks.
mlir::Attribute swizzledLayout(mlir::RankedTensorType type, llvm::ArrayRef<mlir::RankedTensorType> read);

/// For reading what lies along one dimension and storing it along the other without hitting a bank twice: threads hold 16 bytes along one of
/// them, `held`, whose rows are swizzled, and lanes are neighbours along the other.
mlir::Attribute transposingLayout(mlir::RankedTensorType type, unsigned held, int numWarps);

/// For bytes, what ldmatrix can read transposed by pairs and stmatrix can store: a thread holds 4 bytes along `held` in each of two rows.
mlir::Attribute pairTransposingLayout(mlir::RankedTensorType type, unsigned held, int numWarps);

} // namespace triton::gpu
