#include "compiler/frontend/Operators.h"

#include "compiler/frontend/values/Folding.h"

using namespace triton;
using namespace triton::frontend;

BinaryOperation triton::frontend::operationOf(syntax::BinaryOperator op) {
  using From = syntax::BinaryOperator;
  using To = BinaryOperation;
  switch (op) {
  case From::Add:
    return To::Add;
  case From::Sub:
    return To::Sub;
  case From::Mult:
    return To::Mul;
  case From::MatMult:
    return To::MatMul;
  case From::Div:
    return To::TrueDiv;
  case From::Mod:
    return To::Mod;
  case From::Pow:
    return To::Pow;
  case From::LShift:
    return To::LShift;
  case From::RShift:
    return To::RShift;
  case From::BitOr:
    return To::Or;
  case From::BitXor:
    return To::Xor;
  case From::BitAnd:
    return To::And;
  case From::FloorDiv:
    return To::FloorDiv;
  }
  llvm_unreachable("all operators are listed");
}

UnaryOperation triton::frontend::operationOf(syntax::UnaryOperator op) {
  using Syntax = syntax::UnaryOperator;
  switch (op) {
  case Syntax::Invert:
    return UnaryOperation::Invert;
  case Syntax::Not:
    return UnaryOperation::Not;
  case Syntax::UAdd:
    return UnaryOperation::Pos;
  case Syntax::USub:
    return UnaryOperation::Neg;
  }
  llvm_unreachable("all operators are listed");
}

BinaryOperation triton::frontend::operationOf(syntax::CompareOperator op) {
  using Syntax = syntax::CompareOperator;
  switch (op) {
  case Syntax::Eq:
    return BinaryOperation::Eq;
  case Syntax::NotEq:
    return BinaryOperation::Ne;
  case Syntax::Lt:
    return BinaryOperation::Lt;
  case Syntax::LtE:
    return BinaryOperation::Le;
  case Syntax::Gt:
    return BinaryOperation::Gt;
  case Syntax::GtE:
    return BinaryOperation::Ge;
  default:
    llvm_unreachable("is and in are asked for before");
  }
}

std::optional<Value> triton::frontend::constantValue(const syntax::Constant *constant) {
  if (constant->as<syntax::NoneValue>())
    return Value::none();
  if (auto *flag = constant->as<bool>())
    return Value::boolean(*flag);
  if (auto *integer = constant->as<llvm::APInt>())
    return Value::integer(fromBits(*integer, /*isSigned=*/false));
  if (auto *real = constant->as<double>())
    return Value::real(*real);
  if (auto *text = constant->as<syntax::StringValue>())
    return Value::string(text->text.str());
  if (constant->as<syntax::EllipsisValue>())
    return Value(Value::Storage(EllipsisValue{}));
  return std::nullopt;
}
