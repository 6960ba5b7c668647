// Writes dots that no instruction takes as they are as dots that one does.
//
//   %d = tt.dot %a, %b, %c, inputPrecision = tf32x3 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
// becomes, with a = big(a) + small(a) and big(a) what tf32 holds of a,
//   %e = tt.dot small(a), big(b), 0, inputPrecision = tf32
//   %f = tt.dot big(a), small(b), %e, inputPrecision = tf32
//   %d = %c + tt.dot big(a), big(b), %f, inputPrecision = tf32
//
// bf16x3 and bf16x6 likewise with two or three terms of bf16. Where the sum of the small products is NaN it counts as 0: they are that when
// an operand is infinite, and the product of the big parts alone is then right. 8-bit floats become f16, which holds them exactly, unless
// the instruction chosen reads them. AMD's instructions sum in f32 alone: narrower sums are widened before and rounded behind.
//
// Products of microscaling formats stay where tcgen05, MFMA or WMMA does them, with scales of 1 where they have none; others become products of wider floats.
//
// Runs before layouts are assigned, so that every dot that is planned is one instruction's. Leaves alone ieee products of f32, which are
// scalar multiply-adds.
#include "compiler/gpu/DotPlan.h"
#include "compiler/gpu/passes/Passes.h"
#include "compiler/tensor/passes/Passes.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_LEGALIZEDOTS
#include "compiler/gpu/passes/Passes.h.inc"

namespace {

struct Legalizer {
  tensor::DotOp dot;
  OpBuilder builder{dot};
  Location loc = dot.getLoc();

  static RankedTensorType typeOf(Value tensor) { return cast<RankedTensorType>(tensor.getType()); }
  static RankedTensorType with(Value tensor, Type element) { return typeOf(tensor).clone(element); }

  Value splat(RankedTensorType type, Attribute value) {
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, value));
  }
  Value zero(RankedTensorType type) { return splat(type, builder.getFloatAttr(type.getElementType(), 0)); }

  Value product(Value a, Value b, Value c, tensor::InputPrecision precision) {
    return tensor::DotOp::create(builder, loc, c.getType(), a, b, c, precision, 0);
  }

  /// What tf32 holds of `value`: the lowest 13 bits are not read.
  Value truncateToTf32(Value value) {
    RankedTensorType words = with(value, builder.getI32Type());
    Value bits = tensor::BitcastOp::create(builder, loc, words, value);
    bits = arith::AndIOp::create(builder, loc, bits, splat(words, builder.getI32IntegerAttr(int32_t(0xffffe000))));
    return tensor::BitcastOp::create(builder, loc, value.getType(), bits);
  }

  SmallVector<Value> splitTf32(Value value) {
    Value big = truncateToTf32(value);
    return {big, arith::SubFOp::create(builder, loc, value, big)};
  }

  /// The leading `terms` terms of `value` as a sum of bf16.
  SmallVector<Value> splitBf16(Value value, unsigned terms) {
    SmallVector<Value> parts;
    for (unsigned i = 0; i < terms; ++i) {
      parts.push_back(arith::TruncFOp::create(builder, loc, with(value, builder.getBF16Type()), value));
      if (i + 1 < terms)
        value = arith::SubFOp::create(builder, loc, value,
                                      arith::ExtFOp::create(builder, loc, value.getType(), parts.back()));
    }
    return parts;
  }

  /// The sum of a[i] b[j] for all i + j < terms, smallest first, on top of c.
  void replaceBySum(ArrayRef<Value> a, ArrayRef<Value> b, tensor::InputPrecision precision) {
    RankedTensorType type = typeOf(dot.getD());
    Value small = zero(type);
    for (size_t order = a.size(); order-- > 1;)
      for (size_t i = 0; i <= order; ++i)
        small = product(a[i], b[order - i], small, precision);
    Value isNumber = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ORD, small, small);
    small = arith::SelectOp::create(builder, loc, isNumber, small, zero(type));
    // Tensor cores cut off what a sum has no bits for: not that of the whole loop.
    replace(arith::AddFOp::create(builder, loc, dot.getC(), product(a[0], b[0], small, precision)));
  }

  void replace(Value value) {
    dot.getD().replaceAllUsesWith(value);
    dot.erase();
  }

  void widenFloat8() {
    auto widen = [&](Value operand) -> Value {
      if (!tensor::isFloat8(typeOf(operand).getElementType()))
        return operand;
      return tensor::FpToFpOp::create(builder, loc, with(operand, builder.getF16Type()), operand,
                                      tensor::RoundingModeAttr());
    };
    replace(product(widen(dot.getA()), widen(dot.getB()), dot.getC(), dot.getInputPrecision()));
  }

  /// The same dot, summed in f32.
  void widenAccumulator() {
    Value wide = arith::ExtFOp::create(builder, loc, with(dot.getC(), builder.getF32Type()), dot.getC());
    auto sum = product(dot.getA(), dot.getB(), wide, dot.getInputPrecision()).getDefiningOp<tensor::DotOp>();
    replace(arith::TruncFOp::create(builder, loc, dot.getD().getType(), sum));
    dot = sum;
    builder.setInsertionPoint(dot);
  }

  void run(const Target &target, unsigned numWarps) {
    if (Type sum = typeOf(dot.getD()).getElementType(); target.isAmd() && (sum.isF16() || sum.isBF16()))
      widenAccumulator();
    Type element = typeOf(dot.getA()).getElementType();
    if (tensor::isFloat8(element)) {
      if (planDotKind(dot, target, numWarps) == DotPlan::Kind::Fma)
        widenFloat8();
      return;
    }
    if (!element.isF32())
      return;
    switch (dot.getInputPrecision()) {
    case tensor::InputPrecision::TF32x3:
      return replaceBySum(splitTf32(dot.getA()), splitTf32(dot.getB()), tensor::InputPrecision::TF32);
    case tensor::InputPrecision::BF16x3:
      return replaceBySum(splitBf16(dot.getA(), 2), splitBf16(dot.getB(), 2), tensor::InputPrecision::IEEE);
    case tensor::InputPrecision::BF16x6:
      return replaceBySum(splitBf16(dot.getA(), 3), splitBf16(dot.getB(), 3), tensor::InputPrecision::IEEE);
    case tensor::InputPrecision::TF32:
    case tensor::InputPrecision::IEEE:
      return;
    }
  }
};

struct LegalizeDots : impl::LegalizeDotsBase<LegalizeDots> {
  /// The exponent of 1, for each group of 32 elements.
  static void addScale(tensor::DotScaledOp dot, MutableOperandRange scale, int64_t rows, int64_t groups) {
    OpBuilder builder(dot);
    auto type = RankedTensorType::get({rows, groups}, builder.getI8Type());
    Value ones =
        arith::ConstantOp::create(builder, dot.getLoc(), DenseElementsAttr::get(type, builder.getI8IntegerAttr(127)));
    scale.assign(ones);
  }

  static LogicalResult legalizeScaled(tensor::DotScaledOp dot, const Target &target, unsigned numWarps) {
    if (!planScaledDot(dot, target, numWarps))
      return tensor::decomposeScaledDot(dot);
    auto type = cast<RankedTensorType>(dot.getD().getType());
    auto known = cast<RankedTensorType>((dot.getAScale() ? dot.getAScale() : dot.getBScale()).getType());
    if (!dot.getAScale())
      addScale(dot, dot.getAScaleMutable(), type.getDimSize(0), known.getDimSize(1));
    if (!dot.getBScale())
      addScale(dot, dot.getBScaleMutable(), type.getDimSize(1), known.getDimSize(1));
    return success();
  }

  void run() override {
    ModuleOp module = getOperation();
    Target target = dotTarget(module);
    SmallVector<tensor::DotScaledOp> scaled;
    module.walk([&](tensor::DotScaledOp dot) { scaled.push_back(dot); });
    for (tensor::DotScaledOp dot : scaled)
      if (failed(legalizeScaled(dot, target, getNumWarps(module))))
        return signalPassFailure();
    SmallVector<tensor::DotOp> dots;
    module.walk([&](tensor::DotOp dot) { dots.push_back(dot); });
    for (tensor::DotOp dot : dots)
      Legalizer{dot}.run(target, getNumWarps(module));
  }
};

} // namespace

} // namespace triton::gpu
