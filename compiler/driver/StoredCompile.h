// A compile whose result is kept in a directory for the next process, whatever language that is written in, and taken from there if it is as it was stored and the
// program still gives what it was compiled with (docs/decisions/0026).
#pragma once

#include "compiler/artifact/Store.h"
#include "compiler/driver/Driver.h"

namespace triton::driver {

struct Storage {
  artifact::Store store;                      // its root is empty: nothing is kept
  std::string secret;                         // that entries are signed with; empty: they are not
  std::vector<artifact::Store> bundles = {};  // looked into first
  std::optional<artifact::Store> record = {}; // the bundle that every kernel is added to
};

/// The directory, and the secret that a file holds; an error if there is no such secret. `bundles` are directories between colons. All but the first may be empty.
llvm::Expected<Storage> openStorage(const std::string &directory, const std::string &secretFile,
                                    llvm::StringRef bundles = "", const std::string &record = "");

/// What a key holds for.
enum class KeyScope {
  Build,  // this build of the compiler and of the tools it uses
  Bundle, // every machine that the code runs on, whatever compiled it
};
/// What a kernel is stored under, before hashing: the architecture, the options, the kernel's own text and its arguments; in caches also the compiler and its tools. The
/// same for every surface. Compile-time arguments that only their host understands count as objects: `isPortable` becomes false.
llvm::Expected<std::string> kernelKey(const CompileRequest &request, KeyScope scope, bool &isPortable);
/// Kernels of one key that differ in what they read of the program lie side by side: the hash that the one of this number is stored under.
std::string variantHash(const std::string &hash, unsigned number);
inline constexpr unsigned mostVariants = 16;

/// `compile`, unless the same was compiled before, here or for a bundle. `files` changes with every file of the program (FileHost::sourceKey): a proof for kernels that read more than
/// other hosts understand. A directory that cannot be written costs nothing but the next compile.
std::shared_ptr<const artifact::Artifact> compileOrLoad(const CompileRequest &request, llvm::StringRef files,
                                                        const Storage &storage, Diagnostics &diagnostics);

/// Whether the program that `kernel` is part of gives what the artifact was compiled with.
bool isStillRight(const std::shared_ptr<const frontend::Function> &kernel, const artifact::Artifact &artifact);

} // namespace triton::driver
