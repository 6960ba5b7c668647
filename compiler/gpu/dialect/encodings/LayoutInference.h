// What ops that change the shape of a tensor make of its layout: the composition of linear maps, written with a name where it has one.
// Values stay in the registers they are in.
#ifndef TRITON_COMPILER_GPU_DIALECT_LAYOUTINFERENCE_H
#define TRITON_COMPILER_GPU_DIALECT_LAYOUTINFERENCE_H

#include "compiler/gpu/Gpu.h"

namespace triton::gpu {

/// A blocked layout that has this map on its shape, or else the map as a linear layout.
DistributedAttr nameLayout(mlir::MLIRContext *context, const layout::LinearLayout &map);

// Layouts of results, from those of operands.
/// The parent of a slice along `axis`.
DistributedAttr expandDimsLayout(mlir::RankedTensorType tensor, int64_t axis);
DistributedAttr transLayout(mlir::RankedTensorType tensor, llvm::ArrayRef<int32_t> order);
DistributedAttr reshapeLayout(mlir::RankedTensorType tensor, llvm::ArrayRef<int64_t> shape);
/// The same for a tensor in a blocked layout, as one reads it off the text: dims that are merged must lie one behind the other in its order, those
/// that are made do. Null if the result has no blocked layout by this rule.
BlockedAttr reshapeBlocked(mlir::RankedTensorType tensor, llvm::ArrayRef<int64_t> shape);
/// Pairs lie in neighbouring registers.
DistributedAttr joinLayout(mlir::RankedTensorType tensor);
/// The registers of the second tensor follow those of the first.
DistributedAttr catLayout(mlir::RankedTensorType tensor);
/// Null if the elements of a pair lie in different threads.
DistributedAttr splitLayout(mlir::RankedTensorType tensor);

/// The map with its outputs, in row-major order, cut anew into `shape`.
layout::LinearLayout reshapeDimensions(const layout::LinearLayout &map, llvm::ArrayRef<int64_t> shape);
/// The map with dim `order[i]` as dim i.
layout::LinearLayout transposeDimensions(const layout::LinearLayout &map, llvm::ArrayRef<int32_t> order);

} // namespace triton::gpu

#endif
