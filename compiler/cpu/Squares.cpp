// Nests that read along one dimension what they write along another, as transposing a tile does.
//   In:  a nest of stores whose vectors run along the dimension the stores lie together in.
//   Out: loops over squares: what lies together along another dimension is read by vectors along that one and turned in registers;
//        everything else is computed as ever, for one row of the square after the other.
// Only where no mask cuts the tile: the others keep the plain loops.
#include "compiler/cpu/Squares.h"

#include "compiler/cpu/Lowering.h"
#include "compiler/cpu/Mask.h"
#include "compiler/cpu/Scalar.h"
#include "compiler/cpu/evaluate/Elementwise.h"
#include "compiler/cpu/evaluate/Expression.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace triton::cpu {

/// A square repeats the code of its nest for every row: beyond this much of it (see getElementwiseCost) that is not worth while.
static constexpr int mostWork = 8;

/// Each round interleaves the halves, which moves one bit of the vector number into the lane number and one the other way.
void transposeSquare(OpBuilder &builder, Location loc, MutableArrayRef<Value> square) {
  int64_t size = square.size();
  SmallVector<int64_t> low, high;
  for (int64_t i = 0; i < size / 2; ++i) {
    llvm::append_values(low, i, i + size);
    llvm::append_values(high, i + size / 2, i + size / 2 + size);
  }
  for (int64_t round = 1; round < size; round *= 2) {
    SmallVector<Value> next;
    for (int64_t i = 0; i < size / 2; ++i) {
      next.push_back(vector::ShuffleOp::create(builder, loc, square[i], square[i + size / 2], low));
      next.push_back(vector::ShuffleOp::create(builder, loc, square[i], square[i + size / 2], high));
    }
    llvm::copy(next, square.begin());
  }
}

/// The dimension of its own that `tensor` lies together along; -1 if that is not known.
static int nearDimension(Value tensor, bool isBuffer, tensor::AccessAnalysis &accesses) {
  ArrayRef<int64_t> shape = shapeOf(tensor);
  auto load = tensor.getDefiningOp<tensor::LoadOp>();
  for (int d = int(shape.size()) - 1; d >= 0; --d)
    if (shape[d] > 1 && (isBuffer || accesses.steps(load.getPtr())[d] == tensor::Step::constant(1)))
      return d;
  return -1;
}

Squares Lowering::findSquares(const NestPlan &nest, const Space &space) {
  Squares squares;
  squares.size = std::min<int64_t>(target.lanes(32), 16);
  if (space.vectors.size() != 1 || space.axis >= 0 || space.run() < squares.size || squares.size < 4)
    return {};
  const int along = space.vectors[0];
  int work = 0;
  auto isLeaf = [&](Value tensor) { return plan.isBuffered(tensor) && !llvm::is_contained(nest.fills, tensor); };
  auto visit = [&](Value tensor, ArrayRef<int> dimensions) {
    Operation *op = tensor.getDefiningOp();
    Type element = elementOf(tensor);
    const bool isBuffer = isLeaf(tensor);
    if (!isBuffer && op && isElementwise(op) && !accesses.isAffine(tensor))
      work += getElementwiseCost(op);
    if ((!isBuffer && !isa_and_nonnull<tensor::LoadOp>(op)) || isa<tensor::PointerType>(element) ||
        element.isInteger(1))
      return;
    if (auto load = dyn_cast_or_null<tensor::LoadOp>(op); load && load.getIsVolatile())
      return;
    int near = nearDimension(tensor, isBuffer, accesses), across = near < 0 ? -1 : dimensions[near];
    if (across < 0 || across == along || !llvm::is_contained(space.loops, across) ||
        space.shape[across] < squares.size || !llvm::is_contained(dimensions, along))
      return;
    for (auto [dimension, size] : llvm::zip_equal(dimensions, shapeOf(tensor)))
      if (dimension < 0 && size > 1)
        return; // regrouped on the way
    if (squares.across >= 0 && squares.across != across)
      return;
    squares.across = across;
    squares.turned.push_back({tensor, SmallVector<int>(dimensions)});
  };
  for (Value fill : nest.fills)
    walkExpression(fill, getOwnDimensions(fill), isLeaf, visit);
  for (Operation *member : nest.members)
    walkExpression(cast<tensor::StoreOp>(member).getValue(), getOwnDimensions(cast<tensor::StoreOp>(member).getValue()),
                   isLeaf, visit);
  return work <= mostWork ? squares : Squares();
}

void Lowering::emitSquares(const NestPlan &nest, const Space &space, const Squares &squares,
                           ArrayRef<Redirection> redirections, ArrayRef<PrefixTerm> terms, Location loc) {
  const int64_t size = squares.size;
  const int along = space.vectors[0], across = squares.across;
  Scalar s{builder, loc};
  evaluator.begin(size, nest.fills);
  for (const PrefixTerm &term : terms)
    evaluator.assume(Fact{term.compare, term.dimension, {}});
  Coordinates at(space.shape.size(), evaluator.zero());
  auto each = [&](Value index) { // of the square's rows, or columns
    SmallVector<Coordinate> places;
    for (int64_t i = 0; i < size; ++i)
      places.push_back(coordinate(s.add(index, i)));
    return places;
  };
  auto with = [&](const Coordinate &a, const Coordinate &b) {
    Coordinates place(at);
    place[along] = a;
    place[across] = b;
    return place;
  };
  SmallVector<Coordinate> rows;
  auto emitSquare = [&](Value index) {
    const Coordinate run = coordinate(index, getIota(size)), block = at[across];
    SmallVector<Coordinate> columns = each(index);
    for (const auto &[tensor, dimensions] : squares.turned) {
      auto ownPlace = [&, &dimensions = dimensions](const Coordinates &place) {
        Coordinates own;
        for (int d : dimensions)
          own.push_back(d < 0 ? evaluator.zero() : place[d]);
        return own;
      };
      SmallVector<Value> square;
      for (const Coordinate &column : columns)
        square.push_back(evaluator.vector(tensor, ownPlace(with(column, block))));
      transposeSquare(builder, tensor.getLoc(), square);
      for (auto [row, value] : llvm::zip_equal(rows, square))
        evaluator.remember(tensor, ownPlace(with(run, row)), value);
    }
    for (const Coordinate &row : rows) {
      Coordinates place = with(run, row);
      for (Value tensor : nest.fills)
        writeBuffer(bufferFor(tensor), place, evaluator.vector(tensor, place));
      emitStores(nest.members, redirections, place);
    }
  };
  std::function<void(size_t)> descend = [&](size_t i) {
    const bool isLast = i == space.loops.size();
    const int d = isLast ? along : space.loops[i];
    const bool isBlock = d == along || d == across;
    emitLoop(s.i64(0), s.i64(space.shape[d]), isBlock ? size : 1, loc, {}, [&](Value index, ValueRange) {
      if (isLast) {
        emitSquare(index);
        return Values();
      }
      at[d] = coordinate(index, isBlock ? getIota(size) : Offsets());
      if (d == across)
        rows = each(index);
      descend(i + 1);
      return Values();
    });
    if (!isLast)
      at[d] = evaluator.zero();
  };
  descend(0);
}

} // namespace triton::cpu
