// Times of kernels on NVIDIA GPUs, from NVIDIA's CUPTI: of all kernels, whichever library launched them.
//   In:  CUPTI's library, found at run time; its calls when something is launched, its records when kernels have ended.
//   Out: times in the places where the launching threads stood. A graph's kernels belong to where the graph was launched and, below that, to where
//        they were recorded.
// While a session measures, launches of ours are neither made through graphs nor overlap: each kernel's time is its own.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace triton::runtime::profiler {

class Cupti {
public:
  /// For a session that starts. A library that the process has loaded already (PyTorch brings one) is taken before those of `libraries`, unless the first is
  /// an existing file. Fails where there is no CUPTI, no GPU, or another tool has it.
  static llvm::Error begin(llvm::ArrayRef<std::string> libraries);
  /// Waits for the kernels that were launched, and for their records; measuring goes on.
  static llvm::Error flush();
  /// For one that ends: waits for the kernels that were launched, and for their records. Each `end` belongs to a `begin`.
  static llvm::Error end();
  /// The library that is in use; empty: none was needed yet.
  static std::string library();
  /// Whether a session is active that wants times from here.
  static void setMeasuring(bool isMeasuring);
};

} // namespace triton::runtime::profiler
