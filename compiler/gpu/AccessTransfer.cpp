#include "compiler/gpu/AccessTransfer.h"

#include "compiler/tensor/Tensor.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::gpu {

int64_t unitOf(Type type) {
  auto pointer = dyn_cast<tensor::PointerType>(getElementTypeOrSelf(type));
  if (!pointer || pointer.isBlockPointer())
    return 1;
  return std::max<int64_t>(1, tensor::getElementBits(pointer.getPointeeType()) / 8);
}

namespace {

using Facts = ArrayRef<const AccessFacts *>;

AccessFacts constant(arith::ConstantOp op) {
  APInt value;
  if (matchPattern(op.getResult(), m_ConstantInt(&value)) && value.getBitWidth() <= 64)
    return AccessFacts::uniform(tensor::getShape(op.getType()), value.getSExtValue());
  AccessFacts facts = AccessFacts::unknown(tensor::getShape(op.getType()).size());
  if (isa<SplatElementsAttr>(op.getValue()))
    for (auto [dimension, size] : llvm::zip_equal(facts.dimensions, tensor::getShape(op.getType())))
      dimension.constancy = size;
  return facts;
}

AccessFacts range(tensor::MakeRangeOp op) {
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

AccessFacts expandDims(tensor::ExpandDimsOp op, const AccessFacts &source) {
  AccessFacts facts = source;
  const unsigned axis = op.getAxis();
  facts.dimensions.insert(facts.dimensions.begin() + axis, {1, source.divisibilityOfAll(), 1});
  return facts;
}

AccessFacts broadcast(tensor::BroadcastOp op, const AccessFacts &source) {
  AccessFacts facts = source;
  for (auto [dimension, from, to] :
       llvm::zip_equal(facts.dimensions, op.getSrc().getType().getShape(), op.getType().getShape()))
    if (from != to)
      dimension = {1, source.divisibilityOfAll(), to};
  return facts;
}

AccessFacts transpose(tensor::TransOp op, const AccessFacts &source) {
  AccessFacts facts = source;
  for (auto [dimension, from] : llvm::zip_equal(facts.dimensions, op.getOrder()))
    dimension = source.dimensions[from];
  return facts;
}

// Dimensions of both shapes that hold the same elements are matched from the last: one is cut into several, or several become one.
AccessFacts reshape(tensor::ReshapeOp op, const AccessFacts &source) {
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
  if (!element.isIntOrIndex() && !isa<tensor::PointerType>(element))
    return elementwise({&source}, source.rank());
  return cast(source, unitOf(type), element.isIndex() ? 64 : tensor::getElementBits(element));
}

AccessFacts notNegative() {
  AccessFacts facts = AccessFacts::unknown(0);
  facts.setBound(0);
  return facts;
}

AccessFacts unknown(OpResult result, Facts operands) {
  Operation *op = result.getOwner();
  const unsigned rank = tensor::getShape(result.getType()).size();
  const bool isElementwise = op->getNumOperands() != 0 && OpTrait::hasElementwiseMappableTraits(op) &&
                             llvm::all_of(op->getOperandTypes(), [&](Type type) {
                               return tensor::getShape(type) == tensor::getShape(result.getType());
                             });
  AccessFacts facts =
      isElementwise && isMemoryEffectFree(op) ? elementwise(operands, rank) : AccessFacts::unknown(rank);
  facts.unit = unitOf(result.getType());
  return facts;
}

// Equal addresses under equal masks read equal values, unless something else writes there meanwhile.
AccessFacts load(tensor::LoadOp op, Facts operands) {
  const unsigned rank = tensor::getShape(op.getType()).size();
  AccessFacts facts = op.getIsVolatile() ? AccessFacts::unknown(rank) : elementwise(operands, rank);
  facts.unit = unitOf(op.getType());
  return facts;
}

} // namespace

AccessFacts transfer(OpResult result, ArrayRef<const AccessFacts *> operands) {
  auto at = [&](unsigned index) -> const AccessFacts & { return *operands[index]; };
  using Binary = AccessFacts (*)(const AccessFacts &, const AccessFacts &);
  auto binary = [&](Binary rule) { return [&, rule](auto) { return rule(at(0), at(1)); }; };
  auto isUsable = [](Type type) {
    Type element = getElementTypeOrSelf(type);
    return element.isIntOrIndex() || isa<tensor::PointerType>(element);
  };
  if (!isUsable(result.getType()) && !isa<arith::ConstantOp, tensor::SplatOp, tensor::ExpandDimsOp, tensor::BroadcastOp,
                                          tensor::TransOp, tensor::ReshapeOp>(result.getOwner()))
    return unknown(result, operands);
  return llvm::TypeSwitch<Operation *, AccessFacts>(result.getOwner())
      .Case<arith::ConstantOp>([&](auto op) { return constant(op); })
      .Case<tensor::MakeRangeOp>([&](auto op) { return range(op); })
      .Case<tensor::SplatOp>([&](auto op) { return splat(op.getType(), at(0)); })
      .Case<tensor::UnsplatOp>([&](auto) {
        AccessFacts facts = at(0);
        facts.dimensions.assign(1, {1, facts.divisibilityOfAll(), 1});
        return facts;
      })
      .Case<tensor::ExpandDimsOp>([&](auto op) { return expandDims(op, at(0)); })
      .Case<tensor::BroadcastOp>([&](auto op) { return broadcast(op, at(0)); })
      .Case<tensor::TransOp>([&](auto op) { return transpose(op, at(0)); })
      .Case<tensor::ReshapeOp>([&](auto op) { return reshape(op, at(0)); })
      .Case<tensor::AddPtrOp>(binary(advance))
      .Case<arith::AddIOp>(binary(add))
      .Case<arith::SubIOp>(binary(subtract))
      .Case<arith::MulIOp>(binary(multiply))
      .Case<arith::DivSIOp>([&](auto) { return divide(at(0), at(1), true); })
      .Case<arith::DivUIOp>([&](auto) { return divide(at(0), at(1), false); })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](Operation *op) {
        return remainder(at(0), at(1), isa<arith::RemSIOp>(op), tensor::getShape(result.getType()));
      })
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
      .Case<arith::ExtUIOp>([&](auto op) { return zeroExtend(at(0), tensor::getElementBits(op.getType())); })
      .Case<arith::TruncIOp>([&](auto op) { return truncate(at(0), tensor::getElementBits(op.getType())); })
      .Case<arith::ExtSIOp, arith::IndexCastOp, tensor::BitcastOp, tensor::IntToPtrOp, tensor::PtrToIntOp>(
          [&](Operation *op) { return cast(op, at(0)); })
      .Case<tensor::GetProgramIdOp, tensor::GetNumProgramsOp>([&](auto) { return notNegative(); })
      .Case<tensor::LoadOp>([&](auto op) { return load(op, operands); })
      .Default([&](Operation *op) {
        // The one op of GPU IR that keeps values as they are.
        if (op->getName().getStringRef() == "ttg.convert_layout")
          return at(0);
        return unknown(result, operands);
      });
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
  ArrayRef<int64_t> shape = tensor::getShape(op->getResult(0).getType());
  auto limit = [&](unsigned d, int64_t number) { return std::min(number, shape.empty() ? 1 : shape[d]); };
  for (auto [d, run] : llvm::enumerate(read(tensor::contiguityName)))
    if (limit(d, run) > facts.dimensions[d].contiguity)
      facts.dimensions[d].contiguity = limit(d, run);
  for (auto [d, multiple] : llvm::enumerate(read(tensor::divisibilityName)))
    facts.dimensions[d].divisibility = std::max(facts.dimensions[d].divisibility, multiple);
  for (auto [d, equal] : llvm::enumerate(read(tensor::constancyName)))
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
    bool isUnproven = runs == Runs::Proven && op->hasAttr(tensor::contiguityName);
    if (op->getNumResults() == 1 && !isUnproven)
      applyHints(op, facts);
    return;
  }
  auto argument = cast<BlockArgument>(value);
  auto function = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function || !argument.getOwner()->isEntryBlock() || isa<RankedTensorType>(value.getType()))
    return;
  if (auto known = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), tensor::divisibilityName))
    facts.dimensions[0].divisibility = std::max(facts.dimensions[0].divisibility, powerOfTwoIn(known.getInt()));
}

} // namespace triton::gpu
