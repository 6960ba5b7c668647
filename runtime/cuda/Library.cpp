#include "runtime/cuda/Library.h"

#include "runtime/driver/SharedLibrary.h"

namespace triton::runtime::cuda {

llvm::Expected<std::unique_ptr<const gpu::DriverApi>> openLibrary(const std::string &path) {
  const std::string name = gpu::fileInFolder(path, "libcuda.so.1");
  auto library = gpu::SharedLibrary::open(name);
  if (!library)
    return llvm::createStringError("cannot open NVIDIA's driver library: " + library.problem());
  auto api = std::make_unique<gpu::DriverApi>();
#define TRITON_CUDA_FIND(member, cuda, hip, parameters) library.find(api->member, #cuda);
#define TRITON_CUDA_NEED(member, cuda, hip, parameters) library.need(api->member, #cuda);
  TRITON_DRIVER_REQUIRED(TRITON_CUDA_NEED)
  TRITON_DRIVER_OPTIONAL(TRITON_CUDA_FIND)
#undef TRITON_CUDA_NEED
#undef TRITON_CUDA_FIND
  if (!library.missing().empty())
    return llvm::createStringError("NVIDIA's driver library '" + name + "' is too old: it has no " + library.missing() +
                                   "; CUDA 12 or newer is needed");
  library.keep();
  int version = 0;
  api->overlapsLaunches = api->driverVersion(&version) == gpu::Success && version >= 12030;
  api->launchesGraphs = api->hasGraphs();
  return api;
}

} // namespace triton::runtime::cuda
