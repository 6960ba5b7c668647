#include "runtime/gpu/Memory.h"

#include "runtime/gpu/Messages.h"

#include <cstring>
#include <utility>

namespace triton::runtime::gpu {

llvm::Expected<DeviceMemory> DeviceMemory::allocate(size_t bytes, int device) {
  auto driver = Driver::get();
  if (!driver)
    return driver.takeError();
  auto context = driver->use(device);
  if (!context)
    return context.takeError();
  DevicePointer pointer = 0;
  DuringCapture relaxed(driver->api());
  if (int status = driver->api().allocate(&pointer, std::max<size_t>(bytes, 1)))
    return failure(driver->api(), status, "allocating " + llvm::Twine(bytes) + " bytes");
  return DeviceMemory(*context, pointer, bytes, device);
}

DeviceMemory::DeviceMemory(DeviceMemory &&other) noexcept
    : context(other.context), pointer(std::exchange(other.pointer, 0)), size(other.size), onDevice(other.onDevice) {}

DeviceMemory &DeviceMemory::operator=(DeviceMemory &&other) noexcept {
  std::swap(context, other.context);
  std::swap(pointer, other.pointer);
  std::swap(size, other.size);
  std::swap(onDevice, other.onDevice);
  return *this;
}

DeviceMemory::~DeviceMemory() {
  Driver *driver = pointer ? Driver::getIfUsed() : nullptr;
  if (!driver)
    return;
  ContextScope scope(driver->api(), context);
  DuringCapture relaxed(driver->api());
  driver->api().free(pointer);
}

/// Runs `copy(api)` with the context current, then waits for it.
template <typename Copy> static llvm::Error copyAndWait(ContextHandle context, size_t bytes, size_t size, Copy copy) {
  if (bytes > size)
    return llvm::createStringError("a copy of " + llvm::Twine(bytes) + " bytes does not fit in " + llvm::Twine(size));
  auto driver = Driver::get();
  if (!driver)
    return driver.takeError();
  const DriverApi &api = driver->api();
  ContextScope scope(api, context);
  int status = scope.status();
  if (!status && bytes)
    status = copy(api);
  if (!status)
    status = api.synchronizeStream(nullptr);
  return status ? failure(api, status, "copying " + llvm::Twine(bytes) + " bytes") : llvm::Error::success();
}

llvm::Error DeviceMemory::copyFrom(const void *host, size_t bytes) {
  return copyAndWait(context, bytes, size,
                     [&](const DriverApi &api) { return api.copyToDevice(pointer, host, bytes, nullptr); });
}

llvm::Error DeviceMemory::copyTo(void *host, size_t bytes) const {
  return copyAndWait(context, bytes, size,
                     [&](const DriverApi &api) { return api.copyToHost(host, pointer, bytes, nullptr); });
}

llvm::Error readMemory(void *to, DevicePointer from, size_t bytes) {
  if (!from)
    return llvm::createStringError("no memory lies at address 0");
  auto driver = Driver::get();
  if (!driver)
    llvm::consumeError(driver.takeError()); // there is no device
  ContextHandle context = driver ? driver->currentContext() : nullptr;
  DevicePointer known = 0;
  if (!context || driver->api().pointerAttribute(&known, pointerAttributeDevicePointer, from) != Success) {
    std::memcpy(to, reinterpret_cast<const void *>(from), bytes);
    return llvm::Error::success();
  }
  return copyAndWait(context, bytes, bytes, [&](const DriverApi &api) {
    int status = api.synchronizeContext ? api.synchronizeContext() : Success;
    return status ? status : api.copyToHost(to, from, bytes, nullptr);
  });
}

llvm::Expected<LaunchScratch> LaunchScratch::allocate(Driver &driver, ContextHandle context, StreamHandle stream,
                                                      uint64_t bytes) {
  LaunchScratch scratch(driver, context, stream);
  if (bytes == 0)
    return scratch;
  const DriverApi &api = driver.api();
  if (!api.allocateAsync || !api.freeAsync)
    return llvm::createStringError("this driver has no memory in the order of a stream: CUDA 11.2 or newer is needed");
  ContextScope scope(api, context);
  if (int status = api.allocateAsync(&scratch.pointer, bytes, stream))
    return failure(api, status, "allocating " + llvm::Twine(bytes) + " bytes of scratch memory for a launch");
  return scratch;
}

LaunchScratch::~LaunchScratch() {
  if (!pointer)
    return;
  ContextScope scope(driver.api(), context);
  (void)driver.api().freeAsync(pointer, stream);
}

llvm::Expected<StreamHandle> createStream(int device) {
  auto driver = Driver::get();
  if (!driver)
    return driver.takeError();
  if (auto context = driver->use(device); !context)
    return context.takeError();
  StreamHandle stream = nullptr;
  if (int status = driver->api().createStream(&stream, /*flags=*/0))
    return failure(driver->api(), status, "creating a stream");
  return stream;
}

void destroyStream(StreamHandle stream, int device) {
  Driver *driver = Driver::getIfUsed();
  if (!driver)
    return;
  if (auto context = driver->primaryContext(device)) {
    ContextScope scope(driver->api(), *context);
    driver->api().destroyStream(stream);
  } else
    llvm::consumeError(context.takeError());
}

llvm::Error synchronize(StreamHandle stream, int device) {
  auto driver = Driver::get();
  if (!driver)
    return driver.takeError();
  if (auto context = driver->use(device); !context)
    return context.takeError();
  int status = driver->api().synchronizeStream(stream);
  if (status)
    return failure(driver->api(), status, "waiting for a stream");
  if (std::optional<std::string> assertion = takeAssertion())
    return failure(driver->api(), AssertionFailed, *assertion);
  return llvm::Error::success();
}

} // namespace triton::runtime::gpu
