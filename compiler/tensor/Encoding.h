// How tensor ops carry the encodings of their types: a dialect whose attributes encode tensors says here what an op makes of them.
// Types without an encoding never ask.
#ifndef TRITON_COMPILER_TENSOR_ENCODING_H
#define TRITON_COMPILER_TENSOR_ENCODING_H

#include "compiler/tensor/rules/Rules.h"
#include "mlir/IR/DialectInterface.h"

namespace triton::tensor {

/// Implemented by the dialect of the encodings. Operands have encodings of that dialect and shapes that the op accepts.
class EncodingInterface : public mlir::DialectInterface::Base<EncodingInterface> {
public:
  explicit EncodingInterface(mlir::Dialect *dialect) : Base(dialect) {}

  /// The encoding of the result, or failure after one diagnostic.
  using Inferred = mlir::FailureOr<mlir::Attribute>;
  virtual Inferred inferExpandDims(mlir::RankedTensorType tensor, int64_t axis, EmitError error) const = 0;
  virtual Inferred inferReduce(mlir::RankedTensorType tensor, int64_t axis, EmitError error) const = 0;
  virtual Inferred inferReshape(mlir::RankedTensorType tensor, Shape shape, EmitError error) const = 0;
  virtual Inferred inferTrans(mlir::RankedTensorType tensor, llvm::ArrayRef<int32_t> order, EmitError error) const = 0;
  virtual Inferred inferCat(mlir::RankedTensorType tensor, EmitError error) const = 0;
  virtual Inferred inferJoin(mlir::RankedTensorType tensor, EmitError error) const = 0;
  virtual Inferred inferSplit(mlir::RankedTensorType tensor, EmitError error) const = 0;

  /// Whether `to` holds the elements of `from` in row-major order, each where it was.
  virtual bool isReshape(mlir::RankedTensorType from, mlir::RankedTensorType to) const = 0;
  /// Whether `to` can hold the elements of `from`, each where it was, in some order.
  virtual bool isReorder(mlir::RankedTensorType from, mlir::RankedTensorType to) const = 0;
  /// Whether two encodings of one shape are two names of the same.
  virtual bool isSameEncoding(mlir::RankedTensorType lhs, mlir::RankedTensorType rhs) const = 0;
  /// Whether operands encoded so can be multiplied into such an accumulator.
  virtual mlir::LogicalResult checkDot(mlir::RankedTensorType a, mlir::RankedTensorType b,
                                       mlir::RankedTensorType accumulator, EmitError error) const = 0;
};

/// Null if the tensor has no encoding, or one whose dialect says nothing about ops.
const EncodingInterface *getEncodingInterface(mlir::RankedTensorType tensor);

/// The type without an encoding.
mlir::Type dropEncoding(mlir::Type type);

/// Whether two types are one, or tensors of one shape and element whose encodings are two names of the same.
bool isSameType(mlir::Type lhs, mlir::Type rhs);
bool areSameTypes(mlir::TypeRange lhs, mlir::TypeRange rhs);

/// Whether two types are one but for their encodings.
bool isSameUpToEncoding(mlir::Type lhs, mlir::Type rhs);

} // namespace triton::tensor

#endif
