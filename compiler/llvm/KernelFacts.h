// What a launch must know of a kernel, written into its LLVM IR so that a file of it can be compiled and launched on its own.
// LLVM keeps it through all passes, as named metadata: !triton.kernel = !{!{!"add_kernel", i32 4, i64 0, i1 false, i1 false, !"*fp32", !"i32"}}
#pragma once

#include "llvm/IR/Module.h"

#include <optional>
#include <string>
#include <vector>

namespace triton {

struct KernelFacts {
  std::string name;
  int numWarps = 4;
  uint64_t scratchBytes = 0;                    // shared memory of a GPU's program, scratch of a CPU's thread
  bool waitsForPrograms = false, polls = false; // as an artifact has them (cpu)
  std::vector<std::string> types;               // of the run-time arguments, as signatures spell them
};

void writeFacts(llvm::Module &module, const KernelFacts &facts);
/// Nullopt if the module says nothing about itself.
std::optional<KernelFacts> readFacts(const llvm::Module &module);

} // namespace triton
