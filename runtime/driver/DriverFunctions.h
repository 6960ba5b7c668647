// Which functions of a driver library there are in a table (DriverApi.h), as lists to be expanded.
#pragma once

// Member, NVIDIA's symbol, AMD's, parameters. `absent` where AMD's library has no function of these parameters: runtime/hip writes those that it can.
#define TRITON_DRIVER_REQUIRED(X)                                                                                      \
  X(initialize, cuInit, hipInit, (unsigned flags))                                                                     \
  X(driverVersion, cuDriverGetVersion, hipDriverGetVersion, (int *version))                                            \
  X(errorString, cuGetErrorString, hipDrvGetErrorString, (int status, const char **text))                              \
  X(errorName, cuGetErrorName, hipDrvGetErrorName, (int status, const char **text))                                    \
  X(deviceCount, cuDeviceGetCount, hipGetDeviceCount, (int *count))                                                    \
  X(deviceGet, cuDeviceGet, hipDeviceGet, (DeviceHandle * device, int ordinal))                                        \
  X(deviceName, cuDeviceGetName, hipDeviceGetName, (char *name, int size, DeviceHandle device))                        \
  X(deviceAttribute, cuDeviceGetAttribute, absent, (int *value, DeviceAttribute attribute, DeviceHandle device))       \
  X(retainPrimaryContext, cuDevicePrimaryCtxRetain, absent, (ContextHandle * context, DeviceHandle device))            \
  X(getCurrentContext, cuCtxGetCurrent, absent, (ContextHandle * context))                                             \
  X(setCurrentContext, cuCtxSetCurrent, absent, (ContextHandle context))                                               \
  X(pushContext, cuCtxPushCurrent_v2, absent, (ContextHandle context))                                                 \
  X(popContext, cuCtxPopCurrent_v2, absent, (ContextHandle * context))                                                 \
  X(contextDevice, cuCtxGetDevice, hipGetDevice, (DeviceHandle * device))                                              \
  X(getLimit, cuCtxGetLimit, hipDeviceGetLimit, (size_t *value, Limit limit))                                          \
  X(setLimit, cuCtxSetLimit, hipDeviceSetLimit, (Limit limit, size_t value))                                           \
  X(loadModule, cuModuleLoadDataEx, hipModuleLoadDataEx,                                                               \
    (ModuleHandle * module, const void *image, unsigned count, JitOption *options, void **values))                     \
  X(unloadModule, cuModuleUnload, hipModuleUnload, (ModuleHandle module))                                              \
  X(findFunction, cuModuleGetFunction, hipModuleGetFunction,                                                           \
    (FunctionHandle * function, ModuleHandle module, const char *name))                                                \
  X(functionAttribute, cuFuncGetAttribute, hipFuncGetAttribute,                                                        \
    (int *value, FunctionAttribute attribute, FunctionHandle function))                                                \
  X(setFunctionAttribute, cuFuncSetAttribute, absent,                                                                  \
    (FunctionHandle function, FunctionAttribute attribute, int value))                                                 \
  X(setCachePreference, cuFuncSetCacheConfig, absent, (FunctionHandle function, int preference))                       \
  X(launch, cuLaunchKernelEx, absent,                                                                                  \
    (const LaunchConfiguration *configuration, FunctionHandle function, void **arguments, void **extra))               \
  X(pointerAttribute, cuPointerGetAttribute, hipPointerGetAttribute,                                                   \
    (void *value, int attribute, DevicePointer pointer))                                                               \
  X(maxActiveBlocks, cuOccupancyMaxActiveBlocksPerMultiprocessor, hipModuleOccupancyMaxActiveBlocksPerMultiprocessor,  \
    (int *count, FunctionHandle function, int threads, size_t sharedBytes))                                            \
  X(allocate, cuMemAlloc_v2, hipMalloc, (DevicePointer * pointer, size_t bytes))                                       \
  X(free, cuMemFree_v2, hipFree, (DevicePointer pointer))                                                              \
  X(copyToDevice, cuMemcpyHtoDAsync_v2, hipMemcpyHtoDAsync,                                                            \
    (DevicePointer to, const void *from, size_t bytes, StreamHandle stream))                                           \
  X(copyToHost, cuMemcpyDtoHAsync_v2, hipMemcpyDtoHAsync,                                                              \
    (void *to, DevicePointer from, size_t bytes, StreamHandle stream))                                                 \
  X(createStream, cuStreamCreate, hipStreamCreateWithFlags, (StreamHandle * stream, unsigned flags))                   \
  X(destroyStream, cuStreamDestroy_v2, hipStreamDestroy, (StreamHandle stream))                                        \
  X(synchronizeStream, cuStreamSynchronize, hipStreamSynchronize, (StreamHandle stream))                               \
  X(createEvent, cuEventCreate, hipEventCreateWithFlags, (EventHandle * event, unsigned flags))                        \
  X(destroyEvent, cuEventDestroy_v2, hipEventDestroy, (EventHandle event))                                             \
  X(recordEvent, cuEventRecord, hipEventRecord, (EventHandle event, StreamHandle stream))                              \
  X(synchronizeEvent, cuEventSynchronize, hipEventSynchronize, (EventHandle event))                                    \
  X(elapsedTime, cuEventElapsedTime, hipEventElapsedTime, (float *milliseconds, EventHandle begin, EventHandle end))

// What a driver may be too old for.
#define TRITON_DRIVER_OPTIONAL(X)                                                                                      \
  X(launchPlain, cuLaunchKernel, hipModuleLaunchKernel,                                                                \
    (FunctionHandle function, uint32_t gridX, uint32_t gridY, uint32_t gridZ, uint32_t blockX, uint32_t blockY,        \
     uint32_t blockZ, uint32_t sharedBytes, StreamHandle stream, void **arguments, void **extra))                      \
  X(createGraph, cuGraphCreate, hipGraphCreate, (GraphHandle * graph, unsigned flags))                                 \
  X(destroyGraph, cuGraphDestroy, hipGraphDestroy, (GraphHandle graph))                                                \
  X(addKernelNode, cuGraphAddKernelNode_v2, absent,                                                                    \
    (GraphNodeHandle * node, GraphHandle graph, const GraphNodeHandle *dependencies, size_t count,                     \
     const KernelNode *launch))                                                                                        \
  X(instantiateGraph, cuGraphInstantiateWithFlags, hipGraphInstantiateWithFlags,                                       \
    (ExecutableGraphHandle * executable, GraphHandle graph, unsigned long long flags))                                 \
  X(destroyExecutableGraph, cuGraphExecDestroy, hipGraphExecDestroy, (ExecutableGraphHandle executable))               \
  X(changeKernelNode, cuGraphExecKernelNodeSetParams_v2, absent,                                                       \
    (ExecutableGraphHandle executable, GraphNodeHandle node, const KernelNode *launch))                                \
  X(launchGraph, cuGraphLaunch, hipGraphLaunch, (ExecutableGraphHandle executable, StreamHandle stream))               \
  X(streamIsCapturing, cuStreamIsCapturing, hipStreamIsCapturing, (StreamHandle stream, int *state))                   \
  X(queryEvent, cuEventQuery, hipEventQuery, (EventHandle event))                                                      \
  X(synchronizeContext, cuCtxSynchronize, hipDeviceSynchronize, ())                                                    \
  X(exchangeCaptureMode, cuThreadExchangeStreamCaptureMode, hipThreadExchangeStreamCaptureMode, (int *mode))           \
  X(maxActiveClusters, cuOccupancyMaxActiveClusters, absent,                                                           \
    (int *count, FunctionHandle function, const LaunchConfiguration *configuration))                                   \
  X(allocateAsync, cuMemAllocAsync, hipMallocAsync, (DevicePointer * pointer, size_t bytes, StreamHandle stream))      \
  X(setMemory, cuMemsetD32Async, hipMemsetD32Async,                                                                    \
    (DevicePointer pointer, unsigned value, size_t count, StreamHandle stream))                                        \
  X(freeAsync, cuMemFreeAsync, hipFreeAsync, (DevicePointer pointer, StreamHandle stream))                             \
  X(allocateHost, cuMemHostAlloc, hipHostMalloc, (void **pointer, size_t bytes, unsigned flags))                       \
  X(launchHostFunction, cuLaunchHostFunc, hipLaunchHostFunc,                                                           \
    (StreamHandle stream, void (*function)(void *), void *data))                                                       \
  X(encodeTensorMap, cuTensorMapEncodeTiled, absent,                                                                   \
    (TensorMap * map, int type, uint32_t rank, void *address, const uint64_t *shape, const uint64_t *strides,          \
     const uint32_t *box, const uint32_t *elementStrides, int interleave, int swizzle, int promotion, int fill))
