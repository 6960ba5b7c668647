#include "compiler/tensor/Encoding.h"

using namespace mlir;

namespace triton::tensor {

const EncodingInterface *getEncodingInterface(RankedTensorType tensor) {
  Attribute encoding = tensor.getEncoding();
  return encoding ? encoding.getDialect().getRegisteredInterface<EncodingInterface>() : nullptr;
}

Type dropEncoding(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getEncoding())
    return type;
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType());
}

bool isSameUpToEncoding(Type lhs, Type rhs) { return dropEncoding(lhs) == dropEncoding(rhs); }

bool isSameType(Type lhs, Type rhs) {
  if (lhs == rhs)
    return true;
  auto left = dyn_cast<RankedTensorType>(lhs), right = dyn_cast<RankedTensorType>(rhs);
  if (!left || !right || !left.getEncoding() || !right.getEncoding() || !isSameUpToEncoding(left, right))
    return false;
  const EncodingInterface *encodings = getEncodingInterface(left);
  return encodings && encodings == getEncodingInterface(right) && encodings->isSameEncoding(left, right);
}

bool areSameTypes(TypeRange lhs, TypeRange rhs) {
  return lhs.size() == rhs.size() &&
         llvm::all_of(llvm::zip(lhs, rhs), [](auto pair) { return isSameType(std::get<0>(pair), std::get<1>(pair)); });
}

} // namespace triton::tensor
