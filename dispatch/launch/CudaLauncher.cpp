#include "dispatch/launch/CudaLauncher.h"

#include "runtime/gpu/Messages.h"

#include "llvm/ADT/STLExtras.h"

#include <cstdlib>

namespace triton::dispatch {

namespace gpu = runtime::gpu;

/// Whether it was compiled with this option of a launch switched on.
static bool isSet(const artifact::Artifact &artifact, const char *option) {
  return llvm::is_contained(artifact.options, std::pair<std::string, artifact::OptionValue>(option, true));
}

CudaPlan planOf(const artifact::Artifact &artifact) {
  CudaPlan plan{.argumentBytes = artifact.argumentBytes,
                .threads = uint32_t(artifact.numWarps) * uint32_t(artifact.warpSize),
                .sharedBytes = artifact.sharedBytes,
                .clusterSize = uint32_t(artifact.numCtas),
                .isCooperative = isSet(artifact, "launch_cooperative_grid"),
                .isProgrammatic = isSet(artifact, "launch_pdl"),
                .waitsAtEntry = artifact.waitsAtEntry,
                .hasScratch = artifact.globalScratchBytes != 0,
                .writesMessages = artifact.writesMessages};
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

llvm::Expected<uint64_t> CudaLauncher::prepare(uint64_t function) const {
  std::optional<gpu::LoadedFunction> found = gpu::find(reinterpret_cast<gpu::FunctionHandle>(function));
  if (!found)
    return 0;
  if (plan.clusterSize > 8) {
    auto driver = gpu::Driver::get();
    if (!driver)
      return driver.takeError();
    if (llvm::Error error = gpu::allowLargeClusters(*driver, found->function))
      return error;
  }
  return reinterpret_cast<uint64_t>(found->context);
}

int CudaLauncher::launchWithMessages(const gpu::DriverApi &api, const gpu::Launch &work, gpu::DevicePointer &address) {
  // The null stream is the current device's, also for the function behind the kernel.
  gpu::ContextScope scope(api, work.isContextCurrent ? nullptr : work.context);
  int status = scope.status();
  if (status)
    return status;
  gpu::MessageBuffer *buffer = gpu::MessageBuffer::take(api, work.stream, status);
  if (status)
    return status;
  if (!buffer)
    return gpu::launch(api, work); // which says nothing
  address = buffer->address();
  status = gpu::launch(api, work);
  if (!status)
    return buffer->readBehind(api, work.stream);
  buffer->readNow();
  return status;
}

std::string CudaLauncher::describeFailure(const gpu::DriverApi &api, const CudaCall &call, int status) const {
  return gpu::describeFailure(api, describe(call), status);
}

} // namespace triton::dispatch
