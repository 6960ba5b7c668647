#include "api/CudaKernel.h"

#include "runtime/cuda/Memory.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

namespace triton {

namespace cuda = runtime::cuda;

llvm::Expected<cuda::Driver &> cudaDriver() {
  if (cuda::Driver *driver = cuda::Driver::getIfUsed())
    return *driver;
  if (const char *path = std::getenv("TRITON_LIBCUDA_PATH"))
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
void OutOfResources::log(llvm::raw_ostream &stream) const {
  stream << "out of resource: " << what << ", Required: " << required << ", Hardware limit: " << limit
         << ". Reducing block sizes or `num_stages` may help.";
}

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
  if (artifact->numCtas > 8)
    if (llvm::Error error = cuda::allowLargeClusters(driver, function->function))
      return error;
  auto &made = loaded[device] = std::make_unique<OnDevice>();
  made->function = *function;
  return *made;
}

llvm::Error CudaKernel::launch(const char *arguments, std::array<int32_t, 3> grid, const CudaLaunchOptions &options) {
  auto driver = cudaDriver();
  if (!driver)
    return driver.takeError();
  auto loadedHere = load(*driver, options.device);
  if (!loadedHere)
    return loadedHere.takeError();
  const cuda::LoadedFunction &function = loadedHere->function;
  // The code takes two pointers more: to scratch memory of a launch, and of a profiler, of which there is none.
  uint64_t ctas = uint64_t(grid[0]) * uint64_t(grid[1]) * uint64_t(grid[2]) * uint64_t(artifact->numCtas);
  auto scratch =
      cuda::LaunchScratch::allocate(*driver, function.context, options.stream, ctas * artifact->globalScratchBytes);
  if (!scratch)
    return scratch.takeError();
  uint64_t scratchAddress = scratch->address(), noScratch = 0;
  llvm::SmallVector<void *, 32> pointers;
  for (const artifact::Argument &argument : artifact->arguments)
    pointers.push_back(const_cast<char *>(arguments) + argument.offset);
  pointers.append({&scratchAddress, &noScratch});
  cuda::Launch work{.function = function.function,
                    .context = function.context,
                    .stream = options.stream,
                    .grid = {uint32_t(grid[0]), uint32_t(grid[1]), uint32_t(grid[2])},
                    .threads = uint32_t(artifact->numWarps) * 32,
                    .sharedBytes = artifact->sharedBytes,
                    .clusterSize = uint32_t(artifact->numCtas),
                    .isCooperative = options.isCooperative,
                    // Scratch memory may be what the launch before still uses.
                    .isProgrammatic = options.isProgrammatic && artifact->globalScratchBytes == 0,
                    .waitsAtEntry = artifact->waitsAtEntry,
                    .arguments = pointers.data(),
                    .graph = options.usesGraphs && !scratchAddress ? &loadedHere->graph : nullptr,
                    .argumentBlock = {reinterpret_cast<const std::byte *>(arguments), artifact->argumentBytes}};
  int status = cuda::launch(driver->api(), work);
  if (!status)
    return llvm::Error::success();
  return llvm::make_error<cuda::DriverError>(status, cuda::describeFailure(driver->api(), work, status));
}

} // namespace triton
