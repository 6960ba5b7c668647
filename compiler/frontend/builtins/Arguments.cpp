#include "compiler/frontend/builtins/Arguments.h"

#include "compiler/tensor/rules/Rules.h"

using namespace mlir;

namespace triton::frontend {

// What a user calls the value: tensors are "a run-time value of type int32".
static std::string describe(const Value &value) {
  return value.isTensor() ? "a run-time value of type " + value.type().str()
                          : value.repr() + " of type " + classNameOf(value);
}

FailureOr<int64_t> readInteger(Emitter &emitter, const Value &value, llvm::StringRef what) {
  std::optional<Integer> integer = asInteger(value);
  if (!integer)
    return emitter.error("TypeError") << what << " must be constexpr[int], got " << describe(value);
  if (std::optional<int64_t> small = toInt64(*integer))
    return *small;
  return emitter.error("ValueError") << what << " " << value.str() << " does not fit 64 bits";
}

FailureOr<bool> readBoolean(Emitter &emitter, const Value &value, llvm::StringRef what) {
  if (std::optional<Integer> integer = asInteger(value))
    return *integer != 0;
  if (value.isNone())
    return false;
  return emitter.error("TypeError") << what << " must be constexpr[bool], got " << describe(value);
}

FailureOr<std::string> readString(Emitter &emitter, const Value &value, llvm::StringRef what) {
  if (const auto *text = value.getIf<std::string>())
    return *text;
  return emitter.error("TypeError") << what << " must be a compile-time string, got " << describe(value);
}

FailureOr<Type> readType(Emitter &emitter, const Value &value, llvm::StringRef what) {
  const auto *type = value.getIf<Type>();
  if (type && (type->isScalar() || type->isPointer() || type->isBlock()))
    return *type;
  return emitter.error("TypeError") << what << " must be a dtype such as tl.float32, got " << describe(value);
}

FailureOr<Type> readElementType(Emitter &emitter, const Value &value, llvm::StringRef what) {
  FailureOr<Type> type = readType(emitter, value, what);
  if (succeeded(type) &&
      (type->isBlock() || *type == Type::voidType() || (type->isPointer() && type->pointee().isBlock())))
    return emitter.error("TypeError") << what << " must be the type of an element, got " << type->str();
  return type;
}

FailureOr<std::vector<Value>> readSequence(Emitter &emitter, const Value &value, llvm::StringRef what) {
  if (const TupleValue *tuple = value.tuple())
    return tuple->elements;
  if (const auto *object = value.getIf<HostObject>()) {
    llvm::Expected<std::vector<Value>> elements = object->host->iterate(*object);
    if (!elements)
      return emitter.fail(elements.takeError());
    return *elements;
  }
  return emitter.error("TypeError") << what << " must be a tuple or list, got " << describe(value);
}

static FailureOr<std::vector<int64_t>> readEach(Emitter &emitter, ArrayRef<Value> values, llvm::StringRef what) {
  std::vector<int64_t> integers;
  for (auto [index, value] : llvm::enumerate(values)) {
    FailureOr<int64_t> integer = readInteger(emitter, value, (what + " element " + llvm::Twine(index)).str());
    if (failed(integer))
      return failure();
    integers.push_back(*integer);
  }
  return integers;
}

FailureOr<std::vector<int64_t>> readIntegers(Emitter &emitter, const Value &value, llvm::StringRef what) {
  FailureOr<std::vector<Value>> elements = readSequence(emitter, value, what);
  if (failed(elements))
    return failure();
  return readEach(emitter, *elements, what);
}

FailureOr<std::vector<Value>> readVariadic(Emitter &emitter, const Value &values, llvm::StringRef what) {
  FailureOr<std::vector<Value>> elements = readSequence(emitter, values, what);
  if (failed(elements) || elements->size() != 1)
    return elements;
  const Value only = elements->front();
  return only.tuple() || only.is<HostObject>() ? readSequence(emitter, only, what) : elements;
}

FailureOr<std::vector<int64_t>> readVariadicIntegers(Emitter &emitter, const Value &values, llvm::StringRef what) {
  FailureOr<std::vector<Value>> elements = readVariadic(emitter, values, what);
  if (failed(elements))
    return failure();
  return readEach(emitter, *elements, what);
}

FailureOr<std::vector<int64_t>> readShape(Emitter &emitter, ArrayRef<Value> sizes) {
  FailureOr<std::vector<int64_t>> shape = readEach(emitter, sizes, "shape");
  if (failed(shape) || (!shape->empty() && failed(tensor::checkShape(*shape, ruleErrors(emitter)))))
    return failure();
  return shape;
}

FailureOr<Value> readTensor(Emitter &emitter, const Value &value, llvm::StringRef what) {
  if (value.isTensor())
    return value;
  return emitter.error("TypeError") << what << " must be a tensor, got " << describe(value);
}

FailureOr<Value> readBlock(Emitter &emitter, const Value &value, llvm::StringRef what) {
  if (value.isTensor() && value.type().isBlock())
    return value;
  return emitter.error("TypeError") << what << " must be a block of rank at least 1, got " << describe(value);
}

} // namespace triton::frontend
