// Makes an entry of the cache prove that it is what was stored. The description of a kernel (a JSON object) is closed with the digests of the files it describes
// and with its own, so that it holds for every way the files travel: directories, copies of them, remote stores.
//   {"hash": "…", …, "digests": {"add.obj": "…"}, "checksum": "…"}
// The checksum covers every byte before it.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <utility>

namespace triton::artifact {

using NamedFile = std::pair<llvm::StringRef, llvm::StringRef>; // name, content

/// `description` closed over `files`; nullopt if it is not the text of a JSON object.
std::optional<std::string> seal(llvm::StringRef description, llvm::ArrayRef<NamedFile> files);

/// Why an entry is not what was stored; empty if it is. Files that the seal does not name are damage, and so are files that it names and that are not given,
/// unless those `mayBeMissing`.
std::string findDamage(llvm::StringRef description, llvm::ArrayRef<NamedFile> files, bool mayBeMissing = false);

/// The description as it was before it was sealed; nullopt if its checksum is wrong.
std::optional<std::string> unseal(llvm::StringRef description);

} // namespace triton::artifact
