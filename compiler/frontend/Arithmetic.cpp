// Operators where at least one operand is known only at run time (semantics 8 and 9).
#include "compiler/frontend/Operations.h"
#include "compiler/frontend/emitter/Emitter.h"
#include "compiler/frontend/values/Folding.h"
#include "compiler/frontend/values/Literals.h"
#include "compiler/frontend/values/Overflow.h"
#include "compiler/frontend/values/Promotion.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace triton::frontend {

template <typename Op> static Value make(Emitter &emitter, const Value &lhs, const Value &rhs) {
  const auto &[left, type] = lhs.get<TensorValue>();
  return Value::tensor(Op::create(emitter.builder(), emitter.location(), left, rhs.get<TensorValue>().ir), type);
}

template <typename IntegerOp, typename FloatOp>
static Value makeArithmetic(Emitter &emitter, const Value &lhs, const Value &rhs) {
  return lhs.type().isFloating() ? make<FloatOp>(emitter, lhs, rhs) : make<IntegerOp>(emitter, lhs, rhs);
}

static bool isPointer(const Value &value) { return value.isTensor() && value.type().isPointerLike(); }

// `pointer + offset` and `pointer - offset`. Offsets of narrow unsigned types are widened first, since the op reads them as signed.
static FailureOr<Value> offsetPointer(Emitter &emitter, const Value &pointer, const Value &offsetValue,
                                      bool subtracts) {
  const Type pointerType = pointer.type();
  FailureOr<Value> offset = toTensor(emitter, offsetValue);
  if (failed(offset))
    return failure();
  if (!offset->type().isInteger() || (pointerType.isPointer() && pointerType.pointee().isBlock()))
    return rejectOperands(emitter, pointer, *offset);
  if (!offset->type().isSigned() && offset->type().bitWidth() < 64)
    offset = cast(emitter, *offset, Type::int64());
  const bool negatesFirst = subtracts && !emitter.showsSteps();
  if (negatesFirst)
    offset = make<arith::SubIOp>(emitter, zeroOf(emitter, offset->type()), *offset);
  FailureOr<std::vector<Value>> both = broadcastTogether(emitter, {pointer, *offset});
  if (failed(both))
    return failure();
  if (subtracts && !negatesFirst)
    (*both)[1] = make<arith::SubIOp>(emitter, zeroOf(emitter, (*both)[1].type()), (*both)[1]);
  const auto &[ir, type] = (*both)[0].get<TensorValue>();
  return Value::tensor(tensor::AddPtrOp::create(emitter.builder(), emitter.location(), ir.getType(), ir,
                                                (*both)[1].get<TensorValue>().ir),
                       type);
}

static FailureOr<Value> pointerArithmetic(Emitter &emitter, BinaryOperation operation, const Value &lhs,
                                          const Value &rhs) {
  if (operation == BinaryOperation::Add && isPointer(lhs) && isPointer(rhs))
    return emitter.error("TypeError") << "cannot add pointers together: " << lhs.type().str() << " and "
                                      << rhs.type().str();
  if (operation == BinaryOperation::Add && isPointer(rhs))
    return offsetPointer(emitter, rhs, lhs, /*subtracts=*/false);
  if ((operation == BinaryOperation::Add || operation == BinaryOperation::Sub) && isPointer(lhs) && !isPointer(rhs))
    return offsetPointer(emitter, lhs, rhs, operation == BinaryOperation::Sub);
  return rejectOperands(emitter, lhs, rhs);
}

// Integers meet in f32 whatever their width.
static FailureOr<Value> trueDivide(Emitter &emitter, const Value &lhs, const Value &rhs) {
  Value left = lhs, right = rhs;
  if (left.type().isInteger()) {
    FailureOr<Value> leftFloat = cast(emitter, left, Type::float32()),
                     rightFloat = cast(emitter, right, Type::float32());
    if (failed(leftFloat) || failed(rightFloat))
      return failure();
    left = *leftFloat;
    right = *rightFloat;
  }
  return make<arith::DivFOp>(emitter, left, right);
}

static FailureOr<Value> divide(Emitter &emitter, BinaryOperation operation, const Value &lhs, const Value &rhs) {
  FailureOr<std::pair<Value, Value>> operands = promoteOperands(emitter, lhs, rhs, Promotion::Division);
  if (failed(operands))
    return failure();
  const auto &[left, right] = *operands;
  const Type type = left.type();
  if (operation == BinaryOperation::TrueDiv)
    return trueDivide(emitter, left, right);
  if (operation == BinaryOperation::Mod && type.isFloating())
    return make<arith::RemFOp>(emitter, left, right);
  if (operation == BinaryOperation::Mod)
    return type.isSigned() ? make<arith::RemSIOp>(emitter, left, right) : make<arith::RemUIOp>(emitter, left, right);
  if (type.isFloating())
    return emitter.error("TypeError").hint("use tl.floor(a / b) for floats")
           << "unexpected type " << type.element().str() << ": // needs integers";
  return type.isSigned() ? make<arith::DivSIOp>(emitter, left, right) : make<arith::DivUIOp>(emitter, left, right);
}

static void warnLargeShift(Emitter &emitter, const Value &count, Type type) {
  std::optional<Integer> bits = asInteger(count);
  if (bits && *bits >= static_cast<int64_t>(type.bitWidth()))
    emitter.warn("UserWarning", "shift by " + count.str() + " in " + type.element().str() + ", which has " +
                                    llvm::Twine(type.bitWidth()) + " bits: the result is undefined");
}

static FailureOr<Value> bitOperation(Emitter &emitter, BinaryOperation operation, const Value &lhs, const Value &rhs) {
  const auto isFloat = [](const Value &value) {
    return value.isTensor() ? value.type().isFloating() : value.is<double>();
  };
  if (isFloat(lhs) || isFloat(rhs))
    return rejectOperands(emitter, lhs, rhs);
  FailureOr<std::pair<Value, Value>> operands = promoteOperands(emitter, lhs, rhs);
  if (failed(operands))
    return failure();
  const auto &[left, right] = *operands;
  switch (operation) {
  case BinaryOperation::And:
    return make<arith::AndIOp>(emitter, left, right);
  case BinaryOperation::Or:
    return make<arith::OrIOp>(emitter, left, right);
  case BinaryOperation::Xor:
    return make<arith::XOrIOp>(emitter, left, right);
  default:
    break;
  }
  warnLargeShift(emitter, rhs, left.type());
  if (operation == BinaryOperation::LShift)
    return make<arith::ShLIOp>(emitter, left, right);
  // The operand whose operator it is decides, not the type they meet in: a tensor on the left, else the one on the right.
  const Type owner = (lhs.isTensor() ? lhs : rhs).type();
  return owner.isSigned() ? make<arith::ShRSIOp>(emitter, left, right) : make<arith::ShRUIOp>(emitter, left, right);
}

static arith::CmpFPredicate floatPredicate(BinaryOperation operation) {
  switch (operation) {
  case BinaryOperation::Eq:
    return arith::CmpFPredicate::OEQ;
  case BinaryOperation::Ne:
    return arith::CmpFPredicate::UNE;
  case BinaryOperation::Lt:
    return arith::CmpFPredicate::OLT;
  case BinaryOperation::Le:
    return arith::CmpFPredicate::OLE;
  case BinaryOperation::Gt:
    return arith::CmpFPredicate::OGT;
  default:
    return arith::CmpFPredicate::OGE;
  }
}

static arith::CmpIPredicate integerPredicate(BinaryOperation operation, bool isSigned) {
  using enum arith::CmpIPredicate;
  switch (operation) {
  case BinaryOperation::Eq:
    return eq;
  case BinaryOperation::Ne:
    return ne;
  case BinaryOperation::Lt:
    return isSigned ? slt : ult;
  case BinaryOperation::Le:
    return isSigned ? sle : ule;
  case BinaryOperation::Gt:
    return isSigned ? sgt : ugt;
  default:
    return isSigned ? sge : uge;
  }
}

static FailureOr<Value> compare(Emitter &emitter, BinaryOperation operation, const Value &lhs, const Value &rhs) {
  FailureOr<std::pair<Value, Value>> operands = promoteTyped(emitter, lhs, rhs);
  if (failed(operands))
    return failure();
  const auto &[ir, type] = operands->first.get<TensorValue>();
  mlir::Value other = operands->second.get<TensorValue>().ir;
  const Type result = type.withElement(Type::int1());
  OpBuilder &builder = emitter.builder();
  if (type.isFloating())
    return Value::tensor(arith::CmpFOp::create(builder, emitter.location(), floatPredicate(operation), ir, other),
                         result);
  return Value::tensor(
      arith::CmpIOp::create(builder, emitter.location(), integerPredicate(operation, type.isSigned()), ir, other),
      result);
}

static FailureOr<Value> addSubtractMultiply(Emitter &emitter, BinaryOperation operation, const Value &lhs,
                                            const Value &rhs, bool sanitizeOverflow) {
  FailureOr<std::pair<Value, Value>> operands = promoteOperands(emitter, lhs, rhs);
  if (failed(operands))
    return failure();
  const auto &[left, right] = *operands;
  if (sanitizeOverflow)
    assertNoOverflow(emitter, operation, left, right);
  if (operation == BinaryOperation::Add)
    return makeArithmetic<arith::AddIOp, arith::AddFOp>(emitter, left, right);
  if (operation == BinaryOperation::Sub)
    return makeArithmetic<arith::SubIOp, arith::SubFOp>(emitter, left, right);
  return makeArithmetic<arith::MulIOp, arith::MulFOp>(emitter, left, right);
}

static FailureOr<Value> rejectOperator(Emitter &emitter, BinaryOperation operation, const Value &lhs, const Value &rhs,
                                       llvm::StringRef instead) {
  const auto show = [](const Value &value) { return value.isTensor() ? value.type().str() : value.repr(); };
  return emitter.error("TypeError").hint(instead.str())
         << "operator " << spelling(operation) << " is not implemented for tensors; got " << show(lhs) << " and "
         << show(rhs);
}

FailureOr<Value> binary(Emitter &emitter, BinaryOperation operation, const Value &lhs, const Value &rhs,
                        bool sanitizeOverflow) {
  for (const Value *operand : {&lhs, &rhs})
    if (!operand->isTensor() && !operand->isNumber())
      return emitter.error("TypeError") << "unsupported operand type for " << spelling(operation) << ": "
                                        << classNameOf(lhs) << " and " << classNameOf(rhs);
  const bool hasPointer = isPointer(lhs) || isPointer(rhs);
  switch (operation) {
  case BinaryOperation::Add:
  case BinaryOperation::Sub:
  case BinaryOperation::Mul:
    return hasPointer ? pointerArithmetic(emitter, operation, lhs, rhs)
                      : addSubtractMultiply(emitter, operation, lhs, rhs, sanitizeOverflow);
  case BinaryOperation::TrueDiv:
  case BinaryOperation::FloorDiv:
  case BinaryOperation::Mod:
    return divide(emitter, operation, lhs, rhs);
  case BinaryOperation::LShift:
  case BinaryOperation::RShift:
  case BinaryOperation::And:
  case BinaryOperation::Or:
  case BinaryOperation::Xor:
    return bitOperation(emitter, operation, lhs, rhs);
  case BinaryOperation::Pow:
    return rejectOperator(emitter, operation, lhs, rhs, "multiply x by itself, or use tl.extra.libdevice.pow(x, y)");
  case BinaryOperation::MatMul:
    return rejectOperator(emitter, operation, lhs, rhs, "tl.dot multiplies matrices");
  default:
    return compare(emitter, operation, lhs, rhs);
  }
}

static FailureOr<Value> rejectUnary(Emitter &emitter, UnaryOperation operation, const Value &operand) {
  return emitter.error("TypeError") << "wrong type argument to unary " << spelling(operation).trim() << ": "
                                    << operand.type().str();
}

static FailureOr<Value> logicalNot(Emitter &emitter, const Value &operand) {
  FailureOr<Value> truth = toBoolean(emitter, operand);
  return failed(truth) ? truth : make<arith::XOrIOp>(emitter, *truth, integerConstant(emitter, truth->type(), 1));
}

FailureOr<Value> unary(Emitter &emitter, UnaryOperation operation, const Value &operand) {
  if (!operand.isTensor())
    return emitter.error("TypeError") << "bad operand type for unary " << spelling(operation) << ": "
                                      << classNameOf(operand);
  const Type type = operand.type();
  switch (operation) {
  case UnaryOperation::Neg:
    if (type.isPointerLike())
      return rejectUnary(emitter, operation, operand);
    if (!type.isFloating() || !emitter.options().version.has(LanguageRule::TrueNegation))
      return binary(emitter, BinaryOperation::Sub, zeroOf(emitter, type), operand);
    return Value::tensor(arith::NegFOp::create(emitter.builder(), emitter.location(), operand.get<TensorValue>().ir),
                         type);
  case UnaryOperation::Invert:
    if (type.isPointerLike() || !type.isInteger())
      return rejectUnary(emitter, operation, operand);
    return make<arith::XOrIOp>(emitter, operand, integerConstant(emitter, type, -1));
  case UnaryOperation::Not:
    return type.isBool() || type.isPointerLike() ? logicalNot(emitter, operand)
                                                 : rejectUnary(emitter, operation, operand);
  case UnaryOperation::Pos:
    break;
  }
  return rejectUnary(emitter, operation, operand);
}

FailureOr<Value> combineLogical(Emitter &emitter, bool isAnd, const Value &lhs, const Value &rhs) {
  std::vector<Value> operands;
  for (const Value *operand : {&lhs, &rhs}) {
    FailureOr<Value> value = toTensor(emitter, *operand);
    if (failed(value))
      return failure();
    const Type type = value->type();
    if (!type.isBool() && !type.isPointerLike())
      return emitter.error("TypeError") << "operand of '" << (isAnd ? "and" : "or") << "' must be int1, got "
                                        << type.str() << " of " << type.bitWidth() << " bits; compare it with 0";
    FailureOr<Value> truth = toBoolean(emitter, *value);
    if (failed(truth))
      return failure();
    operands.push_back(*truth);
  }
  return bitOperation(emitter, isAnd ? BinaryOperation::And : BinaryOperation::Or, operands[0], operands[1]);
}

FailureOr<Value> logical(Emitter &emitter, bool isAnd, const Value &lhs, const Value &rhs) {
  const auto isBlock = [](const Value &value) { return value.isTensor() && value.type().isBlock(); };
  if (isBlock(lhs) || isBlock(rhs))
    emitter.warn("UserWarning", isAnd ? "'and' on tensors of more than one element is deprecated; use '&'"
                                      : "'or' on tensors of more than one element is deprecated; use '|'");
  return combineLogical(emitter, isAnd, lhs, rhs);
}

FailureOr<Value> foldBinary(Emitter &emitter, BinaryOperation operation, const Value &lhs, const Value &rhs) {
  llvm::Expected<Value> result = fold(operation, lhs, rhs);
  if (!result)
    return emitter.fail(result.takeError());
  return *result;
}

FailureOr<Value> foldUnary(Emitter &emitter, UnaryOperation operation, const Value &operand) {
  llvm::Expected<Value> result = fold(operation, operand);
  if (!result)
    return emitter.fail(result.takeError());
  return *result;
}

} // namespace triton::frontend
