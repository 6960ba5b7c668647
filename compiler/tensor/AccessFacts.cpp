#include "compiler/tensor/AccessFacts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace triton::tensor {

int64_t powerOfTwoIn(int64_t number) {
  if (number == 0)
    return AccessFacts::maxDivisibility;
  return std::min(AccessFacts::maxDivisibility, int64_t(1) << std::min(30, countr_zero(uint64_t(number))));
}

AccessFacts AccessFacts::unknown(unsigned rank, int64_t unit) {
  AccessFacts facts;
  facts.dimensions.assign(std::max(1u, rank), {});
  facts.unit = unit;
  return facts;
}

AccessFacts AccessFacts::uniform(ArrayRef<int64_t> shape, int64_t value) {
  AccessFacts facts = unknown(shape.size());
  for (unsigned d = 0; d < facts.rank(); ++d)
    facts.dimensions[d] = {1, powerOfTwoIn(value), shape.empty() ? 1 : shape[d]};
  facts.constant = value;
  facts.setBound(value);
  return facts;
}

void AccessFacts::setBound(std::optional<int64_t> number) {
  constexpr int64_t far = int64_t(1) << 40; // sums of such do not overflow
  bound.reset();
  if (number && *number >= -far)
    bound = Bound{std::min(*number, far)};
}

int64_t AccessFacts::divisibilityAt(unsigned dimension, int64_t step) const {
  const Dimension &facts = dimensions[dimension];
  // Inside of a run, `step` elements further is `step` units more.
  return step >= facts.contiguity ? facts.divisibility : std::min(facts.divisibility, powerOfTwoIn(step * unit));
}

int64_t AccessFacts::divisibilityOfAll() const {
  int64_t best = 1;
  for (unsigned dimension = 0; dimension < rank(); ++dimension)
    best = std::max(best, divisibilityAt(dimension, 1));
  return best;
}

int64_t AccessFacts::alignedRun(unsigned dimension) const {
  int64_t run = dimensions[dimension].contiguity;
  while (run > 1 && divisibilityAt(dimension, run) < run * unit)
    run /= 2;
  return run;
}

/// Where only one of two bounds is known to hold, the lower one does. Once it has been lowered a few times, zero is the next one, and the last.
static std::optional<AccessFacts::Bound> lowerOf(std::optional<AccessFacts::Bound> lhs,
                                                 std::optional<AccessFacts::Bound> rhs) {
  if (!lhs || !rhs)
    return std::nullopt;
  if (lhs->value > rhs->value)
    std::swap(lhs, rhs);
  const unsigned lowered = std::max(lhs->lowered, rhs->lowered + (lhs->value < rhs->value));
  if (lowered <= 4)
    return AccessFacts::Bound{lhs->value, lowered};
  return lhs->value >= 0 ? std::optional(AccessFacts::Bound{0, lowered}) : std::nullopt;
}

AccessFacts AccessFacts::join(const AccessFacts &lhs, const AccessFacts &rhs) {
  if (!lhs.isReached())
    return rhs;
  if (!rhs.isReached())
    return lhs;
  AccessFacts result = unknown(lhs.rank(), lhs.unit);
  for (unsigned d = 0; d < lhs.rank(); ++d) {
    auto &[contiguity, divisibility, constancy, step] = result.dimensions[d];
    contiguity = std::min(lhs.dimensions[d].contiguity, rhs.dimensions[d].contiguity);
    divisibility = std::min(lhs.divisibilityAt(d, contiguity), rhs.divisibilityAt(d, contiguity));
    constancy = std::min(lhs.dimensions[d].constancy, rhs.dimensions[d].constancy);
    if (lhs.dimensions[d].step == rhs.dimensions[d].step)
      step = lhs.dimensions[d].step;
  }
  if (lhs.constant == rhs.constant)
    result.constant = lhs.constant;
  result.bound = lowerOf(lhs.bound, rhs.bound);
  return result;
}

void AccessFacts::print(raw_ostream &os) const {
  auto list = [&](StringRef name, int64_t Dimension::*field) {
    os << name << " = [";
    interleaveComma(dimensions, os, [&](const Dimension &facts) { os << facts.*field; });
    os << "]";
  };
  list("contiguity", &Dimension::contiguity);
  list(", divisibility", &Dimension::divisibility);
  list(", constancy", &Dimension::constancy);
  if (constant)
    os << ", constant = " << *constant;
  if (isNonNegative())
    os << ", non-negative";
  else if (bound)
    os << ", at least " << bound->value;
  if (llvm::any_of(dimensions,
                   [](const Dimension &facts) { return facts.step.kind != Step::Unknown && !facts.step.isZero(); })) {
    os << ", step = [";
    interleaveComma(dimensions, os, [&](const Dimension &facts) {
      if (facts.step.kind == Step::Constant)
        os << facts.step.value;
      else
        os << (facts.step.kind == Step::Runtime ? "run-time" : facts.step.kind == Step::Wrapped ? "wrapped" : "?");
    });
    os << "]";
  }
}

AccessFacts elementwise(ArrayRef<const AccessFacts *> operands, unsigned rank) {
  AccessFacts result = AccessFacts::unknown(rank);
  for (unsigned d = 0; d < result.rank(); ++d) {
    int64_t constancy = AccessFacts::maxDivisibility;
    for (const AccessFacts *operand : operands)
      if (operand->rank() == result.rank())
        constancy = std::min(constancy, operand->dimensions[d].constancy);
    result.dimensions[d].constancy = constancy == AccessFacts::maxDivisibility ? 1 : constancy;
  }
  return result;
}

// The result with the contiguity that `run` gives per dimension, and the divisibility `multiple` finds at the starts of those runs.
static AccessFacts combine(const AccessFacts &lhs, const AccessFacts &rhs, function_ref<int64_t(unsigned)> run,
                           function_ref<int64_t(unsigned, int64_t)> multiple) {
  AccessFacts result = elementwise({&lhs, &rhs}, lhs.rank());
  for (unsigned d = 0; d < lhs.rank(); ++d) {
    result.dimensions[d].contiguity = run(d);
    result.dimensions[d].divisibility = multiple(d, result.dimensions[d].contiguity);
  }
  return result;
}

static int64_t saturatingProduct(int64_t lhs, int64_t rhs) {
  return lhs > AccessFacts::maxDivisibility / rhs ? AccessFacts::maxDivisibility : lhs * rhs;
}

static bool areNonNegative(const AccessFacts &lhs, const AccessFacts &rhs) {
  return lhs.isNonNegative() && rhs.isNonNegative();
}
static std::optional<int64_t> zeroIf(bool isKnown) { return isKnown ? std::optional<int64_t>(0) : std::nullopt; }

AccessFacts add(const AccessFacts &lhs, const AccessFacts &rhs) {
  AccessFacts result = combine(
      lhs, rhs,
      [&](unsigned d) {
        const auto &l = lhs.dimensions[d], &r = rhs.dimensions[d];
        return std::max(std::min(l.contiguity, r.constancy), std::min(l.constancy, r.contiguity));
      },
      [&](unsigned d, int64_t run) { return std::min(lhs.divisibilityAt(d, run), rhs.divisibilityAt(d, run)); });
  if (lhs.bound && rhs.bound)
    result.setBound(lhs.bound->value + rhs.bound->value);
  return result;
}

AccessFacts subtract(const AccessFacts &lhs, const AccessFacts &rhs) {
  AccessFacts result = combine(
      lhs, rhs, [&](unsigned d) { return std::min(lhs.dimensions[d].contiguity, rhs.dimensions[d].constancy); },
      [&](unsigned d, int64_t run) { return std::min(lhs.divisibilityAt(d, run), rhs.divisibilityAt(d, run)); });
  if (lhs.bound && rhs.constant)
    result.setBound(lhs.bound->value - *rhs.constant);
  return result;
}

AccessFacts multiply(const AccessFacts &lhs, const AccessFacts &rhs) {
  if (lhs.constant == 1)
    return rhs;
  if (rhs.constant == 1)
    return lhs;
  int64_t divisibility = saturatingProduct(lhs.divisibilityOfAll(), rhs.divisibilityOfAll());
  AccessFacts result = combine(lhs, rhs, [](unsigned) { return 1; }, [&](unsigned, int64_t) { return divisibility; });
  result.setBound(zeroIf(areNonNegative(lhs, rhs)));
  return result;
}

// The elements that start at a multiple of as many as there are, and that a division by `rhs` does not part.
static int64_t undividedRun(const AccessFacts &lhs, const AccessFacts &rhs, unsigned d) {
  const auto &l = lhs.dimensions[d], &r = rhs.dimensions[d];
  return std::min({l.contiguity, l.divisibility, rhs.divisibilityOfAll(), r.constancy});
}

AccessFacts divide(const AccessFacts &lhs, const AccessFacts &rhs, bool isSigned) {
  if (rhs.constant == 1)
    return lhs;
  AccessFacts result = elementwise({&lhs, &rhs}, lhs.rank());
  // Towards zero, the run -4, -3, -2, -1 does not stay together when divided by 4.
  const bool roundsDown = !isSigned || lhs.isNonNegative();
  for (unsigned d = 0; d < lhs.rank(); ++d) {
    auto &dimension = result.dimensions[d];
    if (roundsDown)
      dimension.constancy = std::max(dimension.constancy, undividedRun(lhs, rhs, d));
    if (!rhs.constant || *rhs.constant <= 0 || !isPowerOf2_64(*rhs.constant))
      continue;
    // A run that is not parted is its first element divided; a first element that divides without rest keeps the rest of its divisor.
    const int64_t divisor = *rhs.constant;
    if (lhs.dimensions[d].contiguity == 1 || (roundsDown && lhs.dimensions[d].contiguity <= divisor))
      dimension.divisibility = std::max<int64_t>(1, lhs.dimensions[d].divisibility / divisor);
  }
  // Divisors of indices are sizes. What divides program ids among rows and columns could not be shown to be positive.
  result.setBound(zeroIf(lhs.isNonNegative() && (!rhs.constant || *rhs.constant > 0)));
  return result;
}

AccessFacts remainder(const AccessFacts &lhs, const AccessFacts &rhs, bool isSigned, ArrayRef<int64_t> shape) {
  // Negative numbers have negative remainders, and a run of them breaks at multiples of the divisor. Kernels wrap offsets around with `%`, often
  // from a start that is an argument, whose sign is not known; an offset below zero is outside of any tensor. So where one run fills the
  // dimension, as in `(start + arange) % size`, it is taken to be of offsets that are not negative; where runs are shorter, only if that is known.
  const bool roundsDown = !isSigned || lhs.isNonNegative();
  AccessFacts result = combine(
      lhs, rhs,
      [&](unsigned d) {
        const int64_t size = d < shape.size() ? shape[d] : 1;
        return roundsDown || lhs.dimensions[d].contiguity >= size ? undividedRun(lhs, rhs, d) : 1;
      },
      [&](unsigned d, int64_t run) { return std::min(lhs.divisibilityAt(d, run), rhs.divisibilityOfAll()); });
  result.setBound(zeroIf(lhs.isNonNegative()));
  return result;
}

AccessFacts bitwiseAnd(const AccessFacts &lhs, const AccessFacts &rhs) {
  if (lhs.constant && !rhs.constant)
    return bitwiseAnd(rhs, lhs);
  // 2^k - 1: the remainder of a division that rounds down.
  if (rhs.constant && *rhs.constant > 0 && isMask_64(*rhs.constant)) {
    AccessFacts divisor = rhs;
    divisor.constant = *rhs.constant + 1;
    for (auto &dimension : divisor.dimensions)
      dimension.divisibility = powerOfTwoIn(*divisor.constant);
    AccessFacts result = remainder(lhs, divisor, false, {});
    result.setBound(0);
    return result;
  }
  const int64_t divisibility = std::max(lhs.divisibilityOfAll(), rhs.divisibilityOfAll());
  AccessFacts result = combine(lhs, rhs, [](unsigned) { return 1; }, [&](unsigned, int64_t) { return divisibility; });
  for (unsigned d = 0; d < lhs.rank(); ++d)
    result.dimensions[d].constancy =
        std::max({result.dimensions[d].constancy, undividedRun(lhs, rhs, d), undividedRun(rhs, lhs, d)});
  result.setBound(zeroIf(lhs.isNonNegative() || rhs.isNonNegative()));
  return result;
}

AccessFacts bitwiseOr(const AccessFacts &lhs, const AccessFacts &rhs) {
  AccessFacts result = combine(
      lhs, rhs, [&](unsigned d) { return std::max(undividedRun(lhs, rhs, d), undividedRun(rhs, lhs, d)); },
      [&](unsigned d, int64_t run) { return std::min(lhs.divisibilityAt(d, run), rhs.divisibilityAt(d, run)); });
  result.setBound(zeroIf(areNonNegative(lhs, rhs)));
  return result;
}

// 2^shift everywhere.
static std::optional<AccessFacts> powerOf(const AccessFacts &shift) {
  if (!shift.constant || *shift.constant < 0 || *shift.constant > 30)
    return std::nullopt;
  AccessFacts result = shift;
  result.constant = int64_t(1) << *shift.constant;
  for (auto &dimension : result.dimensions)
    dimension.divisibility = *result.constant;
  return result;
}

AccessFacts shiftLeft(const AccessFacts &lhs, const AccessFacts &rhs) {
  if (std::optional<AccessFacts> factor = powerOf(rhs))
    return multiply(lhs, *factor);
  const int64_t divisibility = lhs.divisibilityOfAll();
  AccessFacts result = combine(lhs, rhs, [](unsigned) { return 1; }, [&](unsigned, int64_t) { return divisibility; });
  result.setBound(zeroIf(lhs.isNonNegative()));
  return result;
}

AccessFacts shiftRight(const AccessFacts &lhs, const AccessFacts &rhs, bool isSigned) {
  AccessFacts result;
  if (std::optional<AccessFacts> divisor = powerOf(rhs))
    result = divide(lhs, *divisor, false); // a shift rounds down
  else
    result = elementwise({&lhs, &rhs}, lhs.rank());
  result.setBound(zeroIf(lhs.isNonNegative()));
  return result;
}

AccessFacts extremum(const AccessFacts &lhs, const AccessFacts &rhs, bool isLarger, bool isSigned) {
  // Of two runs that count alike, one is below the other throughout.
  AccessFacts result = combine(
      lhs, rhs, [&](unsigned d) { return std::min(lhs.dimensions[d].contiguity, rhs.dimensions[d].contiguity); },
      [&](unsigned d, int64_t run) { return std::min(lhs.divisibilityAt(d, run), rhs.divisibilityAt(d, run)); });
  if (isSigned && isLarger && (lhs.bound || rhs.bound))
    result.setBound(!lhs.bound   ? rhs.bound->value
                    : !rhs.bound ? lhs.bound->value
                                 : std::max(lhs.bound->value, rhs.bound->value));
  else if (areNonNegative(lhs, rhs) || (isSigned && lhs.bound && rhs.bound))
    result.setBound(std::min(lhs.bound->value, rhs.bound->value));
  return result;
}

AccessFacts advance(const AccessFacts &pointer, const AccessFacts &offset) {
  AccessFacts bytes = offset;
  for (auto &dimension : bytes.dimensions)
    dimension.divisibility = saturatingProduct(dimension.divisibility, pointer.unit);
  bytes.unit = pointer.unit;
  AccessFacts result = add(pointer, bytes);
  result.unit = pointer.unit;
  return result;
}

AccessFacts isLess(const AccessFacts &lhs, const AccessFacts &rhs) {
  AccessFacts result = elementwise({&lhs, &rhs}, lhs.rank());
  for (unsigned d = 0; d < lhs.rank(); ++d)
    result.dimensions[d].constancy = std::max(result.dimensions[d].constancy, undividedRun(lhs, rhs, d));
  return result;
}

AccessFacts select(const AccessFacts &condition, const AccessFacts &whenTrue, const AccessFacts &whenFalse) {
  AccessFacts result = AccessFacts::join(whenTrue, whenFalse);
  for (unsigned d = 0; d < result.rank(); ++d) {
    const int64_t together = condition.dimensions[d].constancy;
    auto &dimension = result.dimensions[d];
    dimension.divisibility = result.divisibilityAt(d, std::min(dimension.contiguity, together));
    dimension.contiguity = std::min(dimension.contiguity, together);
    dimension.constancy = std::min(dimension.constancy, together);
  }
  return result;
}

AccessFacts cast(const AccessFacts &source, int64_t unit, unsigned bits) {
  AccessFacts result = source;
  result.unit = unit;
  for (unsigned d = 0; d < source.rank(); ++d) {
    auto &dimension = result.dimensions[d];
    int64_t run = unit == source.unit ? dimension.contiguity : 1;
    // In few bits counting starts again: only at a multiple of a power of two, so not inside of a run that starts at one.
    if (bits < 32)
      run = std::min({run, dimension.divisibility, int64_t(1) << (bits - 1)});
    dimension.divisibility = source.divisibilityAt(d, run);
    dimension.contiguity = run;
  }
  if (bits < 64 && source.constant && !isIntN(bits, *source.constant)) {
    result.constant.reset();
    result.bound.reset();
  }
  return result;
}

} // namespace triton::tensor
