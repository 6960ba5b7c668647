// Runs one kernel in the interpreter and as compiled CPU code on the same data, and compares what they leave in memory.
#pragma once

#include "test/differential/RandomKernel.h"

#include <string>

namespace triton::differential {

struct Outcome {
  enum Kind { Same, Different, NotCompiled, NotInterpreted } kind;
  std::string message; // which element of which output differs, or why there is none
};

/// `seed` chooses the data.
Outcome compare(RandomKernel &kernel, uint64_t seed);

} // namespace triton::differential
