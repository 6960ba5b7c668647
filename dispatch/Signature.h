// Signatures as users write them for compiles without arguments: `*fp32:16, i32, 1024`.
#pragma once

#include "dispatch/Problem.h"
#include "dispatch/Specialization.h"

#include <variant>

namespace triton::dispatch {

/// One entry: a type with a hint, or a constant.
struct SignatureEntry {
  std::string text;  // as it is written
  std::string type;  // of the argument; empty: a constant
  unsigned hint = 0; // 16: divisible by it; 1: equal to it, and thereby a constant
  bool isRuntime() const { return !type.empty() && hint != 1; }
};

/// What an entry means for its parameter. A type with a hint stands for the arguments that have it, so that the parameter's annotation and `do_not_specialize` count as
/// they do in a launch. What is no type counts as a constant.
std::variant<SignatureEntry, Problem> readEntry(const Parameter &parameter, std::string_view text);

} // namespace triton::dispatch
