// The rules that no op's verifier asks: what the frontend needs before there is an op.
#include "compiler/tensor/rules/Rules.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace triton::tensor;

namespace {

class Rules : public testing::Test {
protected:
  Rules() : handler(&context, [this](Diagnostic &diagnostic) { message = diagnostic.str(); }) {
    context.loadDialect<TensorDialect>();
  }
  InFlightDiagnostic error() { return emitError(UnknownLoc::get(&context)); }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::string message;
  ScopedDiagnosticHandler handler;
};

TEST_F(Rules, broadcastAlignsTheLastDimensions) {
  auto shape = inferBroadcastShape({8, 1, 4}, {2, 1}, [&] { return error(); });
  ASSERT_TRUE(succeeded(shape));
  EXPECT_EQ(*shape, (SmallVector<int64_t>{8, 2, 4}));
}

TEST_F(Rules, broadcastOfScalarsIsAScalar) {
  auto shape = inferBroadcastShape({}, {}, [&] { return error(); });
  ASSERT_TRUE(succeeded(shape));
  EXPECT_TRUE(shape->empty());
}

TEST_F(Rules, broadcastNamesTheDimensionAndBothSizes) {
  EXPECT_TRUE(failed(inferBroadcastShape({4, 8}, {4, 2}, [&] { return error(); })));
  EXPECT_EQ(message, "cannot make shapes compatible: incompatible dimensions at index 1: 8 and 2");
}

TEST_F(Rules, broadcastMayMakeTooMuch) {
  EXPECT_TRUE(failed(inferBroadcastShape({4096, 1}, {1, 4096}, [&] { return error(); })));
  EXPECT_EQ(message, "numel (16777216) exceeds triton maximum tensor numel (1048576)");
}

TEST_F(Rules, hugeShapesDoNotOverflow) {
  int64_t huge = int64_t(1) << 62;
  EXPECT_TRUE(failed(checkShape({huge, huge}, [&] { return error(); })));
  EXPECT_EQ(message, "numel (21267647932558653966460912964485513216) exceeds triton maximum tensor numel (1048576)");
}

TEST_F(Rules, negativeAxesCountFromTheEnd) {
  EXPECT_EQ(*normalizeAxis(-1, 3, [&] { return error(); }), 2);
  EXPECT_EQ(*normalizeAxis(0, 3, [&] { return error(); }), 0);
  EXPECT_TRUE(failed(normalizeAxis(3, 3, [&] { return error(); })));
  EXPECT_EQ(message, "invalid axis 3. Expected -3 <= axis < 3");
}

TEST_F(Rules, descriptorsKnowTheirSign) {
  auto base = PointerType::get(IntegerType::get(&context, 32));
  auto type = inferMakeTensorDesc(base, 1, 1, {4}, /*isSigned=*/false, PaddingOption::Zero, [&] { return error(); });
  ASSERT_TRUE(succeeded(type));
  EXPECT_TRUE(type->getBlockType().getElementType().isUnsignedInteger(32));
  EXPECT_TRUE(type->getSignlessBlockType().getElementType().isSignlessInteger(32));
}

TEST_F(Rules, descriptorsOfIntegersDoNotPadWithNan) {
  auto base = PointerType::get(IntegerType::get(&context, 32));
  EXPECT_TRUE(failed(inferMakeTensorDesc(base, 1, 1, {4}, true, PaddingOption::Nan, [&] { return error(); })));
  EXPECT_EQ(message, "padding option `nan` is not supported for integer blocks, got 'i32'");
}

TEST_F(Rules, joinNeedsOneType) {
  auto f32 = RankedTensorType::get({4}, Float32Type::get(&context)),
       f16 = RankedTensorType::get({4}, Float16Type::get(&context));
  EXPECT_TRUE(failed(inferJoin(f32, f16, [&] { return error(); })));
  EXPECT_EQ(message, "join needs two values of one shape and dtype, got 'tensor<4xf32>' and 'tensor<4xf16>'");
}

} // namespace
