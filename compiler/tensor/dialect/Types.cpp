#include "compiler/tensor/dialect/Types.h"

#include "compiler/tensor/Stages.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/rules/Rules.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#define GET_TYPEDEF_CLASSES
#include "compiler/tensor/dialect/Types.cpp.inc"

namespace triton::tensor {

void TensorDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "compiler/tensor/dialect/Types.cpp.inc"
      >();
}

Type PointerType::parse(AsmParser &parser) {
  Type pointee;
  int addressSpace = 1;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseType(pointee))
    return {};
  if (succeeded(parser.parseOptionalComma()) && parser.parseInteger(addressSpace))
    return {};
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(location); }, pointee, addressSpace);
}

void PointerType::print(AsmPrinter &printer) const {
  printer << "<" << getPointeeType();
  if (getAddressSpace() != 1)
    printer << ", " << getAddressSpace();
  printer << ">";
}

LogicalResult PointerType::verify(function_ref<InFlightDiagnostic()> error, Type pointee, int addressSpace) {
  // 7 is the last that a target of ours gives a meaning.
  if (addressSpace < 0 || addressSpace > 7)
    return error() << "there is no address space " << addressSpace << ": 0 to 7";
  if (auto block = dyn_cast<RankedTensorType>(pointee))
    return failed(checkValueType(block, error)) ? failure() : checkShape(block.getShape(), error);
  auto pointer = dyn_cast<PointerType>(pointee);
  if (!isNumber(pointee) && (!pointer || pointer.isBlockPointer()))
    return error() << "cannot point to " << pointee;
  return success();
}

LogicalResult TensorDescType::verify(function_ref<InFlightDiagnostic()> error, RankedTensorType block) {
  Type element = block.getElementType();
  if (auto integer = dyn_cast<IntegerType>(element))
    element = IntegerType::get(element.getContext(), integer.getWidth());
  if (!isNumber(element))
    return error() << "a descriptor's elements are numbers, got " << block.getElementType();
  return checkShape(block.getShape(), error);
}

RankedTensorType TensorDescType::getSignlessBlockType() const {
  auto block = getBlockType();
  if (auto integer = dyn_cast<IntegerType>(block.getElementType()))
    return block.clone(IntegerType::get(getContext(), integer.getWidth()));
  return block;
}

ArrayRef<int64_t> getShape(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.getShape();
  return {};
}

Type withElement(Type type, Type element) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(element);
  return element;
}

Type getMaskType(Type type) { return withElement(type, IntegerType::get(type.getContext(), 1)); }

Type getAccessedType(Type type) {
  if (auto pointer = dyn_cast<PointerType>(getElementTypeOrSelf(type)))
    return withElement(type, pointer.getPointeeType());
  return type;
}

Type getBasePointerType(Type type) {
  auto pointer = dyn_cast<PointerType>(type);
  if (!pointer)
    return type;
  return PointerType::get(getElementTypeOrSelf(pointer.getPointeeType()), pointer.getAddressSpace());
}

unsigned getElementBits(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

bool isFloat8(Type type) { return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8; }

} // namespace triton::tensor
