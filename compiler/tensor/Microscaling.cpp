#include "compiler/tensor/Microscaling.h"

#include "compiler/tensor/Tensor.h"

using namespace mlir;

namespace triton::tensor {

Value scalesAsFloats(OpBuilder &builder, Location loc, Value scales) {
  auto type = cast<RankedTensorType>(scales.getType());
  RankedTensorType floats = type.clone(builder.getF32Type()), words = type.clone(builder.getI32Type());
  if (!type.getElementType().isInteger(8))
    return FpToFpOp::create(builder, loc, floats, scales, RoundingModeAttr());
  auto word = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(words, builder.getI32IntegerAttr(value)));
  };
  // The bits are an f32's exponent. The smallest is a denormal number, the largest stands for NaN.
  Value code = arith::ExtUIOp::create(builder, loc, words, scales);
  Value bits = arith::ShLIOp::create(builder, loc, code, word(23));
  for (auto [special, pattern] : {std::pair(0, 0x00400000), std::pair(255, 0x7fc00000)}) {
    Value is = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, code, word(special));
    bits = arith::SelectOp::create(builder, loc, is, word(pattern), bits);
  }
  return BitcastOp::create(builder, loc, floats, bits);
}

} // namespace triton::tensor
