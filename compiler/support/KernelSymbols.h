// Names in a kernel's object for the CPU besides its entry: between the compiler, which writes them, and the runtime, which asks for them.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace triton {

/// Behind the kernel's name: a symbol that is there if a program may wait for what others write.
inline constexpr llvm::StringLiteral waitsSuffix = ".waits";

} // namespace triton
