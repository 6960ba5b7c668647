// Names in a kernel's object for the CPU besides its entry: between the compiler, which writes them, and the runtime, which asks for them.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace triton {

/// Behind the kernel's name: a symbol that is there if a program may wait for what others write.
inline constexpr llvm::StringLiteral waitsSuffix = ".waits";
/// Likewise, if programs call `pollSymbol` on their way round loops that may never end by themselves.
inline constexpr llvm::StringLiteral pollsSuffix = ".polls";
/// A function that may not be there: where the kernel is part of a program that brings no runtime of ours.
inline constexpr llvm::StringLiteral pollSymbol = "triton_poll";

} // namespace triton
