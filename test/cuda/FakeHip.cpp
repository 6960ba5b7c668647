// The same fake as libamdhip64.so: HIP's names, and what its functions take differently. A thread has a current device, the first one, without asking; there are no contexts.
#include "runtime/hip/Types.h"
#include "test/cuda/FakeDriver.h"

#include <cstring>
#include <string>

using namespace triton::runtime;
using namespace triton::runtime::gpu;
using triton::runtime::hip::Attribute;

#define BEGIN(name)                                                                                                    \
  if (int status = fakeHipBegin(#name))                                                                                \
  return status
#define FORWARD(hip, cuda, parameters, arguments)                                                                      \
  int hip parameters {                                                                                                 \
    BEGIN(hip);                                                                                                        \
    return cuda arguments;                                                                                             \
  }

#pragma GCC visibility push(default)
extern "C" {

int hipInit(unsigned flags) { return cuInit(flags); }
int hipDriverGetVersion(int *version) { return *version = fakeHipVersion(), Success; }
int hipDrvGetErrorString(int status, const char **text) {
  if (status == NoDevice)
    return *text = "no ROCm-capable device is detected", Success;
  return cuGetErrorString(status, text);
}
int hipDrvGetErrorName(int status, const char **text) { return hipDrvGetErrorString(status, text); }
FORWARD(hipGetDeviceCount, cuDeviceGetCount, (int *count), (count))
FORWARD(hipDeviceGet, cuDeviceGet, (DeviceHandle * device, int ordinal), (device, ordinal))
FORWARD(hipDeviceGetName, cuDeviceGetName, (char *name, int size, DeviceHandle device), (name, size, device))

int hipDeviceGetAttribute(int *value, Attribute attribute, DeviceHandle) {
  BEGIN(hipDeviceGetAttribute);
  switch (attribute) {
  case Attribute::WarpSize:
    return *value = std::string(fakeHipArchitecture()).starts_with("gfx9") ? 64 : 32, Success;
  case Attribute::MaxRegistersPerBlock:
    return *value = 65536, Success;
  case Attribute::ClockRate:
    return *value = 2100000, Success;
  case Attribute::MultiprocessorCount:
    return *value = 304, Success;
  case Attribute::MemoryClockRate:
    return *value = 1300000, Success;
  case Attribute::MemoryBusWidth:
    return *value = 8192, Success;
  case Attribute::L2CacheSize:
    return *value = 4 << 20, Success;
  case Attribute::CapabilityMajor:
    return *value = 9, Success;
  case Attribute::CapabilityMinor:
    return *value = 4, Success;
  case Attribute::MaxSharedMemoryPerBlock:
    return *value = fakeHipSharedBytes(), Success;
  }
  return InvalidValue;
}
int hipGetDevicePropertiesR0600(hip::DeviceProperties *properties, DeviceHandle) {
  BEGIN(hipGetDevicePropertiesR0600);
  std::memset(properties, 0, sizeof(*properties));
  std::strcpy(properties->name, "Fake GPU");
  std::strcpy(properties->architecture, (std::string(fakeHipArchitecture()) + ":sramecc+:xnack-").c_str());
  return Success;
}
int hipGetDevice(DeviceHandle *device) {
  BEGIN(hipGetDevice);
  return cuCtxGetDevice(device);
}
int hipSetDevice(DeviceHandle device) {
  BEGIN(hipSetDevice);
  return fakeHipUse(device);
}
FORWARD(hipDeviceGetLimit, cuCtxGetLimit, (size_t *value, Limit limit), (value, limit))
FORWARD(hipDeviceSetLimit, cuCtxSetLimit, (Limit limit, size_t value), (limit, value))

FORWARD(hipModuleLoadDataEx, cuModuleLoadDataEx,
        (ModuleHandle * module, const void *image, unsigned count, JitOption *options, void **values),
        (module, image, count, options, values))
FORWARD(hipModuleUnload, cuModuleUnload, (ModuleHandle module), (module))
FORWARD(hipModuleGetFunction, cuModuleGetFunction, (FunctionHandle * function, ModuleHandle module, const char *name),
        (function, module, name))
FORWARD(hipFuncGetAttribute, cuFuncGetAttribute, (int *value, FunctionAttribute attribute, FunctionHandle function),
        (value, attribute, function))
FORWARD(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessor,
        (int *count, FunctionHandle function, int threads, size_t shared), (count, function, threads, shared))

static int launchOf(FunctionHandle function, LaunchConfiguration work, void **arguments, void **extra) {
  if (uint64_t(work.gridX) * work.blockX > UINT32_MAX || uint64_t(work.gridY) * work.blockY > UINT32_MAX)
    return InvalidValue;
  return cuLaunchKernelEx(&work, function, arguments, extra);
}
int hipModuleLaunchKernel(FunctionHandle function, uint32_t gridX, uint32_t gridY, uint32_t gridZ, uint32_t blockX,
                          uint32_t blockY, uint32_t blockZ, uint32_t sharedBytes, StreamHandle stream, void **arguments,
                          void **extra) {
  BEGIN(hipModuleLaunchKernel);
  return launchOf(function, {gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes, stream, nullptr, 0}, arguments,
                  extra);
}
int hipModuleLaunchCooperativeKernel(FunctionHandle function, uint32_t gridX, uint32_t gridY, uint32_t gridZ,
                                     uint32_t blockX, uint32_t blockY, uint32_t blockZ, uint32_t sharedBytes,
                                     StreamHandle stream, void **arguments) {
  BEGIN(hipModuleLaunchCooperativeKernel);
  LaunchAttribute cooperative{};
  cooperative.id = LaunchAttributeId::Cooperative;
  cooperative.number = 1;
  return launchOf(function, {gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes, stream, &cooperative, 1},
                  arguments, nullptr);
}
FORWARD(hipDrvLaunchKernelEx, cuLaunchKernelEx,
        (const LaunchConfiguration *launch, FunctionHandle function, void **arguments, void **extra),
        (launch, function, arguments, extra))

FORWARD(hipGraphCreate, cuGraphCreate, (GraphHandle * graph, unsigned flags), (graph, flags))
FORWARD(hipGraphDestroy, cuGraphDestroy, (GraphHandle graph), (graph))
static gpu::KernelNode nodeOf(const hip::KernelNode &node) {
  return {node.function, node.grid[0],     node.grid[1],   node.grid[2], node.block[0], node.block[1],
          node.block[2], node.sharedBytes, node.arguments, node.extra,   nullptr,       nullptr};
}
int hipGraphAddKernelNode(GraphNodeHandle *node, GraphHandle graph, const GraphNodeHandle *dependencies, size_t count,
                          const hip::KernelNode *launch) {
  BEGIN(hipGraphAddKernelNode);
  gpu::KernelNode made = nodeOf(*launch);
  return cuGraphAddKernelNode_v2(node, graph, dependencies, count, &made);
}
FORWARD(hipGraphInstantiateWithFlags, cuGraphInstantiateWithFlags,
        (ExecutableGraphHandle * executable, GraphHandle graph, unsigned long long flags), (executable, graph, flags))
FORWARD(hipGraphExecDestroy, cuGraphExecDestroy, (ExecutableGraphHandle executable), (executable))
int hipGraphExecKernelNodeSetParams(ExecutableGraphHandle executable, GraphNodeHandle node,
                                    const hip::KernelNode *launch) {
  BEGIN(hipGraphExecKernelNodeSetParams);
  gpu::KernelNode changed = nodeOf(*launch);
  return cuGraphExecKernelNodeSetParams_v2(executable, node, &changed);
}
FORWARD(hipGraphLaunch, cuGraphLaunch, (ExecutableGraphHandle executable, StreamHandle stream), (executable, stream))

FORWARD(hipPointerGetAttribute, cuPointerGetAttribute, (void *value, int attribute, DevicePointer pointer),
        (value, attribute, pointer))
FORWARD(hipMalloc, cuMemAlloc_v2, (DevicePointer * pointer, size_t bytes), (pointer, bytes))
FORWARD(hipMallocAsync, cuMemAllocAsync, (DevicePointer * pointer, size_t bytes, StreamHandle stream),
        (pointer, bytes, stream))
FORWARD(hipHostMalloc, cuMemHostAlloc, (void **pointer, size_t bytes, unsigned flags), (pointer, bytes, flags))
FORWARD(hipLaunchHostFunc, cuLaunchHostFunc, (StreamHandle stream, void (*function)(void *), void *data),
        (stream, function, data))
FORWARD(hipFree, cuMemFree_v2, (DevicePointer pointer), (pointer))
FORWARD(hipFreeAsync, cuMemFreeAsync, (DevicePointer pointer, StreamHandle stream), (pointer, stream))
FORWARD(hipMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, (DevicePointer to, const void *from, size_t bytes, StreamHandle s),
        (to, from, bytes, s))
FORWARD(hipMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, (void *to, DevicePointer from, size_t bytes, StreamHandle s),
        (to, from, bytes, s))
FORWARD(hipMemsetD32Async, cuMemsetD32Async, (DevicePointer pointer, unsigned value, size_t count, StreamHandle s),
        (pointer, value, count, s))
FORWARD(hipStreamCreateWithFlags, cuStreamCreate, (StreamHandle * stream, unsigned flags), (stream, flags))
FORWARD(hipStreamDestroy, cuStreamDestroy_v2, (StreamHandle stream), (stream))
FORWARD(hipStreamSynchronize, cuStreamSynchronize, (StreamHandle stream), (stream))
FORWARD(hipStreamIsCapturing, cuStreamIsCapturing, (StreamHandle stream, int *state), (stream, state))
FORWARD(hipDeviceSynchronize, cuCtxSynchronize, (), ())
FORWARD(hipThreadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode, (int *mode), (mode))
FORWARD(hipEventCreateWithFlags, cuEventCreate, (EventHandle * event, unsigned flags), (event, flags))
FORWARD(hipEventDestroy, cuEventDestroy_v2, (EventHandle event), (event))
FORWARD(hipEventRecord, cuEventRecord, (EventHandle event, StreamHandle stream), (event, stream))
FORWARD(hipEventQuery, cuEventQuery, (EventHandle event), (event))
FORWARD(hipEventSynchronize, cuEventSynchronize, (EventHandle event), (event))
FORWARD(hipEventElapsedTime, cuEventElapsedTime, (float *milliseconds, EventHandle begin, EventHandle end),
        (milliseconds, begin, end))
}
#pragma GCC visibility pop
