// Layouts of tensor memory.
#include "compiler/gpu/dialect/encodings/LayoutChecks.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#define GET_ATTRDEF_CLASSES
#include "compiler/gpu/dialect/NvidiaAttributes.cpp.inc"

namespace triton::gpu {

using layout::LinearLayout;

void NvidiaDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/gpu/dialect/NvidiaAttributes.cpp.inc"
      >();
}

/// The shape of what one CTA of a split tensor holds; nullopt if it cannot be split so.
static std::optional<SmallVector<int64_t>> splitShape(ArrayRef<int64_t> shape, int64_t splitM, int64_t splitN) {
  if (shape[0] % splitM != 0 || shape[1] % splitN != 0)
    return std::nullopt;
  return SmallVector<int64_t>{shape[0] / splitM, shape[1] / splitN};
}

/// `cta` repeated over the CTAs, as further columns.
static LinearLayout repeatOverCtas(const LinearLayout &cta, int64_t splitM, int64_t splitN) {
  return cta * LinearLayout::identity(splitM, "col", "dim0") * LinearLayout::identity(splitN, "col", "dim1");
}

LogicalResult TensorMemoryEncodingAttr::verify(EmitError error, int64_t blockM, int64_t blockN, int64_t colStride,
                                               int64_t splitM, int64_t splitN, bool twoCTAs) {
  if (blockM != 64 && blockM != 128)
    return error() << "blockM must be 64 or 128, got " << blockM;
  if (blockN > 512)
    return error() << "blockN must be at most 512, got " << blockN;
  if (colStride != 1 && colStride != 2 && colStride != 4)
    return error() << "colStride must be 1, 2 or 4, got " << colStride;
  if (failed(checkPowersOfTwo("blockN", blockN, error)))
    return failure();
  return checkPowersOfTwo("CTASplitM and CTASplitN", {splitM, splitN}, error);
}

int64_t TensorMemoryEncodingAttr::getRank() const { return 2; }

LogicalResult TensorMemoryEncodingAttr::checkShape(ArrayRef<int64_t> shape, EmitError error) const {
  if (failed(checkTensorShape(2, shape, error)))
    return failure();
  auto cta = splitShape(shape, getCTASplitM(), getCTASplitN());
  if (!cta || (*cta)[0] < getBlockM() || (*cta)[1] < getBlockN())
    return error() << "a tensor of shape [" << shape << "] is smaller than the blocks of " << getBlockM() << "x"
                   << getBlockN() << " that each CTA holds";
  return success();
}

LinearLayout TensorMemoryEncodingAttr::toLinear(ArrayRef<int64_t> shape) const {
  layout::TensorMemoryLayout cta{getBlockM(), getBlockN(), getColStride()};
  return repeatOverCtas(cta.toLinear(*splitShape(shape, getCTASplitM(), getCTASplitN())), getCTASplitM(),
                        getCTASplitN());
}

LogicalResult TensorMemoryScalesAttr::verify(EmitError error, int64_t splitM, int64_t splitN) {
  return checkPowersOfTwo("CTASplitM and CTASplitN", {splitM, splitN}, error);
}

int64_t TensorMemoryScalesAttr::getRank() const { return 2; }

LogicalResult TensorMemoryScalesAttr::checkShape(ArrayRef<int64_t> shape, EmitError error) const {
  if (failed(checkTensorShape(2, shape, error)))
    return failure();
  if (!splitShape(shape, getCTASplitM(), getCTASplitN()))
    return error() << "scales of shape [" << shape << "] cannot be split over " << getCTASplitM() << "x"
                   << getCTASplitN() << " CTAs";
  return success();
}

LinearLayout TensorMemoryScalesAttr::toLinear(ArrayRef<int64_t> shape) const {
  return repeatOverCtas(layout::tensorMemoryScales(*splitShape(shape, getCTASplitM(), getCTASplitN())), getCTASplitM(),
                        getCTASplitN());
}

} // namespace triton::gpu
