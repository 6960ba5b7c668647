// The operators of the syntax as operations on values.
#pragma once

#include "compiler/frontend/Host.h"
#include "compiler/syntax/Ast.h"

namespace triton::frontend {

BinaryOperation operationOf(syntax::BinaryOperator op);
UnaryOperation operationOf(syntax::UnaryOperator op);

} // namespace triton::frontend
