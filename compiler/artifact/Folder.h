// A directory held open, and the plain files in it: all that the cache reads, writes and removes goes through here.
//   In:  the name of a file or folder in it, never a path.
//   Out: its content, or nothing.
// Links are not followed, and what is no plain file (a pipe, a device, a socket) is not opened: whoever else writes into a directory of the cache cannot make a
// reader wait, nor have a file outside of it read, replaced or removed.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorOr.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace triton::artifact {

/// Whether `name` names one thing in a folder: no path, neither `.` nor `..`, and text. Things with other names are not seen.
bool isFileName(llvm::StringRef name);

/// The content of a plain file; nullopt if it is no such thing. The folders that lead to it may be links, the file not.
std::optional<std::string> readPlainFile(llvm::StringRef path);

class Folder {
public:
  /// By a path of the user's, who may have put a link there.
  static llvm::ErrorOr<Folder> at(const std::string &path);
  Folder(Folder &&other) : descriptor(other.descriptor) { other.descriptor = -1; }
  Folder &operator=(Folder &&) = delete;
  ~Folder();

  llvm::ErrorOr<Folder> open(llvm::StringRef name) const;
  /// Opens it, after making it if it is not there.
  llvm::ErrorOr<Folder> make(llvm::StringRef name) const;
  /// Of everything in it, sorted.
  std::vector<std::string> names() const;

  struct Status {
    bool isPlainFile = false;
    uint64_t bytes = 0;
    int64_t changed = 0; // nanoseconds since 1970
  };
  /// Of the thing that has this name, not of what it may be a link to.
  std::optional<Status> status(llvm::StringRef name) const;
  /// When something in it was made, renamed or removed, or when it was touched, in nanoseconds since 1970.
  int64_t lastChange() const;
  /// Makes that now. Does nothing where it must not write.
  void touch() const;

  std::optional<std::string> read(llvm::StringRef name) const;
  /// Puts a file in the place of what has this name. Whoever looks sees all of it or none.
  std::error_code write(llvm::StringRef name, llvm::StringRef content) const;
  /// Removes a plain file, and nothing else.
  std::error_code remove(llvm::StringRef name) const;
  /// Removes a folder if it is empty.
  void removeEmpty(llvm::StringRef name) const;

private:
  explicit Folder(int descriptor) : descriptor(descriptor) {}
  int descriptor;
};

/// Whether it is a name that `write` gives to a file until that is whole.
bool isTemporaryName(llvm::StringRef name);

} // namespace triton::artifact
