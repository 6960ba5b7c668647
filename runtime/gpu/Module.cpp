#include "runtime/gpu/Module.h"

#include "compiler/support/KernelSymbols.h"

#include "llvm/ADT/DenseMap.h"

#include <array>
#include <optional>
#include <shared_mutex>

namespace triton::runtime::gpu {

// Every block may use this much without asking.
static constexpr uint32_t sharedBytesOfAll = 48 * 1024;

static std::shared_mutex functionsMutex;
/// Never destroyed: launches may come while the process ends.
static llvm::DenseMap<FunctionHandle, LoadedFunction> &functions() {
  static auto *map = new llvm::DenseMap<FunctionHandle, LoadedFunction>();
  return *map;
}

std::optional<LoadedFunction> find(FunctionHandle function) {
  std::shared_lock lock(functionsMutex);
  auto found = functions().find(function);
  return found == functions().end() ? std::nullopt : std::optional(found->second);
}

static bool isElf(llvm::StringRef image) {
  return image.starts_with("\x7f"
                           "ELF");
}

/// The module, with the translator's log in the error where the image is PTX.
static llvm::Expected<ModuleHandle> loadModule(const DriverApi &api, llvm::StringRef image, const std::string &name) {
  std::array<char, 8192> errors{};
  std::array<JitOption, 2> options = {JitOption::ErrorLog, JitOption::ErrorLogBytes};
  std::array<void *, 2> values = {errors.data(), reinterpret_cast<void *>(errors.size())};
  std::string terminated = image.str(); // the driver reads PTX up to a zero
  ModuleHandle module = nullptr;
  int status = api.loadModule(&module, terminated.c_str(), options.size(), options.data(), values.data());
  if (!status)
    return module;
  llvm::StringRef log = llvm::StringRef(errors.data(), strnlen(errors.data(), errors.size())).trim();
  std::string detail = ("loading the " +
                        llvm::Twine(api.vendor == Vendor::Amd ? "code object"
                                    : isElf(image)            ? "cubin"
                                                              : "PTX") +
                        " of '" + name + "'")
                           .str();
  return failure(api, status, log.empty() ? detail : detail + ": " + log.str());
}

/// Reads what the function uses, and asks for the shared memory it needs.
static llvm::Error configure(const DriverApi &api, LoadedFunction &loaded, uint32_t sharedBytes, int optInBytes) {
  int status = Success;
  auto read = [&](FunctionAttribute attribute, int &value) {
    if (!status)
      status = api.functionAttribute(&value, attribute, loaded.function);
  };
  read(FunctionAttribute::Registers, loaded.registers);
  read(FunctionAttribute::LocalBytes, loaded.localBytes);
  read(FunctionAttribute::StaticSharedBytes, loaded.staticSharedBytes);
  read(FunctionAttribute::MaxThreadsPerBlock, loaded.maxThreads);
  if (status)
    return failure(api, status, "reading the attributes of a function");
  if (sharedBytes <= sharedBytesOfAll || optInBytes <= int(sharedBytesOfAll))
    return llvm::Error::success();
  status = api.setCachePreference(loaded.function, cachePreferShared);
  if (!status)
    status = api.setFunctionAttribute(loaded.function, FunctionAttribute::MaxDynamicSharedBytes,
                                      optInBytes - loaded.staticSharedBytes);
  return status ? failure(api, status, "asking for shared memory") : llvm::Error::success();
}

llvm::Expected<LoadedFunction> load(Driver &driver, llvm::StringRef image, const std::string &name,
                                    uint32_t sharedBytes, int device) {
  auto context = driver.use(device);
  if (!context)
    return context.takeError();
  auto properties = driver.properties(device);
  if (!properties)
    return properties.takeError();
  const DriverApi &api = driver.api();
  DuringCapture relaxed(api);
  auto module = loadModule(api, image, name);
  if (!module)
    return module.takeError();
  LoadedFunction loaded{.module = *module, .context = *context, .device = device};
  auto giveUp = [&](llvm::Error error) {
    api.unloadModule(*module);
    return error;
  };
  const std::string symbol = api.vendor == Vendor::Nvidia ? ptxSymbol(name) : name;
  if (int status = api.findFunction(&loaded.function, *module, symbol.c_str()))
    return giveUp(failure(api, status, "looking for the kernel '" + name + "'"));
  if (llvm::Error error = configure(api, loaded, sharedBytes, properties->maxSharedBytes))
    return giveUp(std::move(error));
  std::unique_lock lock(functionsMutex);
  functions()[loaded.function] = loaded;
  return loaded;
}

llvm::Error unload(Driver &driver, const LoadedFunction &function) {
  {
    std::unique_lock lock(functionsMutex);
    functions().erase(function.function);
  }
  ContextScope scope(driver.api(), function.context);
  DuringCapture relaxed(driver.api());
  int status = scope.status() ? scope.status() : driver.api().unloadModule(function.module);
  return status ? failure(driver.api(), status, "unloading a module") : llvm::Error::success();
}

llvm::Error unload(Driver &driver, ModuleHandle module) {
  std::optional<LoadedFunction> loaded;
  {
    std::shared_lock lock(functionsMutex);
    for (const auto &[handle, function] : functions())
      if (function.module == module)
        loaded = function;
  }
  return loaded ? unload(driver, *loaded) : llvm::createStringError("no module that was loaded here");
}

llvm::Error allowLargeClusters(Driver &driver, FunctionHandle function) {
  int status =
      driver.api().setFunctionAttribute(function, FunctionAttribute::NonPortableClusterSizeAllowed, /*value=*/1);
  return status ? failure(driver.api(), status, "allowing clusters of 16 blocks") : llvm::Error::success();
}

llvm::Expected<int> maxActiveClusters(Driver &driver, FunctionHandle function, uint32_t threads, uint32_t sharedBytes,
                                      uint32_t clusterSize) {
  if (!driver.api().maxActiveClusters)
    return llvm::createStringError("this driver knows no clusters");
  if (clusterSize > 8)
    if (llvm::Error error = allowLargeClusters(driver, function))
      return error;
  LaunchAttribute attribute{};
  attribute.id = LaunchAttributeId::ClusterDimension;
  attribute.clusterDimension[0] = clusterSize;
  attribute.clusterDimension[1] = attribute.clusterDimension[2] = 1;
  LaunchConfiguration configuration{clusterSize, 1, 1, threads, 1, 1, sharedBytes, nullptr, &attribute, 1};
  int count = 0;
  if (int status = driver.api().maxActiveClusters(&count, function, &configuration))
    return failure(driver.api(), status, "counting clusters of " + llvm::Twine(clusterSize) + " blocks");
  return count;
}

llvm::Error setPrintfFifoBytes(Driver &driver, size_t bytes) {
  size_t current = 0;
  int status = driver.api().getLimit(&current, Limit::PrintfFifoBytes);
  if (!status && current != bytes)
    status = driver.api().setLimit(Limit::PrintfFifoBytes, bytes);
  return status ? failure(driver.api(), status, "setting the buffer of device-side print") : llvm::Error::success();
}

std::optional<DevicePointer> devicePointer(Driver &driver, DevicePointer pointer) {
  DevicePointer address = 0;
  if (driver.api().pointerAttribute(&address, pointerAttributeDevicePointer, pointer) != Success)
    return std::nullopt;
  return address;
}

} // namespace triton::runtime::gpu
