// A value of tensor IR while it is interpreted: elements in row-major order, each as the bits of its type.
#pragma once

#include "compiler/interpreter/FloatFormat.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <memory>

namespace triton::interpreter {

/// Copies share their elements. A scalar has an empty shape and one element. A block pointer is its base, shape, strides and offsets; a
/// descriptor its base, shape, strides and whether it pads with NaN: elements of an empty shape, several of them.
class Array {
public:
  Array() = default;
  Array(mlir::Type element, llvm::ArrayRef<int64_t> shape, std::vector<uint64_t> bits)
      : elementType(element), dims(shape), elements(std::make_shared<std::vector<uint64_t>>(std::move(bits))) {}

  /// A scalar, or a tensor with `bits` everywhere: whatever `type` is.
  static Array splat(mlir::Type type, uint64_t bits);
  /// The constant `value`; nothing for an attribute that holds no numbers.
  static std::optional<Array> constant(mlir::Attribute value, mlir::Type type);

  mlir::Type element() const { return elementType; }
  llvm::ArrayRef<int64_t> shape() const { return dims; }
  size_t size() const { return elements->size(); }
  llvm::ArrayRef<uint64_t> bits() const { return *elements; }

  uint64_t unsignedAt(size_t index) const { return (*elements)[index]; }
  int64_t signedAt(size_t index) const;
  double floatAt(size_t index) const { return decode(mlir::cast<mlir::FloatType>(elementType), (*elements)[index]); }

  /// The same elements in another shape.
  Array reshaped(llvm::ArrayRef<int64_t> shape) const;

private:
  mlir::Type elementType;
  llvm::SmallVector<int64_t> dims;
  std::shared_ptr<const std::vector<uint64_t>> elements;
};

/// How many bits an element of `type` has: 64 for pointers and `index`.
unsigned bitWidth(mlir::Type type);

/// `value` cut to the width of `type`.
uint64_t truncate(mlir::Type type, uint64_t value);

} // namespace triton::interpreter
