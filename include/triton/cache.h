// The cache of compiled kernels, for programs and tools that look into it: a directory that many processes may use at once, and the seals by which an entry proves
// that it is what was stored. Nothing here throws; what fails says so in its result.
#pragma once

#include <triton/c_cache.h>
#include <triton/triton.h>

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

namespace detail {
using namespace triton::detail;

/// Why it failed; nullopt if it did not.
inline std::optional<std::string> messageOf(int status, const ErrorSlot &error) {
  return status ? std::optional<std::string>(error.take().what()) : std::nullopt;
}
inline std::optional<std::string> takeOptional(triton_bytes *bytes) {
  return bytes ? std::optional<std::string>(takeBytes(bytes)) : std::nullopt;
}
/// Of what fails only where memory is short.
inline std::string takeOrEmpty(triton_bytes *bytes) { return bytes ? takeBytes(bytes) : std::string(); }

inline std::vector<Entry> takeListing(triton_cache_listing *given) {
  std::unique_ptr<triton_cache_listing, void (*)(triton_cache_listing *)> listing(given, triton_cache_listing_free);
  std::vector<Entry> entries;
  for (size_t index = 0; const char *name = triton_cache_listing_name(given, index); ++index) {
    Entry &entry = entries.emplace_back();
    entry.name = name;
    for (size_t file = 0; const char *text = triton_cache_listing_file(given, index, file); ++file)
      entry.files.emplace_back(text);
    entry.bytes = triton_cache_listing_bytes(given, index);
    entry.lastUsed = triton_cache_listing_last_used(given, index);
    entry.isSealed = triton_cache_listing_is_sealed(given, index) != 0;
  }
  return entries;
}
} // namespace detail

/// A cache directory. Files appear as a whole, whoever is killed whenever. Links in it are neither followed nor written through, and what is no plain file is not
/// read. Names are those of files, not paths.
class Store {
public:
  explicit Store(std::string root) : itsRoot(std::move(root)) {}
  const std::string &root() const { return itsRoot; }

  /// Why the file could not be written; nullopt if it was.
  std::optional<std::string> put(std::string_view entry, std::string_view file, std::string_view content) const {
    detail::ErrorSlot error;
    const int status =
        triton_cache_put(itsRoot.c_str(), detail::toText(entry), detail::toText(file), detail::toText(content), error);
    return detail::messageOf(status, error);
  }
  std::optional<std::string> get(std::string_view entry, std::string_view file) const {
    return detail::takeOptional(triton_cache_get(itsRoot.c_str(), detail::toText(entry), detail::toText(file)));
  }
  bool has(std::string_view entry, std::string_view file) const {
    return triton_cache_has(itsRoot.c_str(), detail::toText(entry), detail::toText(file)) != 0;
  }
  /// Marks an entry as used now.
  void touch(std::string_view entry) const { triton_cache_touch(itsRoot.c_str(), detail::toText(entry)); }
  /// Removes the files that the seal of an entry names, and nothing else; why not, if it has none.
  std::optional<std::string> remove(std::string_view entry) const {
    detail::ErrorSlot error;
    const int status = triton_cache_remove(itsRoot.c_str(), detail::toText(entry), error);
    return detail::messageOf(status, error);
  }
  std::optional<Entry> find(std::string_view entry) const {
    std::vector<Entry> found = detail::takeListing(triton_cache_find(itsRoot.c_str(), detail::toText(entry), nullptr));
    return found.empty() ? std::nullopt : std::optional<Entry>(std::move(found.front()));
  }
  std::vector<Entry> list() const { return detail::takeListing(triton_cache_list(itsRoot.c_str(), nullptr)); }
  /// Removes sealed entries that have not been used for longest until at most `limit` bytes of them are left.
  PruneSummary prune(uint64_t limit) const {
    PruneSummary summary;
    for (Entry &entry : detail::takeListing(
             triton_cache_prune(itsRoot.c_str(), limit, &summary.bytesBefore, &summary.bytesAfter, nullptr)))
      summary.removed.push_back(std::move(entry.name));
    return summary;
  }

private:
  std::string itsRoot;
};

/// "500M" -> 500 * 2^20; nullopt if it is no size.
inline std::optional<uint64_t> parseSize(std::string_view text) {
  uint64_t bytes = 0;
  return triton_cache_parse_size(detail::toText(text), &bytes) ? std::nullopt : std::optional<uint64_t>(bytes);
}

/// The id of the build that the shared library holding `address` is; empty if it has none.
inline std::string buildIdOf(const void *address) {
  return address ? detail::takeOrEmpty(triton_cache_build_id(address, nullptr)) : std::string();
}
/// Of the compiler itself: part of every key.
inline std::string buildId() { return detail::takeOrEmpty(triton_cache_build_id(nullptr, nullptr)); }
/// A digest of all files below `folder` whose names end in `suffix`, or of one file.
inline std::string digestFiles(const std::string &folder, const std::string &suffix) {
  return detail::takeOrEmpty(triton_cache_digest_files(folder.c_str(), suffix.c_str(), nullptr));
}

/// The builds of programs, and digests of files, that code for a target is made with besides the compiler: part of keys. `linker` is a path of libnvJitLink, to be
/// used where there is no ptxas; empty: the one that is found. Nullopt if nothing can make code for it.
inline std::optional<std::string> toolsOf(const std::string &target, const std::string &architecture,
                                          const std::string &linker = {}) {
  return detail::takeOptional(
      triton_cache_tools(target.c_str(), architecture.c_str(), linker.empty() ? nullptr : linker.c_str(), nullptr));
}

struct Secret {
  std::string text;
};

using NamedFile = std::pair<std::string_view, std::string_view>; // name, content

namespace detail {
inline std::vector<triton_named_file> convert(const std::vector<NamedFile> &files) {
  std::vector<triton_named_file> out;
  for (const auto &[name, content] : files)
    out.push_back({toText(name), toText(content)});
  return out;
}
} // namespace detail

/// The text of a JSON object, closed with the digests of `files` and its own, and signed unless `secret` is empty; nullopt if it is no JSON object.
inline std::optional<std::string> seal(std::string_view description, const std::vector<NamedFile> &files,
                                       std::string_view secret = {}) {
  const std::vector<triton_named_file> named = detail::convert(files);
  return detail::takeOptional(
      triton_cache_seal(detail::toText(description), named.data(), named.size(), detail::toText(secret), nullptr));
}
/// Why an entry is not what was stored, or was stored by somebody who does not have the `secret`; empty if it is sound. Files may have gone without being damage
/// if they `mayBeMissing`.
inline std::string findDamage(std::string_view description, const std::vector<NamedFile> &files,
                              bool mayBeMissing = false, std::string_view secret = {}) {
  const std::vector<triton_named_file> named = detail::convert(files);
  detail::ErrorSlot error;
  triton_bytes *damage = triton_cache_find_damage(detail::toText(description), named.data(), named.size(), mayBeMissing,
                                                  detail::toText(secret), error);
  return damage ? detail::takeBytes(damage) : std::string(error.take().what());
}
/// The secret in a file, or why there is none: the file must be kept from others.
inline std::variant<Secret, std::string> readSecret(const std::string &path) {
  detail::ErrorSlot error;
  triton_bytes *secret = triton_cache_read_secret(path.c_str(), error);
  if (!secret)
    return std::string(error.take().what());
  return Secret{detail::takeBytes(secret)};
}

/// The content of a plain file that is no link; nullopt if it is anything else.
inline std::optional<std::string> readPlainFile(std::string_view path) {
  return detail::takeOptional(triton_cache_read_plain_file(detail::toText(path)));
}
/// Whether `name` is a name of a file and no path.
inline bool isFileName(std::string_view name) { return triton_cache_is_file_name(detail::toText(name)) != 0; }

/// Kernels of one key that differ in what they read of the program lie side by side: the hash that the one of this number, from 0 on, is stored under; nullopt where
/// there are no more.
inline std::optional<std::string> variantOf(std::string_view hash, unsigned number) {
  return detail::takeOptional(triton_cache_variant(detail::toText(hash), number));
}

/// A connection to a Redis server. Each call gives an answer or an error within seconds; after an error the next call connects anew.
class Redis {
public:
  static bool isAvailable() { return triton_redis_is_available() != 0; } // whether this build has a client
  Redis(std::string host, int port, double timeoutSeconds = 3)
      : state(triton_redis_create(host.c_str(), port, timeoutSeconds, nullptr)) {}

  using Values = std::vector<std::optional<std::string>>;
  /// One value per key, or why not.
  std::variant<Values, std::string> get(const std::vector<std::string> &keys) const {
    std::vector<triton_text> texts;
    for (const std::string &key : keys)
      texts.push_back(detail::toText(key));
    std::vector<triton_bytes *> found(keys.size(), nullptr);
    detail::ErrorSlot error;
    if (triton_redis_get(state.get(), texts.data(), texts.size(), found.data(), error))
      return std::string(error.take().what());
    Values values;
    for (triton_bytes *value : found)
      values.push_back(detail::takeOptional(value));
    return values;
  }
  std::optional<std::string> put(std::string_view key, std::string_view value) const {
    detail::ErrorSlot error;
    const int status = triton_redis_put(state.get(), detail::toText(key), detail::toText(value), error);
    return detail::messageOf(status, error);
  }
  /// Puts a value that goes after so many seconds, unless there is one.
  std::optional<std::string> putFirst(std::string_view key, std::string_view value, unsigned seconds) const {
    detail::ErrorSlot error;
    const int status = triton_redis_put_first(state.get(), detail::toText(key), detail::toText(value), seconds, error);
    return detail::messageOf(status, error);
  }

private:
  detail::Handle<triton_redis, triton_redis_retain, triton_redis_free> state;
};

} // namespace triton::cache
