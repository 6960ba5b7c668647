// Reductions.
//   In:  reductions along one axis of one shape, and buffers to fill on the way.
//   Out: loops with vector accumulators. Vectors run along the axis and their lanes are combined at the end, or they run along
//        another dimension and the axis is the innermost loop.
// Accumulators start from the identity where there is one, else from the first elements. The order is fixed when compiling, so results
// are the same in every run.
#include "compiler/cpu/Combine.h"
#include "compiler/cpu/Lowering.h"
#include "compiler/cpu/Scalar.h"

using namespace mlir;

namespace triton::cpu {

LogicalResult Lowering::lowerReductions(const NestPlan &nest, const Space &space) {
  Location loc = nest.members[0]->getLoc();
  SmallVector<Combiner, 0> combiners;
  bool hasIdentities = true;
  for (Operation *member : nest.members) {
    combiners.emplace_back(builder, member, target);
    combiners.back().setScalars(scalars);
    hasIdentities &= bool(combiners.back().identity());
  }
  evaluator.begin(space.width, nest.fills);
  Scalar s{builder, loc};

  // One vector from each reduction's operands, in the order of their accumulators.
  auto elements = [&](ArrayRef<Coordinate> at) {
    for (Value tensor : nest.fills)
      writeBuffer(bufferFor(tensor), at, evaluator.vector(tensor, at));
    Values values;
    for (auto [member, combiner] : llvm::zip_equal(nest.members, combiners)) {
      Values own;
      for (Value operand : member->getOperands())
        own.push_back(evaluator.vector(operand, at));
      llvm::append_range(values, combiner.widen(own));
    }
    return values;
  };
  auto accumulate = [&](ArrayRef<Coordinate> at, ValueRange accumulators) {
    Values next = elements(at), results;
    size_t first = 0;
    for (Combiner &combiner : combiners) {
      llvm::append_range(results, combiner.combine(accumulators.slice(first, combiner.size()),
                                                   ValueRange(next).slice(first, combiner.size())));
      first += combiner.size();
    }
    return results;
  };
  auto start = [&]() {
    Values values;
    Memory memory(builder, target, loc);
    for (Combiner &combiner : combiners)
      values.push_back(memory.broadcast(arith::ConstantOp::create(builder, loc, combiner.identity()), space.width));
    return values;
  };
  // `at` has no coordinate along the axis yet to drop: results lack it.
  auto finish = [&](ArrayRef<Coordinate> at, ValueRange accumulators) {
    size_t first = 0;
    for (auto [member, combiner] : llvm::zip_equal(nest.members, combiners)) {
      Values own(accumulators.slice(first, combiner.size()));
      first += combiner.size();
      if (space.axis < 0)
        own = combiner.combineLanes(own);
      own = combiner.narrow(own);
      Coordinates place(at);
      place.erase(place.begin() + nest.axis);
      for (auto [result, value] : llvm::zip_equal(member->getResults(), own)) {
        if (isa<RankedTensorType>(result.getType()))
          writeBuffer(bufferFor(result), place, value);
        else
          scalars.map(result, value);
      }
    }
  };

  emitLoops(space, loc, [&](Coordinates &outer) {
    if (space.axis < 0) {
      Values accumulators;
      if (hasIdentities) {
        accumulators = emitRun(nest, space, outer, s.i64(0), start(), accumulate);
      } else {
        Coordinates at = vectorCoordinates(space, outer, coordinate(s.i64(0), getIota(space.width)));
        accumulators = emitRun(nest, space, outer, s.i64(space.width), elements(at), accumulate);
      }
      finish(outer, accumulators);
      return;
    }
    emitRun(nest, space, outer, s.i64(0), {}, [&](Coordinates &at, ValueRange) {
      Values accumulators;
      int64_t from = 0;
      if (hasIdentities) {
        accumulators = start();
      } else {
        at[space.axis] = evaluator.zero();
        accumulators = elements(at);
        from = 1;
      }
      accumulators = emitLoop(s.i64(from), s.i64(space.shape[space.axis]), 1, loc, accumulators,
                              [&](Value index, ValueRange current) {
                                at[space.axis] = coordinate(index);
                                return accumulate(at, current);
                              });
      finish(at, accumulators);
      return Values();
    });
  });
  for (Combiner &combiner : combiners)
    if (combiner.failed())
      return failure();
  return checked();
}

} // namespace triton::cpu
