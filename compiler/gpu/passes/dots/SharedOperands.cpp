// Operands of dots in shared memory.
#include "compiler/gpu/passes/dots/LowerDots.h"

using namespace mlir;

namespace triton::gpu {

/// The dimension along which a thread holds neighbouring elements; of the lanes if it holds one element.
static unsigned fastestDim(RankedTensorType type) {
  const layout::LinearLayout &map = toLinear(type);
  for (StringRef input : {"register", "lane", "warp"})
    for (unsigned bit = 0; (int64_t(1) << bit) < map.inputSize(input); ++bit)
      for (auto [dim, component] : llvm::enumerate(map.basis(input, bit)))
        if (component == 1)
          return dim;
  return type.getRank() - 1;
}

static Value fillBuffer(OpBuilder &builder, Location loc, Value tensor, unsigned k, ArrayRef<unsigned> anyOrder,
                        bool fp4Padded) {
  auto type = cast<RankedTensorType>(tensor.getType());
  unsigned bits = type.getElementTypeBitWidth();
  // Along M or N tensor cores read 16 bytes at least.
  bool keepsOrder = llvm::is_contained(anyOrder, bits) && type.getDimSize(1 - k) * bits >= 128;
  bool isTransposed = keepsOrder ? fastestDim(type) == 0 : k == 0;
  // TMA writes rows.
  if (tensor.getDefiningOp<tensor::DescriptorLoadOp>() && keepsOrder)
    isTransposed = false;
  auto layout = fp4Padded ? NvmmaSharedAttr::get(type.getContext(), 128, isTransposed, bits, true, type.getRank())
                          : NvmmaSharedAttr::getDefault(type.getShape(), type.getElementType(), isTransposed);
  auto bufferType =
      MemDescType::get(type.getShape(), type.getElementType(), layout, SharedMemoryAttr::get(type.getContext()));
  for (Operation *user : tensor.getUsers())
    if (auto known = dyn_cast<LocalAllocOp>(user))
      if (known.getType() == bufferType)
        return known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(tensor);
  Value filled = LocalAllocOp::create(builder, loc, bufferType, tensor);
  FenceAsyncSharedOp::create(builder, loc, builder.getBoolAttr(false));
  return filled;
}

Value sharedOperand(OpBuilder &builder, Location loc, Value tensor, unsigned k, ArrayRef<unsigned> anyOrder,
                    bool fp4Padded) {
  while (auto convert = tensor.getDefiningOp<ConvertLayoutOp>())
    tensor = convert.getSrc();
  if (auto trans = tensor.getDefiningOp<tensor::TransOp>()) {
    Value source = trans.getSrc();
    while (auto convert = source.getDefiningOp<ConvertLayoutOp>())
      source = convert.getSrc();
    return MemDescTransOp::create(builder, loc, fillBuffer(builder, loc, source, 1 - k, anyOrder, fp4Padded),
                                  ArrayRef<int32_t>{1, 0});
  }
  return fillBuffer(builder, loc, tensor, k, anyOrder, fp4Padded);
}

void eraseIfDead(Value value) {
  for (Operation *definition = value.getDefiningOp();
       definition && definition->use_empty() && isa<ConvertLayoutOp, tensor::TransOp>(definition);
       definition = value.getDefiningOp()) {
    value = definition->getOperand(0);
    definition->erase();
  }
}

} // namespace triton::gpu
