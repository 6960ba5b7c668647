#include "compiler/tensor/Inlining.h"
#include "compiler/tensor/Tensor.h"

using namespace mlir;

#include "compiler/tensor/dialect/Dialect.cpp.inc"
#include "compiler/tensor/dialect/Enums.cpp.inc"

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
