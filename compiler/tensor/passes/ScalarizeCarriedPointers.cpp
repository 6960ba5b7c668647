// Carries one number through a loop instead of a tensor of pointers that all move alike.
//
//   %r = scf.for … iter_args(%p = %start) -> (tensor<128x!tt.ptr<f32>>) {
//     use(%p)
//     %next = tt.addptr %p, (tt.splat %step) : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
//     scf.yield %next
//   }
// becomes
//   %d = scf.for … iter_args(%distance = 0) -> (i64) {
//     use(tt.addptr %start, (tt.splat %distance))
//     scf.yield %distance + %step
//   }
//   %r = tt.addptr %start, (tt.splat %d)
//
// Likewise tensors of integers to which the same number is added. A target then sees where the pointers come from
// inside of the loop too. The distance is 64 bits wide, as pointers are. Leaves alone what is changed in any other way,
// and loops other than `scf.for`.
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/passes/Passes.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace triton::tensor {

#define GEN_PASS_DEF_SCALARIZECARRIEDPOINTERS
#include "compiler/tensor/passes/Passes.h.inc"

namespace {

/// One carried tensor that moves by the same amount everywhere.
struct Carried {
  unsigned index;
  SmallVector<Value> steps; // uniform tensors, added to the carried one in turn
};

bool isUniform(Value value) {
  return value.getDefiningOp<SplatOp>() || matchPattern(value, m_Constant<SplatElementsAttr>(nullptr));
}

/// What is added to `argument` to give `next`, when that is all that happens to it.
std::optional<SmallVector<Value>> getSteps(BlockArgument argument, Value next) {
  SmallVector<Value> steps;
  while (next != argument) {
    Value step;
    if (auto add = next.getDefiningOp<AddPtrOp>()) {
      step = add.getOffset();
      next = add.getPtr();
    } else if (auto add = next.getDefiningOp<arith::AddIOp>()) {
      bool isLeft = isUniform(add.getLhs());
      step = isLeft ? add.getLhs() : add.getRhs();
      next = isLeft ? add.getRhs() : add.getLhs();
    }
    if (!step || !isUniform(step))
      return std::nullopt;
    steps.push_back(step);
  }
  return steps;
}

SmallVector<Carried> plan(scf::ForOp loop) {
  SmallVector<Carried> result;
  for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || !isa<PointerType, IntegerType>(type.getElementType()))
      continue;
    auto steps = getSteps(argument, loop.getYieldedValues()[index]);
    if (steps && !steps->empty())
      result.push_back({static_cast<unsigned>(index), std::move(*steps)});
  }
  return result;
}

/// `tensor` moved by `distance`.
Value move(OpBuilder &builder, Location location, Value tensor, Value distance) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Value splat = SplatOp::create(builder, location, distance, type.getShape());
  if (isa<PointerType>(type.getElementType()))
    return AddPtrOp::create(builder, location, type, tensor, splat);
  return arith::AddIOp::create(builder, location, tensor, splat);
}

/// The number `tensor` holds everywhere, in the type distances are counted in.
Value getScalar(OpBuilder &builder, Location location, Value tensor, Type type) {
  Value scalar;
  SplatElementsAttr elements;
  if (auto splat = tensor.getDefiningOp<SplatOp>())
    scalar = splat.getSrc();
  else if (matchPattern(tensor, m_Constant(&elements)))
    scalar = arith::ConstantOp::create(builder, location, elements.getSplatValue<TypedAttr>());
  assert(scalar && "the plan holds uniform steps only");
  return scalar.getType() == type ? scalar : arith::ExtSIOp::create(builder, location, type, scalar);
}

void rewrite(scf::ForOp loop, ArrayRef<Carried> carried) {
  OpBuilder builder(loop);
  Location location = loop.getLoc();
  SmallVector<Value> starts;
  for (const Carried &each : carried) {
    Value start = loop.getInitArgs()[each.index];
    starts.push_back(start);
    Type element = getElementTypeOrSelf(start.getType());
    Type type = isa<PointerType>(element) ? builder.getI64Type() : element;
    loop.getInitArgsMutable()[each.index].set(arith::ConstantOp::create(builder, location, builder.getZeroAttr(type)));

    BlockArgument argument = loop.getRegionIterArg(each.index);
    argument.setType(type);
    builder.setInsertionPointToStart(loop.getBody());
    Value current = move(builder, location, start, argument);
    argument.replaceAllUsesExcept(current, current.getDefiningOp()->getOperand(1).getDefiningOp());

    builder.setInsertionPoint(loop.getBody()->getTerminator());
    Value distance = argument;
    for (Value step : each.steps)
      distance = arith::AddIOp::create(builder, location, distance, getScalar(builder, location, step, type));
    loop.getBody()->getTerminator()->setOperand(each.index, distance);

    builder.setInsertionPointAfter(loop);
    OpResult result = loop->getResult(each.index);
    result.setType(type);
    if (!result.use_empty()) {
      Value end = move(builder, location, start, result);
      result.replaceAllUsesExcept(end, end.getDefiningOp()->getOperand(1).getDefiningOp());
    }
    builder.setInsertionPoint(loop);
  }
}

struct ScalarizeCarriedPointers : impl::ScalarizeCarriedPointersBase<ScalarizeCarriedPointers> {
  void run() override {
    // Inner loops first: what an inner loop adds is then a step of the outer one.
    getOperation()->walk([](scf::ForOp loop) {
      SmallVector<Carried> carried = plan(loop);
      if (!carried.empty())
        rewrite(loop, carried);
    });
  }
};

} // namespace

} // namespace triton::tensor
