// The operators of the syntax as operations on values, and its constants as values.
#pragma once

#include "compiler/frontend/Host.h"
#include "compiler/syntax/Ast.h"

namespace triton::frontend {

BinaryOperation operationOf(syntax::BinaryOperator op);
UnaryOperation operationOf(syntax::UnaryOperator op);
/// Of `==` to `>=`; the others are not operations on two values.
BinaryOperation operationOf(syntax::CompareOperator op);

/// A constant of the source; nullopt for complex numbers and bytes, which the language does not have.
std::optional<Value> constantValue(const syntax::Constant *constant);

} // namespace triton::frontend
