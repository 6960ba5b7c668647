// `arith` on numbers, and pointers plus offsets.
//   In:  ops whose result at a place depends on the operands at that place.
//   Out: the same on every register; sums, products and extrema of 16-bit floats on pairs of registers.
// Where LLVM calls a result undefined, what the reference interpreter gives is computed: see there.
#include "compiler/llvm/gpu/Elementwise.h"

#include "compiler/llvm/gpu/Families.h"
#include "compiler/llvm/gpu/FloatConversion.h"
#include "compiler/llvm/gpu/Packing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::simt {

llvm::Value *emitExtremum(Emitter &emitter, llvm::Value *a, llvm::Value *b, bool isMaximum, bool propagatesNan) {
  using namespace llvm::Intrinsic;
  llvm::IRBuilder<> &builder = emitter.builder;
  bool isDouble = a->getType()->getScalarType()->isDoubleTy();
  if (!propagatesNan)
    return builder.CreateBinaryIntrinsic(isMaximum ? maxnum : minnum, a, b);
  if (!isDouble)
    return builder.CreateBinaryIntrinsic(isMaximum ? maximum : minimum, a, b);
  // f64 has no such instruction. A sum with a NaN is one.
  llvm::Value *extremum = builder.CreateBinaryIntrinsic(isMaximum ? maxnum : minnum, a, b);
  return builder.CreateSelect(builder.CreateFCmpUNO(a, b), builder.CreateFAdd(a, b), extremum);
}

namespace {

/// One op on one register of each operand (or on pairs of them).
class Arithmetic {
public:
  Arithmetic(Emitter &emitter, Operation *op) : emitter(emitter), builder(emitter.builder), op(op) {}

  llvm::Value *emit(llvm::ArrayRef<llvm::Value *> v) {
    bool isBool = v[0]->getType()->isIntegerTy(1);
    if (isBool)
      if (llvm::Value *result = onBools(v))
        return result;
    return llvm::TypeSwitch<Operation *, llvm::Value *>(op)
        .Case([&](arith::AddIOp add) {
          return builder.CreateAdd(v[0], v[1], "", wraps(add, Unsigned), wraps(add, Signed));
        })
        .Case([&](arith::SubIOp sub) {
          return builder.CreateSub(v[0], v[1], "", wraps(sub, Unsigned), wraps(sub, Signed));
        })
        .Case([&](arith::MulIOp mul) {
          if (hasHighHalf(mul)) // one instruction gives both
            return builder.CreateTrunc(multiplyWide(v[0], v[1], /*isSigned=*/false), v[0]->getType());
          return builder.CreateMul(v[0], v[1], "", wraps(mul, Unsigned), wraps(mul, Signed));
        })
        .Case([&](arith::DivSIOp) { return divideSigned(v[0], v[1]); })
        .Case([&](arith::RemSIOp) { return remainderSigned(v[0], v[1]); })
        .Case([&](arith::DivUIOp) { return divideUnsigned(v[0], v[1]); })
        .Case([&](arith::RemUIOp) { return remainderUnsigned(v[0], v[1]); })
        .Case([&](arith::CeilDivUIOp) {
          llvm::Value *left = isNot(remainderUnsigned(v[0], v[1]), 0);
          return builder.CreateAdd(divideUnsigned(v[0], v[1]), builder.CreateZExt(left, v[0]->getType()));
        })
        .Case([&](arith::FloorDivSIOp) { return divideToward(v[0], v[1], /*isFloor=*/true); })
        .Case([&](arith::CeilDivSIOp) { return divideToward(v[0], v[1], /*isFloor=*/false); })
        .Case([&](arith::AndIOp) { return builder.CreateAnd(v[0], v[1]); })
        .Case([&](arith::OrIOp) { return builder.CreateOr(v[0], v[1]); })
        .Case([&](arith::XOrIOp) { return builder.CreateXor(v[0], v[1]); })
        .Case([&](arith::ShLIOp) { return shift(v[1], builder.CreateShl(v[0], v[1])); })
        .Case([&](arith::ShRUIOp) { return shift(v[1], builder.CreateLShr(v[0], v[1])); })
        .Case([&](arith::ShRSIOp) { return shift(v[1], builder.CreateAShr(v[0], v[1])); })
        .Case([&](arith::MaxSIOp) { return builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, v[0], v[1]); })
        .Case([&](arith::MinSIOp) { return builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, v[0], v[1]); })
        .Case([&](arith::MaxUIOp) { return builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, v[0], v[1]); })
        .Case([&](arith::MinUIOp) { return builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, v[0], v[1]); })
        .Case([&](arith::CmpIOp compare) { return compareIntegers(compare.getPredicate(), v[0], v[1]); })
        .Case([&](arith::CmpFOp compare) { return builder.CreateFCmp(predicate(compare.getPredicate()), v[0], v[1]); })
        .Case([&](arith::SelectOp) { return builder.CreateSelect(v[0], v[1], v[2]); })
        .Case([&](arith::AddFOp) { return builder.CreateFAdd(v[0], v[1]); })
        .Case([&](arith::SubFOp) { return builder.CreateFSub(v[0], v[1]); })
        .Case([&](arith::MulFOp) { return builder.CreateFMul(v[0], v[1]); })
        .Case([&](arith::DivFOp) { return divideFloats(v[0], v[1]); })
        .Case([&](arith::RemFOp) { return emitter.machine.callMath(emitter, "fmod", v); })
        .Case([&](arith::NegFOp) { return builder.CreateFNeg(v[0]); })
        .Case([&](arith::MaximumFOp) { return emitExtremum(emitter, v[0], v[1], true, true); })
        .Case([&](arith::MinimumFOp) { return emitExtremum(emitter, v[0], v[1], false, true); })
        .Case([&](arith::MaxNumFOp) { return emitExtremum(emitter, v[0], v[1], true, false); })
        .Case([&](arith::MinNumFOp) { return emitExtremum(emitter, v[0], v[1], false, false); })
        .Case([&](tensor::MulhiUIOp) { return multiplyHigh(v[0], v[1], /*isSigned=*/false); })
        .Case([&](tensor::AddPtrOp add) { return addPointer(add, v[0], v[1]); })
        .Case([&](tensor::ClampFOp clamp) {
          bool keepsNan = clamp.getPropagateNan() == tensor::PropagateNan::All;
          llvm::Value *above = emitExtremum(emitter, v[0], v[1], true, keepsNan);
          return emitExtremum(emitter, above, v[2], false, keepsNan);
        })
        .Case([&](tensor::PreciseDivFOp) {
          llvm::IRBuilderBase::FastMathFlagGuard guard(builder);
          builder.clearFastMathFlags();
          return builder.CreateFDiv(v[0], v[1]);
        })
        .Default([](Operation *) { return static_cast<llvm::Value *>(nullptr); });
  }

  llvm::Value *multiplyWide(llvm::Value *a, llvm::Value *b, bool isSigned) {
    llvm::Type *wide = builder.getIntNTy(2 * a->getType()->getIntegerBitWidth());
    auto extend = [&](llvm::Value *x) { return isSigned ? builder.CreateSExt(x, wide) : builder.CreateZExt(x, wide); };
    return builder.CreateMul(extend(a), extend(b));
  }

  /// The high half of a product of integers.
  llvm::Value *multiplyHigh(llvm::Value *a, llvm::Value *b, bool isSigned) {
    llvm::Value *product = multiplyWide(a, b, isSigned);
    return builder.CreateTrunc(builder.CreateLShr(product, a->getType()->getIntegerBitWidth()), a->getType());
  }

private:
  /// Whether the high half of the same 32-bit product is wanted too, as generators of random numbers do.
  static bool hasHighHalf(arith::MulIOp mul) {
    if (!getElementTypeOrSelf(mul.getType()).isInteger(32))
      return false;
    Value lhs = mul.getLhs(), rhs = mul.getRhs();
    return llvm::any_of(lhs.getUsers(), [&](Operation *user) {
      auto high = dyn_cast<tensor::MulhiUIOp>(user);
      return high && ((high.getX() == lhs && high.getY() == rhs) || (high.getX() == rhs && high.getY() == lhs));
    });
  }

  enum Sign { Unsigned, Signed };
  template <typename OpT> bool wraps(OpT arithmetic, Sign sign) {
    auto flag = sign == Signed ? arith::IntegerOverflowFlags::nsw : arith::IntegerOverflowFlags::nuw;
    return arith::bitEnumContainsAll(arithmetic.getOverflowFlags(), flag);
  }

  /// Numbers of one bit: NVPTX selects no arithmetic on them.
  llvm::Value *onBools(llvm::ArrayRef<llvm::Value *> v) {
    auto both = [&](auto) { return builder.CreateAnd(v[0], v[1]); };
    auto either = [&](auto) { return builder.CreateOr(v[0], v[1]); };
    auto differ = [&](auto) { return builder.CreateXor(v[0], v[1]); };
    auto onlyFirst = [&](auto) { return builder.CreateAnd(v[0], builder.CreateNot(v[1])); };
    return llvm::TypeSwitch<Operation *, llvm::Value *>(op)
        .Case<arith::AddIOp, arith::SubIOp>(differ)
        .Case<arith::MulIOp, arith::CeilDivUIOp, arith::MinUIOp, arith::MaxSIOp>(both)
        .Case<arith::DivSIOp, arith::DivUIOp>([&](auto) { return builder.CreateOr(v[0], builder.CreateNot(v[1])); })
        .Case<arith::MaxUIOp, arith::MinSIOp>(either)
        .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) { return builder.CreateNot(v[1]); })
        .Case([&](arith::FloorDivSIOp) { return builder.CreateNot(builder.CreateXor(v[0], v[1])); })
        .Case([&](arith::CeilDivSIOp) { return v[0]; })
        .Case([&](tensor::MulhiUIOp) { return emitter.i1(false); })
        .Case<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(onlyFirst)
        .Case([&](arith::CmpIOp compare) -> llvm::Value * {
          using P = arith::CmpIPredicate;
          llvm::Value *a = v[0], *b = v[1];
          switch (compare.getPredicate()) {
          case P::eq:
            return builder.CreateNot(builder.CreateXor(a, b));
          case P::ne:
            return builder.CreateXor(a, b);
          // Set is greater as an unsigned number, and less as a signed one.
          case P::ugt:
          case P::slt:
            return builder.CreateAnd(a, builder.CreateNot(b));
          case P::ult:
          case P::sgt:
            return builder.CreateAnd(b, builder.CreateNot(a));
          case P::uge:
          case P::sle:
            return builder.CreateOr(a, builder.CreateNot(b));
          case P::ule:
          case P::sge:
            return builder.CreateOr(b, builder.CreateNot(a));
          }
          return nullptr;
        })
        .Default([](Operation *) { return static_cast<llvm::Value *>(nullptr); });
  }

  llvm::Value *constant(llvm::Value *like, int64_t value) {
    return llvm::ConstantInt::get(like->getType(), value, /*IsSigned=*/true);
  }
  llvm::Value *isNot(llvm::Value *value, int64_t number) {
    return builder.CreateICmpNE(value, constant(value, number));
  }

  /// Whether dividing by `divisor` is undefined in LLVM, or may be: null if it never is.
  llvm::Value *isSpecialDivisor(llvm::Value *divisor, bool isSigned) {
    if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(divisor);
        known && !known->isZero() && !(isSigned && known->isMinusOne()))
      return nullptr;
    if (!isSigned)
      return builder.CreateICmpEQ(divisor, constant(divisor, 0));
    // 0 or -1.
    return builder.CreateICmpULE(builder.CreateAdd(divisor, constant(divisor, 1)), constant(divisor, 1));
  }

  /// `op` of `a` and `b`, and where `b` is special what `special` is for it: LLVM never sees such a divisor.
  llvm::Value *unlessSpecial(llvm::Instruction::BinaryOps op, llvm::Value *a, llvm::Value *b, bool isSigned,
                             llvm::function_ref<llvm::Value *()> special) {
    llvm::Value *isSpecial = isSpecialDivisor(b, isSigned);
    if (!isSpecial)
      return builder.CreateBinOp(op, a, b);
    llvm::Value *usual = builder.CreateBinOp(op, a, builder.CreateSelect(isSpecial, constant(b, 1), b));
    return builder.CreateSelect(isSpecial, special(), usual);
  }
  /// What quotient and remainder are for a divisor of zero, as the interpreter says.
  llvm::Value *byZero(llvm::Value *a) {
    llvm::Value *ones = constant(a, -1), *shortOnes = constant(a, 0xffffffff);
    if (a->getType()->getIntegerBitWidth() < 64)
      return ones;
    return builder.CreateSelect(builder.CreateICmpULE(a, shortOnes), shortOnes, ones);
  }
  // Special divisors are 0 and -1, whose bits are masks. By -1 the quotient is the negative, wrapped, and nothing is left.
  llvm::Value *divideSigned(llvm::Value *a, llvm::Value *b) {
    return unlessSpecial(llvm::Instruction::SDiv, a, b, true, [&] {
      return builder.CreateOr(builder.CreateAnd(builder.CreateNeg(a), b),
                              builder.CreateAnd(byZero(a), builder.CreateNot(b)));
    });
  }
  llvm::Value *remainderSigned(llvm::Value *a, llvm::Value *b) {
    return unlessSpecial(llvm::Instruction::SRem, a, b, true,
                         [&] { return builder.CreateAnd(byZero(a), builder.CreateNot(b)); });
  }
  llvm::Value *divideUnsigned(llvm::Value *a, llvm::Value *b) {
    return unlessSpecial(llvm::Instruction::UDiv, a, b, false, [&] { return byZero(a); });
  }
  llvm::Value *remainderUnsigned(llvm::Value *a, llvm::Value *b) {
    return unlessSpecial(llvm::Instruction::URem, a, b, false, [&] { return byZero(a); });
  }
  llvm::Value *divideToward(llvm::Value *a, llvm::Value *b, bool isFloor) {
    llvm::Value *quotient = divideSigned(a, b), *isInexact = isNot(remainderSigned(a, b), 0);
    llvm::Value *signsDiffer = builder.CreateICmpSLT(builder.CreateXor(a, b), constant(a, 0));
    llvm::Value *moves = builder.CreateAnd(isInexact, isFloor ? signsDiffer : builder.CreateNot(signsDiffer));
    llvm::Value *step = builder.CreateZExt(moves, a->getType());
    return isFloor ? builder.CreateSub(quotient, step) : builder.CreateAdd(quotient, step);
  }

  llvm::Value *shift(llvm::Value *count, llvm::Value *shifted) {
    unsigned width = count->getType()->getIntegerBitWidth();
    if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(count); known && known->getValue().ult(width))
      return shifted;
    return builder.CreateSelect(builder.CreateICmpULT(count, constant(count, width)), shifted, constant(shifted, 0));
  }

  llvm::Value *compareIntegers(arith::CmpIPredicate predicate, llvm::Value *a, llvm::Value *b) {
    static constexpr llvm::CmpInst::Predicate table[] = {
        llvm::CmpInst::ICMP_EQ,  llvm::CmpInst::ICMP_NE,  llvm::CmpInst::ICMP_SLT, llvm::CmpInst::ICMP_SLE,
        llvm::CmpInst::ICMP_SGT, llvm::CmpInst::ICMP_SGE, llvm::CmpInst::ICMP_ULT, llvm::CmpInst::ICMP_ULE,
        llvm::CmpInst::ICMP_UGT, llvm::CmpInst::ICMP_UGE};
    return builder.CreateICmp(table[static_cast<unsigned>(predicate)], a, b);
  }

  static llvm::CmpInst::Predicate predicate(arith::CmpFPredicate predicate) {
    using P = arith::CmpFPredicate;
    switch (predicate) {
    case P::AlwaysFalse:
      return llvm::CmpInst::FCMP_FALSE;
    case P::OEQ:
      return llvm::CmpInst::FCMP_OEQ;
    case P::OGT:
      return llvm::CmpInst::FCMP_OGT;
    case P::OGE:
      return llvm::CmpInst::FCMP_OGE;
    case P::OLT:
      return llvm::CmpInst::FCMP_OLT;
    case P::OLE:
      return llvm::CmpInst::FCMP_OLE;
    case P::ONE:
      return llvm::CmpInst::FCMP_ONE;
    case P::ORD:
      return llvm::CmpInst::FCMP_ORD;
    case P::UEQ:
      return llvm::CmpInst::FCMP_UEQ;
    case P::UGT:
      return llvm::CmpInst::FCMP_UGT;
    case P::UGE:
      return llvm::CmpInst::FCMP_UGE;
    case P::ULT:
      return llvm::CmpInst::FCMP_ULT;
    case P::ULE:
      return llvm::CmpInst::FCMP_ULE;
    case P::UNE:
      return llvm::CmpInst::FCMP_UNE;
    case P::UNO:
      return llvm::CmpInst::FCMP_UNO;
    case P::AlwaysTrue:
      return llvm::CmpInst::FCMP_TRUE;
    }
    return llvm::CmpInst::FCMP_FALSE;
  }

  /// f32 within 2 ulp, f64 to the nearest. Division by a constant whose reciprocal is exact is a multiplication.
  llvm::Value *divideFloats(llvm::Value *a, llvm::Value *b) {
    if (!a->getType()->isFloatTy() || (llvm::isa<llvm::Constant>(a) && llvm::isa<llvm::Constant>(b)))
      return builder.CreateFDiv(a, b);
    llvm::APFloat inverse(0.0f);
    if (auto *divisor = llvm::dyn_cast<llvm::ConstantFP>(b);
        divisor && divisor->getValueAPF().getExactInverse(&inverse))
      return builder.CreateFMul(a, llvm::ConstantFP::get(a->getType(), inverse));
    return emitter.machine.divide(emitter, a, b);
  }

  llvm::Value *addPointer(tensor::AddPtrOp add, llvm::Value *pointer, llvm::Value *offset) {
    auto type = cast<tensor::PointerType>(getElementTypeOrSelf(add.getType()));
    unsigned bytes = std::max(tensor::getElementBits(type.getPointeeType()) / 8, 1u);
    // The index is extended with its sign, and scaled, by the address arithmetic itself. An i1 is a number of one bit, hence 0 or -1.
    return builder.CreateGEP(builder.getIntNTy(8 * bytes), pointer, offset);
  }

  Emitter &emitter;
  llvm::IRBuilder<> &builder;
  Operation *op;
};

} // namespace

/// Ops with an instruction for two 16-bit floats at a time.
static bool worksOnPairs(Operation *op) {
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  return (type.isF16() || type.isBF16()) &&
         isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::MaxNumFOp, arith::MinNumFOp, tensor::ClampFOp>(op);
}

/// Ops that narrow floats do in f32: 8-bit ones all, 16-bit ones division.
static bool computesInSingle(Operation *op, Type type) {
  if (!isa<FloatType>(type) || isa<arith::SelectOp>(op))
    return false;
  return isStorageOnly(type) ||
         (type.getIntOrFloatBitWidth() == 16 && isa<arith::DivFOp, arith::RemFOp, tensor::PreciseDivFOp>(op));
}

/// Sum and carry, low and high half of a product.
static Emitted emitExtended(Emitter &emitter, Operation *op) {
  bool isSum = isa<arith::AddUIExtendedOp>(op);
  Arithmetic arithmetic(emitter, op);
  llvm::IRBuilder<> &builder = emitter.builder;
  Registers low, high, left(emitter.registers(op->getOperand(0))), right(emitter.registers(op->getOperand(1)));
  for (auto [a, b] : llvm::zip_equal(left, right)) {
    if (a->getType()->isIntegerTy(
            1)) { // as above, without arithmetic on one bit; a signed one is 0 or -1, whose square is 1
      low.push_back(isSum ? builder.CreateXor(a, b) : builder.CreateAnd(a, b));
      high.push_back(isSum ? builder.CreateAnd(a, b) : static_cast<llvm::Value *>(emitter.i1(false)));
    } else if (isSum) {
      low.push_back(builder.CreateAdd(a, b));
      high.push_back(builder.CreateICmpULT(low.back(), a));
    } else {
      low.push_back(builder.CreateMul(a, b));
      high.push_back(arithmetic.multiplyHigh(a, b, isa<arith::MulSIExtendedOp>(op)));
    }
  }
  emitter.define(op->getResult(0), low);
  emitter.define(op->getResult(1), high);
  return success();
}

Emitted emitElementwise(Emitter &emitter, Operation *op) {
  if (isa<arith::AddUIExtendedOp, arith::MulUIExtendedOp, arith::MulSIExtendedOp>(op))
    return emitExtended(emitter, op);
  bool isMine = isa<arith::ArithDialect>(op->getDialect()) ||
                isa<tensor::AddPtrOp, tensor::MulhiUIOp, tensor::ClampFOp, tensor::PreciseDivFOp>(op);
  if (!isMine || isa<arith::ConstantOp, CastOpInterface>(op) || op->getNumResults() != 1 || op->getNumOperands() == 0)
    return std::nullopt;
  Arithmetic arithmetic(emitter, op);
  auto function = [&](llvm::ArrayRef<llvm::Value *> values) { return arithmetic.emit(values); };
  Registers results = computesInSingle(op, getElementTypeOrSelf(op->getOperand(0).getType()))
                          ? onSingles(emitter, op, function)
                          : onEachRegister(emitter, op, worksOnPairs(op), function);
  if (results.empty())
    return std::nullopt;
  emitter.define(op->getResult(0), std::move(results));
  return success();
}

} // namespace triton::simt
