#include "dispatch/launch/CudaLauncher.h"

#include <cstdlib>

namespace triton::dispatch {

namespace cuda = runtime::cuda;

CudaPlan CudaPlan::of(const artifact::Artifact &artifact) {
  CudaPlan plan{.argumentBytes = artifact.argumentBytes,
                .threads = uint32_t(artifact.numWarps) * 32,
                .sharedBytes = artifact.sharedBytes,
                .clusterSize = uint32_t(artifact.numCtas),
                .waitsAtEntry = artifact.waitsAtEntry};
  for (const artifact::Argument &argument : artifact.arguments)
    plan.offsets.push_back(argument.offset);
  return plan;
}

bool isEachLaunchShown() {
  for (const char *name : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "NV_NSIGHT_INJECTION_PORT_BASE"})
    if (std::getenv(name))
      return true;
  const char *blocking = std::getenv("CUDA_LAUNCH_BLOCKING");
  return blocking && llvm::StringRef(blocking) != "0" && *blocking;
}

llvm::Expected<cuda::ContextHandle> CudaLauncher::prepare(cuda::FunctionHandle function) const {
  std::optional<cuda::LoadedFunction> found = cuda::find(function);
  if (!found)
    return nullptr;
  if (plan.clusterSize > 8) {
    auto driver = cuda::Driver::get();
    if (!driver)
      return driver.takeError();
    if (llvm::Error error = cuda::allowLargeClusters(*driver, function))
      return error;
  }
  return found->context;
}

std::string CudaLauncher::describeFailure(const cuda::DriverApi &api, const CudaCall &call, int status) const {
  return cuda::describeFailure(api, describe(call), status);
}

} // namespace triton::dispatch
