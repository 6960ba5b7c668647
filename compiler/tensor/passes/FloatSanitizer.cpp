// The floating-point sanitizer (instrumentation_mode "fpsan"): computes with integers modulo 2^w where the kernel computes with floats of w bits.
//
// Two kernels of the same algebra, such as a sum and the same sum split over programs, then give the same bits, whatever the order of their
// additions. A float in memory or in a register keeps its bits; an op takes them to an integer, the *payload*, and its result back:
//
//   %c = arith.addf %a, %b : f32
// becomes
//   %x = embed(%a) : i32
//   %y = embed(%b) : i32
//   %z = arith.addi %x, %y : i32
//   %c = unembed(%z) : f32
//
// `embed` is a bijection that keeps 0, 1 and -1. Example, w = 8 with 1.0 = 0x38 (f8E4M3FN): M = 0x7f, s = 3 (the trailing zeros of 1.0), A = 14940041 & M = 0x49;
// m = (0x38 * A & M) = 0x78, m ^ m >> s = 0x77, and its inverse modulo 2^7 is B = 0x47. embed(0x38) = (0x78 ^ 0x0f) * B & M = 1.
// A payload is kept beside its float, so that chains of ops embed once. Comparisons, conversions from and to integers, |x| and atomics see the
// floats as they are. Products of matrices become int8 dots of signed digits (`Dots`), which tensor cores do.
//
// Runs before anything simplifies floats. Kernels without floats are left alone. Refuses the ops of GPU IR that multiply matrices (Gluon's).
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/passes/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::tensor {

#define GEN_PASS_DEF_FLOATSANITIZER
#include "compiler/tensor/passes/Passes.h.inc"

namespace {

uint64_t lowBits(unsigned width) { return width >= 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1; }

/// Of an odd number, modulo 2^64: each step of Newton's iteration doubles the bits that are right, of which 3 are at first.
uint64_t inverse(uint64_t odd) {
  uint64_t found = odd;
  for (int step = 0; step < 5; ++step)
    found *= 2 - odd * found;
  return found;
}

/// MurmurHash3's 64-bit finaliser: tells functions apart by their numbers.
uint64_t mix(uint64_t bits) {
  bits = (bits ^ bits >> 33) * 0xff51afd7ed558ccd;
  bits = (bits ^ bits >> 33) * 0xc4ceb9fe1a85ec53;
  return bits ^ bits >> 33;
}

/// FNV-1a: tells functions apart by their names.
uint64_t hash(StringRef text) {
  uint64_t found = 0xcbf29ce484222325;
  for (unsigned char letter : text)
    found = (found ^ letter) * 0x100000001b3;
  return found;
}

bool isFloat(Type type) { return isa<FloatType>(getElementTypeOrSelf(type)); }

unsigned widthOf(Type type) { return getElementTypeOrSelf(type).getIntOrFloatBitWidth(); }

/// `type`, one number or a tensor of them, with other elements.
Type withElement(Type type, Type element) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? Type(shaped.clone(element)) : element;
}

/// What embeds and unembeds floats of one type.
struct Bijection {
  unsigned width, shift;
  uint64_t mask, factor, factorBack, toOne, fromOne;

  Bijection(FloatType type, uint64_t multiplier) : width(type.getWidth()), mask(lowBits(width - 1)) {
    uint64_t one = llvm::APFloat::getOne(type.getFloatSemantics()).bitcastToAPInt().getZExtValue();
    shift = llvm::countr_zero(one);
    factor = multiplier & mask;
    factorBack = inverse(factor) & mask;
    uint64_t product = one * factor & mask;
    fromOne = product ^ product >> shift;
    toOne = inverse(fromOne) & mask;
  }
};

class Sanitizer {
public:
  Sanitizer(MLIRContext *context, bool isOf38, bool hasHomomorphicCasts)
      : builder(context), isOf38(isOf38), hasHomomorphicCasts(hasHomomorphicCasts) {}

  LogicalResult rewrite(Operation *op) {
    builder.setInsertionPoint(op);
    loc = op->getLoc();
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](arith::AddFOp op) { return give(op, add(payload(op.getLhs()), payload(op.getRhs()))); })
        .Case([&](arith::SubFOp op) { return give(op, subtract(payload(op.getLhs()), payload(op.getRhs()))); })
        .Case([&](arith::MulFOp op) { return give(op, multiply(payload(op.getLhs()), payload(op.getRhs()))); })
        .Case([&](arith::NegFOp op) {
          Value x = payload(op.getOperand());
          return give(op, subtract(constant(x.getType(), 0), x));
        })
        .Case<arith::DivFOp, PreciseDivFOp>([&](auto op) {
          return give(op, multiply(payload(op->getOperand(0)), reciprocal(payload(op->getOperand(1)))));
        })
        .Case([&](arith::RemFOp op) { return give(op, remainder(payload(op.getLhs()), payload(op.getRhs()))); })
        .Case<arith::MaximumFOp, arith::MaxNumFOp>(
            [&](auto op) { return give(op, make<arith::MaxSIOp>(payload(op.getLhs()), payload(op.getRhs()))); })
        .Case<arith::MinimumFOp, arith::MinNumFOp>(
            [&](auto op) { return give(op, make<arith::MinSIOp>(payload(op.getLhs()), payload(op.getRhs()))); })
        .Case([&](ClampFOp op) {
          Value least = make<arith::MaxSIOp>(payload(op->getOperand(0)), payload(op->getOperand(1)));
          return give(op, make<arith::MinSIOp>(least, payload(op->getOperand(2))));
        })
        .Case([&](math::FmaOp op) {
          return give(op, add(multiply(payload(op.getA()), payload(op.getB())), payload(op.getC())));
        })
        .Case<arith::ExtFOp, arith::TruncFOp, FpToFpOp>(
            [&](auto op) { return give(op, cast(payload(op->getOperand(0)), widthOf(op->getResult(0).getType()))); })
        .Case([&](math::Exp2Op op) { return give(op, power(payload(op.getOperand()))); })
        .Case([&](math::ExpOp op) {
          Value x = payload(op.getOperand());
          return give(op, power(multiply(x, constant(x.getType(), logarithm()))));
        })
        .Case([&](math::CosOp op) { return give(op, rotation(payload(op.getOperand())).first); })
        .Case([&](math::SinOp op) { return give(op, rotation(payload(op.getOperand())).second); })
        .Case([&](math::LogOp op) { return give(op, scramble(payload(op.getOperand()), 1)); })
        .Case([&](math::Log2Op op) { return give(op, scramble(payload(op.getOperand()), 3)); })
        .Case([&](math::SqrtOp op) { return give(op, scramble(payload(op.getOperand()), 6)); })
        .Case([&](math::RsqrtOp op) { return give(op, scramble(payload(op.getOperand()), 7)); })
        .Case([&](math::ErfOp op) { return give(op, scramble(payload(op.getOperand()), 8)); })
        .Case([&](math::FloorOp op) { return give(op, scramble(payload(op.getOperand()), 9)); })
        .Case([&](math::CeilOp op) { return give(op, scramble(payload(op.getOperand()), 10)); })
        .Case([&](PreciseSqrtOp op) { return give(op, scramble(payload(op->getOperand(0)), 11)); })
        .Case([&](ExternElementwiseOp op) { return op.getPure() ? callByName(op, hash(op.getSymbol())) : success(); })
        .Case([&](ElementwiseInlineAsmOp op) {
          return op.getPure() ? callByName(op, hash(op.getAsmString())) : success();
        })
        .Case([&](DotOp op) { return isFloat(op.getType()) ? give(op, dot(op)) : success(); })
        .Default([&](Operation *op) -> LogicalResult {
          StringRef name = op->getName().getStringRef();
          if (name == "ttng.warp_group_dot" || name.starts_with("ttng.tc_gen5_mma"))
            return op->emitOpError() << "multiplies matrices in a way that the floating-point sanitizer (fpsan) does "
                                        "not know; it knows tl.dot";
          return success();
        });
  }

private:
  template <typename Op> Value make(Value a, Value b) { return Op::create(builder, loc, a, b); }
  Value add(Value a, Value b) { return make<arith::AddIOp>(a, b); }
  Value subtract(Value a, Value b) { return make<arith::SubIOp>(a, b); }
  Value multiply(Value a, Value b) { return make<arith::MulIOp>(a, b); }
  Value logicalAnd(Value a, uint64_t bits) { return make<arith::AndIOp>(a, constant(a.getType(), bits)); }
  Value exclusiveOr(Value a, Value b) { return make<arith::XOrIOp>(a, b); }
  Value shiftLeft(Value a, unsigned by) { return make<arith::ShLIOp>(a, constant(a.getType(), by)); }
  Value shiftRight(Value a, unsigned by) { return make<arith::ShRUIOp>(a, constant(a.getType(), by)); }

  Value constant(Type type, uint64_t bits) {
    llvm::APInt number(widthOf(type), bits & lowBits(widthOf(type)));
    auto element = builder.getIntegerAttr(getElementTypeOrSelf(type), number);
    auto shaped = dyn_cast<ShapedType>(type);
    return arith::ConstantOp::create(builder, loc,
                                     shaped ? TypedAttr(DenseElementsAttr::get(shaped, element.getValue())) : element);
  }

  /// An integer of another width; wider ones by their sign.
  Value resize(Value x, unsigned width) {
    Type type = withElement(x.getType(), builder.getIntegerType(width));
    if (width > widthOf(x.getType()))
      return arith::ExtSIOp::create(builder, loc, type, x);
    return width < widthOf(x.getType()) ? Value(arith::TruncIOp::create(builder, loc, type, x)) : x;
  }

  const Bijection &bijection(Type type) {
    auto element = mlir::cast<FloatType>(getElementTypeOrSelf(type));
    return bijections.try_emplace(element, element, isOf38 ? 922291 : 14940041).first->second;
  }

  /// log2(e) of float32, embedded: `exp` of every type takes it to `exp2`.
  uint64_t logarithm() const { return isOf38 ? 0x236ee9bf : 0x26a29a75; }

  /// `positive`, or its negation modulo 2^(w - 1) where the sign of `x` is set.
  Value bySign(Value x, uint64_t positive, uint64_t mask) {
    Value isNegative = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, x, constant(x.getType(), 0));
    return arith::SelectOp::create(builder, loc, isNegative, constant(x.getType(), -positive & mask),
                                   constant(x.getType(), positive));
  }

  Value withSignOf(Value magnitude, Value x, uint64_t mask) {
    return make<arith::OrIOp>(logicalAnd(magnitude, mask), logicalAnd(x, ~mask));
  }

  /// The integer that stands for a float, made once for each value.
  Value payload(Value value) {
    if (Value known = payloads.lookup(value))
      return known;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(value);
    const Bijection &map = bijection(value.getType());
    Value bits =
        BitcastOp::create(builder, loc, withElement(value.getType(), builder.getIntegerType(map.width)), value);
    Value y = logicalAnd(multiply(bits, constant(bits.getType(), map.factor)), map.mask);
    Value z = exclusiveOr(y, shiftRight(y, map.shift));
    return payloads[value] = withSignOf(multiply(z, bySign(bits, map.toOne, map.mask)), bits, map.mask);
  }

  Value unembed(Value x, Type type) {
    const Bijection &map = bijection(type);
    Value z = logicalAnd(multiply(x, bySign(x, map.fromOne, map.mask)), map.mask), y = z;
    for (unsigned shift = map.shift; shift < map.width - 1; shift += map.shift)
      y = exclusiveOr(y, shiftRight(z, shift));
    Value bits = withSignOf(multiply(y, constant(x.getType(), map.factorBack)), x, map.mask);
    return BitcastOp::create(builder, loc, type, bits);
  }

  LogicalResult give(Operation *op, Value payload) {
    give(op->getResult(0), payload);
    op->erase();
    return success();
  }

  void give(OpResult result, Value payload) {
    Value value = unembed(payload, result.getType());
    result.replaceAllUsesWith(value);
    payloads[value] = payload;
  }

  /// 1 / x = y with x y = 1 for odd x; the lowest bit stays, so that 1 / (1 / x) is x.
  Value reciprocal(Value x) {
    Value one = constant(x.getType(), 1), two = constant(x.getType(), 2), odd = make<arith::OrIOp>(x, one), found = odd;
    for (unsigned right = 3; right < widthOf(x.getType()); right *= 2)
      found = multiply(found, subtract(two, multiply(odd, found)));
    return make<arith::OrIOp>(logicalAnd(found, ~uint64_t(1)), make<arith::AndIOp>(x, one));
  }

  /// By an odd number. By -1 nothing is left, which the instruction does not say of the least integer.
  Value remainder(Value x, Value y) {
    Value odd = make<arith::OrIOp>(y, constant(y.getType(), 1)), minusOne = constant(y.getType(), ~uint64_t(0));
    Value isMinusOne = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, odd, minusOne);
    Value safe = arith::SelectOp::create(builder, loc, isMinusOne, constant(y.getType(), 1), odd);
    return make<arith::RemSIOp>(x, safe);
  }

  Value cast(Value x, unsigned width) {
    unsigned from = widthOf(x.getType());
    if (width >= from || isOf38 || hasHomomorphicCasts)
      return resize(x, width);
    // What the bits that are dropped add to the sign of those that are kept is folded into these.
    Value kept = resize(x, width);
    uint64_t factor = 0;
    for (unsigned at = 0; at < from; at += width)
      factor |= (uint64_t(0xdb7) & lowBits(width)) << at;
    Value dropped = multiply(exclusiveOr(x, resize(kept, from)), constant(x.getType(), factor));
    Value folded = resize(shiftRight(dropped, from - width), width);
    return exclusiveOr(kept, exclusiveOr(folded, shiftRight(folded, width / 2)));
  }

  /// 2^x is (1 + 2^k)^x with k = w / 4: the binomial series ends behind its fourth term, modulo 2^w.
  Value power(Value x) {
    unsigned k = (widthOf(x.getType()) + 3) / 4;
    Value one = constant(x.getType(), 1), pairs = multiply(x, subtract(x, one));
    Value triples = multiply(pairs, subtract(x, constant(x.getType(), 2)));
    Value second = shiftRight(pairs, 1), third = multiply(shiftRight(triples, 1), constant(x.getType(), inverse(3)));
    return add(add(one, shiftLeft(x, k)), add(shiftLeft(second, 2 * k), shiftLeft(third, 3 * k)));
  }

  /// Cosine and sine: (-3/5, 4/5) turned by itself x times, bit by bit of x.
  std::pair<Value, Value> rotation(Value x) {
    Type type = x.getType();
    uint64_t a = uint64_t(-3) * inverse(5), b = 4 * inverse(5);
    Value cosine = constant(type, 1), sine = constant(type, 0), zero = constant(type, 0);
    for (unsigned bit = 0; bit < widthOf(type); ++bit) {
      Value isSet =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, logicalAnd(x, uint64_t(1) << bit), zero);
      Value byA = constant(type, a), byB = constant(type, b);
      Value turnedCosine = subtract(multiply(cosine, byA), multiply(sine, byB));
      Value turnedSine = add(multiply(cosine, byB), multiply(sine, byA));
      cosine = arith::SelectOp::create(builder, loc, isSet, turnedCosine, cosine);
      sine = arith::SelectOp::create(builder, loc, isSet, turnedSine, sine);
      std::tie(a, b) = std::pair(a * a - b * b, 2 * a * b);
    }
    return {cosine, sine};
  }

  /// A function without an algebra: other payloads, the same for the same.
  Value scramble(Value x, uint64_t number) {
    Value factor = constant(x.getType(), 314159);
    return multiply(exclusiveOr(multiply(x, factor), constant(x.getType(), mix(number))), factor);
  }

  /// Functions of libraries and of inline assembly: a sum of what they take, each turned by its place, and their name.
  LogicalResult callByName(Operation *op, uint64_t name) {
    bool hasNumbers =
        llvm::all_of(op->getOperandTypes(), [](Type type) { return getElementTypeOrSelf(type).isIntOrFloat(); });
    if (!hasNumbers || !llvm::all_of(op->getResultTypes(), isFloat))
      return success();
    for (OpResult result : op->getResults()) {
      Type type = withElement(result.getType(), builder.getIntegerType(widthOf(result.getType())));
      unsigned width = widthOf(type);
      Value sum = constant(type, 0);
      for (auto [place, operand] : llvm::enumerate(op->getOperands())) {
        Value x = resize(isFloat(operand.getType()) ? payload(operand) : operand, width);
        if (unsigned by = place % width)
          x = make<arith::OrIOp>(shiftLeft(x, by), shiftRight(x, width - by));
        sum = add(sum, x);
      }
      give(result, exclusiveOr(sum, constant(type, name ^ mix(result.getResultNumber()))));
    }
    op->erase();
    return success();
  }

  /// Signed digits of 8 bits, the lowest first, whose sum is `x` modulo 2^width.
  SmallVector<Value> digitsOf(Value x, unsigned width) {
    unsigned from = widthOf(x.getType()), count = from == 8 ? 1 : std::min(width / 8, from / 8 + 1);
    Value rest = resize(x, std::max(from, width));
    SmallVector<Value> digits;
    for (unsigned digit = 0; digit < count; ++digit) {
      digits.push_back(resize(rest, 8));
      if (digit + 1 < count) {
        Value above = subtract(rest, resize(digits.back(), widthOf(rest.getType())));
        rest = make<arith::ShRSIOp>(above, constant(rest.getType(), 8));
      }
    }
    return digits;
  }

  /// Products of digits whose places add up to the same are summed by one chain of dots; those behind the last place vanish modulo 2^w.
  Value dot(DotOp op) {
    Value sum = payload(op.getC());
    unsigned width = widthOf(sum.getType());
    SmallVector<Value> a = digitsOf(payload(op.getA()), width), b = digitsOf(payload(op.getB()), width);
    Type sumType = withElement(sum.getType(), builder.getI32Type());
    for (unsigned place = 0; place < width / 8; ++place) {
      Value products;
      for (unsigned left = 0; left <= place && left < a.size(); ++left)
        if (unsigned right = place - left; right < b.size())
          products = DotOp::create(builder, loc, sumType, a[left], b[right], products ? products : constant(sumType, 0),
                                   InputPrecision::IEEE, 0);
      if (products)
        sum = add(sum, shiftLeft(resize(products, width), 8 * place));
    }
    return sum;
  }

  OpBuilder builder;
  Location loc = builder.getUnknownLoc();
  bool isOf38, hasHomomorphicCasts;
  llvm::DenseMap<Type, Bijection> bijections;
  llvm::DenseMap<Value, Value> payloads;
};

struct FloatSanitizer : impl::FloatSanitizerBase<FloatSanitizer> {
  using FloatSanitizerBase::FloatSanitizerBase;

  void run() override {
    SmallVector<Operation *> ops;
    WalkResult scaled = getOperation()->walk([](DotScaledOp dot) {
      return failed(decomposeScaledDot(dot)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (scaled.wasInterrupted())
      return signalPassFailure();
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    Sanitizer sanitizer(&getContext(), isOf38, hasHomomorphicCasts);
    for (Operation *op : ops)
      if (failed(sanitizer.rewrite(op)))
        return signalPassFailure();
  }
};

} // namespace

} // namespace triton::tensor
