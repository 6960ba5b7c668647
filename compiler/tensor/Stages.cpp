#include "compiler/tensor/Stages.h"

#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinDialect.h"

using namespace mlir;

namespace triton::tensor {

bool isNumber(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() && llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return isa<Float8E4M3FNType, Float8E4M3FNUZType, Float8E5M2Type, Float8E5M2FNUZType, Float8E4M3B11FNUZType,
             Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
}

LogicalResult checkValueType(Type type, EmitError error) {
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    Type element = tensor.getElementType();
    auto pointer = dyn_cast<PointerType>(element);
    if (!isNumber(element) && (!pointer || pointer.isBlockPointer()))
      return error() << "kernels have no tensors of " << element;
    return success();
  }
  // What a dialect of the compiler defines checks itself; of MLIR's types only numbers are the language's.
  StringRef dialect = type.getDialect().getNamespace();
  if (type.isInteger(128)) // the answer of cluster launch control
    return success();
  if (!isNumber(type) &&
      (dialect == BuiltinDialect::getDialectNamespace() || dialect == LLVM::LLVMDialect::getDialectNamespace()))
    return error() << "kernels have no values of type " << type;
  return success();
}

LogicalResult checkVerifiable(Operation *root) {
  WalkResult result = root->walk([](arith::SelectOp op) -> WalkResult {
    Type condition = op.getCondition().getType();
    if (isa<ShapedType>(condition) && !isa<ShapedType>(op.getType()))
      return op.emitOpError() << "chooses between single values by many conditions: " << condition << " for "
                              << op.getType();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {

/// Looks at each type once.
class TypeCheck {
public:
  explicit TypeCheck(bool allowsLayouts) : allowsLayouts(allowsLayouts) {}

  LogicalResult check(Operation *root) {
    WalkResult result = root->walk([&](Operation *op) -> WalkResult {
      // A function that is only declared has types and no values.
      auto function = dyn_cast<FuncOp>(op);
      for (TypeRange types : {TypeRange(op->getResultTypes()), function ? function.getArgumentTypes() : TypeRange(),
                              function ? function.getResultTypes() : TypeRange()})
        for (Type type : types)
          if (failed(check(op, type)))
            return WalkResult::interrupt();
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Type type : block.getArgumentTypes())
            if (failed(check(op, type)))
              return WalkResult::interrupt();
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

private:
  LogicalResult check(Operation *op, Type type) {
    // What `scf.index_switch` chooses by, where control flow has become structured.
    if (type.isIndex() || known.contains(type))
      return success();
    auto error = [&] { return op->emitOpError(); };
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (failed(checkValueType(type, error)) || (tensor && failed(checkShape(tensor.getShape(), error))))
      return failure();
    if (tensor && tensor.getEncoding() && !allowsLayouts)
      return op->emitOpError() << "has a layout before layouts are assigned: " << type;
    known.insert(type);
    return success();
  }

  bool allowsLayouts;
  DenseSet<Type> known;
};

} // namespace

LogicalResult checkKernelIr(Operation *root) { return TypeCheck(/*allowsLayouts=*/true).check(root); }
LogicalResult checkTensorIr(Operation *root) { return TypeCheck(/*allowsLayouts=*/false).check(root); }

} // namespace triton::tensor
