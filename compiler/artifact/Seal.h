// Makes an entry of the cache prove that it is what was stored. The description of a kernel (a JSON object) is closed with the digests of the files it describes
// and with its own, so that it holds for every way the files travel: directories, copies of them, remote stores.
//   {"hash": "…", …, "digests": {"add.obj": "…"}, "signature": "…", "checksum": "…"}
// The checksum covers every byte before it: anybody can make one, so it shows damage, not malice. The signature is there where a secret is given, and covers every
// byte before it: a reader who has the secret takes nothing that was made without it.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace triton::artifact {

using NamedFile = std::pair<llvm::StringRef, llvm::StringRef>; // name, content

/// `description` closed over `files`, and signed unless `secret` is empty; nullopt if it is not the text of a JSON object.
std::optional<std::string> seal(llvm::StringRef description, llvm::ArrayRef<NamedFile> files,
                                llvm::StringRef secret = "");

/// Why an entry is not what was stored; empty if it is. Files that the seal does not name are damage, and so are files that it names and that are not given,
/// unless those `mayBeMissing`.
std::string findDamage(llvm::StringRef description, llvm::ArrayRef<NamedFile> files, bool mayBeMissing = false,
                       llvm::StringRef secret = "");

/// The description as it was before it was sealed; nullopt if its checksum, or with a secret its signature, is wrong.
std::optional<std::string> unseal(llvm::StringRef description, llvm::StringRef secret = "");

/// The names of the files that a description was closed over; nullopt if its checksum is wrong, whoever signed it.
std::optional<std::vector<std::string>> sealedFiles(llvm::StringRef description);

/// The secret that a file holds, without white space around it. An error if the file is not there, is empty, or is not kept from others.
llvm::Expected<std::string> readSecret(const std::string &path);

} // namespace triton::artifact
