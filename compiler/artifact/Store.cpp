#include "compiler/artifact/Store.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <chrono>
#include <fcntl.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

using namespace triton::artifact;
namespace fs = llvm::sys::fs;
using llvm::StringRef;

constexpr StringRef temporaryPrefix = "tmp.pid_", removedPrefix = "removed.";

static std::string pathOf(StringRef folder, StringRef name) {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

/// A name no other process and no other thread takes.
static std::string uniqueName(StringRef prefix) {
  std::random_device device; // reads the system's generator: equal seeds in forked children would give equal names
  uint64_t bits = (uint64_t(device()) << 32) | device();
  return (prefix + llvm::Twine(getpid()) + "_" + llvm::utohexstr(bits, /*LowerCase=*/true)).str();
}

static std::error_code writeFile(const std::string &path, StringRef content) {
  int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return std::error_code(errno, std::generic_category());
  std::error_code error;
  while (!content.empty() && !error) {
    ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written >= 0)
      content = content.drop_front(written);
    else if (errno != EINTR)
      error = std::error_code(errno, std::generic_category());
  }
  // A full disk or quota may only show here, on NFS.
  if (::close(descriptor) != 0 && !error)
    error = std::error_code(errno, std::generic_category());
  return error;
}

llvm::Error Store::put(StringRef entry, StringRef file, StringRef content) const {
  const std::string folder = pathOf(root, entry), path = pathOf(folder, file);
  std::error_code error;
  // Twice: somebody may remove the entry between our steps.
  for (int attempt = 0; attempt < 2; ++attempt) {
    error = fs::create_directories(folder);
    if (error)
      break;
    const std::string temporary = pathOf(folder, uniqueName(temporaryPrefix));
    error = writeFile(temporary, content);
    if (!error && ::rename(temporary.c_str(), path.c_str()) != 0)
      error = std::error_code(errno, std::generic_category());
    if (!error)
      return llvm::Error::success();
    ::unlink(temporary.c_str());
    if (error != std::errc::no_such_file_or_directory)
      break;
  }
  return llvm::createStringError(error, "cannot write '%s': %s", path.c_str(), error.message().c_str());
}

std::optional<std::string> Store::get(StringRef entry, StringRef file) const {
  auto buffer = llvm::MemoryBuffer::getFile(pathOf(pathOf(root, entry), file), /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false, /*IsVolatile=*/true);
  if (!buffer)
    return std::nullopt;
  return (*buffer)->getBuffer().str();
}

void Store::touch(StringRef entry) const { (void)::utimensat(AT_FDCWD, pathOf(root, entry).c_str(), nullptr, 0); }

llvm::Error Store::remove(StringRef entry) const {
  const std::string path = pathOf(root, entry), aside = pathOf(root, uniqueName(removedPrefix));
  if (::rename(path.c_str(), aside.c_str()) != 0) {
    if (errno == ENOENT)
      return llvm::Error::success();
    std::error_code error(errno, std::generic_category());
    return llvm::createStringError(error, "cannot remove '%s': %s", path.c_str(), error.message().c_str());
  }
  if (std::error_code error = fs::remove_directories(aside, /*IgnoreErrors=*/false))
    return llvm::createStringError(error, "cannot remove '%s': %s", aside.c_str(), error.message().c_str());
  return llvm::Error::success();
}

static int64_t nanosecondsOf(const struct timespec &time) { return time.tv_sec * 1000000000ll + time.tv_nsec; }

/// The names in a folder; none if it cannot be read.
static std::vector<std::string> namesIn(const std::string &folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error, /*follow_symlinks=*/false), end; it != end && !error;
       it.increment(error))
    names.push_back(llvm::sys::path::filename(it->path()).str());
  llvm::sort(names);
  return names;
}

std::vector<EntrySummary> Store::list() const {
  std::vector<EntrySummary> entries;
  for (const std::string &name : namesIn(root)) {
    EntrySummary entry{.name = name};
    const std::string folder = pathOf(root, name);
    struct stat status;
    if (::stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || StringRef(name).starts_with(removedPrefix))
      continue;
    entry.lastUsed = nanosecondsOf(status.st_mtim);
    for (const std::string &file : namesIn(folder)) {
      if (::stat(pathOf(folder, file).c_str(), &status) != 0)
        continue; // somebody has just removed it
      entry.bytes += status.st_size;
      if (!StringRef(file).starts_with(temporaryPrefix))
        entry.files.push_back(file);
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

/// Removes what writers and removers that were killed left. An hour is more than any of them takes.
static void removeLeftovers(const std::string &root) {
  constexpr int64_t hour = 3600ll * 1000000000ll;
  const int64_t now =
      std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count(); // as files are stamped
  auto isOld = [&](const std::string &path) {
    struct stat status;
    return ::stat(path.c_str(), &status) == 0 && now - nanosecondsOf(status.st_mtim) > hour;
  };
  for (const std::string &name : namesIn(root)) {
    const std::string folder = pathOf(root, name);
    if (StringRef(name).starts_with(removedPrefix)) {
      if (isOld(folder))
        (void)fs::remove_directories(folder);
      continue;
    }
    for (const std::string &file : namesIn(folder))
      if (StringRef(file).starts_with(temporaryPrefix) && isOld(pathOf(folder, file)))
        ::unlink(pathOf(folder, file).c_str());
  }
}

PruneSummary Store::prune(uint64_t limit) const {
  removeLeftovers(root);
  std::vector<EntrySummary> entries = list();
  PruneSummary summary;
  for (const EntrySummary &entry : entries)
    summary.bytesBefore += entry.bytes;
  summary.bytesAfter = summary.bytesBefore;
  llvm::stable_sort(entries, [](const auto &a, const auto &b) { return a.lastUsed < b.lastUsed; });
  for (const EntrySummary &entry : entries) {
    if (summary.bytesAfter <= limit)
      break;
    if (llvm::Error error = remove(entry.name)) {
      llvm::consumeError(std::move(error)); // a folder of somebody else's: the next one may go
      continue;
    }
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
