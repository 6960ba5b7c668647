// Chooses the loops of a nest: which dimension vectors run along, and how long they are.
//   In:  the expressions a nest computes.
//   Out: its `Space`.
// Vectors run along the dimension that most accesses are contiguous in. Their length is a few machine vectors of the
// widest type computed with, whatever the shape; where that dimension is too short, the next outer one joins it if no
// access minds.
#include "compiler/cpu/Lowering.h"
#include "compiler/cpu/Scalar.h"
#include "compiler/cpu/evaluate/Elementwise.h"
#include "compiler/cpu/evaluate/Expression.h"

using namespace mlir;

namespace triton::cpu {

namespace {

/// One read or write, by its step along each dimension of the nest.
struct Access {
  tensor::Steps steps;
  bool isMemory; // not a buffer
};

struct Body {
  SmallVector<Access> accesses;
  int64_t widestBits = 8;
  bool isHeavy = false; // division, transcendental functions

  /// Computes with `element`; small floats as f32.
  void widen(Type element) {
    if (isa<tensor::PointerType>(element))
      return;
    int64_t bits = element.getIntOrFloatBitWidth();
    widestBits = std::max(widestBits, isa<FloatType>(element) ? std::max<int64_t>(bits, 32) : bits);
  }
};

} // namespace

static SmallVector<Value> rootsOf(const NestPlan &nest) {
  SmallVector<Value> roots(nest.fills.begin(), nest.fills.end());
  for (Operation *member : nest.members) {
    if (auto store = dyn_cast<tensor::StoreOp>(member)) {
      roots.append({store.getPtr(), store.getValue()});
      if (store.getMask())
        roots.push_back(store.getMask());
    } else {
      roots.append(member->getOperands().begin(), member->getOperands().end());
    }
  }
  return roots;
}

static tensor::Steps placeSteps(ArrayRef<tensor::Step> steps, ArrayRef<int> dimensions, size_t rank) {
  tensor::Steps placed(rank, tensor::Step::constant(0));
  for (auto [step, dimension] : llvm::zip_equal(steps, dimensions))
    if (dimension >= 0)
      placed[dimension] = step;
    else if (!step.isZero())
      placed.assign(rank, tensor::Step()); // regrouped on the way
  return placed;
}

static tensor::Steps bufferSteps(ArrayRef<int64_t> shape) {
  tensor::Steps steps(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0; stride *= shape[d])
    steps[d] = tensor::Step::constant(shape[d] == 1 ? 0 : stride);
  return steps;
}

static Body describe(const NestPlan &nest, tensor::AccessAnalysis &analysis, const Plan &plan) {
  Body body;
  size_t rank = nest.shape.size();
  auto isLeaf = [&](Value tensor) { return plan.isBuffered(tensor) && !llvm::is_contained(nest.fills, tensor); };
  auto visit = [&](Value tensor, ArrayRef<int> dimensions) {
    Type element = getElementTypeOrSelf(tensor.getType());
    Operation *op = tensor.getDefiningOp();
    bool isIndex = isa<tensor::PointerType>(element) || element.isInteger(1) ||
                   (op && isa<IntegerType>(element) && analysis.isAffine(tensor));
    if (!isIndex)
      body.widen(element);
    if (isLeaf(tensor)) {
      body.accesses.push_back(
          {placeSteps(bufferSteps(cast<RankedTensorType>(tensor.getType()).getShape()), dimensions, rank), false});
      return;
    }
    if (auto load = dyn_cast_or_null<tensor::LoadOp>(op))
      body.accesses.push_back({placeSteps(analysis.steps(load.getPtr()), dimensions, rank), true});
    else if (op && isElementwise(op) && !isIndex)
      body.isHeavy |= getElementwiseCost(op) >= 8;
  };
  for (Value root : rootsOf(nest)) {
    body.widen(getElementTypeOrSelf(root.getType()));
    walkExpression(root, getOwnDimensions(root), isLeaf, visit);
  }
  for (Value fill : nest.fills)
    body.accesses.push_back({bufferSteps(cast<RankedTensorType>(fill.getType()).getShape()), false});
  for (Operation *member : nest.members)
    if (auto store = dyn_cast<tensor::StoreOp>(member))
      body.accesses.push_back(
          {placeSteps(analysis.steps(store.getPtr()), getOwnDimensions(store.getPtr()), rank), true});
  return body;
}

Space Lowering::chooseSpace(const NestPlan &nest) {
  Space space;
  space.shape = nest.shape;
  int rank = int(nest.shape.size());
  Body body = describe(nest, accesses, plan);
  bool onlyScalars = llvm::any_of(nest.members, [](Operation *member) {
    auto reduce = dyn_cast<tensor::ReduceOp>(member);
    return reduce && !isVectorisable(reduce.getCombineOp());
  });

  int best = rank - 1, bestScore = -1;
  for (int d = rank - 1; d >= 0; --d) {
    int score = 0;
    for (const Access &access : body.accesses)
      score += (access.isMemory ? 4 : 2) * (access.steps[d].isOne() ? 2 : access.steps[d].isZero() ? 1 : 0);
    if (nest.shape[d] > 1 && score > bestScore) {
      best = d;
      bestScore = score;
    }
  }
  int64_t machine = target.lanes(body.widestBits);
  bool isReduction = nest.axis >= 0;
  if (isReduction && best == nest.axis && nest.shape[best] < machine) {
    // Too short to run vectors along: combine across vectors if there is another dimension to run them along.
    int other = -1;
    for (int d = rank - 1; d >= 0 && other < 0; --d)
      if (d != nest.axis && nest.shape[d] > nest.shape[nest.axis])
        other = d;
    if (other >= 0)
      best = other;
  }
  space.vectors = {best};
  if (isReduction && best != nest.axis)
    space.axis = nest.axis;

  bool gathers = llvm::any_of(body.accesses, [&](const Access &access) {
    tensor::Step step = access.steps[best];
    return access.isMemory && !step.isOne() && !step.isZero();
  });
  int64_t unroll = gathers ? 1 : body.isHeavy ? 2 : 4;
  if (isReduction && body.isHeavy && target.avx512f)
    unroll = 4;
  int64_t wanted = std::min<int64_t>(machine * unroll, 128);
  for (int outer = best - 1; outer >= 0 && space.run() < wanted; --outer) {
    if (outer == nest.axis || best == nest.axis)
      break; // lanes of one vector belong to one result
    int inner = space.vectors.front();
    bool joins = llvm::all_of(body.accesses, [&](const Access &access) {
      if (!access.isMemory)
        return true;
      tensor::Step near = access.steps[inner], far = access.steps[outer];
      return near.kind == tensor::Step::Constant && far.kind == tensor::Step::Constant &&
             far.value == near.value * nest.shape[inner];
    });
    if (!joins && space.run() >= 4)
      break;
    space.vectors.insert(space.vectors.begin(), outer);
  }
  space.width = onlyScalars ? 1 : std::min(wanted, space.run());
  for (int d = 0; d < rank; ++d)
    if (d != space.axis && !llvm::is_contained(space.vectors, d))
      space.loops.push_back(d);
  return space;
}

} // namespace triton::cpu
