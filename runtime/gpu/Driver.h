// The driver of this process: its library, opened once; devices, their properties and primary contexts.
//   In:  a device's number.
//   Out: a context that is current on the calling thread, shared with PyTorch and every other user of the runtime API.
// Nothing here creates a context until a device is used, so that a process may ask about devices and still fork.
#pragma once

#include "runtime/driver/DriverApi.h"

#include <mutex>
#include <optional>
#include <vector>

namespace triton::runtime::gpu {

struct DeviceProperties {
  std::string name;
  std::string architecture; // that code for it is compiled for: "sm_90a", "gfx942"
  int capability = 0;       // 90 for compute capability 9.0
  int maxSharedBytes = 0;   // of a block, opted in
  int maxSharedBytesPerMultiprocessor = 0;
  int maxRegisters = 0; // of a block
  int multiprocessors = 0, warpSize = 0;
  int memoryBusWidth = 0; // bits
  int l2CacheBytes = 0;
};

struct ClockRates {
  int multiprocessors = 0, memory = 0; // kHz
};

class Driver {
public:
  /// The driver, initialised. Fails where there is no driver or no device, and in a child that was forked after its parent had come here:
  /// the driver does not work there.
  static llvm::Expected<Driver &> get();
  /// The driver if `get` has given it in this process; null otherwise. Cheap.
  static Driver *getIfUsed();
  /// Which library `get` opens: a path, or a folder with libcuda.so.1; empty: the system's. "hip:" and a path or nothing: AMD's (runtime/hip/Library.h).
  /// "simulator:sm_90a": none (runtime/simulated/Simulation.h). Counts until the first `get`.
  static void setLibrary(std::string path);

  const DriverApi &api() const { return *functions; }
  int deviceCount() const { return int(devices.size()); }
  /// Asked of the driver once.
  llvm::Expected<const DeviceProperties &> properties(int device);
  /// Apart, as the driver asks the device: slow.
  llvm::Expected<ClockRates> clockRates(int device) const;

  /// The primary context, retained for as long as the process lives.
  llvm::Expected<ContextHandle> primaryContext(int device);
  /// The context that is current on this thread; null if there is none.
  ContextHandle currentContext() const;
  /// The device of the context that is current on this thread, else 0.
  int currentDevice() const;
  /// Leaves a context of `device` current on this thread: the one that is, if it belongs to it, else the primary one.
  llvm::Expected<ContextHandle> use(int device);

private:
  struct Device {
    DeviceHandle handle;
    ContextHandle primary = nullptr;
    std::optional<DeviceProperties> properties;
  };
  static llvm::Expected<std::unique_ptr<Driver>> create();
  llvm::Error checkDevice(int device) const;

  std::unique_ptr<const DriverApi> functions;
  std::vector<Device> devices;
  std::mutex mutex; // guards what is found out about devices later
};

/// A context that is current while this lives, where another was; costs one look if it is current already.
class ContextScope {
public:
  ContextScope(const DriverApi &api, ContextHandle context);
  ~ContextScope();
  ContextScope(const ContextScope &) = delete;
  int status() const { return itsStatus; }

private:
  const DriverApi &api;
  bool pushed = false;
  int itsStatus = Success;
};

/// While this lives, the thread may load code and allocate memory though a stream is being captured, of this thread or another: neither becomes part of the capture.
class DuringCapture {
public:
  explicit DuringCapture(const DriverApi &api) : api(api) { exchange(); }
  ~DuringCapture() { exchange(); }
  DuringCapture(const DuringCapture &) = delete;

private:
  void exchange() {
    if (api.exchangeCaptureMode)
      api.exchangeCaptureMode(&mode);
  }
  const DriverApi &api;
  int mode = captureModeRelaxed;
};

} // namespace triton::runtime::gpu
