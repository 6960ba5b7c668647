// Number literals: how far one reaches, and what it is worth.
#pragma once

#include "compiler/syntax/Ast.h"

#include <string>

namespace triton::syntax {

struct NumberScan {
  size_t length;
  std::string error; // empty if it is a number
};

/// The number at the start of `text`, which begins with a digit, or with a dot and a digit.
NumberScan scanNumber(llvm::StringRef text);

/// The value of a number as written: an integer of at least 64 bits, a float or an imaginary.
ConstantValue numberValue(llvm::StringRef spelling);

} // namespace triton::syntax
