// Checks of integer arithmetic in debug mode (semantics 14).
#pragma once

#include "compiler/frontend/Host.h"

namespace triton::frontend {

class Emitter;

/// In debug mode, asserts at run time that `lhs op rhs` fits its integer type; `op` is Add, Sub or Mul. Types of 64 bits and floats are not checked.
void assertNoOverflow(Emitter &emitter, BinaryOperation operation, const Value &lhs, const Value &rhs);

} // namespace triton::frontend
