// What files below the module, LLVM IR, PTX and AMDGPU assembly, say of the kernel they hold.
#pragma once

#include "compiler/llvm/KernelFacts.h"

#include "llvm/Support/Error.h"

namespace triton::driver {

/// From the facts in LLVM IR; for a GPU's kernel without any, from its parameters.
llvm::Expected<KernelFacts> describeLlvm(llvm::StringRef text);
/// From the entry's name, parameters and directives, and from the comment that says how much shared memory it takes.
llvm::Expected<KernelFacts> describePtx(llvm::StringRef text);
/// From the metadata that loaders read, and from the same comment.
llvm::Expected<KernelFacts> describeAmdgcn(llvm::StringRef text);
/// The comment that both read; empty where there is nothing to say.
std::string describeShared(uint64_t bytes);

} // namespace triton::driver
