#include "dispatch/launch/CudaKernel.h"

#include "compiler/artifact/Description.h"
#include "runtime/cuda/TensorMap.h"
#include "runtime/gpu/Memory.h"
#include "runtime/hip/Library.h"
#include "runtime/simulated/Simulation.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

#include <unistd.h>

namespace triton::dispatch {

namespace simulated = runtime::simulated;
namespace gpu = runtime::gpu;
namespace hip = runtime::hip;

static llvm::StringRef backendOf(const gpu::Driver &driver) {
  return driver.api().vendor == gpu::Vendor::Amd ? "hip" : "cuda";
}

/// Whose GPUs there are; NVIDIA's where that cannot be told.
static llvm::StringRef backendOfMachine() {
  const bool isNamed = std::getenv("TRITON_LIBHIP_PATH") && !std::getenv("TRITON_LIBCUDA_PATH");
  const bool isAmds = access("/dev/kfd", F_OK) == 0 && access("/dev/nvidiactl", F_OK) != 0;
  return isNamed || isAmds ? "hip" : "cuda";
}

llvm::Expected<gpu::Driver &> gpuDriver(llvm::StringRef backend) {
  if (gpu::Driver *driver = gpu::Driver::getIfUsed()) {
    if (backend.empty() || backend == backendOf(*driver))
      return *driver;
    return llvm::createStringError("a kernel for the target " + backend +
                                   " cannot run in a process that uses GPUs of the target " + backendOf(*driver));
  }
  auto named = [](const char *variable) {
    const char *path = std::getenv(variable);
    return std::string(path ? path : "");
  };
  if (std::string architecture = named("TRITON_SIMULATE"); !architecture.empty())
    gpu::Driver::setLibrary(simulated::simulatorPrefix.str() + architecture);
  else if ((backend.empty() ? backendOfMachine() : backend) == "hip")
    gpu::Driver::setLibrary(hip::libraryPrefix.str() + named("TRITON_LIBHIP_PATH"));
  else if (std::string path = named("TRITON_LIBCUDA_PATH"); !path.empty())
    gpu::Driver::setLibrary(path);
  return gpu::Driver::get();
}

llvm::Expected<std::string> gpuArchitecture(int device) {
  auto driver = gpuDriver();
  if (!driver)
    return driver.takeError();
  auto properties = driver->properties(device);
  if (!properties)
    return properties.takeError();
  return properties->architecture;
}

std::optional<std::string> encodeTensorMap(const TensorMapDescription &description, void *destination) {
  auto driver = gpuDriver();
  if (!driver)
    return llvm::toString(driver.takeError());
  llvm::Error error = runtime::cuda::encodeOnce(driver->api(),
                                                {.address = description.address,
                                                 .swizzle = description.swizzle,
                                                 .elementBytes = description.elementBytes,
                                                 .elementType = description.elementType,
                                                 .box = {description.box.data(), description.box.size()},
                                                 .shape = {description.shape.data(), description.shape.size()},
                                                 .strides = {description.strides.data(), description.strides.size()},
                                                 .fillWithNan = description.padsWithNan},
                                                destination);
  return error ? std::optional(llvm::toString(std::move(error))) : std::nullopt;
}

char OutOfResources::ID;

llvm::Expected<CudaKernel::OnDevice &> CudaKernel::load(gpu::Driver &driver, int device) {
  std::lock_guard lock(mutex);
  if (auto found = loaded.find(device); found != loaded.end())
    return *found->second;
  auto properties = driver.properties(device);
  if (!properties)
    return properties.takeError();
  if (int(artifact->sharedBytes) > properties->maxSharedBytes)
    return llvm::make_error<OutOfResources>(artifact->sharedBytes, properties->maxSharedBytes, "shared memory");
  auto function = gpu::load(driver, *artifact->stage(artifact::codeStage(artifact->backend)), artifact->name,
                            artifact->sharedBytes, device);
  if (!function)
    return function.takeError();
  if (int threads = artifact->numWarps * artifact->warpSize; threads > function->maxThreads)
    return llvm::make_error<OutOfResources>(threads, function->maxThreads, "threads");
  auto made = std::make_unique<OnDevice>(*function, planOf(*artifact));
  if (auto context = made->launcher.prepare(reinterpret_cast<uint64_t>(function->function)); !context)
    return context.takeError();
  return *(loaded[device] = std::move(made));
}

llvm::Error CudaKernel::launch(std::byte *arguments, CudaCall call, int device) {
  auto driver = gpuDriver(artifact->backend);
  if (!driver)
    return driver.takeError();
  auto here = load(*driver, device);
  if (!here)
    return here.takeError();
  CudaLauncher &launcher = here->launcher;
  call.function = reinterpret_cast<uint64_t>(here->function.function);
  call.context = reinterpret_cast<uint64_t>(here->function.context);
  auto scratch =
      gpu::LaunchScratch::allocate(*driver, here->function.context, reinterpret_cast<gpu::StreamHandle>(call.stream),
                                   launcher.scratchBytes(call.grid, artifact->globalScratchBytes));
  if (!scratch)
    return scratch.takeError();
  call.scratch = scratch->address();
  int status = launcher.launch(driver->api(), call, arguments);
  if (!status)
    return llvm::Error::success();
  return llvm::make_error<gpu::DriverError>(status, launcher.describeFailure(driver->api(), call, status));
}

} // namespace triton::dispatch
