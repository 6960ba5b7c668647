#include "compiler/gpu/DirectCopies.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace triton::gpu {

bool readsAnew(tensor::LoadOp load) { return load.getIsVolatile() || load.getCache() == tensor::CacheModifier::CV; }

Value smallArgument(Value pointers) {
  while (Operation *op = pointers.getDefiningOp()) {
    if (isa<ConvertLayoutOp, tensor::BroadcastOp, tensor::ExpandDimsOp, tensor::TransOp, tensor::ReshapeOp>(op)) {
      pointers = op->getOperand(0);
    } else if (auto splat = dyn_cast<tensor::SplatOp>(op)) {
      pointers = splat.getSrc();
    } else if (auto add = dyn_cast<tensor::AddPtrOp>(op)) {
      DenseElementsAttr constant;
      const bool isUniform = !isa<RankedTensorType>(add.getType()) ||
                             add.getOffset().getDefiningOp<tensor::SplatOp>() ||
                             (matchPattern(add.getOffset(), m_Constant(&constant)) && constant.isSplat());
      if (!isUniform && !getElementTypeOrSelf(add.getOffset().getType()).isInteger(32))
        return Value();
      pointers = add.getPtr();
    } else {
      return Value();
    }
  }
  auto argument = cast<BlockArgument>(pointers);
  auto function = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function || !argument.getOwner()->isEntryBlock() || isa<RankedTensorType>(argument.getType()))
    return Value();
  auto range = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), "tt.pointer_range");
  return range && range.getInt() == 32 ? pointers : Value();
}

unsigned directPiece(ModuleOp module, const AmdArchitecture &architecture, unsigned most) {
  if (!architecture.isCdna() || most < 4)
    return 0;
  const unsigned bytes = architecture.mfma >= 4 && most >= 16 ? 16 : 4;
  auto wanted = module->getAttrOfType<IntegerAttr>(directCopiesName);
  return (wanted ? wanted.getInt() != 0 : bytes == 16) ? bytes : 0;
}

Attribute directBuffer(RankedTensorType type, unsigned fastest, unsigned bytes, unsigned lanes) {
  const int64_t elements = 8 * bytes / type.getElementTypeBitWidth(), rank = type.getRank();
  if (type.getNumElements() < elements * int64_t(lanes) || type.getDimSize(fastest) < elements)
    return Attribute();
  SmallVector<int64_t> bases;
  auto add = [&](unsigned dim, int64_t value) {
    for (unsigned each = 0; each < rank; ++each)
      bases.push_back(each == dim ? value : 0);
  };
  auto count = [&] { return int64_t(1) << bases.size() / rank; };
  int64_t along = 1; // what `fastest` has been given so far, and below, what other dimensions have left
  for (; along < elements; along *= 2)
    add(fastest, along);
  // Lanes: lines of 128 bytes of global memory, then the far rows.
  for (; along < type.getDimSize(fastest) && along * type.getElementTypeBitWidth() < 8 * 128 &&
         count() < elements * int64_t(lanes);
       along *= 2)
    add(fastest, along);
  SmallVector<int64_t> left(type.getShape());
  for (unsigned dim = 0; dim < rank; ++dim)
    for (; dim != fastest && left[dim] > 1 && count() < elements * int64_t(lanes); left[dim] /= 2)
      add(dim, left[dim] / 2);
  for (; count() < elements * int64_t(lanes); along *= 2)
    add(fastest, along);
  // What is left, near rows first.
  for (unsigned dim = rank; dim-- > 0;)
    for (int64_t value = 1; dim != fastest && value < left[dim]; value *= 2)
      add(dim, value);
  for (; along < type.getDimSize(fastest); along *= 2)
    add(fastest, along);
  return PaddedSharedAttr::get(type.getContext(), {elements * int64_t(lanes)}, {elements}, rank, bases,
                               ArrayRef<int64_t>());
}

Attribute directLayout(MemDescType buffer, unsigned bytes, unsigned lanes, unsigned warps) {
  const layout::LinearLayout &map = toLinear(buffer);
  const unsigned elements = 8 * bytes / buffer.getElementBits();
  if (elements == 0 || map.inputSize("offset") < int64_t(elements) * lanes * warps)
    return Attribute();
  layout::LinearLayout::Input registers{"register", {}}, laneBits{"lane", {}}, warpBits{"warp", {}};
  unsigned bit = 0;
  auto take = [&](layout::LinearLayout::Input &input, unsigned count) {
    for (; count > 1; count /= 2)
      input.bases.push_back(map.basis("offset", bit++));
  };
  take(registers, elements);
  take(laneBits, lanes);
  take(warpBits, warps);
  take(registers, unsigned(map.inputSize("offset") >> bit));
  SmallVector<std::string> names;
  for (const layout::LinearLayout::Output &output : map.outputs())
    names.push_back(output.name);
  return LinearAttr::get(buffer.getContext(),
                         layout::LinearLayout::fromBases({registers, laneBits, warpBits, {"block", {}}}, names));
}

} // namespace triton::gpu
