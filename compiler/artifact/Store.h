// A directory of compiled kernels that many processes may use at once: every entry is a folder of plain files.
//   In:  an entry's name (a key in base 32), a file's name, its content.
//   Out: the content again, or nothing.
// A file is written elsewhere and renamed, an entry is removed by renaming it first: a reader, and whoever comes after a writer that was killed, sees all of a
// file or none of it. What is read is not checked here: see Seal.h.
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
};

struct PruneSummary {
  uint64_t bytesBefore = 0, bytesAfter = 0;
  std::vector<std::string> removed;
};

class Store {
public:
  explicit Store(std::string root) : root(std::move(root)) {}

  /// Replaces the file, making folders as needed.
  llvm::Error put(llvm::StringRef entry, llvm::StringRef file, llvm::StringRef content) const;
  std::optional<std::string> get(llvm::StringRef entry, llvm::StringRef file) const;
  /// Marks an entry as used now. Does nothing where it must not write.
  void touch(llvm::StringRef entry) const;
  /// Readers see the whole entry or none of it.
  llvm::Error remove(llvm::StringRef entry) const;
  /// Sorted by name. Names of temporaries are left out, their bytes are counted.
  std::vector<EntrySummary> list() const;
  /// Removes what has not been used for longest until at most `limit` bytes are left, and what writers that died left behind.
  PruneSummary prune(uint64_t limit) const;

  const std::string root;
};

/// "500M" -> 500 * 2^20; K, M, G and T may be written small or with a B. Nullopt if it is no size.
std::optional<uint64_t> parseSize(llvm::StringRef text);

} // namespace triton::artifact
