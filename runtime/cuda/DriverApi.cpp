#include "runtime/cuda/DriverApi.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <dlfcn.h>

namespace triton::runtime::cuda {

char DriverError::ID;
void DriverError::log(llvm::raw_ostream &stream) const { stream << itsMessage; }

/// Whether someone looks at launches: tools that trace them come with one of the first three, and some show a graph as one thing; the last asks each
/// launch to wait until it is done, which graphs do not.
static bool wantsKernels() {
  for (const char *name : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "NV_NSIGHT_INJECTION_PORT_BASE"})
    if (std::getenv(name))
      return true;
  const char *blocking = std::getenv("CUDA_LAUNCH_BLOCKING");
  return blocking && llvm::StringRef(blocking) != "0" && *blocking;
}

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
    api->launchesGraphs = !wantsKernels() && api->createGraph && api->destroyGraph && api->addKernelNode &&
                          api->instantiateGraph && api->destroyExecutableGraph && api->changeKernelNode &&
                          api->launchGraph && api->streamIsCapturing && api->queryEvent;
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
