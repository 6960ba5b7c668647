#include "compiler/gpu/dialect/Views.h"

#include "compiler/gpu/dialect/encodings/LayoutChecks.h"
#include "compiler/gpu/dialect/encodings/LayoutInference.h"

using namespace mlir;

namespace triton::gpu {

using layout::LinearLayout;

FailureOr<MemDescType> inferIndex(MemDescType type, EmitError error) {
  if (type.getRank() < 2)
    return error() << "indexes a row of buffers, got one of shape [" << type.getShape() << "]";
  if (type.getAllocShape() != type.getShape())
    return error() << "cannot index a part of a buffer, got " << type;
  if (!type.isMultiBuffered())
    return error() << "indexes a row of buffers, whose layout has one dimension less, got " << type;
  ArrayRef<int64_t> shape = type.getShape().drop_front();
  return MemDescType::get(shape, type.getElementType(), type.getEncoding(), type.getMemorySpace(),
                          type.getMutableMemory(), shape);
}

/// A part begins where no swizzle applies: threads XOR its place into every offset, and copy engines and tensor cores add it.
static LogicalResult checkWhole(MemDescType type, ArrayRef<int64_t> shape, EmitError error) {
  LinearLayout places = toLinear(type).pseudoInvert();
  if (places.hasOutput("block"))
    places = places.removeOutput("block");
  const size_t leading = shape.size() - places.inputs().size();
  for (auto [input, part] : llvm::zip(places.inputs(), shape.drop_front(leading)))
    for (auto [bit, place] : llvm::enumerate(input.bases))
      if (int64_t(1) << bit >= part && place.front() && !llvm::isPowerOf2_64(place.front()))
        return error() << "We don't support splitting along the swizzling pattern: a part of shape [" << shape
                       << "] cuts through the swizzle of " << type;
  return success();
}

FailureOr<MemDescType> inferSubslice(MemDescType type, ArrayRef<int32_t> offsets, ArrayRef<int64_t> shape,
                                     EmitError error) {
  int64_t rank = type.getRank();
  if (static_cast<int64_t>(offsets.size()) != rank || static_cast<int64_t>(shape.size()) != rank)
    return error() << "needs " << rank << " offsets and sizes, got " << offsets.size() << " and " << shape.size();
  for (auto [dim, offset, part, whole] : llvm::enumerate(offsets, shape, type.getShape()))
    if (part <= 0 || offset < 0 || offset % part != 0 || offset + part > whole)
      return error() << "takes parts at multiples of their size, inside of the buffer, got offset " << offset
                     << " and size " << part << " of " << whole << " in dim " << dim;
  if (isa<SharedAttr>(type.getEncoding()) && failed(checkWhole(type, shape, error)))
    return failure();
  return MemDescType::getChecked(error, type.getContext(), shape, type.getElementType(), type.getEncoding(),
                                 type.getMemorySpace(), type.getMutableMemory(), type.getAllocShape());
}

static bool hasMap(SharedAttr attribute, const LinearLayout &map, ArrayRef<int64_t> shape) {
  if (attribute.getRank() != static_cast<int64_t>(shape.size()))
    return false;
  if (auto nvmma = dyn_cast<NvmmaSharedAttr>(attribute)) // not every shape can be laid out so
    return nvmma.getLayout().toLinear(shape) == map;
  return attribute.toLinear(shape) == map;
}

/// Attributes of the kind of `like` that might have a map over `shape`.
static SmallVector<SharedAttr> candidatesLike(SharedAttr like, ArrayRef<int64_t> shape) {
  MLIRContext *context = like.getContext();
  SmallVector<SharedAttr> candidates;
  int64_t rank = shape.size();
  if (auto nvmma = dyn_cast<NvmmaSharedAttr>(like)) {
    for (bool transposed : {false, true})
      if (rank <= 5 && nvmma.getCluster().empty())
        candidates.push_back(NvmmaSharedAttr::get(context, nvmma.getSwizzlingByteWidth(), transposed,
                                                  nvmma.getElementBitWidth(), nvmma.getFp4Padded(), rank));
  } else if (auto swizzled = dyn_cast<SwizzledSharedAttr>(like); swizzled && rank <= 4) {
    auto order = llvm::to_vector(llvm::seq<unsigned>(0, rank));
    do
      if (swizzled.getCluster().empty())
        candidates.push_back(
            SwizzledSharedAttr::get(context, swizzled.getVec(), swizzled.getPerPhase(), swizzled.getMaxPhase(), order));
    while (std::next_permutation(order.begin(), order.end()));
  }
  return candidates;
}

SharedAttr nameSharedLayout(const LinearLayout &map, ArrayRef<int64_t> shape, SharedAttr like) {
  if (hasMap(like, map, shape))
    return like;
  for (SharedAttr candidate : candidatesLike(like, shape))
    if (hasMap(candidate, map, shape))
      return candidate;
  if (auto padded = dyn_cast<PaddedSharedAttr>(like)) {
    auto flat = [&](unsigned index) { return flattenBases(map.inputs()[index].bases); };
    return PaddedSharedAttr::get(like.getContext(), padded.getIntervals(), padded.getPaddings(), shape.size(), flat(0),
                                 map.inputs().size() > 1 ? flat(1) : SmallVector<int64_t>());
  }
  return SharedLinearAttr::get(like.getContext(), map, like.getAlignment());
}

/// `type` seen as `shape`, its buffers laid out by `map`.
static MemDescType withMap(MemDescType type, ArrayRef<int64_t> shape, ArrayRef<int64_t> allocShape,
                           const LinearLayout &map) {
  ArrayRef<int64_t> buffer = allocShape.take_back(map.outputs().size());
  Attribute layout = nameSharedLayout(map, buffer, cast<SharedAttr>(type.getEncoding()));
  return MemDescType::get(shape, type.getElementType(), layout, type.getMemorySpace(), type.getMutableMemory(),
                          allocShape);
}

static LogicalResult checkIsShared(MemDescType type, EmitError error) {
  if (!isa<SharedAttr>(type.getEncoding()))
    return error() << "needs a buffer in shared memory, got " << type;
  return success();
}

FailureOr<MemDescType> inferTrans(MemDescType type, ArrayRef<int32_t> order, EmitError error) {
  int64_t rank = type.getRank(), leading = rank - type.getLayout().getRank();
  if (failed(checkIsShared(type, error)) || failed(tensor::checkPermutation("order", order, rank, error)))
    return failure();
  if (leading && order[0] != 0)
    return error() << "keeps the dimension that counts buffers first, got order [" << order << "]";
  if (static_cast<int64_t>(type.getAllocShape().size()) != rank)
    return error() << "cannot transpose a part of a buffer of another rank, got " << type;
  SmallVector<int64_t> shape, allocShape;
  SmallVector<int32_t> layoutOrder;
  for (int32_t dim : order) {
    shape.push_back(type.getShape()[dim]);
    allocShape.push_back(type.getAllocShape()[dim]);
    if (dim >= leading)
      layoutOrder.push_back(dim - leading);
  }
  return withMap(type, shape, allocShape, transposeDimensions(toLinear(type), layoutOrder));
}

FailureOr<MemDescType> inferReshape(MemDescType type, ArrayRef<int64_t> shape, EmitError error) {
  if (failed(checkIsShared(type, error)))
    return failure();
  if (type.isMultiBuffered() || type.getAllocShape() != type.getShape())
    return error() << "cannot reshape a part of a buffer or a row of buffers, got " << type;
  if (shape.empty() || failed(checkPowersOfTwo("the sizes", shape, error)))
    return failure();
  if (llvm::product_of(shape) != type.getNumElements())
    return error() << "cannot change the number of elements: [" << type.getShape() << "] to [" << shape << "]";
  return withMap(type, shape, shape, reshapeDimensions(toLinear(type), shape));
}

bool isSameView(MemDescType lhs, MemDescType rhs) {
  return lhs.getShape() == rhs.getShape() && lhs.getAllocShape() == rhs.getAllocShape() &&
         lhs.getElementType() == rhs.getElementType() && lhs.getMemorySpace() == rhs.getMemorySpace() &&
         lhs.getMutableMemory() == rhs.getMutableMemory() &&
         (lhs.getEncoding() == rhs.getEncoding() ||
          (isa<PaddedSharedAttr>(lhs.getEncoding()) == isa<PaddedSharedAttr>(rhs.getEncoding()) &&
           toLinear(lhs) == toLinear(rhs)));
}

} // namespace triton::gpu
