// An artifact as text: what a cache keeps beside the stages, and the way back.
#pragma once

#include "compiler/artifact/Artifact.h"
#include "compiler/artifact/Store.h"

#include <memory>

namespace triton::artifact {

/// The stage whose content is launched: "cubin", "hsaco", "obj".
llvm::StringRef codeStage(llvm::StringRef backend);

/// Everything about an artifact but the content of its stages, as a JSON object: under the names that users of Python know as `metadata`.
std::string describe(const Artifact &artifact);

/// Writes an artifact under `artifact.hash` (64 hexadecimal digits), sealed; with a secret, signed. `kernel` is what its files are called.
llvm::Error save(const Store &store, llvm::StringRef kernel, const Artifact &artifact, llvm::StringRef secret = "");
/// Null unless the description and the code are there, as they were saved; with a secret, by somebody who has it. Other stages may have been deleted.
std::shared_ptr<const Artifact> load(const Store &store, llvm::StringRef kernel, llvm::StringRef hash,
                                     llvm::StringRef secret = "");

/// 64 hexadecimal digits as the name of an entry: base 32 without padding.
std::string entryName(llvm::StringRef hash);

} // namespace triton::artifact
