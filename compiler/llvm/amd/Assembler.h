// AMDGPU assembly to an object file, by LLVM's assembler. From text, since only that refuses instructions which the GPU does not have: the code generator's
// own object files hold them without a word.
#pragma once

#include "compiler/gpu/Target.h"

#include "llvm/Support/Error.h"

#include <string>

namespace triton::amd {

/// A relocatable ELF file. Fails with the assembler's messages.
llvm::Expected<std::string> assemble(llvm::StringRef text, const gpu::Target &target);

} // namespace triton::amd
