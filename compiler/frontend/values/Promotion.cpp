#include "compiler/frontend/values/Promotion.h"

#include "compiler/frontend/Operations.h"
#include "compiler/frontend/emitter/Emitter.h"
#include "compiler/frontend/values/Literals.h"

using namespace mlir;

namespace triton::frontend {

static std::string typeName(const Value &value) { return value.isTensor() ? value.type().str() : value.repr(); }

LogicalResult rejectOperands(Emitter &emitter, const Value &lhs, const Value &rhs) {
  return emitter.error("TypeError") << "invalid operands of type " << typeName(lhs) << " and " << typeName(rhs);
}

FailureOr<Type> promoteTypes(Emitter &emitter, Type lhs, Type rhs, Promotion promotion) {
  const auto isEither = [&](ScalarKind kind) { return lhs.scalarKind() == kind || rhs.scalarKind() == kind; };
  const bool isDivision = promotion == Promotion::Division;
  if (isEither(ScalarKind::Float64))
    return Type::scalar(ScalarKind::Float64);
  if (isEither(ScalarKind::Float32))
    return Type::float32();
  if (isEither(ScalarKind::Float16))
    return Type::scalar(isDivision ? ScalarKind::Float32 : ScalarKind::Float16);
  if (isEither(ScalarKind::BFloat16))
    return Type::scalar(lhs == rhs && !isDivision ? ScalarKind::BFloat16 : ScalarKind::Float32);
  if (isDivision && (lhs.isFloat8() || rhs.isFloat8()) && emitter.options().version.has(LanguageRule::Float8Division))
    return Type::float32();
  if (lhs.isFloat8() && rhs.isFloat8())
    return lhs == rhs ? lhs : Type::scalar(ScalarKind::Float16);
  if (!lhs.isInteger() || !rhs.isInteger())
    return emitter.error("TypeError") << "unexpected types " << lhs.str() << " and " << rhs.str()
                                      << " in one operation; cast one of them";
  if (isDivision && lhs.isSigned() != rhs.isSigned())
    return emitter.error("TypeError") << "Cannot use /, // or % with " << lhs.str() << " and " << rhs.str()
                                      << " because they have different signedness; cast one of them";
  return promoteIntegers(lhs, rhs);
}

static int kindOf(const Value &number) { return number.is<bool>() ? 0 : number.is<Integer>() ? 1 : 2; }
static int kindOf(Type type) { return type.isBool() ? 0 : type.isInteger() ? 1 : 2; }

static FailureOr<Type> typeOfLiteral(Emitter &emitter, const Value &number) {
  if (std::optional<Type> type = literalType(number))
    return *type;
  return emitter.error("ValueError") << "nonrepresentable integer " << number.str() << ": it needs more than 64 bits";
}

// What a tensor of element type `tensor` computes in with a weak number.
static FailureOr<Type> promoteWeak(Emitter &emitter, Type tensor, const Value &number, Promotion promotion) {
  if (kindOf(number) > kindOf(tensor)) {
    FailureOr<Type> literal = typeOfLiteral(emitter, number);
    // An integer beside int1 has no signedness to clash with: it is a number, not a typed operand.
    if (succeeded(literal) && tensor.isBool() && literal->isInteger())
      return promoteIntegers(tensor, *literal);
    return failed(literal) ? literal : promoteTypes(emitter, tensor, *literal, promotion);
  }
  const bool isNarrow = tensor.scalarKind() == ScalarKind::Float16 || tensor.scalarKind() == ScalarKind::BFloat16 ||
                        (tensor.isFloat8() && emitter.options().version.has(LanguageRule::Float8Division));
  return isNarrow && promotion == Promotion::Division ? Type::float32() : tensor;
}

static LogicalResult checkWeakFits(Emitter &emitter, const Value &number, Type type) {
  std::optional<Integer> value = asInteger(number);
  if (!type.isInteger() || !value)
    return success();
  if (*value < 0 && !type.isSigned())
    return emitter.error("ValueError") << "cannot combine the negative scalar " << number.str()
                                       << " with a tensor of unsigned type " << type.str()
                                       << "; cast one of them explicitly";
  const auto [low, high] = rangeOf(type);
  if (*value < low || *value > high)
    return emitter.error("ValueError") << "scalar " << number.str() << " is out of range for type " << type.str();
  return success();
}

// The number as an operand beside `other`, in its shape.
static FailureOr<Value> weakOperand(Emitter &emitter, const Value &number, Type type, const Value &other) {
  if (failed(checkWeakFits(emitter, number, type)))
    return failure();
  return constantOf(emitter, number, other.isTensor() ? other.type().withElement(type) : type);
}

FailureOr<std::pair<Value, Value>> promoteOperands(Emitter &emitter, const Value &lhs, const Value &rhs,
                                                   Promotion promotion) {
  for (const Value *operand : {&lhs, &rhs})
    if (!operand->isNumber() && (!operand->isTensor() || operand->type().isPointerLike()))
      return rejectOperands(emitter, lhs, rhs);

  if (emitter.showsSteps())
    for (const Value *operand : {&lhs, &rhs})
      if (failed(toTensor(emitter, *operand)))
        return failure();
  FailureOr<Type> type = failure();
  if (lhs.isTensor() && rhs.isTensor())
    type = promoteTypes(emitter, lhs.type().element(), rhs.type().element(), promotion);
  else if (lhs.isTensor())
    type = promoteWeak(emitter, lhs.type().element(), rhs, promotion);
  else if (rhs.isTensor())
    type = promoteWeak(emitter, rhs.type().element(), lhs, promotion);
  else {
    FailureOr<Type> left = typeOfLiteral(emitter, lhs), right = typeOfLiteral(emitter, rhs);
    if (succeeded(left) && succeeded(right))
      type = promoteTypes(emitter, *left, *right, promotion);
  }
  if (failed(type))
    return failure();

  const auto convert = [&](const Value &operand, const Value &other) {
    return operand.isTensor() ? cast(emitter, operand, *type) : weakOperand(emitter, operand, *type, other);
  };
  FailureOr<Value> left = convert(lhs, rhs);
  if (failed(left))
    return failure();
  FailureOr<Value> right = convert(rhs, lhs);
  if (failed(right))
    return failure();
  FailureOr<std::vector<Value>> both = broadcastTogether(emitter, {*left, *right});
  if (failed(both))
    return failure();
  return std::pair((*both)[0], (*both)[1]);
}

/// The type that operands meet in: that of the tensors, unless a number is of a higher kind.
static FailureOr<Type> commonType(Emitter &emitter, ArrayRef<Value> operands, Promotion promotion) {
  std::optional<Type> tensors, numbers;
  const Value *highest = nullptr;
  for (const Value &operand : operands) {
    FailureOr<Type> type =
        operand.isTensor() ? FailureOr<Type>(operand.type().element()) : typeOfLiteral(emitter, operand);
    std::optional<Type> &group = operand.isTensor() ? tensors : numbers;
    FailureOr<Type> both = failed(type) || !group ? type : promoteTypes(emitter, *group, *type, promotion);
    if (failed(both))
      return failure();
    group = *both;
    if (operand.isNumber() && (!highest || kindOf(operand) > kindOf(*highest)))
      highest = &operand;
  }
  if (!tensors || !highest)
    return tensors ? *tensors : *numbers;
  if (kindOf(*highest) <= kindOf(*tensors))
    return promoteWeak(emitter, *tensors, *highest, promotion);
  return tensors->isBool() && numbers->isInteger() ? promoteIntegers(*tensors, *numbers)
                                                   : promoteTypes(emitter, *tensors, *numbers, promotion);
}

FailureOr<std::vector<Value>> promoteAll(Emitter &emitter, ArrayRef<Value> operands, Promotion promotion) {
  for (const Value &operand : operands)
    if (!operand.isNumber() && (!operand.isTensor() || operand.type().isPointerLike()))
      return rejectOperands(emitter, operands.front(), operand);
  FailureOr<Type> type = commonType(emitter, operands, promotion);
  if (failed(type))
    return failure();
  // A number fills the shape of a block beside it at once.
  const Value *block =
      llvm::find_if(operands, [](const Value &each) { return each.isTensor() && each.type().isBlock(); });
  std::vector<Value> converted;
  for (const Value &operand : operands) {
    FailureOr<Value> value = operand.isTensor()
                                 ? cast(emitter, operand, *type)
                                 : weakOperand(emitter, operand, *type, block == operands.end() ? operand : *block);
    if (failed(value))
      return failure();
    converted.push_back(*value);
  }
  return broadcastTogether(emitter, converted);
}

FailureOr<std::pair<Value, Value>> promoteTyped(Emitter &emitter, const Value &lhs, const Value &rhs) {
  if (emitter.options().version.has(LanguageRule::WeakLiterals)) {
    FailureOr<std::vector<Value>> both = promoteAll(emitter, {lhs, rhs});
    if (failed(both))
      return failure();
    return std::pair((*both)[0], (*both)[1]);
  }
  FailureOr<Value> left = toTensor(emitter, lhs);
  FailureOr<Value> right = failed(left) ? left : toTensor(emitter, rhs);
  if (failed(right))
    return failure();
  return promoteOperands(emitter, *left, *right);
}

} // namespace triton::frontend
