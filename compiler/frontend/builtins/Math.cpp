// Elementwise mathematics. The free functions take float32 and float64 only; the methods of tensors take any standard float.
#include "compiler/frontend/builtins/Arguments.h"
#include "compiler/frontend/builtins/Families.h"
#include "compiler/frontend/values/Promotion.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/InterleavedRange.h"

using namespace mlir;

namespace triton::frontend {

static LogicalResult checkDtype(Emitter &emitter, const Value &value, ArrayRef<llvm::StringLiteral> accepted) {
  const std::string name = value.type().element().str();
  if (llvm::is_contained(accepted, name))
    return success();
  return emitter.error("ValueError").hint(accepted.front() == "fp32" ? "x.to(tl.float32) converts it" : "")
         << "expected dtype ["
         << llvm::interleaved(llvm::map_range(accepted, [](llvm::StringRef n) { return "'" + n.str() + "'"; }))
         << "] but got " << name;
}

static constexpr llvm::StringLiteral fullFloats[] = {"fp32", "fp64"};
static constexpr llvm::StringLiteral singleFloat[] = {"fp32"};
static constexpr llvm::StringLiteral wordIntegers[] = {"int32", "int64", "uint32", "uint64"};

template <typename Op> static Value apply(Emitter &emitter, const Value &operand) {
  return Value::tensor(Op::create(emitter.builder(), emitter.location(), irOf(operand)), operand.type());
}

template <typename Op> static FailureOr<Value> function(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> operand = toTensor(emitter, arguments[0]);
  if (failed(operand) || failed(checkDtype(emitter, *operand, fullFloats)))
    return failure();
  return apply<Op>(emitter, *operand);
}

template <typename Op> static FailureOr<Value> method(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> operand = toTensor(emitter, arguments[0]);
  if (failed(operand))
    return failure();
  if (operand->type().isPointerLike() || !operand->type().isStandardFloating())
    return emitter.error("ValueError") << "expected a tensor of floats but got " << operand->type().str();
  return apply<Op>(emitter, *operand);
}

static FailureOr<Value> sqrtRn(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> operand = toTensor(emitter, arguments[0]);
  if (failed(operand) || failed(checkDtype(emitter, *operand, singleFloat)))
    return failure();
  return apply<tensor::PreciseSqrtOp>(emitter, *operand);
}

static FailureOr<Value> absOfFloat8(Emitter &emitter, const Value &operand) {
  FailureOr<Value> bits = cast(emitter, operand, Type::scalar(ScalarKind::UInt8), std::nullopt, /*bitcast=*/true);
  FailureOr<Value> magnitude =
      failed(bits) ? bits : binary(emitter, BinaryOperation::And, *bits, integerConstant(emitter, bits->type(), 0x7f));
  return failed(magnitude) ? magnitude
                           : cast(emitter, *magnitude, operand.type().element(), std::nullopt, /*bitcast=*/true);
}

static FailureOr<Value> abs(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> operand = toTensor(emitter, arguments[0]);
  if (failed(operand))
    return failure();
  const Type type = operand->type();
  if (type.isPointerLike())
    return emitter.error("TypeError") << "unexpected type " << type.str() << ": abs takes numbers";
  if (type.isFloat8())
    return absOfFloat8(emitter, *operand);
  if (type.isFloating())
    return apply<math::AbsFOp>(emitter, *operand);
  return type.isSigned() ? apply<math::AbsIOp>(emitter, *operand) : *operand;
}

static FailureOr<std::vector<Value>> readFloatPair(Emitter &emitter, const BoundArguments &arguments) {
  if (emitter.options().version.has(LanguageRule::WeakLiterals)) {
    FailureOr<std::vector<Value>> operands = promoteAll(emitter, {arguments[0], arguments[1]}, Promotion::Division);
    if (succeeded(operands) && !(*operands)[0].type().isFloating())
      return emitter.error("TypeError") << "operands of fdiv must have floating scalar type, got "
                                        << (*operands)[0].type().element().str();
    return operands;
  }
  FailureOr<Value> x = toTensor(emitter, arguments[0]), y = toTensor(emitter, arguments[1]);
  if (failed(x) || failed(y))
    return failure();
  const Type left = x->type().element(), right = y->type().element();
  if (!left.isFloating() || !right.isFloating())
    return emitter.error("TypeError") << "both operands of fdiv must have floating scalar type, got " << left.str()
                                      << " and " << right.str();
  if (!(left == right))
    return emitter.error("TypeError") << "both operands of fdiv must have the same dtype, got " << left.str() << " and "
                                      << right.str();
  return broadcastTogether(emitter, {*x, *y});
}

static FailureOr<Value> fdiv(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<bool> isIeee = readBoolean(emitter, arguments[2], "ieee_rounding"),
                  isApproximate = readBoolean(emitter, arguments[3], "approx");
  if (failed(isIeee) || failed(isApproximate))
    return failure();
  if (*isIeee && *isApproximate)
    return emitter.error("ValueError") << "fdiv takes one of ieee_rounding and approx, not both";
  FailureOr<std::vector<Value>> operands = readFloatPair(emitter, arguments);
  if (failed(operands))
    return failure();
  const Type type = (*operands)[0].type();
  const bool isSingle = type.scalarKind() == ScalarKind::Float32;
  mlir::Value x = irOf((*operands)[0]), y = irOf((*operands)[1]);
  OpBuilder &builder = emitter.builder();
  if (*isApproximate && !isSingle)
    return emitter.error("ValueError") << "fdiv(approx=True) takes float32, got " << type.element().str();
  if (*isApproximate && emitter.options().backend == "cuda")
    return Value::tensor(tensor::ElementwiseInlineAsmOp::create(builder, emitter.location(), x.getType(),
                                                                "div.approx.f32 $0, $1, $2;", "=f,f,f",
                                                                /*pure=*/true, /*packed_element=*/1, ValueRange{x, y})
                             .getResult()[0],
                         type);
  if (*isIeee && isSingle && emitter.options().version.has(LanguageRule::IeeeDivision))
    return Value::tensor(tensor::PreciseDivFOp::create(builder, emitter.location(), x, y), type);
  return Value::tensor(arith::DivFOp::create(builder, emitter.location(), x, y), type);
}

static FailureOr<Value> divRn(Emitter &emitter, const BoundArguments &arguments) {
  for (const Value &operand : {arguments[0], arguments[1]})
    if (operand.isTensor() && failed(checkDtype(emitter, operand, singleFloat)))
      return failure();
  FailureOr<std::pair<Value, Value>> operands = promoteTyped(emitter, arguments[0], arguments[1]);
  if (failed(operands) || failed(checkDtype(emitter, operands->first, singleFloat)))
    return failure();
  auto op = tensor::PreciseDivFOp::create(emitter.builder(), emitter.location(), irOf(operands->first),
                                          irOf(operands->second));
  return Value::tensor(op, operands->first.type());
}

static FailureOr<Value> umulhi(Emitter &emitter, const BoundArguments &arguments) {
  for (const Value &operand : {arguments[0], arguments[1]})
    if (operand.isTensor() && failed(checkDtype(emitter, operand, wordIntegers)))
      return failure();
  FailureOr<std::pair<Value, Value>> operands = promoteTyped(emitter, arguments[0], arguments[1]);
  if (failed(operands) || failed(checkDtype(emitter, operands->first, wordIntegers)))
    return failure();
  auto op =
      tensor::MulhiUIOp::create(emitter.builder(), emitter.location(), irOf(operands->first), irOf(operands->second));
  return Value::tensor(op, operands->first.type());
}

static FailureOr<Value> fma(Emitter &emitter, const BoundArguments &arguments) {
  std::vector<Value> given = {arguments[0], arguments[1], arguments[2]};
  FailureOr<std::vector<Value>> operands =
      emitter.options().version.has(LanguageRule::WeakLiterals)
          ? FailureOr<std::vector<Value>>(given)
          : mapValues(given, [&](const Value &operand) { return toTensor(emitter, operand); });
  operands = failed(operands) ? operands : promoteAll(emitter, *operands);
  if (failed(operands))
    return failure();
  const Type type = (*operands)[0].type();
  if (!type.isFloating())
    return emitter.error("TypeError") << "unexpected type " << type.element().str() << ": fma takes floats";
  auto op = math::FmaOp::create(emitter.builder(), emitter.location(), irOf((*operands)[0]), irOf((*operands)[1]),
                                irOf((*operands)[2]));
  return Value::tensor(op, type);
}

#define TRITON_MATH(Name, Op, Documentation)                                                                           \
  {"triton.language.math", Name, "(x)", Documentation " Takes float32 and float64.", function<Op>}, {                  \
    "triton.language.tensor", Name, "(self)", Documentation, method<Op>, true                                          \
  }

llvm::ArrayRef<Builtin> mathBuiltins() {
  static const Builtin table[] = {
      TRITON_MATH("exp", math::ExpOp, "The exponential of each element, within about 2 ulp in float32."),
      TRITON_MATH("exp2", math::Exp2Op, "2 to the power of each element."),
      TRITON_MATH("log", math::LogOp, "The natural logarithm of each element."),
      TRITON_MATH("log2", math::Log2Op, "The logarithm of each element to base 2."),
      TRITON_MATH("cos", math::CosOp, "The cosine of each element, in radians."),
      TRITON_MATH("sin", math::SinOp, "The sine of each element, in radians."),
      TRITON_MATH("sqrt", math::SqrtOp, "The square root of each element, fast."),
      TRITON_MATH("rsqrt", math::RsqrtOp, "One over the square root of each element."),
      TRITON_MATH("erf", math::ErfOp, "The error function of each element."),
      TRITON_MATH("floor", math::FloorOp, "The largest integer not above each element, as a float."),
      TRITON_MATH("ceil", math::CeilOp, "The smallest integer not below each element, as a float."),
      {"triton.language.math", "sqrt_rn", "(x)", "The square root of each element, correctly rounded. Takes float32.",
       sqrtRn, true},
      {"triton.language.math", "abs", "(x)", "The absolute value of each element, of any number type.", abs, true},
      {"triton.language.math", "fdiv", "(x, y, ieee_rounding=False, approx=False)",
       "The quotient of two floats; from 3.9 on, operands meet in one type as those of `/` do.\n\n`ieee_rounding` asks "
       "for the correctly rounded quotient of float32 (from 3.8 on), `approx` for a fast one within 2 ulp, of float32 "
       "too.",
       fdiv},
      {"triton.language.math", "div_rn", "(x, y)", "The correctly rounded quotient. Takes float32.", divRn},
      {"triton.language.math", "fma", "(x, y, z)", "`x * y + z` with a single rounding.", fma},
      {"triton.language.math", "umulhi", "(x, y)",
       "The high half of the product of two 32- or 64-bit integers, read as unsigned.", umulhi},
  };
  return table;
}

#undef TRITON_MATH

} // namespace triton::frontend
