// What tensor ops make of layouts, for their rules and verifiers.
#include "compiler/gpu/dialect/encodings/LayoutInference.h"
#include "compiler/tensor/Encoding.h"

using namespace mlir;

namespace triton::gpu {

using tensor::EmitError;

namespace {
class Encodings : public tensor::EncodingInterface {
public:
  using EncodingInterface::EncodingInterface;

  Inferred inferExpandDims(RankedTensorType type, int64_t axis, EmitError error) const override {
    return infer(type, error, [&] { return expandDimsLayout(type, axis); });
  }
  Inferred inferReduce(RankedTensorType type, int64_t axis, EmitError error) const override {
    return infer(type, error, [&] { return SliceAttr::get(axis, cast<DistributedAttr>(type.getEncoding())); });
  }
  Inferred inferReshape(RankedTensorType type, ArrayRef<int64_t> shape, EmitError error) const override {
    return infer(type, error, [&] { return reshapeLayout(type, shape); });
  }
  Inferred inferTrans(RankedTensorType type, ArrayRef<int32_t> order, EmitError error) const override {
    return infer(type, error, [&] { return transLayout(type, order); });
  }
  Inferred inferCat(RankedTensorType type, EmitError error) const override {
    return infer(type, error, [&] { return catLayout(type); });
  }
  Inferred inferJoin(RankedTensorType type, EmitError error) const override {
    return infer(type, error, [&] { return joinLayout(type); });
  }
  Inferred inferSplit(RankedTensorType type, EmitError error) const override {
    auto half = infer(type, error, [&] { return splitLayout(type); });
    if (succeeded(half) && !*half)
      return error() << "split needs both elements of a pair in one thread, which " << type << " has not";
    return half;
  }

  bool isReshape(RankedTensorType from, RankedTensorType to) const override {
    return hasLayout(from) && hasLayout(to) && reshapeDimensions(toLinear(from), to.getShape()) == toLinear(to);
  }

  bool isReorder(RankedTensorType from, RankedTensorType to) const override {
    if (isReshape(from, to))
      return true;
    // Without copies each register is another element: any order will do.
    return hasLayout(from) && hasLayout(to) && toLinear(from).isInjective() && toLinear(to).isInjective() &&
           toLinear(from).inputSize("register") == toLinear(to).inputSize("register");
  }

  bool isSameEncoding(RankedTensorType lhs, RankedTensorType rhs) const override {
    return hasLayout(lhs) && hasLayout(rhs) && toLinear(lhs) == toLinear(rhs);
  }

  LogicalResult checkDot(RankedTensorType a, RankedTensorType b, RankedTensorType accumulator,
                         EmitError error) const override {
    // Warpgroup dots read shared memory, to which any registers can be written, those for another dot too.
    auto mma = dyn_cast<MmaAttr>(accumulator.getEncoding());
    const bool takesAny = mma && mma.isWgmma();
    for (auto [index, type] : llvm::enumerate(std::array{a, b})) {
      if (!type.getEncoding())
        return error() << "has an accumulator with a layout and an operand without: " << type;
      if (takesAny)
        continue;
      auto operand = dyn_cast<DotOperandAttr>(type.getEncoding());
      if (operand && (operand.getOpIdx() != index || operand.getParent() != accumulator.getEncoding()))
        return error() << "takes operand " << index << " in the dot_op layout of its accumulator "
                       << accumulator.getEncoding() << ", got " << operand;
    }
    return success();
  }

private:
  static Inferred infer(RankedTensorType type, EmitError error, llvm::function_ref<DistributedAttr()> layout) {
    if (!hasLayout(type))
      return error() << "needs a layout of registers, got " << type;
    return Attribute(layout());
  }
};
} // namespace

void GpuDialect::registerEncodings() { addInterfaces<Encodings>(); }

} // namespace triton::gpu
