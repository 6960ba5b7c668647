// An artifact as text: what a cache keeps beside the stages, and the way back.
#pragma once

#include "compiler/artifact/Artifact.h"
#include "compiler/artifact/Store.h"

#include <memory>

namespace triton::artifact {

/// Everything about an artifact but the content of its stages, as a JSON object.
std::string describe(const Artifact &artifact);

/// Writes an artifact under `artifact.hash` (64 hexadecimal digits), sealed; with a secret, signed.
llvm::Error save(const Store &store, const Artifact &artifact, llvm::StringRef secret = "");
/// Null unless the whole artifact is there, as it was saved; with a secret, by somebody who has it.
std::shared_ptr<const Artifact> load(const Store &store, llvm::StringRef name, llvm::StringRef hash,
                                     llvm::StringRef secret = "");

/// 64 hexadecimal digits as the name of an entry: base 32 without padding.
std::string entryName(llvm::StringRef hash);

} // namespace triton::artifact
