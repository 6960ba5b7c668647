// Loop nests: one loop per dimension, the innermost over vectors.
//   In:  a `NestPlan` and the `Space` chosen for it.
//   Out: loops around the stores, reductions and buffer fills of the nest.
// Where masks are prefixes (`index < bound`) the run of vectors is split: up to the last vector that all of them hold
// for, without masks; then the rest, with masks, as far as something is still stored.
#include "compiler/cpu/Lowering.h"
#include "compiler/cpu/Mask.h"
#include "compiler/cpu/Scalar.h"
#include "compiler/cpu/evaluate/Expression.h"

using namespace mlir;

namespace triton::cpu {

Lowering::Values Lowering::emitLoop(Value from, Value to, int64_t step, Location loc, ValueRange carried,
                                    llvm::function_ref<Values(Value, ValueRange)> body) {
  auto low = Scalar::constant(from), high = Scalar::constant(to);
  if (low && high && *low >= *high)
    return Values(carried);
  if (low && high && *low + step >= *high)
    return body(from, carried);
  Value increment = Scalar{builder, loc}.i64(step);
  auto loop = scf::ForOp::create(builder, loc, from, to, increment, carried);
  OpBuilder::InsertionGuard guard(builder);
  evaluator.enter(loop, /*isLoop=*/true);
  if (carried.empty())
    builder.setInsertionPoint(loop.getBody()->getTerminator());
  else
    builder.setInsertionPointToEnd(loop.getBody());
  Values next = body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!carried.empty())
    scf::YieldOp::create(builder, loc, next);
  evaluator.leave();
  return Values(loop.getResults());
}

void Lowering::emitLoops(const Space &space, Location loc, llvm::function_ref<void(Coordinates &)> body) {
  Coordinates at(space.shape.size(), evaluator.zero());
  Scalar s{builder, loc};
  std::function<void(size_t)> descend = [&](size_t i) {
    if (i == space.loops.size())
      return body(at);
    int d = space.loops[i];
    emitLoop(s.i64(0), s.i64(space.shape[d]), 1, loc, {}, [&](Value index, ValueRange) {
      at[d] = coordinate(index);
      descend(i + 1);
      return Values();
    });
    at[d] = evaluator.zero();
  };
  descend(0);
}

Coordinates Lowering::vectorCoordinates(const Space &space, ArrayRef<Coordinate> outer, const Coordinate &run) {
  Coordinates at(outer);
  if (space.vectors.size() == 1) {
    at[space.vectors[0]] = run;
    return at;
  }
  SmallVector<int64_t> sizes;
  for (int d : space.vectors)
    sizes.push_back(space.shape[d]);
  Coordinates parts = evaluator.reshape({run}, {space.run()}, sizes);
  for (auto [d, part] : llvm::zip_equal(space.vectors, parts))
    at[d] = part;
  return at;
}

/// How many elements along the run a term holds for, from the first: an i64 between 0 and `size`.
static Value limitOf(const PrefixTerm &term, ArrayRef<Coordinate> outer, int64_t size, Evaluator &evaluator,
                     OpBuilder &builder, int along) {
  Coordinates at;
  for (int d : term.dimensions)
    at.push_back(d < 0 || d == along ? evaluator.zero() : outer[d]);
  Lanes index = evaluator.evaluate(term.index, at), bound = evaluator.evaluate(term.bound, at);
  assert(index.isUniform() && bound.isUniform() && "no coordinate of these has lanes");
  Scalar s{builder, term.compare.getLoc()};
  Type i64 = builder.getI64Type();
  Value count = s.sub(s.resize(bound.scalar, i64, term.isSigned), s.resize(index.scalar, i64, term.isSigned));
  count = s.add(count, term.includesBound ? 1 : 0);
  return s.smin(s.smax(count, s.i64(0)), s.i64(size));
}

Segments Lowering::chooseSegments(const NestPlan &nest, const Space &space, ArrayRef<Coordinate> outer) {
  Segments segments;
  Scalar s{builder, builder.getUnknownLoc()};
  int64_t size = space.run();
  segments.end = segments.full = s.i64(size);
  if (space.vectors.size() != 1)
    return segments;
  int along = space.vectors[0];
  auto isLeaf = [&](Value tensor) { return plan.isBuffered(tensor) && !llvm::is_contained(nest.fills, tensor); };
  SmallVector<Value> limits;
  auto limit = [&](const PrefixTerm &term) -> Value {
    for (auto [known, value] : llvm::zip_equal(segments.terms, limits))
      if (known == term)
        return value;
    segments.terms.push_back(term);
    limits.push_back(limitOf(term, outer, size, evaluator, builder, along));
    return limits.back();
  };
  auto limitOfAll = [&](Value mask, ArrayRef<int> dimensions) -> Value {
    Value least;
    for (const PrefixTerm &term : findPrefixTerms(mask, dimensions, along, accesses, isLeaf)) {
      Value value = limit(term);
      least = least ? s.smin(least, value) : value;
    }
    return least;
  };
  auto visit = [&](Value tensor, ArrayRef<int> dimensions) {
    if (isLeaf(tensor))
      return;
    if (auto load = tensor.getDefiningOp<tensor::LoadOp>(); load && load.getMask())
      limitOfAll(load.getMask(), dimensions);
    if (auto select = tensor.getDefiningOp<arith::SelectOp>();
        select && isa<RankedTensorType>(select.getCondition().getType()))
      limitOfAll(select.getCondition(), dimensions);
  };
  Value end;
  bool stopsEarly = nest.fills.empty() && !nest.members.empty();
  for (Value fill : nest.fills)
    walkExpression(fill, getOwnDimensions(fill), isLeaf, visit);
  for (Operation *member : nest.members) {
    auto store = dyn_cast<tensor::StoreOp>(member);
    for (Value operand : member->getOperands())
      walkExpression(operand, getOwnDimensions(operand), isLeaf, visit);
    if (!store) {
      stopsEarly = false;
      continue;
    }
    Value own = store.getMask() ? limitOfAll(store.getMask(), getOwnDimensions(store.getMask())) : Value();
    if (!own)
      stopsEarly = false;
    else
      end = end ? s.smax(end, own) : own;
  }
  if (segments.terms.empty())
    return segments;
  Value least = limits[0];
  for (Value value : ArrayRef<Value>(limits).drop_front())
    least = s.smin(least, value);
  segments.full = s.bitAnd(least, -space.width);
  if (stopsEarly)
    segments.end = s.bitAnd(s.add(end, space.width - 1), -space.width);
  return segments;
}

Lowering::Values Lowering::emitRun(const NestPlan &nest, const Space &space, ArrayRef<Coordinate> outer, Value from,
                                   ValueRange carried, llvm::function_ref<Values(Coordinates &, ValueRange)> body) {
  Location loc = builder.getUnknownLoc();
  Scalar s{builder, loc};
  Segments segments = chooseSegments(nest, space, outer);
  auto part = [&](Value low, Value high, ValueRange values, bool isFull) {
    return emitLoop(low, high, space.width, loc, values, [&](Value index, ValueRange current) {
      Coordinate run = coordinate(index, getIota(space.width));
      if (isFull)
        for (const PrefixTerm &term : segments.terms)
          evaluator.assume({term.compare, term.dimension, run});
      Coordinates at = vectorCoordinates(space, outer, run);
      return body(at, current);
    });
  };
  if (segments.terms.empty())
    return part(from, s.i64(space.run()), carried, false);
  Values values = part(from, segments.full, carried, true);
  return part(s.smax(from, segments.full), segments.end, values, false);
}

void Lowering::writeBuffer(const Buffer &buffer, ArrayRef<Coordinate> at, Value value) {
  auto [base, offsets] = elementsAt(builder, value.getLoc(), buffer, at);
  Type element = isa<tensor::PointerType>(buffer.element) ? Type(builder.getI64Type()) : buffer.element;
  Memory(builder, target, value.getLoc()).storeBuffer(buffer.pointer, element, base, offsets, value);
}

LogicalResult Lowering::lowerNest(const NestPlan &nest, Location loc) {
  Space space = chooseSpace(nest);
  if (!nest.members.empty() && isa<tensor::ReduceOp>(nest.members[0]))
    return lowerReductions(nest, space);
  const Squares squares = findSquares(nest, space);
  evaluator.begin(space.width, nest.fills);
  SmallVector<Redirection> redirections = guardStores(nest, /*isInOrder=*/squares.across < 0);
  auto emitRows = [&] {
    evaluator.begin(space.width, nest.fills);
    emitLoops(space, loc, [&](Coordinates &outer) {
      emitRun(nest, space, outer, Scalar{builder, loc}.i64(0), {}, [&](Coordinates &at, ValueRange) {
        for (Value tensor : nest.fills)
          writeBuffer(bufferFor(tensor), at, evaluator.vector(tensor, at));
        emitStores(nest.members, redirections, at);
        return Values();
      });
    });
  };
  SmallVector<PrefixTerm> terms;
  Value whole = squares.across < 0 ? Value() : wholeTile(nest, terms);
  if (squares.across < 0) {
    emitRows();
  } else if (!whole) {
    emitSquares(nest, space, squares, redirections, {}, loc);
  } else {
    auto branch = scf::IfOp::create(builder, loc, whole, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(branch.thenBlock()->getTerminator());
    emitSquares(nest, space, squares, redirections, terms, loc);
    builder.setInsertionPoint(branch.elseBlock()->getTerminator());
    emitRows();
  }
  finishRedirected(nest, space, redirections);
  return checked();
}

LogicalResult Lowering::fill(Value tensor, const Buffer &buffer) {
  NestPlan nest;
  nest.shape = llvm::to_vector(cast<RankedTensorType>(tensor.getType()).getShape());
  if (!plan.isBuffered(tensor))
    nest.fills = {tensor};
  Space space = chooseSpace(nest);
  if (nest.fills.empty())
    space.width = std::min<int64_t>(target.lanes(tensor::getElementBits(tensor.getType())) * 4, space.run());
  evaluator.begin(space.width, {});
  emitLoops(space, tensor.getLoc(), [&](Coordinates &outer) {
    emitRun(nest, space, outer, Scalar{builder, tensor.getLoc()}.i64(0), {}, [&](Coordinates &at, ValueRange) {
      writeBuffer(buffer, at, evaluator.vector(tensor, at));
      return Values();
    });
  });
  return checked();
}

} // namespace triton::cpu
