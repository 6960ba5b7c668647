// The dialect `tt`: registration, constants, inlining, and how offsets are written.
#include "compiler/tensor/Inlining.h"
#include "compiler/tensor/Tensor.h"

using namespace mlir;

#include "compiler/tensor/dialect/Dialect.cpp.inc"
#include "compiler/tensor/dialect/Enums.cpp.inc"

namespace triton::tensor {

// `[%x, %y]` are of 32 bits, `[%x, %y : i64]` of 64.
static ParseResult parseOffsets(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::UnresolvedOperand> &offsets,
                                SmallVectorImpl<Type> &types) {
  Type type = parser.getBuilder().getI32Type();
  if (parser.parseLSquare() || parser.parseOperandList(offsets) ||
      (succeeded(parser.parseOptionalColon()) && parser.parseType(type)) || parser.parseRSquare())
    return failure();
  types.assign(offsets.size(), type);
  return success();
}

static void printOffsets(OpAsmPrinter &printer, Operation *, OperandRange offsets, TypeRange types) {
  printer << '[' << offsets;
  if (!types.empty() && !types.front().isInteger(32))
    printer << " : " << types.front();
  printer << ']';
}

} // namespace triton::tensor

#define GET_OP_CLASSES
#include "compiler/tensor/dialect/Ops.cpp.inc"

namespace triton::tensor {

void TensorDialect::initialize() {
  registerTypes();
  addInlinerInterface(this);
  addOperations<
#define GET_OP_LIST
#include "compiler/tensor/dialect/Ops.cpp.inc"
      >();
}

Operation *TensorDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location location) {
  if (auto poison = dyn_cast<ub::PoisonAttr>(value))
    return ub::PoisonOp::create(builder, location, type, poison);
  return arith::ConstantOp::materialize(builder, value, type, location);
}

} // namespace triton::tensor
