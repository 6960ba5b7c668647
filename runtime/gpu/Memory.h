// Memory and streams of a device, for programs that have no other library for them.
#pragma once

#include "runtime/gpu/Driver.h"

#include <utility>

namespace triton::runtime::gpu {

/// An allocation in a device's memory, given back at the end.
class DeviceMemory {
public:
  static llvm::Expected<DeviceMemory> allocate(size_t bytes, int device);
  DeviceMemory(DeviceMemory &&other) noexcept;
  DeviceMemory &operator=(DeviceMemory &&other) noexcept;
  ~DeviceMemory();

  DevicePointer address() const { return pointer; }
  size_t bytes() const { return size; }
  int device() const { return onDevice; }
  /// Both wait until the copy is done. `bytes` at most as many as there are.
  llvm::Error copyFrom(const void *host, size_t bytes);
  llvm::Error copyTo(void *host, size_t bytes) const;

private:
  DeviceMemory(ContextHandle context, DevicePointer pointer, size_t size, int device)
      : context(context), pointer(pointer), size(size), onDevice(device) {}
  ContextHandle context = nullptr;
  DevicePointer pointer = 0;
  size_t size = 0;
  int onDevice = 0;
};

/// Memory of one launch, in the order of its stream: there when the kernel begins, given back when it has ended.
class LaunchScratch {
public:
  /// Of no bytes: nothing.
  static llvm::Expected<LaunchScratch> allocate(Driver &driver, ContextHandle context, StreamHandle stream,
                                                uint64_t bytes);
  LaunchScratch(LaunchScratch &&other) noexcept
      : driver(other.driver), context(other.context), stream(other.stream), pointer(std::exchange(other.pointer, 0)) {}
  ~LaunchScratch();
  DevicePointer address() const { return pointer; }

private:
  LaunchScratch(Driver &driver, ContextHandle context, StreamHandle stream)
      : driver(driver), context(context), stream(stream) {}
  Driver &driver;
  ContextHandle context;
  StreamHandle stream;
  DevicePointer pointer = 0;
};

llvm::Expected<StreamHandle> createStream(int device);
void destroyStream(StreamHandle stream, int device);
/// Copies from memory of the host or of the device that this thread works with, once the work of that device is done.
llvm::Error readMemory(void *to, DevicePointer from, size_t bytes);
/// Waits for the work of a stream; of the default one if it is null. An error of a kernel shows here.
llvm::Error synchronize(StreamHandle stream, int device);

} // namespace triton::runtime::gpu
