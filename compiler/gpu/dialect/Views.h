// The types of views of buffers: what an op that looks at a buffer differently gives.
//   In:  the type of the buffer, and where to put an error.
//   Out: the type of the view, its layout written with a name where it has one, or failure after one diagnostic.
#ifndef TRITON_COMPILER_GPU_DIALECT_VIEWS_H
#define TRITON_COMPILER_GPU_DIALECT_VIEWS_H

#include "compiler/gpu/Gpu.h"
#include "compiler/tensor/rules/Rules.h"

namespace triton::gpu {

/// One buffer of a row of buffers.
mlir::FailureOr<MemDescType> inferIndex(MemDescType type, tensor::EmitError error);
/// The part of `shape` that begins at `offsets`.
mlir::FailureOr<MemDescType> inferSubslice(MemDescType type, llvm::ArrayRef<int32_t> offsets,
                                           llvm::ArrayRef<int64_t> shape, tensor::EmitError error);
mlir::FailureOr<MemDescType> inferTrans(MemDescType type, llvm::ArrayRef<int32_t> order, tensor::EmitError error);
mlir::FailureOr<MemDescType> inferReshape(MemDescType type, llvm::ArrayRef<int64_t> shape, tensor::EmitError error);

/// A name for this map of a buffer of `shape`: an attribute like `like` if one has the map, or else a `shared_linear`.
SharedAttr nameSharedLayout(const layout::LinearLayout &map, llvm::ArrayRef<int64_t> shape, SharedAttr like);

/// Whether two types of buffers mean the same memory: they differ at most in how the layout is written.
bool isSameView(MemDescType lhs, MemDescType rhs);

/// The type of the e2m1 numbers in `bytes`, two for each along `axis`.
mlir::FailureOr<mlir::RankedTensorType> inferFp4ToFp(mlir::RankedTensorType bytes, mlir::Type element, int64_t axis,
                                                     llvm::function_ref<mlir::InFlightDiagnostic()> error);
/// The permutation that brings a last dimension right behind `axis` of the `rank` before it.
llvm::SmallVector<int32_t> besideAxis(int64_t rank, int64_t axis);

} // namespace triton::gpu

#endif
