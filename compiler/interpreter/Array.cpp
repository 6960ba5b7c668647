#include "compiler/interpreter/Array.h"

#include "compiler/tensor/dialect/Types.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace triton::interpreter {

unsigned bitWidth(Type type) { return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64; }

uint64_t truncate(Type type, uint64_t value) { return value & llvm::maskTrailingOnes<uint64_t>(bitWidth(type)); }

Array Array::splat(Type type, uint64_t bits) {
  ArrayRef<int64_t> shape = tensor::getShape(type);
  return Array(getElementTypeOrSelf(type), shape, std::vector<uint64_t>(ShapedType::getNumElements(shape), bits));
}

static std::optional<uint64_t> scalarBits(Attribute value) {
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return integer.getValue().getZExtValue();
  if (auto number = dyn_cast<FloatAttr>(value))
    return number.getValue().bitcastToAPInt().getZExtValue();
  return std::nullopt;
}

std::optional<Array> Array::constant(Attribute value, Type type) {
  if (auto bits = scalarBits(value))
    return splat(type, *bits);
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return std::nullopt;
  std::vector<uint64_t> bits;
  bits.reserve(dense.getNumElements());
  if (isa<FloatType>(dense.getElementType()))
    for (const llvm::APFloat &element : dense.getValues<llvm::APFloat>())
      bits.push_back(element.bitcastToAPInt().getZExtValue());
  else if (dense.getElementType().isIntOrIndex())
    for (const llvm::APInt &element : dense.getValues<llvm::APInt>())
      bits.push_back(element.getZExtValue());
  else
    return std::nullopt;
  return Array(dense.getElementType(), tensor::getShape(type), std::move(bits));
}

int64_t Array::signedAt(size_t index) const { return llvm::SignExtend64((*elements)[index], bitWidth(elementType)); }

Array Array::reshaped(ArrayRef<int64_t> shape) const {
  Array result = *this;
  result.dims.assign(shape.begin(), shape.end());
  return result;
}

} // namespace triton::interpreter
