// Runs one kernel in the interpreter and as compiled code on the same data, and compares what they leave in memory.
#pragma once

#include "test/differential/RandomKernel.h"

#include <string>

namespace triton::differential {

struct Outcome {
  enum Kind { Same, Different, NotCompiled, NotInterpreted } kind;
  std::string message; // which element of which output differs, or why there is none
};

/// Where compiled code runs.
struct Place {
  std::string target = "cpu"; // or "cuda", "simulator"
  // Of "simulator": which GPU it is. Of "cuda": one that is named is only compiled for, and counts as the same.
  std::string architecture = "native";
  int numWarps = 4;
  bool runs() const { return target == "simulator" || architecture == "native"; }
};

/// `seed` chooses the data. On a GPU, reductions are in another order and functions are approximate: floats are compared with a tolerance.
Outcome compare(RandomKernel &kernel, uint64_t seed, const Place &place = {});

} // namespace triton::differential
