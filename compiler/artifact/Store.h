// A directory of compiled kernels that many processes may use at once: every entry is a folder of plain files.
//   In:  an entry's name (a key in base 32), a file's name, its content.
//   Out: the content again, or nothing.
// A file is written elsewhere and renamed: a reader, and whoever comes after a writer that was killed, sees all of a file or none of it. What is read is not
// checked here: see Seal.h. What is removed is: the directory may hold more than the cache, and only what a seal names is the cache's. So a description is the
// first file of an entry to be written, and the first to be removed.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace triton::artifact {

struct EntrySummary {
  std::string name;
  std::vector<std::string> files; // sorted
  uint64_t bytes = 0;
  int64_t lastUsed = 0; // nanoseconds since 1970
  /// Whether a description in it has a sound seal. If not, this is a folder that has the name of an entry; what it is nobody knows.
  bool isSealed = false;
};

struct PruneSummary {
  uint64_t bytesBefore = 0, bytesAfter = 0; // of sealed entries
  std::vector<std::string> removed;
};

class Store {
public:
  explicit Store(std::string root) : root(std::move(root)) {}

  /// Replaces the file, making folders as needed. Fails where a link would have to be followed, and for names that are paths.
  llvm::Error put(llvm::StringRef entry, llvm::StringRef file, llvm::StringRef content) const;
  /// Nullopt unless it is a plain file in a folder of the root.
  std::optional<std::string> get(llvm::StringRef entry, llvm::StringRef file) const;
  /// Whether `get` would give something.
  bool has(llvm::StringRef entry, llvm::StringRef file) const;
  /// Marks an entry as used now. Does nothing where it must not write.
  void touch(llvm::StringRef entry) const;
  /// Removes the files that the seal of an entry names; an error if it has none. What else lies in the folder stays, and so does the folder then.
  llvm::Error remove(llvm::StringRef entry) const;
  /// Nullopt if there is nothing of that name that could be an entry.
  std::optional<EntrySummary> find(llvm::StringRef entry) const;
  /// Sorted by name. Names of temporaries are left out, their bytes are counted. Folders that are no entries are left out.
  std::vector<EntrySummary> list() const;
  /// Removes sealed entries that have not been used for longest until at most `limit` bytes of them are left, and what writers that died left behind.
  PruneSummary prune(uint64_t limit) const;

  const std::string root;
};

/// "500M" -> 500 * 2^20; K, M, G and T may be written small or with a B. Nullopt if it is no size.
std::optional<uint64_t> parseSize(llvm::StringRef text);

} // namespace triton::artifact
