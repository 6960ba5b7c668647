// Language types -> IR types. Signedness and constness stay behind.
#include "compiler/frontend/values/Type.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/IR/BuiltinTypes.h"

namespace triton::frontend {

static mlir::Type scalarToIr(ScalarKind kind, mlir::MLIRContext *context) {
  switch (kind) {
  case ScalarKind::Void:
    return mlir::NoneType::get(context);
  case ScalarKind::Float8E5:
    return mlir::Float8E5M2Type::get(context);
  case ScalarKind::Float8E5B16:
    return mlir::Float8E5M2FNUZType::get(context);
  case ScalarKind::Float8E4NV:
    return mlir::Float8E4M3FNType::get(context);
  case ScalarKind::Float8E4B8:
    return mlir::Float8E4M3FNUZType::get(context);
  case ScalarKind::Float8E4B15:
    return mlir::Float8E4M3B11FNUZType::get(context);
  case ScalarKind::Float16:
    return mlir::Float16Type::get(context);
  case ScalarKind::BFloat16:
    return mlir::BFloat16Type::get(context);
  case ScalarKind::Float32:
    return mlir::Float32Type::get(context);
  case ScalarKind::Float64:
    return mlir::Float64Type::get(context);
  default:
    return mlir::IntegerType::get(context, Type::scalar(kind).bitWidth());
  }
}

/// The block of a descriptor, whose integers carry their sign.
static mlir::RankedTensorType descriptorBlockToIr(const Type &block, mlir::MLIRContext *context) {
  mlir::Type element = block.element().toIr(context);
  if (block.isInteger() && !block.isBool())
    element = mlir::IntegerType::get(context, block.bitWidth(),
                                     block.isSigned() ? mlir::IntegerType::Signless : mlir::IntegerType::Unsigned);
  return mlir::RankedTensorType::get(block.shape(), element, block.layout());
}

mlir::Type Type::toIr(mlir::MLIRContext *context) const {
  switch (kind()) {
  case Kind::Scalar:
    return scalarToIr(scalarKind(), context);
  case Kind::Pointer: {
    // A bool occupies a byte in memory.
    const Type memory = pointee().isBool() ? pointee().withElement(scalar(ScalarKind::Int8)) : pointee();
    return tensor::PointerType::get(memory.toIr(context), addressSpace());
  }
  case Kind::Block:
    return mlir::RankedTensorType::get(shape(), element().toIr(context), layout());
  case Kind::Handle:
    return handleIr(*this);
  case Kind::Descriptor:
    return tensor::TensorDescType::get(descriptorBlockToIr(descriptorBlock(), context));
  default:
    llvm_unreachable("only scalars, pointers, blocks and descriptors are one value in IR");
  }
}

} // namespace triton::frontend
