// A C header for a kernel's object file: the argument block, and a function that packs it and runs a grid.
#pragma once

#include "compiler/artifact/Artifact.h"

#include <string>

namespace triton {

/// "int32_t ", "void *": what stands before a name in C. 16-bit floats are their bits.
llvm::StringRef cTypeOf(llvm::StringRef type);

std::string makeCHeader(const artifact::Artifact &artifact);

} // namespace triton
