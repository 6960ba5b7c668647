// Roots are found through loops and choices of any depth.
#include "compiler/tensor/Roots.h"

#include "compiler/tensor/Tensor.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace triton;

namespace {

struct RootsTest : testing::Test {
  RootsTest() : context(MLIRContext::Threading::DISABLED), builder(&context) {
    context.loadDialect<tensor::TensorDialect, arith::ArithDialect, scf::SCFDialect>();
    module = ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
    Type pointer = tensor::PointerType::get(builder.getF32Type());
    auto type = builder.getFunctionType({pointer, pointer, builder.getI1Type(), builder.getI32Type()}, {});
    function = tensor::FuncOp::create(builder, builder.getUnknownLoc(), "kernel", type);
    Block *entry = function.addEntryBlock();
    builder.setInsertionPointToEnd(entry);
    first = entry->getArgument(0);
    second = entry->getArgument(1);
  }
  Value advance(Value pointer) {
    return tensor::AddPtrOp::create(builder, builder.getUnknownLoc(), pointer.getType(), pointer,
                                    function.getArgument(3));
  }
  Value choose(Value yes, Value no) {
    return arith::SelectOp::create(builder, builder.getUnknownLoc(), function.getArgument(2), yes, no);
  }
  MLIRContext context;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
  tensor::FuncOp function;
  Value first, second;
};

TEST_F(RootsTest, OfChoices) {
  EXPECT_EQ(tensor::rootsOf(choose(advance(first), second)), (SmallVector<Value>{first, second}));
  EXPECT_EQ(tensor::rootsOf(choose(advance(first), first)), (SmallVector<Value>{first}));
}

TEST_F(RootsTest, OfDeepChoices) {
  Value pointer = first;
  for (int i = 0; i < 100'000; ++i)
    pointer = choose(pointer, pointer); // as many ways as 2^100000, and each value is looked at once
  EXPECT_EQ(tensor::rootsOf(choose(pointer, second)), (SmallVector<Value>{first, second}));
}

TEST_F(RootsTest, OfWhatLoopsCarry) {
  Value bound = arith::ConstantOp::create(builder, builder.getUnknownLoc(), builder.getI32IntegerAttr(8));
  auto loop = scf::ForOp::create(builder, builder.getUnknownLoc(), bound, bound, bound, ValueRange{first});
  builder.setInsertionPointToStart(loop.getBody());
  Value carried = loop.getRegionIterArg(0);
  scf::YieldOp::create(builder, builder.getUnknownLoc(), choose(advance(carried), second));
  EXPECT_EQ(tensor::rootsOf(carried), (SmallVector<Value>{first, second}));
  EXPECT_EQ(tensor::rootsOf(loop.getResult(0)), (SmallVector<Value>{first, second}));
}

TEST_F(RootsTest, FurtherSourcesAreAsked) {
  auto further = [&](Value value) { return value == first ? tensor::Sources{second} : tensor::Sources(); };
  EXPECT_EQ(tensor::rootsOf(advance(first), further), (SmallVector<Value>{second}));
}

} // namespace
