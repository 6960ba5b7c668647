// `math`, the elementwise functions of `tt`, and calls of library functions.
//   f32: exp, exp2, sqrt and rsqrt are the hardware's approximations (about 2 ulp); rounding and the like single instructions.
//   The rest, and all of f64, is the machine's math library. Narrower floats are computed in f32 and rounded once.
#include "compiler/llvm/gpu/Elementwise.h"
#include "compiler/llvm/gpu/Families.h"
#include "compiler/llvm/gpu/FloatConversion.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::simt {

/// The math library's name for a function of `math`, without prefix and suffix; empty if it has none.
static llvm::StringRef libraryName(Operation *op) {
  return llvm::StringSwitch<llvm::StringRef>(op->getName().getStringRef())
      .Case("math.acos", "acos")
      .Case("math.acosh", "acosh")
      .Case("math.asin", "asin")
      .Case("math.asinh", "asinh")
      .Case("math.atan", "atan")
      .Case("math.atan2", "atan2")
      .Case("math.atanh", "atanh")
      .Case("math.cbrt", "cbrt")
      .Case("math.cos", "cos")
      .Case("math.cosh", "cosh")
      .Case("math.erf", "erf")
      .Case("math.erfc", "erfc")
      .Case("math.exp", "exp")
      .Case("math.exp2", "exp2")
      .Case("math.expm1", "expm1")
      .Case("math.fpowi", "powi")
      .Case("math.log", "log")
      .Case("math.log10", "log10")
      .Case("math.log1p", "log1p")
      .Case("math.log2", "log2")
      .Case("math.powf", "pow")
      .Case("math.round", "round")
      .Case("math.rsqrt", "rsqrt")
      .Case("math.sin", "sin")
      .Case("math.sinh", "sinh")
      .Case("math.tan", "tan")
      .Case("math.tanh", "tanh")
      .Default("");
}

namespace {

class Functions {
public:
  Functions(Emitter &emitter, Operation *op) : emitter(emitter), builder(emitter.builder), op(op) {}

  llvm::Value *onFloats(llvm::ArrayRef<llvm::Value *> v) {
    if (v[0]->getType()->isFloatTy())
      if (llvm::Value *result = emitter.machine.approximate(emitter, op, v[0]))
        return result;
    auto unary = [&](llvm::Intrinsic::ID id) { return builder.CreateUnaryIntrinsic(id, v[0]); };
    return llvm::TypeSwitch<Operation *, llvm::Value *>(op)
        .Case([&](math::AbsFOp) { return unary(llvm::Intrinsic::fabs); })
        .Case([&](math::CeilOp) { return unary(llvm::Intrinsic::ceil); })
        .Case([&](math::FloorOp) { return unary(llvm::Intrinsic::floor); })
        .Case([&](math::TruncOp) { return unary(llvm::Intrinsic::trunc); })
        .Case([&](math::RoundEvenOp) { return unary(llvm::Intrinsic::roundeven); })
        .Case<math::SqrtOp, tensor::PreciseSqrtOp>([&](auto) {
          llvm::IRBuilderBase::FastMathFlagGuard guard(builder);
          builder.clearFastMathFlags();
          return unary(llvm::Intrinsic::sqrt);
        })
        .Case([&](math::CopySignOp) { return builder.CreateCopySign(v[0], v[1]); })
        .Case([&](math::FmaOp) {
          return builder.CreateIntrinsic(llvm::Intrinsic::fma, {v[0]->getType()}, {v[0], v[1], v[2]});
        })
        .Case([&](math::ClampFOp) {
          return emitExtremum(emitter, emitExtremum(emitter, v[0], v[1], true, false), v[2], false, false);
        })
        .Case([&](math::IsNaNOp) { return builder.CreateFCmpUNO(v[0], v[0]); })
        .Case([&](math::IsInfOp) { return builder.CreateFCmpOEQ(unary(llvm::Intrinsic::fabs), infinity(v[0])); })
        .Case([&](math::IsFiniteOp) { return builder.CreateFCmpOLT(unary(llvm::Intrinsic::fabs), infinity(v[0])); })
        .Default([&](Operation *) -> llvm::Value * {
          llvm::StringRef name = libraryName(op);
          if (name.empty())
            return nullptr;
          return callLibrary(name, v);
        });
  }

  llvm::Value *callLibrary(llvm::StringRef name, llvm::ArrayRef<llvm::Value *> v) {
    llvm::SmallVector<llvm::Value *, 2> arguments(v);
    if (name == "powi") // takes an i32
      arguments[1] = builder.CreateSExtOrTrunc(arguments[1], builder.getInt32Ty());
    return emitter.machine.callMath(emitter, name, arguments);
  }

  llvm::Value *onIntegers(llvm::ArrayRef<llvm::Value *> v) {
    // NVPTX has these for 32 and 64 bits.
    llvm::Type *type = v[0]->getType();
    unsigned width = type->getIntegerBitWidth();
    llvm::Type *wide = width < 32 ? builder.getInt32Ty() : type;
    auto narrow = [&](llvm::Value *value) { return builder.CreateTrunc(value, type); };
    auto extended = [&] { return builder.CreateZExt(v[0], wide); };
    return llvm::TypeSwitch<Operation *, llvm::Value *>(op)
        .Case([&](math::AbsIOp) {
          llvm::Value *value = builder.CreateSExt(v[0], wide);
          return narrow(builder.CreateBinaryIntrinsic(llvm::Intrinsic::abs, value, emitter.i1(false)));
        })
        .Case([&](math::CtPopOp) { return narrow(builder.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, extended())); })
        .Case([&](math::CountLeadingZerosOp) {
          llvm::Value *zeros = builder.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, extended(), emitter.i1(false));
          unsigned added = wide->getIntegerBitWidth() - width;
          return narrow(builder.CreateSub(zeros, llvm::ConstantInt::get(wide, added)));
        })
        .Case([&](math::CountTrailingZerosOp) {
          // A bit beyond the number's own ends the count.
          llvm::Value *value = extended();
          if (width < 32)
            value = builder.CreateOr(value, llvm::ConstantInt::get(wide, uint64_t(1) << width));
          return narrow(builder.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, value, emitter.i1(false)));
        })
        .Case([&](math::IPowIOp) { return integerPower(v[0], v[1]); })
        .Default([](Operation *) { return static_cast<llvm::Value *>(nullptr); });
  }

private:
  static llvm::Constant *infinity(llvm::Value *like) { return llvm::ConstantFP::getInfinity(like->getType()); }

  /// By squaring, in a loop over the bits of the exponent. A negative one gives 1 for 1 and 0 for all else.
  llvm::Value *integerPower(llvm::Value *base, llvm::Value *exponent) {
    llvm::Type *type = base->getType();
    auto constant = [&](uint64_t value) { return llvm::ConstantInt::get(type, value); };
    auto *before = builder.GetInsertBlock();
    auto *loop = llvm::BasicBlock::Create(emitter.context(), "", emitter.function);
    auto *after = llvm::BasicBlock::Create(emitter.context(), "", emitter.function);
    llvm::Value *isNegative = builder.CreateICmpSLT(exponent, constant(0));
    builder.CreateBr(loop);
    builder.SetInsertPoint(loop);
    llvm::PHINode *power = builder.CreatePHI(type, 2), *square = builder.CreatePHI(type, 2),
                  *rest = builder.CreatePHI(type, 2);
    llvm::Value *isOdd = builder.CreateTrunc(rest, builder.getInt1Ty());
    llvm::Value *nextPower = builder.CreateSelect(isOdd, builder.CreateMul(power, square), power);
    llvm::Value *nextSquare = builder.CreateMul(square, square), *nextRest = builder.CreateLShr(rest, 1);
    power->addIncoming(constant(1), before), power->addIncoming(nextPower, loop);
    square->addIncoming(base, before), square->addIncoming(nextSquare, loop);
    rest->addIncoming(exponent, before), rest->addIncoming(nextRest, loop);
    builder.CreateCondBr(builder.CreateICmpNE(nextRest, constant(0)), loop, after);
    builder.SetInsertPoint(after);
    llvm::Value *isOne = builder.CreateZExt(builder.CreateICmpEQ(base, constant(1)), type);
    return builder.CreateSelect(isNegative, isOne, nextPower);
  }

  Emitter &emitter;
  llvm::IRBuilder<> &builder;
  Operation *op;
};

} // namespace

/// 16-bit floats have these as instructions.
static bool isNativeOn16Bits(Operation *op, Type type) {
  if (isa<math::FmaOp, math::AbsFOp, math::IsNaNOp>(op))
    return true;
  return type.isF16() && isa<math::CeilOp, math::FloorOp, math::TruncOp, math::RoundEvenOp>(op);
}

static Emitted emitSinCos(Emitter &emitter, math::SincosOp op) {
  Type type = getElementTypeOrSelf(op.getOperand().getType()), single = Float32Type::get(op.getContext());
  bool isNarrow = type.getIntOrFloatBitWidth() < 32;
  Registers values(emitter.registers(op.getOperand()));
  if (isNarrow)
    values = convertFloats(emitter, values, type, single);
  for (auto [index, name] : llvm::enumerate(llvm::ArrayRef<llvm::StringRef>{"sin", "cos"})) {
    Registers results;
    for (llvm::Value *value : values)
      results.push_back(Functions(emitter, op).callLibrary(name, {value}));
    emitter.define(op->getResult(index), isNarrow ? convertFloats(emitter, results, single, type) : results);
  }
  return success();
}

/// The sign bit of an 8-bit float cleared: these are bytes here.
static Emitted emitByteMagnitude(Emitter &emitter, Operation *op) {
  Registers results;
  for (llvm::Value *value : Registers(emitter.registers(op->getOperand(0))))
    results.push_back(emitter.builder.CreateAnd(value, 0x7f));
  emitter.define(op->getResult(0), std::move(results));
  return success();
}

Emitted emitMath(Emitter &emitter, Operation *op) {
  if (auto external = dyn_cast<tensor::ExternElementwiseOp>(op)) {
    llvm::Type *type = emitter.type(external.getType());
    auto call = [&](llvm::ArrayRef<llvm::Value *> arguments) {
      return emitter.callExternal(external.getSymbol(), type, arguments, external.getPure());
    };
    Registers results;
    if (op->getNumOperands() != 0)
      results = onEachRegister(emitter, op, false, call);
    else
      for (unsigned index = 0; index < emitter.registerTypes(external.getType()).size(); ++index)
        results.push_back(call({}));
    emitter.define(external.getResult(), std::move(results));
    return success();
  }
  if (auto both = dyn_cast<math::SincosOp>(op))
    return emitSinCos(emitter, both);
  if (!isa<math::MathDialect>(op->getDialect()) && !isa<tensor::PreciseSqrtOp>(op))
    return std::nullopt;
  Type type = getElementTypeOrSelf(op->getOperand(0).getType());
  Functions functions(emitter, op);
  auto onFloats = [&](llvm::ArrayRef<llvm::Value *> values) { return functions.onFloats(values); };
  auto onIntegers = [&](llvm::ArrayRef<llvm::Value *> values) { return functions.onIntegers(values); };
  if (isa<math::AbsFOp>(op) && isStorageOnly(type))
    return emitByteMagnitude(emitter, op);
  Registers results;
  if (!isa<FloatType>(type))
    results = onEachRegister(emitter, op, false, onIntegers);
  else if (type.getIntOrFloatBitWidth() >= 32 || (!isStorageOnly(type) && isNativeOn16Bits(op, type)))
    results = onEachRegister(emitter, op, isa<math::FmaOp>(op) && type.getIntOrFloatBitWidth() == 16, onFloats);
  else
    results = onSingles(emitter, op, onFloats);
  if (results.empty())
    return std::nullopt;
  emitter.define(op->getResult(0), std::move(results));
  return success();
}

} // namespace triton::simt
