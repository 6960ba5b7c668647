// The cache of compiled kernels, for programs and tools that look into it: a directory that many processes may use at once, and the seals by which an entry proves
// that it is what was stored. Nothing here throws; what fails says so in its result.
#pragma once

#include <triton/export.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace triton::cache {

struct Entry {
  std::string name; // of its folder
  std::vector<std::string> files;
  uint64_t bytes = 0;
  int64_t lastUsed = 0;  // nanoseconds since 1970
  bool isSealed = false; // whether a sound seal says that this is an entry; others are never removed
};

struct PruneSummary {
  uint64_t bytesBefore = 0, bytesAfter = 0;
  std::vector<std::string> removed;
};

/// A cache directory. Files appear as a whole, whoever is killed whenever. Links in it are neither followed nor written through, and what is no plain file is not
/// read. Names are those of files, not paths.
class TRITON_EXPORT Store {
public:
  explicit Store(std::string root) : itsRoot(std::move(root)) {}
  const std::string &root() const { return itsRoot; }

  /// Why the file could not be written; nullopt if it was.
  std::optional<std::string> put(std::string_view entry, std::string_view file, std::string_view content) const;
  std::optional<std::string> get(std::string_view entry, std::string_view file) const;
  bool has(std::string_view entry, std::string_view file) const;
  /// Marks an entry as used now.
  void touch(std::string_view entry) const;
  /// Removes the files that the seal of an entry names, and nothing else; why not, if it has none.
  std::optional<std::string> remove(std::string_view entry) const;
  std::optional<Entry> find(std::string_view entry) const;
  std::vector<Entry> list() const;
  /// Removes sealed entries that have not been used for longest until at most `limit` bytes of them are left.
  PruneSummary prune(uint64_t limit) const;

private:
  std::string itsRoot;
};

/// "500M" -> 500 * 2^20; nullopt if it is no size.
TRITON_EXPORT std::optional<uint64_t> parseSize(std::string_view text);

/// The id of the build that the shared library holding `address` is; empty if it has none.
TRITON_EXPORT std::string buildIdOf(const void *address);
/// Of the compiler itself: part of every key.
TRITON_EXPORT std::string buildId();
/// A digest of all files below `folder` whose names end in `suffix`, or of one file.
TRITON_EXPORT std::string digestFiles(const std::string &folder, const std::string &suffix);

/// The builds of programs, and digests of files, that code for a target is made with besides the compiler: part of keys. `linker` is a path of libnvJitLink, to be
/// used where there is no ptxas; empty: the one that is found. Nullopt if nothing can make code for it.
TRITON_EXPORT std::optional<std::string> toolsOf(const std::string &target, const std::string &architecture,
                                                 const std::string &linker = {});

struct Secret {
  std::string text;
};

using NamedFile = std::pair<std::string_view, std::string_view>; // name, content

/// The text of a JSON object, closed with the digests of `files` and its own, and signed unless `secret` is empty; nullopt if it is no JSON object.
TRITON_EXPORT std::optional<std::string> seal(std::string_view description, const std::vector<NamedFile> &files,
                                              std::string_view secret = {});
/// Why an entry is not what was stored, or was stored by somebody who does not have the `secret`; empty if it is sound. Files may have gone without being damage
/// if they `mayBeMissing`.
TRITON_EXPORT std::string findDamage(std::string_view description, const std::vector<NamedFile> &files,
                                     bool mayBeMissing = false, std::string_view secret = {});
/// The secret in a file, or why there is none: the file must be kept from others.
TRITON_EXPORT std::variant<Secret, std::string> readSecret(const std::string &path);

/// The content of a plain file that is no link; nullopt if it is anything else.
TRITON_EXPORT std::optional<std::string> readPlainFile(std::string_view path);
/// Whether `name` is a name of a file and no path.
TRITON_EXPORT bool isFileName(std::string_view name);

/// A connection to a Redis server. Each call gives an answer or an error within seconds; after an error the next call connects anew.
class TRITON_EXPORT Redis {
public:
  static bool isAvailable(); // whether this build has a client
  Redis(std::string host, int port, double timeoutSeconds = 3);

  using Values = std::vector<std::optional<std::string>>;
  /// One value per key, or why not.
  std::variant<Values, std::string> get(const std::vector<std::string> &keys) const;
  std::optional<std::string> put(std::string_view key, std::string_view value) const;

private:
  std::shared_ptr<void> state;
};

} // namespace triton::cache
