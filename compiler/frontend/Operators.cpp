#include "compiler/frontend/Operators.h"

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
