// Moves a common factor out of a maximum, max(x f) = max(x) f: one multiplication instead of one for each element.
//
//   %y = arith.mulf %x, splat %f : tensor<128x128xf32>
//   %m = "tt.reduce"(%y) {maxnumf} : tensor<128xf32>
// becomes, in a loop,
//   %m = scf.if 0 < %f < infinity { yield max(%x) * %f } else { yield min(%x) * %f, mostly }
//
// Rounding keeps the order of numbers, or turns it round, so that the largest product is that of the largest or of the smallest number. If %f is
// infinite or zero, products with zero or with infinities are no numbers, and do not count: the largest of those that do is one of max(%x) * %f,
// min(%x) * %f and, for zero, min(|%x|) * %f (which may be a zero of the other sign). What %f is is asked at run time, unless it is a constant.
// Each of the three is found in a branch of its own, so that none takes more registers than the loop needs anyway. Other users of %y add to it
// or subtract from it: that multiplication is fused.
//
// Runs behind pipelining, which wants loops without branches.
#include "compiler/gpu/Gpu.h"
#include "compiler/gpu/ScaledExtrema.h"
#include "compiler/gpu/passes/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_FACTORMAXIMA
#include "compiler/gpu/passes/Passes.h.inc"

namespace {

struct Factoring {
  tensor::ReduceOp reduce;
  Value source; // unscaled
  arith::MulFOp product = reduce->getOperand(0).getDefiningOp<arith::MulFOp>();
  OpBuilder builder{reduce};
  Location loc = reduce.getLoc();
  Value factor = {};

  Value constant(const APFloat &number) {
    return arith::ConstantOp::create(builder, loc, builder.getFloatAttr(factor.getType(), number));
  }

  /// The largest element of `value`, or with `isOther` what would be the smallest, times the factor.
  Value scaled(Value value, bool isOther) {
    auto copy = cast<tensor::ReduceOp>(builder.clone(*reduce));
    copy->setOperand(0, value);
    Operation *combine = extremumOf(copy);
    if (isOther) {
      OpBuilder inside(combine);
      OperationState state(combine->getLoc(),
                           isa<arith::MaxNumFOp>(combine) ? arith::MinNumFOp::getOperationName()
                                                          : arith::MaxNumFOp::getOperationName(),
                           combine->getOperands(), combine->getResultTypes(), combine->getAttrs());
      combine->replaceAllUsesWith(inside.create(state));
      combine->erase();
    }
    Value found = copy->getResult(0), scale = factor;
    if (isa<RankedTensorType>(found.getType()))
      scale = tensor::SplatOp::create(builder, loc, found.getType(), factor);
    return arith::MulFOp::create(builder, product.getLoc(), found, scale, product.getFastmathAttr());
  }

  Value compare(arith::CmpFPredicate predicate, const APFloat &number) {
    return arith::CmpFOp::create(builder, loc, predicate, factor, constant(number));
  }

  Value choose(Value condition, llvm::function_ref<Value()> whenTrue, llvm::function_ref<Value()> whenFalse) {
    auto branch = scf::IfOp::create(builder, loc, TypeRange{reduce->getResult(0).getType()}, condition,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    for (auto [block, value] : {std::pair(branch.thenBlock(), whenTrue), std::pair(branch.elseBlock(), whenFalse)}) {
      builder.setInsertionPointToEnd(block);
      scf::YieldOp::create(builder, loc, value());
    }
    return branch.getResult(0);
  }

  /// For any factor.
  Value largestProduct() {
    Operation *combine = extremumOf(reduce);
    const llvm::fltSemantics &semantics = cast<FloatType>(factor.getType()).getFloatSemantics();
    const APFloat zero = APFloat::getZero(semantics), infinity = APFloat::getInf(semantics);
    auto either = [&](Value lhs, Value rhs) {
      OperationState state(loc, combine->getName().getStringRef(), {lhs, rhs}, {lhs.getType()}, combine->getAttrs());
      return builder.create(state)->getResult(0);
    };
    auto withMagnitudes = [&](Value found) {
      Value magnitudes = math::AbsFOp::create(builder, loc, source);
      return either(found, scaled(magnitudes, /*isOther=*/isa<arith::MaxNumFOp>(combine)));
    };
    auto orNegative = [&] {
      Value found = scaled(source, true);
      Value isNegative = arith::AndIOp::create(builder, loc, compare(arith::CmpFPredicate::OLT, zero),
                                               compare(arith::CmpFPredicate::OGT, llvm::neg(infinity)));
      return choose(
          isNegative, [&] { return found; },
          [&] {
            Value both = either(found, scaled(source, false));
            return choose(
                compare(arith::CmpFPredicate::OEQ, zero), [&] { return withMagnitudes(both); }, [&] { return both; });
          });
    };
    return choose(createIsOrdinary(builder, loc, factor), [&] { return scaled(source, false); }, orNegative);
  }

  void run() {
    auto isFused = [&](Operation *user) { return user == reduce || isa<arith::AddFOp, arith::SubFOp>(user); };
    if (!llvm::all_of(product->getUsers(), isFused))
      return;
    Value factors = source == product.getLhs() ? product.getRhs() : product.getLhs();
    SplatElementsAttr known;
    if (matchPattern(factors, m_Constant(&known))) {
      factor = arith::ConstantOp::create(builder, loc, known.getSplatValue<TypedAttr>());
      return replace(scaled(source, false));
    }
    factor = factors.getDefiningOp<tensor::SplatOp>().getSrc();
    replace(isOrdinary(factor) ? scaled(source, false) : largestProduct());
  }

  void replace(Value value) {
    reduce->getResult(0).replaceAllUsesWith(value);
    reduce->erase();
    if (product->use_empty())
      product->erase();
  }
};

struct FactorMaxima : impl::FactorMaximaBase<FactorMaxima> {
  void run() override {
    constexpr int64_t fewestRegisters = 16;
    SmallVector<tensor::ReduceOp> reductions;
    getOperation()->walk([&](tensor::ReduceOp reduce) {
      if (reduce->getParentOfType<scf::ForOp>() &&
          cast<RankedTensorType>(reduce->getOperand(0).getType()).getNumElements() >=
              fewestRegisters * getThreads(reduce).count())
        reductions.push_back(reduce);
    });
    for (tensor::ReduceOp reduce : reductions)
      if (Value source = findUnscaled(reduce))
        Factoring{reduce, source}.run();
  }
};

} // namespace

} // namespace triton::gpu
