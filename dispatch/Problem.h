// What is wrong with what a user gave: the name of Python's class for it, and a sentence. Each surface raises it in its own way.
#pragma once

#include <optional>
#include <string>

namespace triton::dispatch {

struct Problem {
  const char *exception; // "ValueError"
  std::string message;
};
/// Nothing where all is well.
using Outcome = std::optional<Problem>;

} // namespace triton::dispatch
