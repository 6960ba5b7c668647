// Libraries of LLVM bitcode that kernels call functions of.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace llvm {
class Module;
}

namespace triton {

/// Links what the module calls and does not have. A name that no library has is an error: the code could not be loaded.
llvm::Error linkLibraries(llvm::Module &module, llvm::ArrayRef<std::string> libraries);

} // namespace triton
