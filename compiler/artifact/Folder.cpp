#include "compiler/artifact/Folder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

#include <dirent.h>
#include <fcntl.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

using namespace triton::artifact;
using llvm::StringRef;

constexpr StringRef temporaryPrefix = "tmp.pid_";
constexpr uint64_t mostBytes = uint64_t(1) << 28; // no kernel is as large; a file that is would fill the memory

static std::error_code lastError() { return std::error_code(errno, std::generic_category()); }
static int64_t nanosecondsOf(const struct timespec &time) { return time.tv_sec * 1000000000ll + time.tv_nsec; }

bool triton::artifact::isFileName(StringRef name) {
  return !name.empty() && name != "." && name != ".." && !name.contains('/') && !name.contains('\0') &&
         name.size() <= 255 && llvm::json::isUTF8(name);
}

/// A name no other process and no other thread takes.
static std::string temporaryName() {
  std::random_device device; // reads the system's generator: equal seeds in forked children would give equal names
  const uint64_t bits = (uint64_t(device()) << 32) | device();
  return (temporaryPrefix + llvm::Twine(getpid()) + "_" + llvm::utohexstr(bits, /*LowerCase=*/true)).str();
}

bool triton::artifact::isTemporaryName(StringRef name) {
  auto [process, bits] = name.split('_').second.split('_');
  return name.starts_with(temporaryPrefix) && !process.empty() && llvm::all_of(process, llvm::isDigit) &&
         !bits.empty() && llvm::all_of(bits, llvm::isHexDigit);
}

std::optional<std::string> triton::artifact::readPlainFile(StringRef path) {
  StringRef parent = llvm::sys::path::parent_path(path);
  llvm::ErrorOr<Folder> folder = Folder::at(parent.empty() ? "." : parent.str());
  return folder ? folder->read(llvm::sys::path::filename(path)) : std::nullopt;
}

llvm::ErrorOr<Folder> Folder::at(const std::string &path) {
  const int opened = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0)
    return lastError();
  return Folder(opened);
}

Folder::~Folder() {
  if (descriptor >= 0)
    ::close(descriptor);
}

llvm::ErrorOr<Folder> Folder::open(StringRef name) const {
  if (!isFileName(name))
    return std::make_error_code(std::errc::invalid_argument);
  const int opened = ::openat(descriptor, name.str().c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (opened < 0)
    return lastError();
  return Folder(opened);
}

llvm::ErrorOr<Folder> Folder::make(StringRef name) const {
  if (isFileName(name) && ::mkdirat(descriptor, name.str().c_str(), 0777) != 0 && errno != EEXIST)
    return lastError();
  return open(name);
}

std::vector<std::string> Folder::names() const {
  std::vector<std::string> names;
  // Opened anew: a position in the directory belongs to its stream.
  const int own = ::openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *stream = own < 0 ? nullptr : ::fdopendir(own);
  if (!stream) {
    if (own >= 0)
      ::close(own);
    return names;
  }
  while (const dirent *entry = ::readdir(stream))
    if (isFileName(entry->d_name))
      names.emplace_back(entry->d_name);
  ::closedir(stream);
  llvm::sort(names);
  return names;
}

std::optional<Folder::Status> Folder::status(StringRef name) const {
  struct stat status;
  if (!isFileName(name) || ::fstatat(descriptor, name.str().c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return std::nullopt;
  return Status{S_ISREG(status.st_mode), static_cast<uint64_t>(status.st_size), nanosecondsOf(status.st_mtim)};
}

int64_t Folder::lastChange() const {
  struct stat status;
  return ::fstat(descriptor, &status) == 0 ? nanosecondsOf(status.st_mtim) : 0;
}

void Folder::touch() const { (void)::futimens(descriptor, nullptr); }

std::optional<std::string> Folder::read(StringRef name) const {
  // Before it is opened: opening is what some devices act on.
  std::optional<Status> found = status(name);
  if (!found || !found->isPlainFile || found->bytes > mostBytes)
    return std::nullopt;
  // Something else may have taken its place since, which must not keep us waiting either.
  const int opened =
      ::openat(descriptor, name.str().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (opened < 0)
    return std::nullopt;
  struct stat status;
  bool isSound = ::fstat(opened, &status) == 0 && S_ISREG(status.st_mode);
  std::string content;
  content.reserve(isSound ? found->bytes : 0);
  char buffer[65536];
  while (isSound) {
    const ssize_t count = ::read(opened, buffer, sizeof(buffer));
    if (count == 0)
      break;
    if (count > 0)
      content.append(buffer, count);
    isSound = (count > 0 || errno == EINTR) && content.size() <= mostBytes;
  }
  ::close(opened);
  return isSound ? std::optional(std::move(content)) : std::nullopt;
}

/// Writes all of it and closes the file.
static std::error_code writeAll(int descriptor, StringRef content) {
  std::error_code error;
  while (!content.empty() && !error) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written >= 0)
      content = content.drop_front(written);
    else if (errno != EINTR)
      error = lastError();
  }
  // A full disk or quota may only show here, on NFS.
  if (::close(descriptor) != 0 && !error)
    error = lastError();
  return error;
}

std::error_code Folder::write(StringRef name, StringRef content) const {
  if (!isFileName(name))
    return std::make_error_code(std::errc::invalid_argument);
  const std::string temporary = temporaryName();
  const int made = ::openat(descriptor, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (made < 0)
    return lastError();
  std::error_code error = writeAll(made, content);
  if (!error && ::renameat(descriptor, temporary.c_str(), descriptor, name.str().c_str()) != 0)
    error = lastError();
  if (error)
    ::unlinkat(descriptor, temporary.c_str(), 0);
  return error;
}

std::error_code Folder::remove(StringRef name) const {
  std::optional<Status> found = status(name);
  if (!found)
    return {};
  if (!found->isPlainFile)
    return std::make_error_code(std::errc::operation_not_permitted);
  return ::unlinkat(descriptor, name.str().c_str(), 0) == 0 || errno == ENOENT ? std::error_code() : lastError();
}

void Folder::removeEmpty(StringRef name) const {
  if (isFileName(name))
    (void)::unlinkat(descriptor, name.str().c_str(), AT_REMOVEDIR);
}
