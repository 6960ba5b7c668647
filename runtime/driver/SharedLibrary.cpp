#include "runtime/driver/SharedLibrary.h"

#include <utility>

#include <dlfcn.h>
#include <sys/stat.h>

namespace triton::runtime::gpu {

SharedLibrary SharedLibrary::open(const std::string &path) {
  SharedLibrary library;
  library.handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library.handle)
    library.itsProblem = dlerror();
  return library;
}

SharedLibrary::SharedLibrary(SharedLibrary &&other) noexcept
    : handle(std::exchange(other.handle, nullptr)), isKept(other.isKept), itsProblem(std::move(other.itsProblem)),
      itsMissing(std::move(other.itsMissing)) {}

SharedLibrary::~SharedLibrary() {
  if (handle && !isKept)
    dlclose(handle);
}

void *SharedLibrary::look(const char *symbol) const { return dlsym(handle, symbol); }

std::string fileInFolder(const std::string &path, const std::string &name) {
  struct stat status;
  if (!path.empty() && stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
    return path + "/" + name;
  return path.empty() ? name : path;
}

} // namespace triton::runtime::gpu
