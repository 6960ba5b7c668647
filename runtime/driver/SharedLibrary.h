// A shared library whose functions are looked up by name, into pointers of their types.
#pragma once

#include <string>

namespace triton::runtime::gpu {

class SharedLibrary {
public:
  /// Null where it cannot be opened: `problem` says why.
  static SharedLibrary open(const std::string &path);
  SharedLibrary(SharedLibrary &&other) noexcept;
  /// Closes it unless it is kept.
  ~SharedLibrary();

  explicit operator bool() const { return handle; }
  const std::string &problem() const { return itsProblem; }
  /// Leaves it open for good.
  void keep() { isKept = true; }

  /// Null where the library has no such function.
  template <typename Function> void find(Function *&function, const char *symbol) {
    function = reinterpret_cast<Function *>(look(symbol));
  }
  /// Likewise, and notes that it is missing.
  template <typename Function> void need(Function *&function, const char *symbol) {
    find(function, symbol);
    if (!function)
      itsMissing += (itsMissing.empty() ? "" : ", ") + std::string(symbol);
  }
  /// What was needed and is not there: "cuInit, cuDeviceGet".
  const std::string &missing() const { return itsMissing; }

private:
  SharedLibrary() = default;
  void *look(const char *symbol) const;
  void *handle = nullptr;
  bool isKept = false;
  std::string itsProblem, itsMissing;
};

/// `path`, or `name` in it if it is a folder, or `name` alone if it is empty.
std::string fileInFolder(const std::string &path, const std::string &name);

} // namespace triton::runtime::gpu
