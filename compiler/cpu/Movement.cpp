// Operations that put elements elsewhere: join, cat, histogram.
//   In:  expressions.
//   Out: buffers with the elements in their new places.
#include "compiler/cpu/Expression.h"
#include "compiler/cpu/Lowering.h"
#include "compiler/cpu/Scalar.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace triton::cpu {

void Lowering::forEachElement(ArrayRef<int64_t> shape, Location loc, llvm::function_ref<void(Coordinates &)> body) {
  Space space;
  space.shape = llvm::to_vector(shape);
  for (int d = 0; d < int(shape.size()); ++d)
    space.loops.push_back(d);
  evaluator.begin(1);
  emitLoops(space, loc, body);
}

LogicalResult Lowering::lowerJoin(tensor::JoinOp join) {
  const Buffer whole = bufferFor(join.getResult());
  for (auto [i, operand] : llvm::enumerate(join->getOperands())) {
    Buffer half = whole;
    half.strides.pop_back();
    Scalar s{builder, join.getLoc()};
    half.pointer =
        Memory(builder, target, join.getLoc()).addressOf(whole.pointer, s.i64(i), getStorageBytes(whole.element));
    if (!isa<RankedTensorType>(operand.getType()))
      writeBuffer(half, {}, scalars.lookup(operand));
    else if (failed(fill(operand, half)))
      return failure();
  }
  return success();
}

LogicalResult Lowering::lowerCat(tensor::CatOp cat) {
  const Buffer whole = bufferFor(cat.getResult());
  int64_t size = cast<RankedTensorType>(cat.getLhs().getType()).getNumElements();
  Scalar s{builder, cat.getLoc()};
  Buffer second = whole;
  second.pointer =
      Memory(builder, target, cat.getLoc()).addressOf(whole.pointer, s.i64(size), getStorageBytes(whole.element));
  return failure(failed(fill(cat.getLhs(), whole)) || failed(fill(cat.getRhs(), second)));
}

LogicalResult Lowering::lowerHistogram(tensor::HistogramOp histogram) {
  Location loc = histogram.getLoc();
  Scalar s{builder, loc};
  const Buffer bins = bufferFor(histogram.getResult());
  auto type = cast<RankedTensorType>(histogram.getResult().getType());
  int64_t bytes = type.getNumElements() * getStorageBytes(type.getElementType());
  LLVM::MemsetOp::create(builder, loc, bins.pointer, s.integer(builder.getI8Type(), 0), s.i64(bytes),
                         /*isVolatile=*/false);
  auto source = cast<RankedTensorType>(histogram.getSrc().getType());
  forEachElement(source.getShape(), loc, [&](Coordinates &at) {
    Memory memory(builder, target, loc);
    Value element = s.resize(evaluator.uniform(histogram.getSrc(), at), builder.getI64Type());
    Value counts = s.compare(arith::CmpIPredicate::ult, element, s.i64(type.getNumElements()));
    if (histogram.getMask())
      counts = s.bitAnd(counts, evaluator.uniform(histogram.getMask(), at));
    auto branch = scf::IfOp::create(builder, loc, counts, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(branch.thenBlock()->getTerminator());
    Value old = memory.loadBuffer(bins.pointer, type.getElementType(), 1, element, {});
    memory.storeBuffer(bins.pointer, type.getElementType(), element, {}, s.add(old, 1));
  });
  return checked();
}

} // namespace triton::cpu
