// Writes products of microscaling formats as products of bf16 or f16.
//
//   %d = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = bf16 : …
// becomes
//   %wide = tt.fp_to_fp %a : … -> tensor<128x64xf32>
//   %factor = 2^(%s - 127), each repeated for the 32 elements of its group
//   %x = arith.truncf (arith.mulf %wide, %factor) : … to tensor<128x64xbf16>
//   %d = tt.dot %x, %b, %c
//
// Operands become f16 when either format is fp16, else bf16, which holds every scaled 4-bit and 8-bit float exactly. For
// targets without such products in hardware; on the CPU, staging a product's operands computes all of this on the way, so
// nothing is materialised for it.
#include "compiler/tensor/Microscaling.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/passes/Passes.h"

using namespace mlir;

namespace triton::tensor {

#define GEN_PASS_DEF_DECOMPOSESCALEDDOTS
#include "compiler/tensor/passes/Passes.h.inc"

namespace {

struct Decomposer {
  tensor::DotScaledOp dot;
  OpBuilder builder{dot};
  Location loc = dot.getLoc();
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type();

  static RankedTensorType typeOf(Value tensor) { return cast<RankedTensorType>(tensor.getType()); }
  static RankedTensorType with(Value tensor, Type element) {
    return RankedTensorType::get(typeOf(tensor).getShape(), element);
  }

  Value word(Value like, int64_t value) {
    return arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(with(like, i32), builder.getI32IntegerAttr(int32_t(value))));
  }
  Value real(Value like, double value) {
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(with(like, f32), builder.getF32FloatAttr(float(value))));
  }
  Value bitcast(Value value, Type element) {
    return tensor::BitcastOp::create(builder, loc, with(value, element), value);
  }

  /// Two 4-bit floats in each byte, the first in the low bits, as f32: sign, two bits of exponent, one of mantissa.
  Value unpack(Value bytes, size_t along) {
    Value wide = arith::ExtUIOp::create(builder, loc, with(bytes, i32), bytes);
    auto decode = [&](Value code) -> Value {
      Value magnitude = arith::AndIOp::create(builder, loc, code, word(code, 7));
      Value sign =
          arith::ShLIOp::create(builder, loc, arith::AndIOp::create(builder, loc, code, word(code, 8)), word(code, 28));
      // Moved to where f32 has its exponent and rescaled by the difference of the biases.
      Value scaled = bitcast(arith::ShLIOp::create(builder, loc, magnitude, word(code, 22)), f32);
      scaled = arith::MulFOp::create(builder, loc, scaled, real(code, std::ldexp(1.0, 126)));
      return bitcast(arith::OrIOp::create(builder, loc, bitcast(scaled, i32), sign), f32);
    };
    Value low = decode(wide), high = decode(arith::ShRUIOp::create(builder, loc, wide, word(wide, 4)));
    Value pairs = tensor::JoinOp::create(builder, loc, low, high);
    size_t rank = typeOf(bytes).getRank();
    if (along + 1 < rank) { // the pair belongs next to the dimension it was packed along
      SmallVector<int32_t> order;
      for (size_t d = 0; d < rank; ++d) {
        order.push_back(int32_t(d));
        if (d == along)
          order.push_back(int32_t(rank));
      }
      pairs = tensor::TransOp::create(builder, loc, pairs, order);
    }
    SmallVector<int64_t> shape(typeOf(bytes).getShape());
    shape[along] *= 2;
    return tensor::ReshapeOp::create(builder, loc, pairs, shape);
  }

  Value widen(Value operand, tensor::ScaleDotElemType format, size_t packedAlong) {
    Type element;
    switch (format) {
    case tensor::ScaleDotElemType::E2M1:
      return unpack(operand, packedAlong);
    case tensor::ScaleDotElemType::E4M3:
      element = Float8E4M3FNType::get(builder.getContext());
      break;
    case tensor::ScaleDotElemType::E5M2:
      element = Float8E5M2Type::get(builder.getContext());
      break;
    case tensor::ScaleDotElemType::BF16:
      element = builder.getBF16Type();
      break;
    case tensor::ScaleDotElemType::FP16:
      element = builder.getF16Type();
      break;
    default:
      return {};
    }
    if (typeOf(operand).getElementType() != element)
      operand = bitcast(operand, element);
    if (element.getIntOrFloatBitWidth() == 16)
      return arith::ExtFOp::create(builder, loc, with(operand, f32), operand);
    return tensor::FpToFpOp::create(builder, loc, with(operand, f32), operand, tensor::RoundingModeAttr());
  }

  /// Scales are [rows, groups], or a batch of those; `size` elements of each row, in the operand's own order of dimensions.
  Value factors(Value scale, int64_t size, bool isRhs) {
    Value value = scalesAsFloats(builder, loc, scale);
    SmallVector<int64_t> shape(typeOf(scale).getShape());
    value = tensor::ExpandDimsOp::create(builder, loc, value, shape.size());
    shape.push_back(size / shape.back());
    value = tensor::BroadcastOp::create(builder, loc, value, shape);
    shape.pop_back();
    shape.back() = size;
    value = tensor::ReshapeOp::create(builder, loc, value, shape);
    if (!isRhs)
      return value;
    auto order = llvm::to_vector(llvm::seq<int32_t>(0, shape.size()));
    std::swap(order.back(), order[order.size() - 2]);
    return tensor::TransOp::create(builder, loc, value, order);
  }

  LogicalResult run() {
    using Format = tensor::ScaleDotElemType;
    size_t rank = typeOf(dot.getA()).getRank();
    bool isHalf = dot.getAElemType() == Format::FP16 || dot.getBElemType() == Format::FP16;
    Type narrow = isHalf ? Type(builder.getF16Type()) : Type(builder.getBF16Type());
    auto operand = [&](Value value, Value scale, Format format, size_t packedAlong, size_t k, bool isRhs) -> Value {
      Value wide = widen(value, format, packedAlong);
      if (!wide)
        return {};
      if (scale)
        wide = arith::MulFOp::create(builder, loc, wide, factors(scale, typeOf(wide).getDimSize(k), isRhs));
      return arith::TruncFOp::create(builder, loc, with(wide, narrow), wide);
    };
    Value a = operand(dot.getA(), dot.getAScale(), dot.getAElemType(), dot.getLhsKPack() ? rank - 1 : rank - 2,
                      rank - 1, false);
    Value b = operand(dot.getB(), dot.getBScale(), dot.getBElemType(), dot.getRhsKPack() ? rank - 2 : rank - 1,
                      rank - 2, true);
    if (!a || !b)
      return dot.emitError() << "formats e2m3 and e3m2 are not implemented";
    Value product = tensor::DotOp::create(builder, loc, dot.getD().getType(), a, b, dot.getC());
    dot.getD().replaceAllUsesWith(product);
    dot.erase();
    return success();
  }
};

} // namespace

LogicalResult decomposeScaledDot(DotScaledOp dot) { return Decomposer{dot}.run(); }

namespace {

struct DecomposeScaledDots : impl::DecomposeScaledDotsBase<DecomposeScaledDots> {
  void run() override {
    SmallVector<DotScaledOp> dots;
    getOperation()->walk([&](DotScaledOp dot) { dots.push_back(dot); });
    for (DotScaledOp dot : dots)
      if (failed(decomposeScaledDot(dot)))
        return signalPassFailure();
  }
};

} // namespace

} // namespace triton::tensor
