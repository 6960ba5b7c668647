#include "compiler/tensor/AccessTransfer.h"

#include "compiler/tensor/Tensor.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::tensor {

int64_t unitOf(Type type) {
  auto pointer = dyn_cast<PointerType>(getElementTypeOrSelf(type));
  if (!pointer || pointer.isBlockPointer())
    return 1;
  return std::max<int64_t>(1, getElementBits(pointer.getPointeeType()) / 8);
}

namespace {

using Facts = ArrayRef<const AccessFacts *>;

AccessFacts constant(arith::ConstantOp op) {
  APInt value;
  if (matchPattern(op.getResult(), m_ConstantInt(&value)) && value.getBitWidth() <= 64)
    return AccessFacts::uniform(getShape(op.getType()), value.getSExtValue());
  AccessFacts facts = AccessFacts::unknown(getShape(op.getType()).size());
  if (isa<SplatElementsAttr>(op.getValue()))
    for (auto [dimension, size] : llvm::zip_equal(facts.dimensions, getShape(op.getType())))
      dimension.constancy = size;
  return facts;
}

AccessFacts range(MakeRangeOp op) {
  AccessFacts facts = AccessFacts::unknown(1);
  // The start is unsigned in the language, so that a range never counts through zero.
  facts.dimensions[0] = {op.getType().getDimSize(0), powerOfTwoIn(op.getStart()), 1};
  if (const int32_t start = op.getStart(), end = op.getEnd(); start <= end)
    facts.setBound(start);
  return facts;
}

AccessFacts splat(RankedTensorType type, const AccessFacts &scalar) {
  AccessFacts facts = scalar;
  facts.dimensions.clear();
  for (int64_t size : type.getShape())
    facts.dimensions.push_back({1, scalar.dimensions[0].divisibility, size});
  if (facts.dimensions.empty())
    facts.dimensions.push_back({1, scalar.dimensions[0].divisibility, 1});
  return facts;
}

AccessFacts expandDims(ExpandDimsOp op, const AccessFacts &source) {
  AccessFacts facts = source;
  const unsigned axis = op.getAxis();
  facts.dimensions.insert(facts.dimensions.begin() + axis, {1, source.divisibilityOfAll(), 1});
  return facts;
}

AccessFacts broadcast(BroadcastOp op, const AccessFacts &source) {
  AccessFacts facts = source;
  for (auto [dimension, from, to] :
       llvm::zip_equal(facts.dimensions, op.getSrc().getType().getShape(), op.getType().getShape()))
    if (from != to)
      dimension = {1, source.divisibilityOfAll(), to};
  return facts;
}

AccessFacts transpose(TransOp op, const AccessFacts &source) {
  AccessFacts facts = source;
  for (auto [dimension, from] : llvm::zip_equal(facts.dimensions, op.getOrder()))
    dimension = source.dimensions[from];
  return facts;
}

// Dimensions of both shapes that hold the same elements are matched from the last: one is cut into several, or several become one.
AccessFacts reshape(ReshapeOp op, const AccessFacts &source) {
  ArrayRef<int64_t> from = op.getSrc().getType().getShape(), to = op.getType().getShape();
  AccessFacts facts = AccessFacts::unknown(to.size(), source.unit);
  facts.constant = source.constant;
  facts.bound = source.bound;
  for (auto &dimension : facts.dimensions)
    dimension.divisibility = source.divisibilityOfAll();
  if (op.getAllowReorder())
    return facts;
  int64_t sourceStride = 1, stride = 1;
  int64_t s = from.size() - 1;
  for (int64_t t = to.size() - 1; t >= 0; stride *= to[t], --t) {
    // The innermost source dimension that varies at this stride.
    while (s >= 0 && (sourceStride * from[s] <= stride || from[s] == 1)) {
      sourceStride *= from[s];
      --s;
    }
    if (s < 0 || to[t] == 1)
      continue;
    const AccessFacts::Dimension &known = source.dimensions[s];
    const int64_t skipped = stride / sourceStride; // steps of the source dimension per step of this one
    auto &dimension = facts.dimensions[t];
    dimension.constancy = std::clamp<int64_t>(known.constancy / skipped, 1, to[t]);
    if (skipped == 1) {
      dimension.contiguity = std::min(known.contiguity, to[t]);
      dimension.divisibility = source.divisibilityAt(s, dimension.contiguity);
    }
  }
  return facts;
}

AccessFacts compare(arith::CmpIOp op, const AccessFacts &lhs, const AccessFacts &rhs) {
  switch (op.getPredicate()) {
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::uge:
    return isLess(lhs, rhs);
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    return isLess(rhs, lhs);
  default:
    return elementwise({&lhs, &rhs}, lhs.rank());
  }
}

AccessFacts choose(arith::SelectOp op, const AccessFacts &condition, const AccessFacts &yes, const AccessFacts &no) {
  if (condition.constant)
    return *condition.constant ? yes : no;
  if (isa<RankedTensorType>(op.getCondition().getType()))
    return select(condition, yes, no);
  return AccessFacts::join(yes, no);
}

AccessFacts zeroExtend(const AccessFacts &source, unsigned bits) {
  AccessFacts facts = cast(source, 1, bits);
  if (source.constant && *source.constant < 0)
    facts.constant.reset();
  facts.setBound(source.isNonNegative() ? source.bound->value : 0);
  return facts;
}

AccessFacts truncate(const AccessFacts &source, unsigned bits) {
  AccessFacts facts = cast(source, 1, bits);
  facts.setBound(facts.constant);
  return facts;
}

AccessFacts cast(Operation *op, const AccessFacts &source) {
  Type type = op->getResult(0).getType();
  Type element = getElementTypeOrSelf(type);
  if (!element.isIntOrIndex() && !isa<PointerType>(element))
    return elementwise({&source}, source.rank());
  return cast(source, unitOf(type), element.isIndex() ? 64 : getElementBits(element));
}

AccessFacts notNegative() {
  AccessFacts facts = AccessFacts::unknown(0);
  facts.setBound(0);
  return facts;
}

AccessFacts unknown(OpResult result, Facts operands) {
  Operation *op = result.getOwner();
  const unsigned rank = getShape(result.getType()).size();
  const bool isElementwise =
      op->getNumOperands() != 0 && OpTrait::hasElementwiseMappableTraits(op) &&
      llvm::all_of(op->getOperandTypes(), [&](Type type) { return getShape(type) == getShape(result.getType()); });
  AccessFacts facts =
      isElementwise && isMemoryEffectFree(op) ? elementwise(operands, rank) : AccessFacts::unknown(rank);
  facts.unit = unitOf(result.getType());
  return facts;
}

// Equal addresses under equal masks read equal values, unless something else writes there meanwhile.
AccessFacts load(LoadOp op, Facts operands) {
  const unsigned rank = getShape(op.getType()).size();
  AccessFacts facts = op.getIsVolatile() ? AccessFacts::unknown(rank) : elementwise(operands, rank);
  facts.unit = unitOf(op.getType());
  return facts;
}

} // namespace

static AccessFacts transferElements(OpResult result, ArrayRef<const AccessFacts *> operands) {
  auto at = [&](unsigned index) -> const AccessFacts & { return *operands[index]; };
  using Binary = AccessFacts (*)(const AccessFacts &, const AccessFacts &);
  auto binary = [&](Binary rule) { return [&, rule](auto) { return rule(at(0), at(1)); }; };
  auto isUsable = [](Type type) {
    Type element = getElementTypeOrSelf(type);
    return element.isIntOrIndex() || isa<PointerType>(element);
  };
  if (!isUsable(result.getType()) &&
      !isa<arith::ConstantOp, SplatOp, ExpandDimsOp, BroadcastOp, TransOp, ReshapeOp>(result.getOwner()))
    return unknown(result, operands);
  return llvm::TypeSwitch<Operation *, AccessFacts>(result.getOwner())
      .Case<arith::ConstantOp>([&](auto op) { return constant(op); })
      .Case<MakeRangeOp>([&](auto op) { return range(op); })
      .Case<SplatOp>([&](auto op) { return splat(op.getType(), at(0)); })
      .Case<UnsplatOp>([&](auto) {
        AccessFacts facts = at(0);
        facts.dimensions.assign(1, {1, facts.divisibilityOfAll(), 1});
        return facts;
      })
      .Case<ExpandDimsOp>([&](auto op) { return expandDims(op, at(0)); })
      .Case<BroadcastOp>([&](auto op) { return broadcast(op, at(0)); })
      .Case<TransOp>([&](auto op) { return transpose(op, at(0)); })
      .Case<ReshapeOp>([&](auto op) { return reshape(op, at(0)); })
      .Case<AddPtrOp>(binary(advance))
      .Case<arith::AddIOp>(binary(add))
      .Case<arith::SubIOp>(binary(subtract))
      .Case<arith::MulIOp>(binary(multiply))
      .Case<arith::DivSIOp>([&](auto) { return divide(at(0), at(1), true); })
      .Case<arith::DivUIOp>([&](auto) { return divide(at(0), at(1), false); })
      .Case<arith::RemSIOp, arith::RemUIOp>(
          [&](Operation *op) { return remainder(at(0), at(1), isa<arith::RemSIOp>(op), getShape(result.getType())); })
      .Case<arith::AndIOp>(binary(bitwiseAnd))
      .Case<arith::OrIOp, arith::XOrIOp>(binary(bitwiseOr))
      .Case<arith::ShLIOp>(binary(shiftLeft))
      .Case<arith::ShRSIOp>([&](auto) { return shiftRight(at(0), at(1), true); })
      .Case<arith::ShRUIOp>([&](auto) { return shiftRight(at(0), at(1), false); })
      .Case<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp>([&](Operation *op) {
        return extremum(at(0), at(1), isa<arith::MaxSIOp, arith::MaxUIOp>(op), isa<arith::MinSIOp, arith::MaxSIOp>(op));
      })
      .Case<arith::CmpIOp>([&](auto op) { return compare(op, at(0), at(1)); })
      .Case<arith::SelectOp>([&](auto op) { return choose(op, at(0), at(1), at(2)); })
      .Case<arith::ExtUIOp>([&](auto op) { return zeroExtend(at(0), getElementBits(op.getType())); })
      .Case<arith::TruncIOp>([&](auto op) { return truncate(at(0), getElementBits(op.getType())); })
      .Case<arith::ExtSIOp, arith::IndexCastOp, BitcastOp, IntToPtrOp, PtrToIntOp>(
          [&](Operation *op) { return cast(op, at(0)); })
      .Case<GetProgramIdOp, GetNumProgramsOp>([&](auto) { return notNegative(); })
      .Case<LoadOp>([&](auto op) { return load(op, operands); })
      .Default([&](Operation *op) {
        // The one op of GPU IR that keeps values as they are.
        if (op->getName().getStringRef() == "ttg.convert_layout")
          return at(0);
        return unknown(result, operands);
      });
}

// ---- Steps.

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

static Steps stepsIn(const AccessFacts &facts) {
  return llvm::map_to_vector<4>(facts.dimensions, [](const AccessFacts::Dimension &known) { return known.step; });
}

static bool isUniform(ArrayRef<Step> steps) {
  return llvm::all_of(steps, [](Step step) { return step.isZero(); });
}

static Steps reshapeSteps(ArrayRef<Step> source, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
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

/// A factor that is the same along a dimension scales the steps along it, provided the other operand is a run there.
static Steps multiplySteps(const AccessFacts *a, const AccessFacts *b) {
  if (!isUniform(stepsIn(*a)))
    std::swap(a, b);
  const Steps left = stepsIn(*a);
  Steps right = stepsIn(*b);
  for (auto [by, step] : llvm::zip_equal(left, right))
    step = by.isZero()     ? scaleStep(step, isUniform(left) ? a->constant : std::nullopt)
           : step.isZero() ? scaleStep(by, std::nullopt)
                           : Step();
  return right;
}

/// Numbers of few bits wrap in earnest when they are extended: where, only the values tell.
static void forgetNarrow(Steps &steps, Type type) {
  if (getElementBits(type) < 32)
    for (Step &step : steps)
      step = step.isZero() ? step : Step();
}

/// The same wherever all operands are.
static Steps elementwiseSteps(size_t rank, Operation *op, Facts operands) {
  Steps steps(rank, Step::constant(0));
  for (auto [value, facts] : llvm::zip_equal(op->getOperands(), operands))
    if (isa<RankedTensorType>(value.getType()))
      for (auto [step, from] : llvm::zip_equal(steps, stepsIn(*facts)))
        if (!from.isZero())
          step = Step();
  return steps;
}

/// One step per dimension of `result`; none for a scalar.
static Steps stepsOf(OpResult result, Facts operands) {
  auto type = dyn_cast<RankedTensorType>(result.getType());
  if (!type)
    return {};
  Operation *op = result.getOwner();
  const size_t rank = type.getRank();
  if (isa<MakeRangeOp>(op))
    return {Step::constant(1)};
  if (isa<SplatOp>(op))
    return Steps(rank, Step::constant(0));
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return Steps(rank, isa<SplatElementsAttr>(constant.getValue()) ? Step::constant(0) : Step());
  if (operands.size() != op->getNumOperands() || operands.empty())
    return Steps(rank);
  Steps steps = stepsIn(*operands[0]);
  return llvm::TypeSwitch<Operation *, Steps>(op)
      .Case([&](ExpandDimsOp expand) {
        steps.insert(steps.begin() + expand.getAxis(), Step::constant(0));
        return steps;
      })
      .Case([&](BroadcastOp) { return steps; }) // dimensions of size 1 have step 0
      .Case([&](TransOp trans) {
        Steps turned;
        for (int32_t d : trans.getOrder())
          turned.push_back(steps[d]);
        return turned;
      })
      .Case([&](ReshapeOp reshape) {
        return reshapeSteps(steps, reshape.getSrc().getType().getShape(), type.getShape());
      })
      .Case<arith::AddIOp, arith::SubIOp, AddPtrOp>([&](Operation *) {
        Steps added = stepsIn(*operands[1]);
        if (isa<AddPtrOp>(op))
          forgetNarrow(added, op->getOperand(1).getType());
        for (auto [step, by] : llvm::zip_equal(steps, added))
          step = addSteps(step, by, isa<arith::SubIOp>(op) ? -1 : 1);
        return steps;
      })
      .Case<arith::MulIOp>([&](auto) { return multiplySteps(operands[0], operands[1]); })
      .Case<arith::ShLIOp>([&](auto) {
        const std::optional<int64_t> amount = operands[1]->constant;
        const bool isSame = isUniform(stepsIn(*operands[1]));
        for (Step &step : steps)
          step = amount && *amount >= 0 && *amount < 32 ? scaleStep(step, int64_t(1) << *amount)
                 : step.isZero() && isSame              ? step
                                                        : Step();
        return steps;
      })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>([&](Operation *) {
        if (getElementTypeOrSelf(op->getOperand(0).getType()).isInteger(1))
          return elementwiseSteps(rank, op, operands);
        if (!isa<arith::TruncIOp>(op))
          forgetNarrow(steps, op->getOperand(0).getType());
        return steps;
      })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) {
        if (!isUniform(stepsIn(*operands[1])))
          return elementwiseSteps(rank, op, operands);
        for (Step &step : steps)
          step = step.isZero() ? step : step == Step::constant(1) ? Step{Step::Wrapped} : Step();
        return steps;
      })
      .Default([&](Operation *) {
        const bool isPointerCast = isa<BitcastOp>(op) && isa<PointerType>(type.getElementType());
        // The one op of GPU IR that keeps values as they are.
        if (isPointerCast || op->getName().getStringRef() == "ttg.convert_layout")
          return steps;
        const bool isElementwise = (op->getNumResults() == 1 && OpTrait::hasElementwiseMappableTraits(op)) ||
                                   isa<LoadOp, FpToFpOp, ClampFOp, PreciseDivFOp, PreciseSqrtOp, MulhiUIOp>(op);
        return isElementwise ? elementwiseSteps(rank, op, operands) : Steps(rank);
      });
}

/// There is nothing to step to in a scalar, and along a dimension of one element.
static void forgetSingleSteps(ArrayRef<int64_t> shape, AccessFacts &facts) {
  for (auto [d, dimension] : llvm::enumerate(facts.dimensions))
    if (d >= shape.size() || shape[d] == 1)
      dimension.step = Step::constant(0);
}

AccessFacts nothingKnown(Type type) {
  AccessFacts facts = AccessFacts::unknown(getShape(type).size(), unitOf(type));
  forgetSingleSteps(getShape(type), facts);
  return facts;
}

AccessFacts transfer(OpResult result, ArrayRef<const AccessFacts *> operands) {
  AccessFacts facts = transferElements(result, operands);
  ArrayRef<int64_t> shape = getShape(result.getType());
  for (auto [dimension, step] : llvm::zip(facts.dimensions, stepsOf(result, operands)))
    dimension.step = step;
  forgetSingleSteps(shape, facts);
  return facts;
}

Promises::Promises(Operation *root, Runs runs) : runs(runs) {
  root->walk([&](LLVM::AssumeOp op) { assume(op.getCond(), op->getBlock()); });
}

// Only what is defined in the block of the promise: there both are reached or none.
void Promises::assume(Value promised, Block *block) {
  llvm::SetVector<Value> conditions; // all of which hold
  conditions.insert(promised);
  for (size_t index = 0; index < conditions.size(); ++index) {
    if (auto both = conditions[index].getDefiningOp<arith::AndIOp>())
      conditions.insert_range(both->getOperands());
    else
      assumeOne(conditions[index], block);
  }
}

void Promises::assumeOne(Value condition, Block *block) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return;
  Value lhs = compare.getLhs(), rhs = compare.getRhs();
  arith::CmpIPredicate predicate = compare.getPredicate();
  APInt bound;
  if (matchPattern(lhs, m_ConstantInt(&bound))) {
    std::swap(lhs, rhs);
    predicate = predicate == arith::CmpIPredicate::sle   ? arith::CmpIPredicate::sge
                : predicate == arith::CmpIPredicate::slt ? arith::CmpIPredicate::sgt
                : predicate == arith::CmpIPredicate::eq  ? predicate
                                                         : arith::CmpIPredicate::ne;
  }
  if (!matchPattern(rhs, m_ConstantInt(&bound)))
    return;
  if (((predicate == arith::CmpIPredicate::sge && bound.isNonNegative()) ||
       (predicate == arith::CmpIPredicate::sgt && bound.sge(-1))) &&
      lhs.getParentBlock() == block)
    assumed[lhs].nonNegative = true;
  // x % n == 0, which is also written x & (n - 1) == 0.
  Operation *op = lhs.getDefiningOp();
  APInt number;
  if (predicate != arith::CmpIPredicate::eq || !bound.isZero() || !op || op->getNumOperands() != 2 ||
      !matchPattern(op->getOperand(1), m_ConstantInt(&number)) || op->getOperand(0).getParentBlock() != block)
    return;
  int64_t &divisibility = assumed[op->getOperand(0)].divisibility;
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    divisibility = std::max(divisibility, powerOfTwoIn(number.getSExtValue()));
  else if (isa<arith::AndIOp>(op) && number.isMask())
    divisibility = std::max(divisibility, powerOfTwoIn(number.getSExtValue() + 1));
}

static void applyHints(Operation *op, AccessFacts &facts) {
  auto read = [&](StringRef name) {
    auto hint = op->getDiscardableAttr(name);
    auto numbers = dyn_cast_or_null<DenseIntElementsAttr>(hint);
    SmallVector<int64_t> result;
    if (numbers && numbers.size() == facts.rank())
      for (APInt number : numbers.getValues<APInt>())
        result.push_back(powerOfTwoIn(number.getSExtValue()));
    return result;
  };
  ArrayRef<int64_t> shape = getShape(op->getResult(0).getType());
  auto limit = [&](unsigned d, int64_t number) { return std::min(number, shape.empty() ? 1 : shape[d]); };
  for (auto [d, run] : llvm::enumerate(read(contiguityName)))
    if (limit(d, run) > facts.dimensions[d].contiguity)
      facts.dimensions[d].contiguity = limit(d, run);
  for (auto [d, multiple] : llvm::enumerate(read(divisibilityName)))
    facts.dimensions[d].divisibility = std::max(facts.dimensions[d].divisibility, multiple);
  for (auto [d, equal] : llvm::enumerate(read(constancyName)))
    facts.dimensions[d].constancy = std::max(facts.dimensions[d].constancy, limit(d, equal));
}

void Promises::apply(Value value, AccessFacts &facts) const {
  if (auto found = assumed.find(value); found != assumed.end()) {
    facts.dimensions[0].divisibility = std::max(facts.dimensions[0].divisibility, found->second.divisibility);
    if (found->second.nonNegative && !facts.isNonNegative())
      facts.setBound(0);
  }
  if (Operation *op = value.getDefiningOp()) {
    // What a hint says about the beginnings of runs is nothing without the runs.
    bool isUnproven = runs == Runs::Proven && op->hasAttr(contiguityName);
    if (op->getNumResults() == 1 && !isUnproven)
      applyHints(op, facts);
    return;
  }
  auto argument = cast<BlockArgument>(value);
  auto function = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function || !argument.getOwner()->isEntryBlock() || isa<RankedTensorType>(value.getType()))
    return;
  if (auto known = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), divisibilityName))
    facts.dimensions[0].divisibility = std::max(facts.dimensions[0].divisibility, powerOfTwoIn(known.getInt()));
}

} // namespace triton::tensor
