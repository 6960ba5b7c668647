// What HIP's C interface (version 6 and later) lays out or counts differently from NVIDIA's, as far as launches use it.
#pragma once

#include "runtime/driver/DriverTypes.h"

namespace triton::runtime::hip {

/// Of hipDeviceGetAttribute.
enum class Attribute : int {
  ClockRate = 5,
  L2CacheSize = 19,
  CapabilityMajor = 23,
  MemoryBusWidth = 59,
  MemoryClockRate = 60,
  CapabilityMinor = 61,
  MultiprocessorCount = 63,
  MaxRegistersPerBlock = 71,
  MaxSharedMemoryPerBlock = 74,
  WarpSize = 87,
};

/// hipDeviceProp_t, of hipGetDevicePropertiesR0600; only what is read has a name.
struct DeviceProperties {
  char name[256];
  std::byte others[904];
  char architecture[256]; // "gfx942:sramecc+:xnack-"
  std::byte rest[56];
};
static_assert(sizeof(DeviceProperties) == 1472 && offsetof(DeviceProperties, architecture) == 1160);

/// hipKernelNodeParams
struct KernelNode {
  uint32_t block[3];
  void **extra;
  gpu::FunctionHandle function;
  uint32_t grid[3];
  void **arguments;
  uint32_t sharedBytes;
};
static_assert(sizeof(KernelNode) == 64 && offsetof(KernelNode, function) == 24 && offsetof(KernelNode, grid) == 32 &&
              offsetof(KernelNode, arguments) == 48 && offsetof(KernelNode, sharedBytes) == 56);

// hipDrvLaunchKernelEx takes NVIDIA's structures.
static_assert(sizeof(gpu::LaunchConfiguration) == 56 && offsetof(gpu::LaunchConfiguration, stream) == 32 &&
              offsetof(gpu::LaunchConfiguration, attributes) == 40 && sizeof(gpu::LaunchAttribute) == 72);

/// Major · 10^7 + minor · 10^5 + patch.
constexpr int oldestVersion = 60000000;

} // namespace triton::runtime::hip
