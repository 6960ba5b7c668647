// Lets each thread add up what it holds of a row before it adds that to the sum that a loop carries.
//
//   %all = scf.for … iter_args(%a = dense<-0.0>) {
//     %b = arith.addf %a, %x : tensor<32x64xf32, #blocked>       8 elements of a row in each thread
//     scf.yield %b
//   }
//   %sum = "tt.reduce"(%all) {axis = 1, add}
// becomes
//   %all = scf.for … iter_args(%a = dense<-0.0>) {
//     %y = tt.reshape, tt.trans %x : tensor<32x8x8xf32>          no element leaves its register
//     %r = "tt.reduce"(%y) {axis = 2, add} : tensor<32x8xf32>    within threads
//     %b = arith.addf %a, %r
//     scf.yield %b
//   }
//   %sum = "tt.reduce"(%all) {axis = 1, add}
//
// The same number of additions, and one register in place of eight from one iteration to the next. Runs once layouts are assigned: they say
// which elements of a row a thread holds. AccumulateReductions has made such loops. Leaves alone rows of which each thread holds one element,
// or all of them.
#include "compiler/gpu/dialect/encodings/LayoutInference.h"
#include "compiler/gpu/passes/Passes.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_REDUCEINTHREADS
#include "compiler/gpu/passes/Passes.h.inc"

namespace {

/// A tensor that a loop adds to, element by element, and that is reduced behind it.
struct Sum {
  tensor::ReduceOp reduce;
  scf::ForOp loop;
  unsigned index; // of the loop's results
  Operation *step;
  Value added;
  DenseElementsAttr start; // the same number everywhere

  static std::optional<Sum> match(tensor::ReduceOp reduce) {
    if (reduce.getNumOperands() != 1)
      return std::nullopt;
    auto all = dyn_cast<OpResult>(reduce.getOperand(0));
    auto loop = all && all.hasOneUse() ? dyn_cast<scf::ForOp>(all.getOwner()) : scf::ForOp();
    Operation *combine = reduce.getSingleCombiner();
    if (!loop || !combine)
      return std::nullopt;
    const unsigned index = all.getResultNumber();
    BlockArgument carried = loop.getRegionIterArg(index);
    Operation *step = loop.getBody()->getTerminator()->getOperand(index).getDefiningOp();
    if (!step || step->getBlock() != loop.getBody() || step->getName() != combine->getName() ||
        step->getNumOperands() != 2 || !step->getResult(0).hasOneUse() || !carried.hasOneUse() ||
        !llvm::is_contained(step->getOperands(), carried))
      return std::nullopt;
    DenseElementsAttr start;
    if (!matchPattern(loop.getInitArgs()[index], m_Constant(&start)) || !start.isSplat())
      return std::nullopt;
    return Sum{reduce, loop, index, step, step->getOperand(step->getOperand(0) == carried ? 1 : 0), start};
  }
};

/// How the elements of a row divide into those that a thread holds and the others.
struct Division {
  SmallVector<int64_t> cut;    // the shape, the row cut where one kind follows the other
  SmallVector<int32_t> order;  // what threads hold behind everything else
  SmallVector<int64_t> joined; // the shape with those as the last dimension

  /// Nothing if threads hold one element of a row, or all.
  static std::optional<Division> of(RankedTensorType type, unsigned axis) {
    const layout::LinearLayout map = toLinear(type);
    int64_t held = 0, elsewhere = 0; // bits of the place in a row
    for (const layout::LinearLayout::Input &input : map.inputs())
      for (const layout::Coordinates &basis : input.bases) {
        const bool isAlone = llvm::count_if(basis, [](int64_t step) { return step != 0; }) == 1;
        (input.name == "register" && isAlone ? held : elsewhere) |= basis[axis];
      }
    held &= ~elsewhere;
    if (held == 0 || elsewhere == 0)
      return std::nullopt;
    Division division;
    SmallVector<int32_t> kept, within;
    int64_t count = 1;
    for (auto [dim, size] : llvm::enumerate(type.getShape())) {
      if (dim != axis) {
        kept.push_back(division.cut.size());
        division.cut.push_back(size);
        division.joined.push_back(size);
        continue;
      }
      for (int64_t bit = size / 2; bit > 0; bit /= 2) {
        const bool isHeld = held & bit, isFirst = bit == size / 2 || bool(held & (2 * bit)) != isHeld;
        if (isFirst) {
          (isHeld ? within : kept).push_back(division.cut.size());
          division.cut.push_back(1);
        }
        division.cut.back() *= 2;
        count *= isHeld ? 2 : 1;
      }
      division.joined.push_back(size / count);
    }
    division.joined.push_back(count);
    division.order = kept;
    division.order.append(within);
    return division;
  }

  Value apply(OpBuilder &builder, Location location, Value value) const {
    Type element = cast<RankedTensorType>(value.getType()).getElementType();
    auto typeOf = [&](ArrayRef<int64_t> shape, Attribute layout) {
      return RankedTensorType::get(shape, element, layout);
    };
    auto reshape = [&](ArrayRef<int64_t> shape) {
      auto type = cast<RankedTensorType>(value.getType());
      value = tensor::ReshapeOp::create(builder, location, typeOf(shape, reshapeLayout(type, shape)), value,
                                        /*allow_reorder=*/false, /*efficient_layout=*/false);
    };
    reshape(cut);
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> turned = llvm::map_to_vector(order, [&](int32_t dim) { return cut[dim]; });
    value = tensor::TransOp::create(builder, location, typeOf(turned, transLayout(type, order)), value,
                                    builder.getDenseI32ArrayAttr(order));
    reshape(joined);
    return value;
  }
};

/// `reduce` of another operand along another axis.
Value reduceAlong(OpBuilder &builder, tensor::ReduceOp reduce, Value operand, unsigned axis) {
  auto type = cast<RankedTensorType>(operand.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  auto copy = cast<tensor::ReduceOp>(builder.clone(*reduce));
  copy->setOperand(0, operand);
  copy.setAxis(axis);
  copy->getResult(0).setType(
      shape.empty() ? type.getElementType()
                    : Type(RankedTensorType::get(
                          shape, type.getElementType(),
                          SliceAttr::get(type.getContext(), axis, cast<DistributedAttr>(type.getEncoding())))));
  return copy->getResult(0);
}

void reduceInThreads(Sum sum) {
  const unsigned axis = sum.reduce.getAxis();
  std::optional<Division> division = Division::of(cast<RankedTensorType>(sum.added.getType()), axis);
  if (!division)
    return;
  IRRewriter rewriter(sum.step);
  Value divided = division->apply(rewriter, sum.step->getLoc(), sum.added);
  Value partial = reduceAlong(rewriter, sum.reduce, divided, division->joined.size() - 1);

  rewriter.setInsertionPoint(sum.loop);
  Value neutral = arith::ConstantOp::create(
      rewriter, sum.step->getLoc(),
      SplatElementsAttr::get(cast<ShapedType>(partial.getType()), sum.start.getSplatValue<Attribute>()));
  NewYieldValuesFn yield = [&](OpBuilder &, Location, ArrayRef<BlockArgument> added) {
    rewriter.setInsertionPoint(sum.step);
    OperationState state(sum.step->getLoc(), sum.step->getName().getStringRef(), {added[0], partial},
                         {partial.getType()}, sum.step->getAttrs());
    return SmallVector<Value>{rewriter.create(state)->getResult(0)};
  };
  auto replaced = cast<scf::ForOp>(
      **sum.loop.replaceWithAdditionalYields(rewriter, neutral, /*replaceInitOperandUsesInLoop=*/false, yield));
  rewriter.setInsertionPoint(sum.reduce);
  Value total = reduceAlong(rewriter, sum.reduce, replaced->getResults().back(), axis);
  Type wanted = sum.reduce->getResult(0).getType();
  if (total.getType() != wanted)
    total = ConvertLayoutOp::create(rewriter, sum.reduce.getLoc(), wanted, total);
  rewriter.replaceOp(sum.reduce, total);
  // The loop hands the old tensor through, until the canonicalizer sees that it does.
  cast<scf::YieldOp>(replaced.getBody()->getTerminator())->setOperand(sum.index, replaced.getRegionIterArg(sum.index));
  rewriter.eraseOp(sum.step);
}

struct ReduceInThreads : impl::ReduceInThreadsBase<ReduceInThreads> {
  void run() override {
    SmallVector<tensor::ReduceOp> reductions;
    getOperation()->walk([&](tensor::ReduceOp reduce) { reductions.push_back(reduce); });
    for (tensor::ReduceOp reduce : reductions)
      if (std::optional<Sum> sum = Sum::match(reduce))
        reduceInThreads(*sum);
  }
};

} // namespace

} // namespace triton::gpu
