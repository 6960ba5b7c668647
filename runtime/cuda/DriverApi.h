// NVIDIA's driver library as a table of functions, found at run time: nothing of CUDA is needed to build or to start a program.
//   In:  the name or path of the library (libcuda.so.1).
//   Out: a table in which every required function is there, or an error that names what is missing.
#pragma once

#include "runtime/cuda/DriverTypes.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace triton::runtime::cuda {

// member name, symbol, parameters
#define TRITON_CUDA_REQUIRED(X)                                                                                        \
  X(initialize, cuInit, (unsigned flags))                                                                              \
  X(driverVersion, cuDriverGetVersion, (int *version))                                                                 \
  X(errorString, cuGetErrorString, (int status, const char **text))                                                    \
  X(errorName, cuGetErrorName, (int status, const char **text))                                                        \
  X(deviceCount, cuDeviceGetCount, (int *count))                                                                       \
  X(deviceGet, cuDeviceGet, (DeviceHandle * device, int ordinal))                                                      \
  X(deviceName, cuDeviceGetName, (char *name, int size, DeviceHandle device))                                          \
  X(deviceAttribute, cuDeviceGetAttribute, (int *value, DeviceAttribute attribute, DeviceHandle device))               \
  X(retainPrimaryContext, cuDevicePrimaryCtxRetain, (ContextHandle * context, DeviceHandle device))                    \
  X(getCurrentContext, cuCtxGetCurrent, (ContextHandle * context))                                                     \
  X(setCurrentContext, cuCtxSetCurrent, (ContextHandle context))                                                       \
  X(pushContext, cuCtxPushCurrent_v2, (ContextHandle context))                                                         \
  X(popContext, cuCtxPopCurrent_v2, (ContextHandle * context))                                                         \
  X(contextDevice, cuCtxGetDevice, (DeviceHandle * device))                                                            \
  X(getLimit, cuCtxGetLimit, (size_t *value, Limit limit))                                                             \
  X(setLimit, cuCtxSetLimit, (Limit limit, size_t value))                                                              \
  X(loadModule, cuModuleLoadDataEx,                                                                                    \
    (ModuleHandle * module, const void *image, unsigned count, JitOption *options, void **values))                     \
  X(unloadModule, cuModuleUnload, (ModuleHandle module))                                                               \
  X(findFunction, cuModuleGetFunction, (FunctionHandle * function, ModuleHandle module, const char *name))             \
  X(functionAttribute, cuFuncGetAttribute, (int *value, FunctionAttribute attribute, FunctionHandle function))         \
  X(setFunctionAttribute, cuFuncSetAttribute, (FunctionHandle function, FunctionAttribute attribute, int value))       \
  X(setCachePreference, cuFuncSetCacheConfig, (FunctionHandle function, int preference))                               \
  X(launch, cuLaunchKernelEx,                                                                                          \
    (const LaunchConfiguration *configuration, FunctionHandle function, void **arguments, void **extra))               \
  X(pointerAttribute, cuPointerGetAttribute, (void *value, int attribute, DevicePointer pointer))                      \
  X(maxActiveBlocks, cuOccupancyMaxActiveBlocksPerMultiprocessor,                                                      \
    (int *count, FunctionHandle function, int threads, size_t sharedBytes))                                            \
  X(allocate, cuMemAlloc_v2, (DevicePointer * pointer, size_t bytes))                                                  \
  X(free, cuMemFree_v2, (DevicePointer pointer))                                                                       \
  X(copyToDevice, cuMemcpyHtoDAsync_v2, (DevicePointer to, const void *from, size_t bytes, StreamHandle stream))       \
  X(copyToHost, cuMemcpyDtoHAsync_v2, (void *to, DevicePointer from, size_t bytes, StreamHandle stream))               \
  X(createStream, cuStreamCreate, (StreamHandle * stream, unsigned flags))                                             \
  X(destroyStream, cuStreamDestroy_v2, (StreamHandle stream))                                                          \
  X(synchronizeStream, cuStreamSynchronize, (StreamHandle stream))                                                     \
  X(createEvent, cuEventCreate, (EventHandle * event, unsigned flags))                                                 \
  X(destroyEvent, cuEventDestroy_v2, (EventHandle event))                                                              \
  X(recordEvent, cuEventRecord, (EventHandle event, StreamHandle stream))                                              \
  X(synchronizeEvent, cuEventSynchronize, (EventHandle event))                                                         \
  X(elapsedTime, cuEventElapsedTime, (float *milliseconds, EventHandle begin, EventHandle end))

// Null where the driver is too old for them.
#define TRITON_CUDA_OPTIONAL(X)                                                                                        \
  X(launchPlain, cuLaunchKernel,                                                                                       \
    (FunctionHandle function, uint32_t gridX, uint32_t gridY, uint32_t gridZ, uint32_t blockX, uint32_t blockY,        \
     uint32_t blockZ, uint32_t sharedBytes, StreamHandle stream, void **arguments, void **extra))                      \
  X(createGraph, cuGraphCreate, (GraphHandle * graph, unsigned flags))                                                 \
  X(destroyGraph, cuGraphDestroy, (GraphHandle graph))                                                                 \
  X(addKernelNode, cuGraphAddKernelNode_v2,                                                                            \
    (GraphNodeHandle * node, GraphHandle graph, const GraphNodeHandle *dependencies, size_t count,                     \
     const KernelNode *launch))                                                                                        \
  X(instantiateGraph, cuGraphInstantiateWithFlags,                                                                     \
    (ExecutableGraphHandle * executable, GraphHandle graph, unsigned long long flags))                                 \
  X(destroyExecutableGraph, cuGraphExecDestroy, (ExecutableGraphHandle executable))                                    \
  X(changeKernelNode, cuGraphExecKernelNodeSetParams_v2,                                                               \
    (ExecutableGraphHandle executable, GraphNodeHandle node, const KernelNode *launch))                                \
  X(launchGraph, cuGraphLaunch, (ExecutableGraphHandle executable, StreamHandle stream))                               \
  X(streamIsCapturing, cuStreamIsCapturing, (StreamHandle stream, int *state))                                         \
  X(queryEvent, cuEventQuery, (EventHandle event))                                                                     \
  X(synchronizeContext, cuCtxSynchronize, ())                                                                          \
  X(exchangeCaptureMode, cuThreadExchangeStreamCaptureMode, (int *mode))                                               \
  X(maxActiveClusters, cuOccupancyMaxActiveClusters,                                                                   \
    (int *count, FunctionHandle function, const LaunchConfiguration *configuration))                                   \
  X(allocateAsync, cuMemAllocAsync, (DevicePointer * pointer, size_t bytes, StreamHandle stream))                      \
  X(setMemory, cuMemsetD32Async, (DevicePointer pointer, unsigned value, size_t count, StreamHandle stream))           \
  X(freeAsync, cuMemFreeAsync, (DevicePointer pointer, StreamHandle stream))                                           \
  X(encodeTensorMap, cuTensorMapEncodeTiled,                                                                           \
    (TensorMap * map, int type, uint32_t rank, void *address, const uint64_t *shape, const uint64_t *strides,          \
     const uint32_t *box, const uint32_t *elementStrides, int interleave, int swizzle, int promotion, int fill))

struct DriverApi {
#define TRITON_CUDA_DECLARE(member, symbol, parameters) int(*member) parameters = nullptr;
  TRITON_CUDA_REQUIRED(TRITON_CUDA_DECLARE)
  TRITON_CUDA_OPTIONAL(TRITON_CUDA_DECLARE)
#undef TRITON_CUDA_DECLARE
  bool overlapsLaunches = false; // programmatic launches work in graphs too
  bool launchesGraphs = false;   // it has all functions that this takes

  /// Opens the library and fills the table; the library stays open for good.
  static llvm::Expected<std::unique_ptr<const DriverApi>> open(const std::string &path);
};

/// A call of the driver that failed: its number, and a text that begins as users of Triton know it.
class DriverError : public llvm::ErrorInfo<DriverError> {
public:
  static char ID;
  DriverError(int status, std::string message) : status(status), itsMessage(std::move(message)) {}
  void log(llvm::raw_ostream &stream) const override;
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }
  std::string message() const override { return itsMessage; }
  const int status;

private:
  std::string itsMessage;
};

/// "Triton Error [CUDA]: invalid argument", with `detail` behind it.
std::string describe(const DriverApi &api, int status, const llvm::Twine &detail = "");
llvm::Error failure(const DriverApi &api, int status, const llvm::Twine &detail = "");

} // namespace triton::runtime::cuda
