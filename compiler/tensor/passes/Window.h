// A window onto a tensor in memory, spelled out as pointers and masks: what block pointers and descriptors become where
// no hardware knows them.
#pragma once

#include "compiler/tensor/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"

namespace triton::tensor {

/// The elements a block access touches. Shape, strides and offsets are i64, one per dimension.
struct Window {
  mlir::Value base;
  mlir::ValueRange shape, strides, offsets;
  mlir::RankedTensorType block;

  /// A pointer to each element of the block.
  mlir::Value pointers(mlir::OpBuilder &builder, mlir::Location location) const;
  /// Which elements lie inside of the tensor along each of `dims`; null when `dims` is empty.
  mlir::Value mask(mlir::OpBuilder &builder, mlir::Location location, llvm::ArrayRef<int32_t> dims) const;
};

/// `vector`, a tensor of rank 1, along dimension `dim` of a tensor of shape `shape`.
mlir::Value spread(mlir::OpBuilder &builder, mlir::Location location, mlir::Value vector, int64_t dim,
                   llvm::ArrayRef<int64_t> shape);

/// `value`, an integer or tensor of integers, as i64.
mlir::Value toI64(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value);

/// Drops the lower bounds of masks made by `Window::mask` that every element meets, since the offset is never negative.
/// Afterwards such a mask is a prefix.
void dropLowerBounds(mlir::Operation *root);

/// Replaces every type that `converter` replaces, through functions, calls, `scf` and selects, and every op of
/// `patterns`. Does nothing, and costs next to nothing, when there is no such type.
mlir::LogicalResult convertTypes(mlir::Operation *root, mlir::TypeConverter &converter,
                                 mlir::RewritePatternSet &&patterns);

} // namespace triton::tensor
