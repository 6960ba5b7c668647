#include "compiler/cpu/Access.h"

#include "compiler/tensor/Tensor.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace triton::cpu {

static Step addSteps(Step a, Step b, int64_t sign) {
  if (a.kind == Step::Constant && b.kind == Step::Constant)
    return Step::constant(a.value + sign * b.value);
  if (a.isZero())
    return b.kind == Step::Wrapped && sign < 0 ? Step() : b;
  if (b.isZero())
    return a;
  return {};
}

static Step scaleStep(Step step, std::optional<int64_t> factor) {
  if (step.isZero() || (step.kind == Step::Constant && factor))
    return Step::constant(step.value * factor.value_or(0));
  if (factor && *factor == 1)
    return step;
  return step.isAffine() ? Step{Step::Runtime} : Step();
}

static std::optional<int64_t> constantOf(Value tensor) {
  APInt bits;
  if (matchPattern(tensor, m_ConstantInt(&bits)))
    return bits.getSExtValue();
  if (auto splat = tensor.getDefiningOp<tensor::SplatOp>())
    if (matchPattern(splat.getSrc(), m_ConstantInt(&bits)))
      return bits.getSExtValue();
  return std::nullopt;
}

const Steps &AccessAnalysis::of(Value tensor) {
  // Operands first, without recursion: kernels are as deep as their users like.
  SmallVector<Value> pending{tensor};
  while (!pending.empty()) {
    Value next = pending.back();
    const size_t count = pending.size();
    if (Operation *op = next.getDefiningOp(); op && !known.contains(next))
      for (Value operand : op->getOperands())
        if (isa<RankedTensorType>(operand.getType()) && !known.contains(operand))
          pending.push_back(operand);
    if (pending.size() > count)
      continue;
    pending.pop_back();
    if (known.contains(next))
      continue;
    Steps steps = compute(next);
    if (auto type = dyn_cast<RankedTensorType>(next.getType()))
      for (auto [d, size] : llvm::enumerate(type.getShape()))
        if (size == 1)
          steps[d] = Step::constant(0);
    known[next] = std::move(steps);
  }
  return known.find(tensor)->second;
}

bool AccessAnalysis::isUniform(Value tensor) {
  return llvm::all_of(of(tensor), [](Step step) { return step.isZero(); });
}

bool AccessAnalysis::isAffine(Value tensor) {
  return llvm::all_of(of(tensor), [](Step step) { return step.isAffine(); });
}

static Steps reshapeSteps(const Steps &source, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  // Steps of the row-major index: known if the source is one run, i.e. each step is the next one times its size.
  std::optional<int64_t> unit;
  int64_t size = 1;
  bool isRun = true;
  for (size_t d = from.size(); d-- > 0;) {
    if (from[d] == 1)
      continue;
    if (source[d].kind != Step::Constant || (unit && source[d].value != *unit * size))
      isRun = false;
    if (!unit)
      unit = source[d].value;
    size *= from[d];
  }
  Steps steps(to.size());
  if (isRun) {
    int64_t stride = unit.value_or(0);
    for (size_t d = to.size(); d-- > 0; stride *= to[d])
      steps[d] = Step::constant(stride);
    return steps;
  }
  // Otherwise dimensions that are kept whole keep their step.
  size_t i = from.size(), j = to.size();
  int64_t left = 1, right = 1;
  while (i > 0 && j > 0) {
    if (left == right && from[i - 1] == to[j - 1]) {
      steps[j - 1] = source[i - 1];
      left *= from[--i];
      right *= to[--j];
    } else if (left <= right) {
      left *= from[--i];
    } else {
      right *= to[--j];
    }
  }
  return steps;
}

Steps AccessAnalysis::compute(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type)
    return {};
  size_t rank = type.getRank();
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return Steps(rank);
  if (isa<tensor::MakeRangeOp>(op))
    return {Step::constant(1)};
  if (isa<tensor::SplatOp>(op))
    return Steps(rank, Step::constant(0));
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    return Steps(rank, elements && elements.isSplat() ? Step::constant(0) : Step());
  }
  if (auto expand = dyn_cast<tensor::ExpandDimsOp>(op)) {
    Steps steps = of(expand.getSrc());
    steps.insert(steps.begin() + expand.getAxis(), Step::constant(0));
    return steps;
  }
  if (auto broadcast = dyn_cast<tensor::BroadcastOp>(op))
    return of(broadcast.getSrc()); // dimensions of size 1 have step 0
  if (auto trans = dyn_cast<tensor::TransOp>(op)) {
    Steps steps;
    for (int32_t d : trans.getOrder())
      steps.push_back(of(trans.getSrc())[d]);
    return steps;
  }
  if (auto reshape = dyn_cast<tensor::ReshapeOp>(op))
    return reshapeSteps(of(reshape.getSrc()), cast<RankedTensorType>(reshape.getSrc().getType()).getShape(),
                        type.getShape());
  if (isa<arith::AddIOp, arith::SubIOp, tensor::AddPtrOp>(op)) {
    Steps a = of(op->getOperand(0)), b = of(op->getOperand(1));
    if (isa<tensor::AddPtrOp>(op) && tensor::getElementBits(op->getOperand(1).getType()) < 32)
      for (Step &step : b)
        step = step.isZero() ? step : Step(); // extended, as below
    for (auto [left, right] : llvm::zip_equal(a, b))
      left = addSteps(left, right, isa<arith::SubIOp>(op) ? -1 : 1);
    return a;
  }
  if (isa<arith::MulIOp>(op)) {
    Value a = op->getOperand(0), b = op->getOperand(1);
    if (!isUniform(a))
      std::swap(a, b);
    // A factor that is the same along a dimension scales the steps along it, provided the other operand is a run there.
    Steps left = of(a), right = of(b);
    for (size_t d = 0; d < rank; ++d)
      right[d] = left[d].isZero()    ? scaleStep(right[d], isUniform(a) ? constantOf(a) : std::nullopt)
                 : right[d].isZero() ? scaleStep(left[d], std::nullopt)
                                     : Step();
    return right;
  }
  if (isa<arith::ShLIOp>(op)) {
    auto amount = constantOf(op->getOperand(1));
    Steps steps = of(op->getOperand(0));
    for (Step &step : steps)
      step = amount && *amount >= 0 && *amount < 32          ? scaleStep(step, int64_t(1) << *amount)
             : step.isZero() && isUniform(op->getOperand(1)) ? step
                                                             : Step();
    return steps;
  }
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op) &&
      !cast<RankedTensorType>(op->getOperand(0).getType()).getElementType().isInteger(1)) {
    Steps steps = of(op->getOperand(0));
    // Offsets of few bits wrap in earnest: where, only the values tell.
    if (!isa<arith::TruncIOp>(op) && tensor::getElementBits(op->getOperand(0).getType()) < 32)
      for (Step &step : steps)
        step = step.isZero() ? step : Step();
    return steps;
  }
  if (auto cast = dyn_cast<tensor::BitcastOp>(op); cast && isa<tensor::PointerType>(type.getElementType()))
    return of(cast.getSrc());
  if (isa<arith::RemSIOp, arith::RemUIOp>(op) && isUniform(op->getOperand(1))) {
    Steps steps = of(op->getOperand(0));
    for (Step &step : steps)
      step = step.isZero() ? step : step == Step::constant(1) ? Step{Step::Wrapped} : Step();
    return steps;
  }
  if (isa<tensor::LoadOp>(op) || (op->getNumResults() == 1 && OpTrait::hasElementwiseMappableTraits(op)) ||
      isa<tensor::FpToFpOp, tensor::ClampFOp, tensor::PreciseDivFOp, tensor::PreciseSqrtOp, tensor::MulhiUIOp>(op)) {
    Steps steps(rank, Step::constant(0));
    for (Value operand : op->getOperands()) {
      if (!isa<RankedTensorType>(operand.getType()))
        continue;
      for (auto [step, from] : llvm::zip_equal(steps, of(operand)))
        if (!from.isZero())
          step = Step();
    }
    return steps;
  }
  return Steps(rank);
}

} // namespace triton::cpu
