#include "dispatch/launch/CudaKernel.h"

#include "runtime/cuda/Memory.h"
#include "runtime/cuda/Simulation.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

namespace triton::dispatch {

namespace cuda = runtime::cuda;

llvm::Expected<cuda::Driver &> cudaDriver() {
  if (cuda::Driver *driver = cuda::Driver::getIfUsed())
    return *driver;
  if (const char *architecture = std::getenv("TRITON_SIMULATE"); architecture && *architecture)
    cuda::Driver::setLibrary((cuda::simulatorPrefix + architecture).str());
  else if (const char *path = std::getenv("TRITON_LIBCUDA_PATH"))
    cuda::Driver::setLibrary(path);
  return cuda::Driver::get();
}

llvm::Expected<std::string> cudaArchitecture(int device) {
  auto driver = cudaDriver();
  if (!driver)
    return driver.takeError();
  auto properties = driver->properties(device);
  if (!properties)
    return properties.takeError();
  return "sm_" + std::to_string(properties->capability) + (properties->capability >= 90 ? "a" : "");
}

char OutOfResources::ID;

llvm::Expected<CudaKernel::OnDevice &> CudaKernel::load(cuda::Driver &driver, int device) {
  std::lock_guard lock(mutex);
  if (auto found = loaded.find(device); found != loaded.end())
    return *found->second;
  auto properties = driver.properties(device);
  if (!properties)
    return properties.takeError();
  if (int(artifact->sharedBytes) > properties->maxSharedBytes)
    return llvm::make_error<OutOfResources>(artifact->sharedBytes, properties->maxSharedBytes, "shared memory");
  auto function = cuda::load(driver, *artifact->stage("cubin"), artifact->name, artifact->sharedBytes, device);
  if (!function)
    return function.takeError();
  if (artifact->numWarps * 32 > function->maxThreads)
    return llvm::make_error<OutOfResources>(artifact->numWarps * 32, function->maxThreads, "threads");
  auto made = std::make_unique<OnDevice>(*function, CudaPlan::of(*artifact));
  if (auto context = made->launcher.prepare(function->function); !context)
    return context.takeError();
  return *(loaded[device] = std::move(made));
}

llvm::Error CudaKernel::launch(std::byte *arguments, CudaCall call, int device) {
  auto driver = cudaDriver();
  if (!driver)
    return driver.takeError();
  auto here = load(*driver, device);
  if (!here)
    return here.takeError();
  CudaLauncher &launcher = here->launcher;
  call.function = here->function.function;
  call.context = here->function.context;
  auto scratch = cuda::LaunchScratch::allocate(*driver, call.context, call.stream,
                                               launcher.scratchBytes(call.grid, artifact->globalScratchBytes));
  if (!scratch)
    return scratch.takeError();
  call.scratch = scratch->address();
  int status = launcher.launch(driver->api(), call, arguments);
  if (!status)
    return llvm::Error::success();
  return llvm::make_error<cuda::DriverError>(status, launcher.describeFailure(driver->api(), call, status));
}

} // namespace triton::dispatch
