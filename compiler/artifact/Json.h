// JSON from a file that anybody may have written: LLVM's parser recurses, so text that is nested too deeply is turned away before it.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <optional>

namespace triton::artifact {

/// Nullopt if it is no JSON, or nested deeper than anything that we write.
std::optional<llvm::json::Value> parseJson(llvm::StringRef text);

} // namespace triton::artifact
