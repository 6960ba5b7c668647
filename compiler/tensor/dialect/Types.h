// The types of `tt` and what one asks of any type in tensor IR: its shape, its element, what a pointer gives.
#ifndef TRITON_COMPILER_TENSOR_DIALECT_TYPES_H
#define TRITON_COMPILER_TENSOR_DIALECT_TYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Types.h"

#define GET_TYPEDEF_CLASSES
#include "compiler/tensor/dialect/Types.h.inc"

namespace triton::tensor {

/// The shape of a tensor; empty for a scalar.
llvm::ArrayRef<int64_t> getShape(mlir::Type type);

/// `element`, in the shape of `type`: a tensor when `type` is one, else `element` itself.
mlir::Type withElement(mlir::Type type, mlir::Type element);

/// `i1` in the shape of `type`.
mlir::Type getMaskType(mlir::Type type);

/// What an access through `pointer` reads or writes: the pointee of a pointer, for a tensor of pointers a tensor of
/// pointees, for a block pointer the block. `pointer` itself when it is none of these.
mlir::Type getAccessedType(mlir::Type pointer);

/// The pointer to the first element that a block pointer of type `blockPointer` is made from.
mlir::Type getBasePointerType(mlir::Type blockPointer);

/// The bits of a scalar or of a tensor's element: 64 for a pointer.
unsigned getElementBits(mlir::Type type);

/// Whether `type` is one of the 8-bit floats of the language.
bool isFloat8(mlir::Type type);

} // namespace triton::tensor

#endif
