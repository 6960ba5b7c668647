// Elementwise functions that choose, compare or convert: where, minimum, maximum, clamp, cast; and the operators by name.
#include "compiler/frontend/builtins/Arguments.h"
#include "compiler/frontend/builtins/Families.h"
#include "compiler/frontend/values/Promotion.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using triton::tensor::PropagateNan;

namespace triton::frontend {

template <BinaryOperation operation>
static FailureOr<Value> operatorByName(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<bool> sanitize = readBoolean(emitter, arguments[2], "sanitize_overflow");
  if (failed(sanitize))
    return failure();
  const bool isCompileTime = !arguments[0].isTensor() && !arguments[1].isTensor();
  if (!isCompileTime)
    return binary(emitter, operation, arguments[0], arguments[1], *sanitize);
  // Two numbers are typed by themselves, as if each stood in a variable.
  FailureOr<Value> lhs = toTensor(emitter, arguments[0]);
  FailureOr<Value> rhs = failed(lhs) ? lhs : toTensor(emitter, arguments[1]);
  return failed(rhs) ? rhs : binary(emitter, operation, *lhs, *rhs, *sanitize);
}

static FailureOr<Value> widenBFloat16(Emitter &emitter, const Value &value) {
  FailureOr<Value> operand = toTensor(emitter, value);
  if (emitter.options().version.has(LanguageRule::BFloat16Kept))
    return operand;
  if (failed(operand) || operand->type().isPointerLike() || operand->type().scalarKind() != ScalarKind::BFloat16)
    return operand;
  return cast(emitter, *operand, Type::float32());
}

static FailureOr<PropagateNan> readPropagateNan(Emitter &emitter, const Value &value) {
  if (std::optional<Integer> integer = asInteger(value)) {
    if (*integer == static_cast<int64_t>(PropagateNan::None))
      return PropagateNan::None;
    if (*integer == static_cast<int64_t>(PropagateNan::All))
      return PropagateNan::All;
  }
  return emitter.error("ValueError") << "propagate_nan must be tl.PropagateNan.NONE or tl.PropagateNan.ALL, got "
                                     << value.str();
}

template <typename Op> static Value make(Emitter &emitter, const Value &lhs, const Value &rhs) {
  return Value::tensor(Op::create(emitter.builder(), emitter.location(), irOf(lhs), irOf(rhs)), lhs.type());
}

/// What minimum, maximum and clamp compute with, in one type and shape.
static FailureOr<std::vector<Value>> orderedOperands(Emitter &emitter, ArrayRef<Value> operands) {
  if (emitter.options().version.has(LanguageRule::WeakLiterals))
    return promoteAll(emitter, operands);
  FailureOr<std::vector<Value>> typed =
      mapValues(operands, [&](const Value &operand) { return widenBFloat16(emitter, operand); });
  return failed(typed) ? typed : promoteAll(emitter, *typed);
}

/// The four ops that one of minimum and maximum becomes.
template <typename Signed, typename Unsigned, typename IgnoresNan, typename KeepsNan>
static FailureOr<Value> extremum(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<PropagateNan> propagate = readPropagateNan(emitter, arguments[2]);
  FailureOr<std::vector<Value>> operands =
      failed(propagate) ? FailureOr<std::vector<Value>>() : orderedOperands(emitter, {arguments[0], arguments[1]});
  if (failed(operands))
    return failure();
  const Value &left = (*operands)[0], &right = (*operands)[1];
  if (left.type().isFloating())
    return *propagate == PropagateNan::All ? make<KeepsNan>(emitter, left, right)
                                           : make<IgnoresNan>(emitter, left, right);
  return left.type().isSigned() ? make<Signed>(emitter, left, right) : make<Unsigned>(emitter, left, right);
}

static constexpr EmitBuiltin minimum = extremum<arith::MinSIOp, arith::MinUIOp, arith::MinNumFOp, arith::MinimumFOp>;
static constexpr EmitBuiltin maximum = extremum<arith::MaxSIOp, arith::MaxUIOp, arith::MaxNumFOp, arith::MaximumFOp>;

static FailureOr<Value> clamp(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<PropagateNan> propagate = readPropagateNan(emitter, arguments[3]);
  FailureOr<std::vector<Value>> operands = failed(propagate)
                                               ? FailureOr<std::vector<Value>>()
                                               : orderedOperands(emitter, {arguments[0], arguments[1], arguments[2]});
  if (failed(operands))
    return failure();
  const Value &value = (*operands)[0], &low = (*operands)[1], &high = (*operands)[2];
  const Type type = value.type();
  if (type.isFloating())
    return Value::tensor(
        tensor::ClampFOp::create(emitter.builder(), emitter.location(), irOf(value), irOf(low), irOf(high), *propagate),
        type);
  if (type.isSigned())
    return make<arith::MinSIOp>(emitter, make<arith::MaxSIOp>(emitter, value, low), high);
  return make<arith::MinUIOp>(emitter, make<arith::MaxUIOp>(emitter, value, low), high);
}

static FailureOr<Value> readCondition(Emitter &emitter, const Value &value) {
  FailureOr<Value> condition = toTensor(emitter, value);
  if (failed(condition))
    return failure();
  if (condition->type().isPointerLike() || !condition->type().isBool())
    emitter.warn("UserWarning",
                 "tl.where with a non-boolean condition is deprecated and will error out in a future release; got " +
                     condition->type().str());
  return toBoolean(emitter, *condition);
}

static FailureOr<std::pair<Value, Value>> selectOperands(Emitter &emitter, const Value &x, const Value &y) {
  const auto isPointer = [](const Value &value) { return value.isTensor() && value.type().isPointerLike(); };
  if (!isPointer(x) || !isPointer(y))
    return promoteOperands(emitter, x, y);
  if (!(x.type().element() == y.type().element()))
    return rejectOperands(emitter, x, y);
  return std::pair(x, y);
}

static FailureOr<Value> where(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Value> condition = readCondition(emitter, arguments[0]);
  if (failed(condition))
    return failure();
  FailureOr<std::pair<Value, Value>> operands = selectOperands(emitter, arguments[1], arguments[2]);
  if (failed(operands))
    return failure();
  FailureOr<std::vector<Value>> all = broadcastTogether(emitter, {*condition, operands->first, operands->second});
  if (failed(all))
    return failure();
  auto op =
      arith::SelectOp::create(emitter.builder(), emitter.location(), irOf((*all)[0]), irOf((*all)[1]), irOf((*all)[2]));
  return Value::tensor(op, (*all)[1].type());
}

static FailureOr<Value> castBuiltin(Emitter &emitter, const BoundArguments &arguments) {
  FailureOr<Type> dtype = readType(emitter, arguments[1], "dtype");
  FailureOr<bool> bitcast = readBoolean(emitter, arguments[3], "bitcast");
  if (failed(dtype) || failed(bitcast))
    return failure();
  std::optional<std::string> rounding;
  if (!arguments[2].isNone()) {
    FailureOr<std::string> name = readString(emitter, arguments[2], "fp_downcast_rounding");
    if (failed(name))
      return failure();
    rounding = *name;
  }
  return cast(emitter, arguments[0], *dtype, rounding, *bitcast);
}

template <bool isAnd> static FailureOr<Value> logicalMethod(Emitter &emitter, const BoundArguments &arguments) {
  return combineLogical(emitter, isAnd, arguments[0], arguments[1]);
}

static FailureOr<Value> toTensorBuiltin(Emitter &emitter, const BoundArguments &arguments) {
  return toTensor(emitter, arguments[0]);
}

static FailureOr<Value> promoteBFloat16(Emitter &emitter, const BoundArguments &arguments) {
  return widenBFloat16(emitter, arguments[0]);
}

llvm::ArrayRef<Builtin> elementwiseBuiltins() {
  static const Builtin table[] = {
      {"triton.language.core", "cast", "(input, dtype, fp_downcast_rounding=None, bitcast=False)",
       "`input` converted to `dtype`.\n\n"
       "With `bitcast=True` the bits are kept and read as `dtype`, which must have the same width. "
       "`fp_downcast_rounding` is \"rtne\" (to nearest, ties to "
       "even; the default) or \"rtz\" (toward zero) and may be given only when a float becomes a narrower float.",
       castBuiltin, true},
      {"triton.language.tensor", "to", "(self, dtype, fp_downcast_rounding=None, bitcast=False)",
       "The same as `cast(self, ...)`.", castBuiltin, true},
      {"triton.language.core", "where", "(condition, x, y)",
       "Elements of `x` where `condition` holds, of `y` elsewhere.\n\n"
       "Both are computed. Operands broadcast, and `x` and `y` are brought to one dtype; numbers adapt to the tensor "
       "beside them.",
       where},
      {"triton.language.core", "add", "(x, y, sanitize_overflow=True)",
       "`x + y`. `sanitize_overflow=False` leaves out the overflow check of debug mode.",
       operatorByName<BinaryOperation::Add>},
      {"triton.language.core", "sub", "(x, y, sanitize_overflow=True)",
       "`x - y`. `sanitize_overflow=False` leaves out the overflow check of debug mode.",
       operatorByName<BinaryOperation::Sub>},
      {"triton.language.core", "mul", "(x, y, sanitize_overflow=True)",
       "`x * y`. `sanitize_overflow=False` leaves out the overflow check of debug mode.",
       operatorByName<BinaryOperation::Mul>},
      {"triton.language.core", "minimum", "(x, y, propagate_nan=PropagateNan.NONE)",
       "The smaller of two values, element by element. A NaN operand is ignored, or with `PropagateNan.ALL` makes the "
       "result NaN. bfloat16 gives float32 before 3.9.",
       minimum},
      {"triton.language.core", "maximum", "(x, y, propagate_nan=PropagateNan.NONE)",
       "The larger of two values, element by element. A NaN operand is ignored, or with `PropagateNan.ALL` makes the "
       "result NaN. bfloat16 gives float32 before 3.9.",
       maximum},
      {"triton.language.core", "clamp", "(x, min, max, propagate_nan=PropagateNan.NONE)",
       "`x` limited to the range from `min` to `max`.\n\n`propagate_nan` says whether a NaN in `x` stays; "
       "NaN bounds, and `min` above `max`, are undefined.",
       clamp},
      {"triton.language.tensor", "logical_and", "(self, other)",
       "Whether both are true, element by element; operands are int1 or pointers.", logicalMethod<true>, true},
      {"triton.language.tensor", "logical_or", "(self, other)",
       "Whether one of both is true, element by element; operands are int1 or pointers.", logicalMethod<false>, true},
      {"triton.language.core", "to_tensor", "(x)", "A number as a typed scalar; tensors as they are.", toTensorBuiltin},
      {"triton.language.core", "_promote_bfloat16_to_float32", "(t)",
       "Before 3.9, bfloat16 as float32; anything else as it is.", promoteBFloat16},
  };
  return table;
}

} // namespace triton::frontend
