// Comes back from errors after which LLVM ends the process: "cannot select", say, for LLVM IR that no instruction does.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace triton {

/// Runs `work`. A fatal error of LLVM leaves it in the middle, without destructors, and comes back as an error: whatever `work` was changing, and
/// whatever points into that, must then never be touched again, not even to free it.
llvm::Error survive(llvm::function_ref<void()> work);

} // namespace triton
