// Types of `ttg`: how buffers are written and checked.
#include "compiler/gpu/Gpu.h"
#include "compiler/gpu/dialect/encodings/LayoutChecks.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#define GET_TYPEDEF_CLASSES
#include "compiler/gpu/dialect/Types.cpp.inc"

namespace triton::gpu {

void GpuDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "compiler/gpu/dialect/Types.cpp.inc"
      >();
}

Type MemDescType::parse(AsmParser &parser) {
  SMLoc location = parser.getCurrentLocation();
  SmallVector<int64_t> shape, allocShape;
  Type element;
  Attribute encoding, memorySpace;
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(element) ||
      parser.parseComma() || parser.parseAttribute(encoding) || parser.parseComma() ||
      parser.parseAttribute(memorySpace))
    return {};
  bool isMutable = false;
  while (succeeded(parser.parseOptionalComma())) {
    if (!isMutable && allocShape.empty() && succeeded(parser.parseOptionalKeyword("mutable")))
      isMutable = true;
    else if (allocShape.empty()) {
      if (parser.parseDimensionList(allocShape, /*allowDynamic=*/false, /*withTrailingX=*/false))
        return {};
      if (allocShape.empty())
        return parser.emitError(parser.getCurrentLocation(), "expected `mutable` or a shape"), Type();
    } else
      return parser.emitError(parser.getCurrentLocation(), "expected `>`"), Type();
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(location); }, parser.getContext(), shape, element, encoding,
                    memorySpace, isMutable, allocShape.empty() ? shape : allocShape);
}

void MemDescType::print(AsmPrinter &printer) const {
  printer << "<";
  for (int64_t size : getShape())
    printer << size << "x";
  printer << getElementType() << ", " << getEncoding() << ", " << getMemorySpace();
  if (getMutableMemory())
    printer << ", mutable";
  if (getAllocShape() != getShape()) {
    printer << ", ";
    llvm::interleave(getAllocShape(), printer, "x");
  }
  printer << ">";
}

LogicalResult MemDescType::verify(EmitError error, ArrayRef<int64_t> shape, Type element, Attribute encoding,
                                  Attribute memorySpace, bool isMutable, ArrayRef<int64_t> allocShape) {
  if (shape.empty())
    return error() << "a buffer needs at least one dimension";
  if (!element.isIntOrFloat() && !isa<tensor::PointerType>(element))
    return error() << "a buffer's elements are numbers or pointers, got " << element;
  if (shape.front() <= 0 || shape.front() > (1 << 30))
    return error() << "a buffer's sizes must be positive, got [" << shape << "]";
  if (failed(checkPowersOfTwo("all sizes of a buffer but the first", shape.drop_front(), error)))
    return failure();
  auto layout = dyn_cast_or_null<LayoutAttr>(encoding);
  if (!layout || isa<DistributedAttr>(encoding))
    return error() << "a buffer needs a layout of memory, got " << encoding;
  if (!memorySpace || isa<SharedAttr>(encoding) != isa<SharedMemoryAttr>(memorySpace))
    return error() << "the layout " << encoding << " is not one of the memory " << memorySpace;
  int64_t rank = shape.size();
  if (layout.getRank() != rank && layout.getRank() != rank - 1)
    return error() << "a buffer of rank " << rank << " needs a layout of that rank or of one less, got "
                   << layout.getRank();
  if (static_cast<int64_t>(allocShape.size()) < rank)
    return error() << "a buffer of shape [" << shape << "] cannot be part of one of shape [" << allocShape << "]";
  for (auto [part, whole] : llvm::zip(shape, allocShape.take_back(rank)))
    if (part > whole)
      return error() << "a buffer of shape [" << shape << "] cannot be part of one of shape [" << allocShape << "]";
  return layout.checkShape(allocShape.take_back(layout.getRank()), error);
}

} // namespace triton::gpu
