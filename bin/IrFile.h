// Reads a file of IR for the tools that hand it to MLIR's reader.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace triton {

/// Standard input for "-". Null after saying on standard error why the file cannot be read.
std::unique_ptr<llvm::MemoryBuffer> readIrFile(llvm::StringRef path);

} // namespace triton
