// A compile whose result is kept in a directory for the next process, and taken from there if it is as it was stored.
#pragma once

#include "compiler/artifact/Store.h"
#include "compiler/driver/Driver.h"

namespace triton::driver {

struct Storage {
  artifact::Store store;
  std::string secret; // that entries are signed with; empty: they are not
};

/// The directory, and the secret that a file holds; an error if there is no such secret. `secretFile` may be empty.
llvm::Expected<Storage> openStorage(const std::string &directory, const std::string &secretFile);

/// `compile`, unless the same was compiled before. `identity` says all that the kernel and its arguments are; the compiler, the architecture and its tools are
/// added here. A directory that cannot be written costs nothing but the next compile.
std::shared_ptr<const artifact::Artifact> compileOrLoad(const CompileRequest &request, llvm::StringRef identity,
                                                        const Storage &storage, Diagnostics &diagnostics);

} // namespace triton::driver
