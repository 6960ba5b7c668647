// The public face of the artifact cache.
#include <triton/c_cache.h>

#include "api/Border.h"
#include "compiler/artifact/BuildId.h"
#include "compiler/artifact/Folder.h"
#include "compiler/artifact/Redis.h"
#include "compiler/artifact/Seal.h"
#include "compiler/artifact/Store.h"
#include "compiler/driver/StoredCompile.h"
#include "compiler/driver/Target.h"

#include "llvm/ADT/ArrayRef.h"

using namespace triton;

struct triton_cache_listing {
  std::vector<artifact::EntrySummary> entries;
};

struct triton_redis : llvm::ThreadSafeRefCountedBase<triton_redis> {
  triton_redis(std::string host, int port, double timeoutSeconds) : redis(std::move(host), port, timeoutSeconds) {}
  mutable artifact::Redis redis;
};

static triton_bytes *toBytes(std::optional<std::string> content) {
  return content ? new triton_bytes{std::move(*content)} : nullptr;
}

/// For questions that cannot fail: NULL where memory is short.
template <typename Body> static triton_bytes *answer(Body body) {
  return make(nullptr, {}, [&]() -> llvm::Expected<triton_bytes *> { return toBytes(body()); });
}

static llvm::Expected<std::vector<artifact::NamedFile>> readFiles(const triton_named_file *files, size_t count) {
  if (count && !files)
    return failure("ValueError", "files is NULL");
  std::vector<artifact::NamedFile> out;
  for (const triton_named_file &file : llvm::ArrayRef(files, count))
    out.emplace_back(toStringRef(file.name), toStringRef(file.content));
  return out;
}

static llvm::Expected<triton_bytes *> toolsOf(std::string target, std::string architecture, std::string linker) {
  const driver::Target *found = driver::findTarget(target);
  if (!found)
    return failure("ValueError", "there is no target '" + target + "'");
  llvm::Expected<std::string> tools = found->tools(
      {.backend = std::move(target), .architecture = std::move(architecture), .linkerPath = std::move(linker)});
  if (!tools)
    return tools.takeError();
  return new triton_bytes{std::move(*tools)};
}

static const artifact::EntrySummary *entryAt(const triton_cache_listing *listing, size_t index) {
  return listing && index < listing->entries.size() ? &listing->entries[index] : nullptr;
}

static llvm::Error readAll(artifact::Redis &redis, llvm::ArrayRef<triton_text> keys, triton_bytes **values) {
  std::vector<std::string> names;
  for (triton_text key : keys)
    names.push_back(toStringRef(key).str());
  auto found = redis.get(names);
  if (!found)
    return found.takeError();
  for (size_t index = 0; index < names.size(); ++index)
    values[index] = index < found->size() ? toBytes(std::move((*found)[index])) : nullptr;
  return llvm::Error::success();
}

extern "C" {

int triton_cache_put(const char *root, triton_text entry, triton_text file, triton_text content, triton_error **error) {
  return attempt(error, {{"root", root}, {"entry", entry.data}, {"file", file.data}, {"content", content.data}}, [&] {
    return artifact::Store(root).put(toStringRef(entry), toStringRef(file), toStringRef(content));
  });
}

triton_bytes *triton_cache_get(const char *root, triton_text entry, triton_text file) {
  if (!root)
    return nullptr;
  return answer([&] { return artifact::Store(root).get(toStringRef(entry), toStringRef(file)); });
}

int triton_cache_has(const char *root, triton_text entry, triton_text file) {
  return root && artifact::Store(root).has(toStringRef(entry), toStringRef(file));
}

void triton_cache_touch(const char *root, triton_text entry) {
  if (root && entry.data)
    artifact::Store(root).touch(toStringRef(entry));
}

int triton_cache_remove(const char *root, triton_text entry, triton_error **error) {
  return attempt(error, {{"root", root}, {"entry", entry.data}},
                 [&] { return artifact::Store(root).remove(toStringRef(entry)); });
}

triton_cache_listing *triton_cache_list(const char *root, triton_error **error) {
  return make(error, {{"root", root}}, [&]() -> llvm::Expected<triton_cache_listing *> {
    return new triton_cache_listing{artifact::Store(root).list()};
  });
}

triton_cache_listing *triton_cache_find(const char *root, triton_text entry, triton_error **error) {
  return make(error, {{"root", root}, {"entry", entry.data}}, [&]() -> llvm::Expected<triton_cache_listing *> {
    auto listing = std::make_unique<triton_cache_listing>();
    if (std::optional<artifact::EntrySummary> found = artifact::Store(root).find(toStringRef(entry)))
      listing->entries.push_back(std::move(*found));
    return listing.release();
  });
}

triton_cache_listing *triton_cache_prune(const char *root, uint64_t limit, uint64_t *bytes_before,
                                         uint64_t *bytes_after, triton_error **error) {
  return make(error, {{"root", root}}, [&]() -> llvm::Expected<triton_cache_listing *> {
    artifact::PruneSummary summary = artifact::Store(root).prune(limit);
    if (bytes_before)
      *bytes_before = summary.bytesBefore;
    if (bytes_after)
      *bytes_after = summary.bytesAfter;
    auto listing = std::make_unique<triton_cache_listing>();
    for (std::string &name : summary.removed)
      listing->entries.emplace_back().name = std::move(name);
    return listing.release();
  });
}

const char *triton_cache_listing_name(const triton_cache_listing *listing, size_t entry) {
  const artifact::EntrySummary *found = entryAt(listing, entry);
  return found ? found->name.c_str() : nullptr;
}
const char *triton_cache_listing_file(const triton_cache_listing *listing, size_t entry, size_t file) {
  const artifact::EntrySummary *found = entryAt(listing, entry);
  return found && file < found->files.size() ? found->files[file].c_str() : nullptr;
}
uint64_t triton_cache_listing_bytes(const triton_cache_listing *listing, size_t entry) {
  const artifact::EntrySummary *found = entryAt(listing, entry);
  return found ? found->bytes : 0;
}
int64_t triton_cache_listing_last_used(const triton_cache_listing *listing, size_t entry) {
  const artifact::EntrySummary *found = entryAt(listing, entry);
  return found ? found->lastUsed : 0;
}
int triton_cache_listing_is_sealed(const triton_cache_listing *listing, size_t entry) {
  const artifact::EntrySummary *found = entryAt(listing, entry);
  return found && found->isSealed;
}
void triton_cache_listing_free(triton_cache_listing *listing) { delete listing; }

int triton_cache_parse_size(triton_text text, uint64_t *bytes) {
  std::optional<uint64_t> size = artifact::parseSize(toStringRef(text));
  if (size && bytes)
    *bytes = *size;
  return !size;
}

triton_bytes *triton_cache_build_id(const void *address, triton_error **error) {
  return make(error, {}, [&]() -> llvm::Expected<triton_bytes *> {
    return new triton_bytes{address ? artifact::buildIdOf(address) : artifact::buildId()};
  });
}

triton_bytes *triton_cache_digest_files(const char *folder, const char *suffix, triton_error **error) {
  return make(error, {{"folder", folder}, {"suffix", suffix}}, [&]() -> llvm::Expected<triton_bytes *> {
    return new triton_bytes{artifact::digestFiles(folder, suffix)};
  });
}

triton_bytes *triton_cache_tools(const char *target, const char *architecture, const char *linker,
                                 triton_error **error) {
  return make(error, {{"target", target}, {"architecture", architecture}},
              [&] { return toolsOf(target, architecture, linker ? linker : ""); });
}

triton_bytes *triton_cache_seal(triton_text description, const triton_named_file *files, size_t file_count,
                                triton_text secret, triton_error **error) {
  return make(error, {{"description", description.data}}, [&]() -> llvm::Expected<triton_bytes *> {
    auto named = readFiles(files, file_count);
    if (!named)
      return named.takeError();
    std::optional<std::string> sealed = artifact::seal(toStringRef(description), *named, toStringRef(secret));
    if (!sealed)
      return failure("ValueError", "only the text of a JSON object can be sealed");
    return toBytes(std::move(sealed));
  });
}

triton_bytes *triton_cache_find_damage(triton_text description, const triton_named_file *files, size_t file_count,
                                       int may_be_missing, triton_text secret, triton_error **error) {
  return make(error, {{"description", description.data}}, [&]() -> llvm::Expected<triton_bytes *> {
    auto named = readFiles(files, file_count);
    if (!named)
      return named.takeError();
    return new triton_bytes{
        artifact::findDamage(toStringRef(description), *named, may_be_missing != 0, toStringRef(secret))};
  });
}

triton_bytes *triton_cache_read_secret(const char *path, triton_error **error) {
  return make(error, {{"path", path}}, [&]() -> llvm::Expected<triton_bytes *> {
    llvm::Expected<std::string> secret = artifact::readSecret(path);
    if (!secret)
      return secret.takeError();
    return new triton_bytes{std::move(*secret)};
  });
}

triton_bytes *triton_cache_read_plain_file(triton_text path) {
  if (!path.data)
    return nullptr;
  return answer([&] { return artifact::readPlainFile(toStringRef(path)); });
}

int triton_cache_is_file_name(triton_text name) { return name.data && artifact::isFileName(toStringRef(name)); }

triton_bytes *triton_cache_variant(triton_text hash, unsigned number) {
  if (!hash.data || number >= driver::mostVariants)
    return nullptr;
  return answer([&] { return std::optional(driver::variantHash(toStringRef(hash).str(), number)); });
}

int triton_redis_is_available(void) { return artifact::Redis::isAvailable(); }

triton_redis *triton_redis_create(const char *host, int port, double timeout_seconds, triton_error **error) {
  return make(error, {{"host", host}}, [&]() -> llvm::Expected<triton_redis *> {
    return handOut(llvm::makeIntrusiveRefCnt<triton_redis>(host, port, timeout_seconds));
  });
}

int triton_redis_get(const triton_redis *redis, const triton_text *keys, size_t key_count, triton_bytes **values,
                     triton_error **error) {
  const void *nothing = &error;
  return attempt(error,
                 {{"redis", redis}, {"keys", key_count ? keys : nothing}, {"values", key_count ? values : nothing}},
                 [&] { return readAll(redis->redis, {keys, key_count}, values); });
}

int triton_redis_put(const triton_redis *redis, triton_text key, triton_text value, triton_error **error) {
  return attempt(error, {{"redis", redis}, {"key", key.data}, {"value", value.data}},
                 [&] { return redis->redis.put(toStringRef(key), toStringRef(value)); });
}

int triton_redis_put_first(const triton_redis *redis, triton_text key, triton_text value, unsigned seconds,
                           triton_error **error) {
  return attempt(error, {{"redis", redis}, {"key", key.data}, {"value", value.data}},
                 [&] { return redis->redis.putFirst(toStringRef(key), toStringRef(value), seconds); });
}

triton_redis *triton_redis_retain(const triton_redis *redis) { return retain(redis); }
void triton_redis_free(triton_redis *redis) { release(redis); }

} // extern "C"
