#include "compiler/artifact/Store.h"
#include "compiler/artifact/Folder.h"
#include "compiler/artifact/Seal.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"

#include <chrono>

using namespace triton::artifact;
using llvm::StringRef;

constexpr StringRef groupPrefix = "__grp__", descriptionSuffix = ".json";

static llvm::Error failure(std::error_code error, const llvm::Twine &what) {
  return llvm::createStringError(error, what + ": " + error.message());
}

llvm::Error Store::put(StringRef entry, StringRef file, StringRef content) const {
  for (StringRef name : {entry, file})
    if (!isFileName(name))
      return llvm::createStringError("'" + name + "' is no name of a file in a cache");
  std::error_code error;
  // Twice: somebody may remove the entry between our steps.
  for (int attempt = 0; attempt < 2; ++attempt) {
    error = llvm::sys::fs::create_directories(root);
    llvm::ErrorOr<Folder> all = error ? error : Folder::at(root);
    llvm::ErrorOr<Folder> folder = all ? all->make(entry) : all.getError();
    error = folder ? folder->write(file, content) : folder.getError();
    if (!error)
      return llvm::Error::success();
    if (error != std::errc::no_such_file_or_directory)
      break;
  }
  return failure(error, "cannot write '" + root + "/" + entry + "/" + file + "'");
}

/// Nullopt if there is no such folder, or it is a link.
static std::optional<Folder> folderOf(const std::string &root, StringRef entry) {
  llvm::ErrorOr<Folder> all = Folder::at(root);
  llvm::ErrorOr<Folder> folder = all ? all->open(entry) : all.getError();
  return folder ? std::optional(std::move(*folder)) : std::nullopt;
}

std::optional<std::string> Store::get(StringRef entry, StringRef file) const {
  std::optional<Folder> folder = folderOf(root, entry);
  return folder ? folder->read(file) : std::nullopt;
}

bool Store::has(StringRef entry, StringRef file) const {
  std::optional<Folder> folder = folderOf(root, entry);
  std::optional<Folder::Status> status = folder ? folder->status(file) : std::nullopt;
  return status && status->isPlainFile;
}

void Store::touch(StringRef entry) const {
  if (std::optional<Folder> folder = folderOf(root, entry))
    folder->touch();
}

/// Whether it is 256 bits in base 32: what keys look like as names of folders.
static bool isEntryName(StringRef name) {
  return name.size() == 52 &&
         llvm::all_of(name, [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '2' && c <= '7'); });
}

/// What seals prove to be the cache's in a folder: descriptions, the groups that name them, the files they are closed over.
static llvm::StringSet<> sealedIn(const Folder &folder, llvm::ArrayRef<std::string> names) {
  llvm::StringSet<> own;
  for (StringRef name : names) {
    if (!name.ends_with(descriptionSuffix) || name.starts_with(groupPrefix))
      continue;
    std::optional<std::string> description = folder.read(name);
    std::optional<std::vector<std::string>> files = description ? sealedFiles(*description) : std::nullopt;
    if (!files)
      continue;
    own.insert(name);
    own.insert((groupPrefix + name).str());
    for (const std::string &file : *files)
      own.insert(file);
  }
  return own;
}

/// Nullopt if it cannot be an entry.
static std::optional<EntrySummary> inspect(const Folder &folder, StringRef name) {
  const std::vector<std::string> names = folder.names();
  const llvm::StringSet<> own = sealedIn(folder, names);
  EntrySummary entry{.name = name.str(), .lastUsed = folder.lastChange(), .isSealed = !own.empty()};
  if (!entry.isSealed && !isEntryName(name))
    return std::nullopt;
  for (const std::string &file : names) {
    const bool isTemporary = isTemporaryName(file);
    std::optional<Folder::Status> status = folder.status(file);
    if (!status || !status->isPlainFile || (entry.isSealed && !isTemporary && !own.contains(file)))
      continue;
    entry.bytes += status->bytes;
    if (!isTemporary)
      entry.files.push_back(file);
  }
  return entry.files.empty() ? std::nullopt : std::optional(std::move(entry));
}

static std::error_code removeSealed(const Folder &root, StringRef name, const EntrySummary &entry,
                                    const Folder &folder) {
  // Descriptions first: an entry without one does not exist, so nobody reads half of it.
  for (const bool isFirst : {true, false})
    for (StringRef file : entry.files)
      if (file.ends_with(descriptionSuffix) == isFirst)
        if (std::error_code error = folder.remove(file))
          return error;
  root.removeEmpty(name);
  return {};
}

llvm::Error Store::remove(StringRef name) const {
  llvm::ErrorOr<Folder> all = Folder::at(root);
  llvm::ErrorOr<Folder> folder = all ? all->open(name) : all.getError();
  if (!folder && folder.getError() == std::errc::no_such_file_or_directory)
    return llvm::Error::success();
  const std::string path = root + "/" + name.str();
  if (!folder)
    return failure(folder.getError(), "cannot remove '" + path + "'");
  std::optional<EntrySummary> entry = inspect(*folder, name);
  if (!entry || !entry->isSealed)
    return llvm::createStringError("cannot remove '" + path + "': no seal says that it is an entry of a cache");
  std::error_code error = removeSealed(*all, name, *entry, *folder);
  return error ? failure(error, "cannot remove '" + path + "'") : llvm::Error::success();
}

std::optional<EntrySummary> Store::find(StringRef name) const {
  std::optional<Folder> folder = folderOf(root, name);
  return folder ? inspect(*folder, name) : std::nullopt;
}

std::vector<EntrySummary> Store::list() const {
  std::vector<EntrySummary> entries;
  llvm::ErrorOr<Folder> all = Folder::at(root);
  if (!all)
    return entries;
  for (const std::string &name : all->names())
    if (llvm::ErrorOr<Folder> folder = all->open(name))
      if (std::optional<EntrySummary> entry = inspect(*folder, name))
        entries.push_back(std::move(*entry));
  return entries;
}

/// Removes what writers that were killed left: files under names of the moment, and folders that they had not put anything into. An hour is more than any of
/// them takes.
static void removeLeftovers(const Folder &root) {
  constexpr int64_t hour = 3600ll * 1000000000ll;
  const int64_t now =
      std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count(); // as files are stamped
  for (const std::string &name : root.names()) {
    llvm::ErrorOr<Folder> folder =
        isEntryName(name) ? root.open(name) : std::make_error_code(std::errc::not_a_directory);
    if (!folder)
      continue;
    const bool isOld = now - folder->lastChange() > hour;
    for (const std::string &file : folder->names())
      if (std::optional<Folder::Status> status = isTemporaryName(file) ? folder->status(file) : std::nullopt)
        if (now - status->changed > hour)
          (void)folder->remove(file);
    if (isOld)
      root.removeEmpty(name);
  }
}

PruneSummary Store::prune(uint64_t limit) const {
  PruneSummary summary;
  llvm::ErrorOr<Folder> all = Folder::at(root);
  if (!all)
    return summary;
  removeLeftovers(*all);
  std::vector<EntrySummary> entries = list();
  llvm::erase_if(entries, [](const EntrySummary &entry) { return !entry.isSealed; });
  for (const EntrySummary &entry : entries)
    summary.bytesBefore += entry.bytes;
  summary.bytesAfter = summary.bytesBefore;
  llvm::stable_sort(entries, [](const auto &a, const auto &b) { return a.lastUsed < b.lastUsed; });
  for (const EntrySummary &entry : entries) {
    if (summary.bytesAfter <= limit)
      break;
    // Its seals have just been read. What cannot be removed stays: the next one may go.
    llvm::ErrorOr<Folder> folder = all->open(entry.name);
    if (!folder || removeSealed(*all, entry.name, entry, *folder))
      continue;
    summary.bytesAfter -= entry.bytes;
    summary.removed.push_back(entry.name);
  }
  return summary;
}

std::optional<uint64_t> triton::artifact::parseSize(StringRef text) {
  text = text.trim();
  uint64_t number = 0;
  if (text.consumeInteger(10, number))
    return std::nullopt;
  text = text.ltrim();
  constexpr StringRef units = "kmgt";
  unsigned shift = 0;
  if (!text.empty() && units.contains(llvm::toLower(text.front()))) {
    shift = 10 * (units.find(llvm::toLower(text.front())) + 1);
    text = text.drop_front();
    text.consume_front_insensitive("i");
  }
  text.consume_front_insensitive("b");
  if (!text.empty() || (shift && number >> (64 - shift)))
    return std::nullopt;
  return number << shift;
}
