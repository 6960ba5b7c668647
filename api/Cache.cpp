// The public face of the artifact cache.
#include <triton/cache.h>

#include "compiler/artifact/BuildId.h"
#include "compiler/artifact/Folder.h"
#include "compiler/artifact/Redis.h"
#include "compiler/artifact/Seal.h"
#include "compiler/artifact/Store.h"
#include "compiler/driver/Target.h"

namespace triton::cache {

static llvm::StringRef ref(std::string_view text) { return llvm::StringRef(text.data(), text.size()); }

static std::optional<std::string> message(llvm::Error error) {
  if (!error)
    return std::nullopt;
  return llvm::toString(std::move(error));
}

std::optional<std::string> Store::put(std::string_view entry, std::string_view file, std::string_view content) const {
  return message(artifact::Store(itsRoot).put(ref(entry), ref(file), ref(content)));
}

std::optional<std::string> Store::get(std::string_view entry, std::string_view file) const {
  return artifact::Store(itsRoot).get(ref(entry), ref(file));
}

bool Store::has(std::string_view entry, std::string_view file) const {
  return artifact::Store(itsRoot).has(ref(entry), ref(file));
}

void Store::touch(std::string_view entry) const { artifact::Store(itsRoot).touch(ref(entry)); }

std::optional<std::string> Store::remove(std::string_view entry) const {
  return message(artifact::Store(itsRoot).remove(ref(entry)));
}

static Entry toEntry(artifact::EntrySummary &&entry) {
  return {std::move(entry.name), std::move(entry.files), entry.bytes, entry.lastUsed, entry.isSealed};
}

std::optional<Entry> Store::find(std::string_view entry) const {
  std::optional<artifact::EntrySummary> found = artifact::Store(itsRoot).find(ref(entry));
  return found ? std::optional(toEntry(std::move(*found))) : std::nullopt;
}

std::vector<Entry> Store::list() const {
  std::vector<Entry> entries;
  for (artifact::EntrySummary &entry : artifact::Store(itsRoot).list())
    entries.push_back(toEntry(std::move(entry)));
  return entries;
}

PruneSummary Store::prune(uint64_t limit) const {
  artifact::PruneSummary summary = artifact::Store(itsRoot).prune(limit);
  return {summary.bytesBefore, summary.bytesAfter, std::move(summary.removed)};
}

std::string buildIdOf(const void *address) { return artifact::buildIdOf(address); }
std::string buildId() { return artifact::buildId(); }
std::string digestFiles(const std::string &folder, const std::string &suffix) {
  return artifact::digestFiles(folder, suffix);
}

std::optional<std::string> toolsOf(const std::string &target, const std::string &architecture,
                                   const std::string &linker) {
  const driver::Target *found = driver::findTarget(target);
  if (!found)
    return std::nullopt;
  llvm::Expected<std::string> tools =
      found->tools({.backend = target, .architecture = architecture, .linkerPath = linker});
  if (tools)
    return std::move(*tools);
  llvm::consumeError(tools.takeError()); // a compile says why
  return std::nullopt;
}

std::optional<uint64_t> parseSize(std::string_view text) { return artifact::parseSize(ref(text)); }

static std::vector<artifact::NamedFile> refs(const std::vector<NamedFile> &files) {
  std::vector<artifact::NamedFile> out;
  for (const auto &[name, content] : files)
    out.emplace_back(ref(name), ref(content));
  return out;
}

std::optional<std::string> seal(std::string_view description, const std::vector<NamedFile> &files,
                                std::string_view secret) {
  return artifact::seal(ref(description), refs(files), ref(secret));
}

std::string findDamage(std::string_view description, const std::vector<NamedFile> &files, bool mayBeMissing,
                       std::string_view secret) {
  return artifact::findDamage(ref(description), refs(files), mayBeMissing, ref(secret));
}

std::variant<Secret, std::string> readSecret(const std::string &path) {
  llvm::Expected<std::string> secret = artifact::readSecret(path);
  if (!secret)
    return llvm::toString(secret.takeError());
  return Secret{std::move(*secret)};
}

std::optional<std::string> readPlainFile(std::string_view path) { return artifact::readPlainFile(ref(path)); }
bool isFileName(std::string_view name) { return artifact::isFileName(ref(name)); }

bool Redis::isAvailable() { return artifact::Redis::isAvailable(); }

Redis::Redis(std::string host, int port, double timeoutSeconds)
    : state(std::make_shared<artifact::Redis>(std::move(host), port, timeoutSeconds)) {}

std::variant<Redis::Values, std::string> Redis::get(const std::vector<std::string> &keys) const {
  auto values = static_cast<artifact::Redis *>(state.get())->get(keys);
  if (!values)
    return llvm::toString(values.takeError());
  return std::move(*values);
}

std::optional<std::string> Redis::put(std::string_view key, std::string_view value) const {
  return message(static_cast<artifact::Redis *>(state.get())->put(ref(key), ref(value)));
}

} // namespace triton::cache
