// Operations that put elements elsewhere: join, cat, histogram.
//   In:  expressions.
//   Out: buffers with the elements in their new places.
#include "compiler/cpu/Lowering.h"
#include "compiler/cpu/Scalar.h"
#include "compiler/cpu/evaluate/Expression.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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

/// The strides that make `trans` of a tensor row major.
static SmallVector<int64_t> stridesBefore(tensor::TransOp trans) {
  auto shape = cast<RankedTensorType>(trans.getResult().getType()).getShape();
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0; stride *= shape[d])
    strides[trans.getOrder()[d]] = shape[d] == 1 ? 0 : stride;
  return strides;
}

void Lowering::writePair(const Buffer &buffer, ArrayRef<Coordinate> at, Value left, Value right) {
  auto type = dyn_cast<VectorType>(left.getType());
  Coordinates first(at), second(at);
  first.push_back(evaluator.zero());
  second.push_back(coordinate(Scalar{builder, left.getLoc()}.i64(1)));
  Offsets offsets;
  for (auto [place, stride] : llvm::zip_equal(first, buffer.strides))
    offsets = addScaled(place.offsets, stride, offsets);
  int64_t width = type ? type.getNumElements() : 1, distance = buffer.strides.back();
  // Where both together fill a run, they are shuffled into it: lane `picks[i]` of the two goes to element i.
  SmallVector<int64_t> picks(2 * width, -1);
  offsets.resize(width, 0);
  for (int64_t lane = 0; lane < width && type; ++lane)
    for (int64_t half : {0, 1}) {
      int64_t place = offsets[lane] + half * distance;
      if (place < 2 * width)
        picks[place] = half * width + lane;
    }
  if (!type || isArithmetic(offsets, 1) || llvm::is_contained(picks, -1)) {
    writeBuffer(buffer, first, left);
    writeBuffer(buffer, second, right);
    return;
  }
  Value both = vector::ShuffleOp::create(builder, left.getLoc(), left, right, picks);
  Coordinates run(first);
  for (Coordinate &place : run)
    place.offsets.clear();
  Buffer flat = buffer;
  run.push_back(evaluator.zero());
  run.back().offsets = getIota(2 * width);
  flat.strides.push_back(1);
  writeBuffer(flat, run, both);
}

LogicalResult Lowering::lowerJoin(tensor::JoinOp join) {
  Location loc = join.getLoc();
  Buffer &whole = bufferFor(join.getResult());
  // In the order it is read next, if that is known: pairs are often moved away from the end at once.
  if (join.getResult().hasOneUse())
    if (auto trans = dyn_cast<tensor::TransOp>(*join.getResult().user_begin()))
      whole.strides = stridesBefore(trans);
  const Buffer buffer = whole;
  auto type = dyn_cast<RankedTensorType>(join.getLhs().getType());
  if (!type) {
    evaluator.begin(1);
    writePair(buffer, {}, scalars.lookup(join.getLhs()), scalars.lookup(join.getRhs()));
    return success();
  }
  NestPlan nest;
  nest.shape = llvm::to_vector(type.getShape());
  for (Value operand : join->getOperands())
    if (!plan.isBuffered(operand))
      nest.fills.push_back(operand);
  Space space = chooseSpace(nest);
  evaluator.begin(space.width);
  emitLoops(space, loc, [&](Coordinates &outer) {
    emitRun(nest, space, outer, Scalar{builder, loc}.i64(0), {}, [&](Coordinates &at, ValueRange) {
      writePair(buffer, at, evaluator.vector(join.getLhs(), at), evaluator.vector(join.getRhs(), at));
      return Values();
    });
  });
  return checked();
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
