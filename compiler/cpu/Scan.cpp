// Scans.
//   In:  operands as expressions, a combination, a direction.
//   Out: the results' buffers. Vectors run along another dimension and the axis is a loop that carries the last values;
//        or, where elements lie together along the axis, or it is all there is, vectors run along it: lanes are combined in log steps, and
//        what came before is combined in afterwards, off the critical path.
#include "compiler/cpu/Combine.h"
#include "compiler/cpu/Lowering.h"
#include "compiler/cpu/Scalar.h"
#include "compiler/cpu/evaluate/Expression.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace triton::cpu {

/// Every lane combined with all lanes before it.
static SmallVector<Value> scanLanes(SmallVector<Value> values, int64_t width, Combiner &combiner, OpBuilder &builder,
                                    Location loc) {
  for (int64_t distance = 1; distance < width; distance *= 2) {
    SmallVector<int64_t> shifted;
    SmallVector<bool> takes;
    for (int64_t lane = 0; lane < width; ++lane) {
      shifted.push_back(std::max<int64_t>(lane - distance, 0));
      takes.push_back(lane >= distance);
    }
    SmallVector<Value> before;
    for (Value value : values)
      before.push_back(vector::ShuffleOp::create(builder, loc, value, value, shifted));
    SmallVector<Value> combined = combiner.combine(before, values);
    Value mask = arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(VectorType::get({width}, builder.getI1Type()), ArrayRef<bool>(takes)));
    for (auto [value, next] : llvm::zip_equal(values, combined))
      value = arith::SelectOp::create(builder, loc, mask, next, value);
  }
  return values;
}

LogicalResult Lowering::lowerScan(tensor::ScanOp scan) {
  Location loc = scan.getLoc();
  Scalar s{builder, loc};
  auto shape = cast<RankedTensorType>(scan.getSrcs()[0].getType()).getShape();
  int axis = int(scan.getAxis());
  int64_t length = shape[axis];
  bool vectorises = isVectorisable(scan.getCombineOp());

  Combiner combiner(builder, scan, target);
  combiner.setScalars(scalars);
  NestPlan reads;
  reads.shape = llvm::to_vector(shape);
  for (Value source : scan.getSrcs())
    if (!plan.isBuffered(source))
      reads.fills.push_back(source);
  Space space = chooseSpace(reads);
  reads.fills.clear();
  int64_t machine = space.width;
  // Elements that lie apart would be fetched one by one, which costs more than combining lanes.
  const bool isNear = space.vectors.back() == axis && length >= target.lanes(32);
  // Across vectors where there is another dimension to run them along.
  int other = -1;
  for (int d = 0; d < int(shape.size()); ++d)
    if (d != axis && shape[d] > 1)
      other = d;
  bool across = !vectorises || (other >= 0 && !isNear);
  space.loops.clear();
  if (across) {
    space.vectors = {other >= 0 ? other : axis};
    space.width = vectorises ? std::min(machine, shape[other]) : 1;
  } else {
    space.vectors = {axis};
    space.width = std::min(machine, length);
  }
  for (int d = 0; d < int(shape.size()); ++d)
    if (d != axis && (d != other || !across))
      space.loops.push_back(d);

  evaluator.begin(space.width, {});
  auto elements = [&](ArrayRef<Coordinate> at) {
    Values values;
    for (Value source : scan.getSrcs())
      values.push_back(evaluator.vector(source, at));
    return combiner.widen(values);
  };
  auto write = [&](ArrayRef<Coordinate> at, ValueRange values) {
    for (auto [result, value] : llvm::zip_equal(scan.getResult(), combiner.narrow(values)))
      writeBuffer(bufferFor(result), at, value);
  };
  bool reverse = scan.getReverse();
  auto along = [&](Value index, int64_t step) -> Value { // from the end when scanning in reverse
    return reverse ? s.sub(s.i64(length - step), index) : index;
  };

  auto scanAcross = [&](Coordinates &at) {
    at[axis] = coordinate(along(s.i64(0), 1));
    Values first = elements(at);
    write(at, first);
    emitLoop(s.i64(1), s.i64(length), 1, loc, first, [&](Value index, ValueRange before) {
      at[axis] = coordinate(along(index, 1));
      Values next = combiner.combine(before, elements(at));
      write(at, next);
      return next;
    });
  };
  auto reversed = [&](Values values) {
    SmallVector<int64_t> lanes;
    for (int64_t lane = space.width; lane-- > 0;)
      lanes.push_back(lane);
    if (reverse && space.width > 1)
      for (Value &value : values)
        value = vector::ShuffleOp::create(builder, loc, value, value, lanes);
    return values;
  };
  auto lastLane = [&](ValueRange values) {
    Values last;
    for (Value value : values)
      last.push_back(space.width == 1 ? value
                                      : vector::ExtractOp::create(builder, loc, value, space.width - 1).getResult());
    return last;
  };
  auto scanAlong = [&](Coordinates &at) {
    auto local = [&](Value index) {
      at[axis] = coordinate(along(index, space.width), getIota(space.width));
      return scanLanes(reversed(elements(at)), space.width, combiner, builder, loc);
    };
    Values first = local(s.i64(0));
    write(at, reversed(first));
    emitLoop(s.i64(space.width), s.i64(length), space.width, loc, lastLane(first), [&](Value index, ValueRange before) {
      Values own = local(index), spread;
      Memory memory(builder, target, loc);
      for (Value value : before)
        spread.push_back(memory.broadcast(value, space.width));
      write(at, reversed(combiner.combine(spread, own)));
      return combiner.combine(before, lastLane(own));
    });
  };

  emitLoops(space, loc, [&](Coordinates &outer) {
    if (!across)
      return scanAlong(outer);
    if (other < 0)
      return scanAcross(outer);
    emitLoop(s.i64(0), s.i64(shape[other]), space.width, loc, {}, [&](Value index, ValueRange) {
      outer[other] = coordinate(index, getIota(space.width));
      scanAcross(outer);
      return Values();
    });
  });
  return failure(evaluator.failed() || combiner.failed());
}

} // namespace triton::cpu
