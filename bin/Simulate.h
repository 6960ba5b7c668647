// Runs a compiled kernel on a simulated GPU: `tritonc kernel.py --arch sm_90a --simulate "1000, 1000, 1000" --grid "8, 1, 1"`.
#pragma once

#include "compiler/artifact/Artifact.h"

#include "llvm/Support/Error.h"

namespace triton {

/// `values` has an entry for each argument of the kernel: how many elements the array behind a pointer has, or a number. Arrays hold zeros. All is watched unless
/// TRITON_SANITIZE says what; what is found is printed, and counted in the result.
llvm::Expected<size_t> simulate(const artifact::Artifact &artifact, llvm::StringRef values, llvm::StringRef grid);

} // namespace triton
