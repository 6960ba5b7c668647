// Carries a number through a loop instead of a block that is only summed up afterwards.
//
//   %block = scf.for … iter_args(%a = dense<0.0>) -> (tensor<1024xf32>) {
//     %next = arith.addf %a, %x : tensor<1024xf32>
//     scf.yield %next
//   }
//   %sum = "tt.reduce"(%block) ({ addf }) : (tensor<1024xf32>) -> f32
// becomes
//   %sum = scf.for … iter_args(%s = 0.0) -> (f32) {
//     %part = "tt.reduce"(%x) ({ addf }) : (tensor<1024xf32>) -> f32
//     %next = arith.addf %s, %part : f32
//     scf.yield %next
//   }
//
// A block that a loop carries lies in memory: this saves reading and writing it in every iteration, for one combination
// of lanes. Any operation that a reduction may regroup will do. Leaves alone blocks that anything else reads, and short
// ones, for which combining lanes would cost more than it saves.
#include "compiler/cpu/passes/ReduceInsideLoops.h"

#include "compiler/tensor/Stages.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace triton::cpu {

/// Shorter blocks fit into a few registers' worth of memory.
static constexpr int64_t shortest = 128;

namespace {

/// An accumulator and the reduction of it.
struct Match {
  scf::ForOp loop;
  unsigned index; // of the accumulator among what the loop carries
  Operation *update;
  Value addend;
  tensor::ReduceOp reduce;
};

} // namespace

static bool mayRegroup(Operation *op) {
  return isa<arith::AddFOp, arith::AddIOp, arith::MulFOp, arith::MulIOp, arith::MaxNumFOp, arith::MinNumFOp,
             arith::MaximumFOp, arith::MinimumFOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp,
             arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op);
}

static std::optional<Match> match(tensor::ReduceOp reduce) {
  if (reduce.getSrcs().size() != 1 || !reduce.getSrcs()[0].hasOneUse())
    return std::nullopt;
  auto type = cast<RankedTensorType>(reduce.getSrcs()[0].getType());
  auto loop = reduce.getSrcs()[0].getDefiningOp<scf::ForOp>();
  Operation *combiner = reduce.getSingleCombiner();
  if (!loop || !combiner || !mayRegroup(combiner) || type.getDimSize(reduce.getAxis()) < shortest)
    return std::nullopt;
  unsigned index = cast<OpResult>(reduce.getSrcs()[0]).getResultNumber();
  Value argument = loop.getRegionIterArg(index), next = loop.getBody()->getTerminator()->getOperand(index);
  Operation *update = next.getDefiningOp();
  if (!update || update->getBlock() != loop.getBody() || update->getName() != combiner->getName() ||
      !next.hasOneUse() || !argument.hasOneUse() || *argument.getUsers().begin() != update)
    return std::nullopt;
  Value addend = update->getOperand(update->getOperand(0) == argument ? 1 : 0);
  if (addend == argument)
    return std::nullopt;
  return Match{loop, index, update, addend, reduce};
}

static void rewrite(Match found, IRRewriter &rewriter) {
  auto [loop, index, update, addend, reduce] = found;
  Location loc = reduce.getLoc();
  auto reduced = [&](Value block) {
    IRMapping mapping;
    mapping.map(reduce.getSrcs()[0], block);
    return rewriter.clone(*reduce, mapping)->getResult(0);
  };
  Type type = reduce.getResult()[0].getType();
  rewriter.setInsertionPoint(loop);
  // A block of one number that combines with itself to itself, such as 0 in a sum, need not be combined.
  Value initial;
  DenseElementsAttr constant;
  if (matchPattern(loop.getInitArgs()[index], m_Constant(&constant)) && constant.isSplat()) {
    auto value = constant.getSplatValue<Attribute>();
    auto isZero = [&] {
      if (auto real = dyn_cast<FloatAttr>(value))
        return real.getValue().isZero();
      return cast<IntegerAttr>(value).getValue().isZero();
    };
    bool isSum = isa<arith::AddFOp, arith::AddIOp, arith::XOrIOp>(update);
    bool isProduct = isa<arith::MulFOp, arith::MulIOp>(update);
    if ((isSum && isZero()) || (!isSum && !isProduct)) {
      TypedAttr attribute = cast<TypedAttr>(value);
      if (auto shaped = dyn_cast<RankedTensorType>(type))
        attribute = DenseElementsAttr::get(shaped, value);
      initial = arith::ConstantOp::create(rewriter, loc, attribute);
    }
  }
  if (!initial)
    initial = reduced(loop.getInitArgs()[index]);

  rewriter.setInsertionPoint(update);
  Value part = reduced(addend);
  Value argument = loop.getRegionIterArg(index);
  OperationState state(update->getLoc(), update->getName(), {argument, part}, {type}, update->getAttrs());
  state.propertiesAttr = update->getPropertiesAsAttribute();
  argument.setType(type);
  Operation *combined = rewriter.create(state);
  loop.getBody()->getTerminator()->setOperand(index, combined->getResult(0));
  rewriter.eraseOp(update);
  loop.getInitArgsMutable()[index].assign(initial);
  loop->getResult(index).setType(type);
  rewriter.replaceOp(reduce, loop->getResult(index));
}

namespace {
struct ReduceInsideLoops : PassWrapper<ReduceInsideLoops, tensor::CheckedPass<void, tensor::checkTensorIr>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReduceInsideLoops)

  StringRef getArgument() const override { return "cpu-reduce-inside-loops"; }
  StringRef getDescription() const override {
    return "Reduce what a loop accumulates in each iteration, not afterwards";
  }

  void run() override {
    IRRewriter rewriter(&getContext());
    SmallVector<tensor::ReduceOp> reductions;
    getOperation()->walk([&](tensor::ReduceOp reduce) { reductions.push_back(reduce); });
    for (tensor::ReduceOp reduce : reductions)
      if (auto found = match(reduce))
        rewrite(*found, rewriter);
  }
};
} // namespace

std::unique_ptr<Pass> createReduceInsideLoops() { return std::make_unique<ReduceInsideLoops>(); }
void registerReduceInsideLoops() { PassRegistration<ReduceInsideLoops>(); }

} // namespace triton::cpu
