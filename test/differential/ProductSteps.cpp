// Products of matrices of small whole numbers, whose sums are exact in any order and in every type.
#include "test/differential/Generator.h"

using namespace mlir;
using namespace triton::tensor;

namespace triton::differential {

/// Numbers from -4 to 3, of some integers of the pool; repeated where there are too few.
Value Generator::matrix(int64_t rows, int64_t columns, Type element) {
  const int64_t count = rows * columns;
  Value raw = find(
      [&](RankedTensorType type) { return type.getElementType().isInteger(32) && type.getNumElements() == count; });
  if (!raw) {
    raw = make<MakeRangeOp>(0, count);
    raw = make<arith::ShRUIOp>(make<arith::MulIOp>(raw, splat(raw.getType(), 40503)), splat(raw.getType(), 7));
  }
  raw = make<ReshapeOp>(raw, ArrayRef<int64_t>{rows, columns});
  raw = make<arith::SubIOp>(make<arith::AndIOp>(raw, splat(raw.getType(), 7)), splat(raw.getType(), 4));
  Type type = withElement(raw.getType(), element);
  if (element.isInteger(8))
    return make<arith::TruncIOp>(type, raw);
  if (!isFloat8(element))
    return make<arith::SIToFPOp>(type, raw);
  Value half = make<arith::SIToFPOp>(withElement(raw.getType(), builder.getF16Type()), raw);
  return make<FpToFpOp>(type, half, RoundingModeAttr::get(builder.getContext(), RoundingMode::NearestEven));
}

static Type sumOf(OpBuilder &builder, Type element) {
  if (element.isInteger(8))
    return builder.getI32Type();
  return element.isF64() ? element : builder.getF32Type();
}

static std::vector<Type> operandTypes(OpBuilder &builder) {
  return {builder.getF16Type(), builder.getBF16Type(), builder.getF32Type(),
          builder.getF64Type(), builder.getI8Type(),   Float8E5M2Type::get(builder.getContext())};
}

void Generator::dotStep() {
  Type element = pick(operandTypes(builder));
  // Of one row up to what one warpgroup takes at once.
  const int64_t M = int64_t(1) << below(7), N = int64_t(1) << below(7);
  const int64_t K = int64_t(getElementBits(element) == 8 ? 32 : 16) << below(2);
  Value a = chance(50) ? matrix(M, K, element) : make<TransOp>(matrix(K, M, element), ArrayRef<int32_t>{1, 0});
  Value b = chance(50) ? matrix(K, N, element) : make<TransOp>(matrix(N, K, element), ArrayRef<int32_t>{1, 0});
  auto type = RankedTensorType::get({M, N}, sumOf(builder, element));
  Value start = find([&](RankedTensorType other) { return other == type && other.getElementType().isInteger(); });
  Value product = make<DotOp>(a, b, start && chance(50) ? start : constant(type, 3));
  keep(product);
  // As an operand of another, from the registers the first has left it in.
  if (chance(30) && N >= 16 && element.isF16()) {
    Value small = make<arith::TruncFOp>(withElement(product.getType(), element), product);
    auto next = RankedTensorType::get({M, 16}, builder.getF32Type());
    keep(make<DotOp>(small, matrix(N, 16, element), constant(next, 0)));
  }
}

/// Several at once.
void Generator::batchStep() {
  Type element = pick(operandTypes(builder));
  const int64_t B = int64_t(1) << below(3), M = int64_t(1) << below(6), N = int64_t(1) << below(6);
  const int64_t K = getElementBits(element) == 8 ? 32 : 16;
  Value a = make<ReshapeOp>(matrix(B * M, K, element), ArrayRef<int64_t>{B, M, K});
  Value b = make<ReshapeOp>(matrix(B * K, N, element), ArrayRef<int64_t>{B, K, N});
  keep(make<DotOp>(a, b, constant(RankedTensorType::get({B, M, N}, sumOf(builder, element)), 1)));
}

} // namespace triton::differential
