#include "compiler/gpu/CopyEngine.h"

#include "compiler/gpu/AccessAnalysis.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace triton::gpu {

NvmmaSharedAttr copyEngineLayout(tensor::TensorDescType type) {
  RankedTensorType block = type.getSignlessBlockType();
  return NvmmaSharedAttr::getDefault(block.getShape(), block.getElementType());
}

static int elementTypeOf(Type element) {
  if (element.isF16())
    return 6;
  if (element.isF32())
    return 7;
  if (element.isF64())
    return 9;
  if (element.isBF16())
    return 10;
  bool isSigned = !element.isUnsignedInteger();
  switch (element.getIntOrFloatBitWidth()) {
  case 16:
    return 1;
  case 32:
    return isSigned ? 3 : 2;
  case 64:
    return isSigned ? 5 : 4;
  default:
    return 0; // bytes, 8-bit floats included
  }
}

TensorMapFormat tensorMapFormat(tensor::TensorDescType type) {
  RankedTensorType block = type.getBlockType();
  NvmmaSharedAttr layout = copyEngineLayout(type);
  layout::Coordinates box = layout.getLayout().tmaBox(block.getShape());
  return {.swizzle = layout.getSwizzlingByteWidth() ? int(llvm::Log2_32(layout.getSwizzlingByteWidth() / 16)) : 0,
          .elementBytes = int(block.getElementTypeBitWidth() / 8),
          .elementType = elementTypeOf(block.getElementType()),
          .box = SmallVector<int64_t>(box.begin(), box.end())};
}

/// A descriptor that a launch makes: an argument of a kernel.
static bool isKernelArgument(Value descriptor) {
  auto argument = dyn_cast<BlockArgument>(descriptor);
  auto function = argument ? dyn_cast<tensor::FuncOp>(argument.getOwner()->getParentOp()) : tensor::FuncOp();
  return function && function.isPublic() && argument.getOwner()->isEntryBlock();
}

static bool fits(tensor::TensorDescType type) {
  RankedTensorType block = type.getBlockType();
  unsigned bits = block.getElementTypeBitWidth();
  return bits >= 8 && block.getRank() <= 5 && block.getShape().back() * bits >= 128 &&
         copyEngineLayout(type).getLayout().toLinear(block.getShape()).has_value();
}

/// Whether a value reaches a product through ops that only move it.
static bool feedsDot(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    if (isa<tensor::DotOp>(user))
      return true;
    return isa<tensor::TransOp, tensor::ReshapeOp, tensor::FpToFpOp, ConvertLayoutOp>(user) &&
           feedsDot(user->getResult(0));
  });
}

bool usesCopyEngine(ModuleOp module, const Target &target) {
  if (!target.hasTma() || getNumCtas(module) != 1)
    return false;
  AccessAnalysis access(module);
  bool fitsAll = true, pays = false;
  auto check = [&](Value descriptor, ValueRange coordinates) {
    auto type = cast<tensor::TensorDescType>(descriptor.getType());
    int64_t multiple = access.of(coordinates.back()).divisibilityOfAll();
    fitsAll &= isKernelArgument(descriptor) && fits(type) &&
               multiple * (type.getBlockType().getElementTypeBitWidth() / 8) % 16 == 0;
  };
  module.walk([&](Operation *op) {
    if (auto function = dyn_cast<tensor::FuncOp>(op)) {
      for (Type type : function.getArgumentTypes())
        if (auto descriptor = dyn_cast<tensor::TensorDescType>(type)) // also one that nothing uses is made at launch
          fitsAll &= fits(descriptor);
    } else if (auto load = dyn_cast<tensor::DescriptorLoadOp>(op)) {
      check(load.getDesc(), load.getIndices());
      pays |= op->getParentOfType<scf::ForOp>() && feedsDot(load.getResult());
    } else if (auto store = dyn_cast<tensor::DescriptorStoreOp>(op)) {
      check(store.getDesc(), store.getIndices());
    } else if (llvm::any_of(op->getOperandTypes(), llvm::IsaPred<tensor::TensorDescType>) ||
               llvm::any_of(op->getResultTypes(), llvm::IsaPred<tensor::TensorDescType>)) {
      fitsAll = false; // made, passed on or used for something else
    }
  });
  return fitsAll && pays;
}

} // namespace triton::gpu
