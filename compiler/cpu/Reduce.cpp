// Reductions.
//   In:  reductions along one axis of one shape, and buffers to fill on the way.
//   Out: loops with vector accumulators. Vectors run along the axis and their lanes are combined at the end, or they
//   run along
//        another dimension and the axis is the innermost loop.
// Accumulators start from the identity where there is one, else from the first elements. The order is fixed when
// compiling, so results are the same in every run.
#include "compiler/cpu/Combine.h"
#include "compiler/cpu/Convert.h"
#include "compiler/cpu/Lowering.h"
#include "compiler/cpu/Scalar.h"

#include "mlir/Dialect/Math/IR/Math.h"

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
  for (auto [member, combiner] : llvm::zip_equal(nest.members, combiners)) {
    if (combiner.failed())
      return failure();
    if (combiner.losesNan())
      restoreNan(cast<tensor::ReduceOp>(member));
  }
  return checked();
}

/// Maxima and minima start from an infinity. Where that is also the result, the elements are looked at once more: if
/// all of them are NaN, so is the result. Rarely needed, so the code is short, not fast.
void Lowering::restoreNan(tensor::ReduceOp reduce) {
  Location loc = reduce.getLoc();
  Scalar s{builder, loc};
  Value source = reduce.getSrcs()[0], result = reduce.getResult()[0];
  Type element = getElementTypeOrSelf(source.getType());
  int axis = int(reduce.getAxis());
  int64_t length = cast<RankedTensorType>(source.getType()).getDimSize(axis);
  auto settled = [&](Value value, ArrayRef<Coordinate> at) -> Value {
    Type wide = element.getIntOrFloatBitWidth() < 32 ? Type(builder.getF32Type()) : element;
    Value number = convertFloat(builder, loc, value, element, wide, Rounding::NearestEven, target);
    Value size = math::AbsFOp::create(builder, loc, number);
    Value isInfinite =
        s.compare(arith::CmpFPredicate::OEQ, size, s.floating(wide, std::numeric_limits<double>::infinity()));
    auto branch = scf::IfOp::create(builder, loc, TypeRange{value.getType()}, isInfinite, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(builder, loc, value);
    builder.setInsertionPointToEnd(branch.thenBlock());
    evaluator.enter(branch, /*isLoop=*/false);
    Values seen = emitLoop(s.i64(0), s.i64(length), 1, loc, s.i1(false), [&](Value index, ValueRange any) {
      Coordinates place(at);
      place.insert(place.begin() + axis, coordinate(index));
      Value x =
          convertFloat(builder, loc, evaluator.uniform(source, place), element, wide, Rounding::NearestEven, target);
      return Values{s.bitOr(any[0], s.compare(arith::CmpFPredicate::ORD, x, x))};
    });
    evaluator.leave();
    Value nan = convertFloat(builder, loc, s.floating(wide, std::numeric_limits<double>::quiet_NaN()), wide, element,
                             Rounding::NearestEven, target);
    scf::YieldOp::create(builder, loc, s.select(seen[0], value, nan));
    return branch.getResult(0);
  };
  auto type = dyn_cast<RankedTensorType>(result.getType());
  if (!type) {
    evaluator.begin(1);
    scalars.map(result, settled(scalars.lookup(result), {}));
    return;
  }
  const Buffer buffer = bufferFor(result);
  forEachElement(type.getShape(), loc,
                 [&](Coordinates &at) { writeBuffer(buffer, at, settled(evaluator.uniform(result, at), at)); });
}

} // namespace triton::cpu
