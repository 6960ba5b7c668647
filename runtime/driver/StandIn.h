// What libraries that stand in for NVIDIA's driver have in common: the simulated one (runtime/simulated/Simulation.cpp), and the one of the tests that runs nothing.
#pragma once

#include "runtime/driver/DriverTypes.h"

#include <optional>

namespace triton::runtime::gpu {

/// A device, as it is asked for.
struct StandInDevice {
  int capability, sharedBytes, sharedBytesPerMultiprocessor, multiprocessors;
  int clockRate = 1000000, memoryClockRate = 1000000; // kHz
  int memoryBusWidth = 5120, l2CacheBytes = 50 << 20; // bits, bytes
  int warpSize = 32;

  std::optional<int> find(DeviceAttribute attribute) const {
    switch (attribute) {
    case DeviceAttribute::WarpSize:
      return warpSize;
    case DeviceAttribute::MaxRegistersPerBlock:
      return 65536;
    case DeviceAttribute::ClockRate:
      return clockRate;
    case DeviceAttribute::MultiprocessorCount:
      return multiprocessors;
    case DeviceAttribute::MemoryClockRate:
      return memoryClockRate;
    case DeviceAttribute::MemoryBusWidth:
      return memoryBusWidth;
    case DeviceAttribute::L2CacheSize:
      return l2CacheBytes;
    case DeviceAttribute::CapabilityMajor:
      return capability / 10;
    case DeviceAttribute::CapabilityMinor:
      return capability % 10;
    case DeviceAttribute::MaxSharedMemoryPerMultiprocessor:
      return sharedBytesPerMultiprocessor;
    case DeviceAttribute::MaxSharedMemoryPerBlockOptIn:
      return sharedBytes;
    }
    return std::nullopt;
  }
};

/// What the driver says of a status; null where a stand-in never gives it.
inline const char *statusText(int status) {
  switch (status) {
  case Success:
    return "no error";
  case InvalidValue:
    return "invalid argument";
  case OutOfMemory:
    return "out of memory";
  case NotInitialized:
    return "initialization error";
  case NoDevice:
    return "no CUDA-capable device is detected";
  case InvalidImage:
    return "device kernel image is invalid";
  case InvalidContext:
    return "invalid device context";
  case NoBinaryForGpu:
    return "no kernel image is available for execution on the device";
  case InvalidPtx:
    return "a PTX JIT compilation failed";
  case InvalidHandle:
    return "invalid resource handle";
  case NotFound:
    return "named symbol not found";
  case NotReady:
    return "device not ready";
  case IllegalAddress:
    return "an illegal memory access was encountered";
  case LaunchOutOfResources:
    return "too many resources requested for launch";
  case AssertionFailed:
    return "device-side assert triggered";
  case InvalidClusterSize:
    return "invalid cluster size";
  default:
    return nullptr;
  }
}

} // namespace triton::runtime::gpu
