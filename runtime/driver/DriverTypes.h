// Types and numbers of the documented C interface of NVIDIA's driver, as far as launches use them; AMD's are the same but where runtime/hip says otherwise. No header of either
// is needed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace triton::runtime::gpu {

using DeviceHandle = int;
using DevicePointer = uint64_t;
using ContextHandle = struct OpaqueContext *;
using ModuleHandle = struct OpaqueModule *;
using FunctionHandle = struct OpaqueFunction *;
using StreamHandle = struct OpaqueStream *;
using EventHandle = struct OpaqueEvent *;
using GraphHandle = struct OpaqueGraph *;
using GraphNodeHandle = struct OpaqueGraphNode *;
using ExecutableGraphHandle = struct OpaqueExecutableGraph *;

enum Status : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  NoDevice = 100,
  InvalidDevice = 101,
  InvalidImage = 200,
  InvalidContext = 201,
  NoBinaryForGpu = 209,
  InvalidPtx = 218,
  UnsupportedPtxVersion = 222,
  InvalidHandle = 400,
  NotFound = 500,
  NotReady = 600,
  IllegalAddress = 700,
  LaunchOutOfResources = 701,
  AssertionFailed = 710,
  CaptureUnsupported = 900,
  InvalidClusterSize = 912,
};

enum class DeviceAttribute : int {
  WarpSize = 10,
  MaxRegistersPerBlock = 12,
  ClockRate = 13,
  MultiprocessorCount = 16,
  MemoryClockRate = 36,
  MemoryBusWidth = 37,
  L2CacheSize = 38,
  CapabilityMajor = 75,
  CapabilityMinor = 76,
  MaxSharedMemoryPerMultiprocessor = 81,
  MaxSharedMemoryPerBlockOptIn = 97,
};

enum class FunctionAttribute : int {
  MaxThreadsPerBlock = 0,
  StaticSharedBytes = 1,
  LocalBytes = 3,
  Registers = 4,
  MaxDynamicSharedBytes = 8,
  NonPortableClusterSizeAllowed = 14,
};

enum class JitOption : int { InfoLog = 3, InfoLogBytes = 4, ErrorLog = 5, ErrorLogBytes = 6 };
enum class Limit : int { PrintfFifoBytes = 1 };
constexpr int captureModeRelaxed = 2, captureStateNone = 0;
constexpr unsigned eventWithoutTime = 2;
constexpr int pointerAttributeDevicePointer = 3, cachePreferShared = 1;

enum class LaunchAttributeId : uint32_t {
  Cooperative = 2,
  ClusterDimension = 4,
  ClusterSchedulingPolicy = 5,
  ProgrammaticStreamSerialization = 6,
};
constexpr int clusterSchedulingSpread = 1;

struct LaunchAttribute {
  LaunchAttributeId id;
  uint32_t padding;
  union {
    uint32_t clusterDimension[3];
    int number;
    std::byte bytes[64];
  };
};

struct LaunchConfiguration {
  uint32_t gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  StreamHandle stream;
  LaunchAttribute *attributes;
  uint32_t attributeCount;
};

/// A launch as part of a graph.
struct KernelNode {
  FunctionHandle function;
  uint32_t gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  void **arguments, **extra;
  struct OpaqueKernel *kernel; // instead of a function
  ContextHandle context;
};

/// The 128 bytes by which TMA knows a tensor.
struct alignas(128) TensorMap {
  uint64_t words[16];
};

} // namespace triton::runtime::gpu
