#include "runtime/cuda/DriverApi.h"

#include "llvm/Support/raw_ostream.h"

#include <dlfcn.h>

namespace triton::runtime::cuda {

char DriverError::ID;
void DriverError::log(llvm::raw_ostream &stream) const { stream << itsMessage; }

llvm::Expected<std::unique_ptr<const DriverApi>> DriverApi::open(const std::string &path) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return llvm::createStringError("cannot open NVIDIA's driver library: %s", dlerror());
  auto api = std::make_unique<DriverApi>();
  std::string missing;
#define TRITON_CUDA_FIND(member, symbol, parameters)                                                                   \
  api->member = reinterpret_cast<decltype(api->member)>(dlsym(library, #symbol));
#define TRITON_CUDA_NEED(member, symbol, parameters)                                                                   \
  TRITON_CUDA_FIND(member, symbol, parameters)                                                                         \
  if (!api->member)                                                                                                    \
    missing += (missing.empty() ? "" : ", ") + std::string(#symbol);
  TRITON_CUDA_REQUIRED(TRITON_CUDA_NEED)
  TRITON_CUDA_OPTIONAL(TRITON_CUDA_FIND)
#undef TRITON_CUDA_NEED
#undef TRITON_CUDA_FIND
  if (missing.empty()) {
    int version = 0;
    api->overlapsLaunches = api->driverVersion(&version) == Success && version >= 12030;
    api->launchesGraphs = api->createGraph && api->destroyGraph && api->addKernelNode && api->instantiateGraph &&
                          api->destroyExecutableGraph && api->changeKernelNode && api->launchGraph &&
                          api->streamIsCapturing && api->queryEvent;
    return api;
  }
  dlclose(library);
  return llvm::createStringError("NVIDIA's driver library '" + path + "' is too old: it has no " + missing +
                                 "; CUDA 12 or newer is needed");
}

std::string describe(const DriverApi &api, int status, const llvm::Twine &detail) {
  const char *text = nullptr;
  if (api.errorString(status, &text) != Success || !text)
    text = "unknown error";
  std::string message = ("Triton Error [CUDA]: " + llvm::Twine(text)).str();
  std::string more = detail.str();
  return more.empty() ? message : message + " (" + more + ")";
}

llvm::Error failure(const DriverApi &api, int status, const llvm::Twine &detail) {
  return llvm::make_error<DriverError>(status, describe(api, status, detail));
}

} // namespace triton::runtime::cuda
