// Steps with steps of their own inside: loops, branches, scalar functions.
#include "test/differential/Generator.h"

#include <array>

using namespace mlir;
using namespace triton::tensor;

namespace triton::differential {

/// A scalar function with a branch, on pairs.
void Generator::mapStep() {
  Value a = findInteger();
  if (!a || cast<RankedTensorType>(a.getType()).getNumElements() < 2)
    return;
  Type element = getElementTypeOrSelf(a.getType());
  auto map = MapElementwiseOp::create(builder, location, TypeRange{a.getType()}, ValueRange{a}, 2);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&map.getScalarOp(), {}, {element, element}, {location, location});
  Value x = block->getArgument(0), y = block->getArgument(1);
  Value isLess = make<arith::CmpIOp>(arith::CmpIPredicate::slt, x, y);
  auto branch = scf::IfOp::create(builder, location, TypeRange{element}, isLess, /*withElse=*/true);
  builder.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(builder, location, make<arith::SubIOp>(y, x));
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, location, make<arith::XOrIOp>(x, y));
  builder.setInsertionPointAfter(branch);
  MapElementwiseReturnOp::create(builder, location, ValueRange{y, branch.getResult(0)});
  builder.setInsertionPointAfter(map);
  keep(map->getResult(0));
}

/// A few steps in a region of their own; then, for each of `carried`, the newest value of its type.
SmallVector<Value> Generator::emitBody(ArrayRef<Value> carried) {
  std::vector<Value> outside = pool;
  llvm::append_range(pool, carried);
  ++depth;
  for (unsigned count = 2 + below(4); count > 0; --count)
    step();
  --depth;
  SmallVector<Value> results;
  for (Value value : carried) {
    auto newest =
        std::find_if(pool.rbegin(), pool.rend(), [&](Value other) { return other.getType() == value.getType(); });
    results.push_back(newest == pool.rend() ? value : *newest);
  }
  pool = std::move(outside);
  return results;
}

void Generator::loopStep() {
  SmallVector<Value> carried;
  for (unsigned count = 1 + below(2); count > 0; --count)
    if (Value value = findAny())
      carried.push_back(value);
  // A few iterations, from 0 on or where sums of bounds and steps wrap.
  constexpr double least = INT32_MIN, largest = INT32_MAX;
  const double count = double(below(4));
  const std::array<double, 3> ranges[] = {{0, count, 1},
                                          {largest - 100, largest - 100 + 30 * count, 70},
                                          {largest - 3, largest, 1 + count},
                                          {least, largest, 2e9},
                                          {least, least + count, 1024},
                                          {-2e9, 2e9, 1e9},
                                          {least, -1, largest - 5}};
  const auto [begin, end, by] = ranges[chance(70) ? 0 : below(std::size(ranges))];
  Type i32 = builder.getI32Type();
  auto loop =
      scf::ForOp::create(builder, location, constant(i32, begin), constant(i32, end), constant(i32, by), carried);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> inside(loop.getRegionIterArgs());
  SmallVector<Value> results = emitBody(inside);
  scf::YieldOp::create(builder, location, results);
  builder.setInsertionPointAfter(loop);
  for (Value result : loop.getResults())
    keep(result);
}

/// Until a counter has run out, or a number of the tensor it carries has grown.
void Generator::whileStep() {
  Value carried = findInteger();
  if (!carried)
    return;
  Type count = builder.getI32Type(), type = carried.getType();
  Value zero = constant(count, 0), limit = constant(count, double(below(4)));
  auto loop = scf::WhileOp::create(builder, location, TypeRange{count, type}, ValueRange{zero, carried});
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Location> locations(2, location);
  Block *before = builder.createBlock(&loop.getBefore(), {}, {count, type}, locations);
  Value runs = make<arith::CmpIOp>(arith::CmpIPredicate::slt, before->getArgument(0), limit);
  scf::ConditionOp::create(builder, location, runs, before->getArguments());
  Block *after = builder.createBlock(&loop.getAfter(), {}, {count, type}, locations);
  SmallVector<Value> results = emitBody({after->getArgument(1)});
  Value next = make<arith::AddIOp>(after->getArgument(0), constant(count, 1));
  scf::YieldOp::create(builder, location, ValueRange{next, results[0]});
  builder.setInsertionPointAfter(loop);
  keep(loop.getResult(1));
}

void Generator::branchStep() {
  Value value = findAny();
  if (!value)
    return;
  Value pid = make<GetProgramIdOp>(0);
  Value condition =
      make<arith::CmpIOp>(arith::CmpIPredicate::slt, pid, constant(builder.getI32Type(), double(below(3))));
  auto branch = scf::IfOp::create(builder, location, TypeRange{value.getType()}, condition, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(builder);
  for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
    builder.setInsertionPointToEnd(block);
    SmallVector<Value> results = emitBody({value});
    scf::YieldOp::create(builder, location, results);
  }
  builder.setInsertionPointAfter(branch);
  keep(branch.getResult(0));
}

} // namespace triton::differential
