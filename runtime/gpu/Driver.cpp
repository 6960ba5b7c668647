// A failure is remembered, as the driver will not appear later; a fork is noticed by a handler, so that launches need not ask for the process.
#include "runtime/gpu/Driver.h"

#include "runtime/cuda/Library.h"
#include "runtime/hip/Library.h"
#include "runtime/simulated/Simulation.h"

#include <atomic>
#include <optional>

#include <pthread.h>

namespace triton::runtime::gpu {

static std::atomic<bool> isForked{false};
static std::mutex processMutex;
static std::string libraryPath;
static std::atomic<Driver *> process{nullptr};
static std::optional<std::string> processFailure;

void Driver::setLibrary(std::string path) {
  std::lock_guard lock(processMutex);
  if (path == libraryPath)
    return;
  libraryPath = std::move(path);
  processFailure.reset(); // it may be found now
}

static llvm::Expected<std::unique_ptr<const DriverApi>> openLibrary(llvm::StringRef path) {
  if (path.consume_front(simulated::simulatorPrefix))
    return simulated::simulatedDriver(path);
  if (path.consume_front(hip::libraryPrefix))
    return hip::openLibrary(path.str());
  return cuda::openLibrary(path.str());
}

llvm::Expected<std::unique_ptr<Driver>> Driver::create() {
  auto api = openLibrary(libraryPath);
  if (!api)
    return api.takeError();
  auto driver = std::make_unique<Driver>();
  driver->functions = std::move(*api);
  const DriverApi &functions = *driver->functions;
  if (int status = functions.initialize(0))
    return failure(functions, status);
  int count = 0;
  if (int status = functions.deviceCount(&count))
    return failure(functions, status);
  if (count == 0)
    return failure(functions, NoDevice);
  driver->devices.resize(size_t(count));
  for (int index = 0; index < count; ++index)
    if (int status = functions.deviceGet(&driver->devices[size_t(index)].handle, index))
      return failure(functions, status);
  return driver;
}

Driver *Driver::getIfUsed() {
  return isForked.load(std::memory_order_relaxed) ? nullptr : process.load(std::memory_order_acquire);
}

llvm::Expected<Driver &> Driver::get() {
  if (isForked.load(std::memory_order_relaxed))
    return llvm::createStringError(
        "%s was in use before this process was forked, and cannot be used in the child; start processes with 'spawn'",
        process.load(std::memory_order_acquire)->api().vendor == Vendor::Amd ? "HIP" : "CUDA");
  if (Driver *driver = process.load(std::memory_order_acquire))
    return *driver;
  std::lock_guard lock(processMutex);
  if (Driver *driver = process.load(std::memory_order_relaxed))
    return *driver;
  if (processFailure)
    return llvm::createStringError(*processFailure);
  auto created = create();
  if (!created) {
    processFailure = llvm::toString(created.takeError());
    return llvm::createStringError(*processFailure);
  }
  pthread_atfork(nullptr, nullptr, [] { isForked.store(true, std::memory_order_relaxed); });
  Driver *driver = created->release(); // never destroyed: other threads may still launch while the process ends
  process.store(driver, std::memory_order_release);
  return *driver;
}

llvm::Error Driver::checkDevice(int device) const {
  if (device >= 0 && device < deviceCount())
    return llvm::Error::success();
  return llvm::createStringError("there is no device %d: this machine has %d", device, deviceCount());
}

static llvm::Expected<DeviceProperties> readProperties(const DriverApi &functions, DeviceHandle handle, int device) {
  DeviceProperties properties;
  char name[256] = {};
  int major = 0, minor = 0;
  int status = functions.deviceName(name, sizeof(name), handle);
  auto read = [&](DeviceAttribute attribute, int &value) {
    if (!status)
      status = functions.deviceAttribute(&value, attribute, handle);
  };
  read(DeviceAttribute::CapabilityMajor, major);
  read(DeviceAttribute::CapabilityMinor, minor);
  read(DeviceAttribute::MaxSharedMemoryPerBlockOptIn, properties.maxSharedBytes);
  read(DeviceAttribute::MaxSharedMemoryPerMultiprocessor, properties.maxSharedBytesPerMultiprocessor);
  read(DeviceAttribute::MaxRegistersPerBlock, properties.maxRegisters);
  read(DeviceAttribute::MultiprocessorCount, properties.multiprocessors);
  read(DeviceAttribute::WarpSize, properties.warpSize);
  read(DeviceAttribute::MemoryBusWidth, properties.memoryBusWidth);
  read(DeviceAttribute::L2CacheSize, properties.l2CacheBytes);
  if (status)
    return failure(functions, status, "asking for the properties of device " + llvm::Twine(device));
  properties.name = name;
  properties.capability = major * 10 + minor;
  properties.architecture = "sm_" + std::to_string(properties.capability) + (properties.capability >= 90 ? "a" : "");
  if (functions.deviceArchitecture) {
    if (int status = functions.deviceArchitecture(name, sizeof(name), handle))
      return failure(functions, status, "asking for the architecture of device " + llvm::Twine(device));
    properties.architecture = name;
  }
  return properties;
}

llvm::Expected<const DeviceProperties &> Driver::properties(int device) {
  if (llvm::Error error = checkDevice(device))
    return error;
  std::lock_guard lock(mutex);
  Device &entry = devices[size_t(device)];
  if (!entry.properties) {
    auto read = readProperties(*functions, entry.handle, device);
    if (!read)
      return read.takeError();
    entry.properties = std::move(*read);
  }
  return *entry.properties;
}

llvm::Expected<ClockRates> Driver::clockRates(int device) const {
  if (llvm::Error error = checkDevice(device))
    return error;
  DeviceHandle handle = devices[size_t(device)].handle;
  ClockRates rates;
  int status = functions->deviceAttribute(&rates.multiprocessors, DeviceAttribute::ClockRate, handle);
  if (!status)
    status = functions->deviceAttribute(&rates.memory, DeviceAttribute::MemoryClockRate, handle);
  if (status)
    return failure(*functions, status, "asking for the clock rates of device " + llvm::Twine(device));
  return rates;
}

llvm::Expected<ContextHandle> Driver::primaryContext(int device) {
  if (llvm::Error error = checkDevice(device))
    return error;
  std::lock_guard lock(mutex);
  Device &entry = devices[size_t(device)];
  if (!entry.primary)
    if (int status = functions->retainPrimaryContext(&entry.primary, entry.handle))
      return failure(*functions, status, "retaining the primary context of device " + llvm::Twine(device));
  return entry.primary;
}

ContextHandle Driver::currentContext() const {
  ContextHandle context = nullptr;
  return functions->getCurrentContext(&context) == Success ? context : nullptr;
}

int Driver::currentDevice() const {
  DeviceHandle handle = 0;
  if (!currentContext() || functions->contextDevice(&handle) != Success)
    return 0;
  for (int index = 0; index < deviceCount(); ++index)
    if (devices[size_t(index)].handle == handle)
      return index;
  return 0;
}

llvm::Expected<ContextHandle> Driver::use(int device) {
  if (llvm::Error error = checkDevice(device))
    return error;
  if (ContextHandle current = currentContext(); current && currentDevice() == device)
    return current;
  auto context = primaryContext(device);
  if (!context)
    return context;
  if (int status = functions->setCurrentContext(*context))
    return failure(*functions, status, "making device " + llvm::Twine(device) + " current");
  return context;
}

ContextScope::ContextScope(const DriverApi &api, ContextHandle context) : api(api) {
  if (!context)
    return;
  ContextHandle current = nullptr;
  itsStatus = api.getCurrentContext(&current);
  if (itsStatus || current == context)
    return;
  itsStatus = current ? api.pushContext(context) : api.setCurrentContext(context);
  pushed = current && !itsStatus;
}

ContextScope::~ContextScope() {
  ContextHandle popped = nullptr;
  if (pushed)
    api.popContext(&popped);
}

} // namespace triton::runtime::gpu
