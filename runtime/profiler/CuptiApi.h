// What is used of CUPTI's interface, CUDA 12 and 13.
#pragma once

#include <cstddef>
#include <cstdint>

namespace triton::runtime::profiler {

// member, symbol, parameters
#define TRITON_CUPTI_FUNCTIONS(X)                                                                                      \
  X(subscribe, cuptiSubscribe, (void **subscriber, CuptiCallback callback, void *user))                                \
  X(unsubscribe, cuptiUnsubscribe, (void *subscriber))                                                                 \
  X(enableCallback, cuptiEnableCallback, (uint32_t enable, void *subscriber, uint32_t domain, uint32_t function))      \
  X(registerBuffers, cuptiActivityRegisterCallbacks, (CuptiBufferRequested requested, CuptiBufferCompleted completed)) \
  X(enableActivity, cuptiActivityEnable, (uint32_t kind))                                                              \
  X(disableActivity, cuptiActivityDisable, (uint32_t kind))                                                            \
  X(flush, cuptiActivityFlushAll, (uint32_t flags))                                                                    \
  X(nextRecord, cuptiActivityGetNextRecord, (uint8_t *buffer, size_t validBytes, const void **record))                 \
  X(graphNodeNumber, cuptiGetGraphNodeId, (void *node, uint64_t *number))                                              \
  X(resultString, cuptiGetResultString, (int status, const char **text))

using CuptiCallback = void (*)(void *user, uint32_t domain, uint32_t function, const void *data);
using CuptiBufferRequested = void (*)(uint8_t **buffer, size_t *bytes, size_t *maxRecords);
using CuptiBufferCompleted = void (*)(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t validBytes);

struct CuptiApi {
#define TRITON_CUPTI_DECLARE(member, symbol, parameters) int(*member) parameters = nullptr;
  TRITON_CUPTI_FUNCTIONS(TRITON_CUPTI_DECLARE)
#undef TRITON_CUPTI_DECLARE
};

constexpr int cuptiMultipleSubscribers = 39; // a status: another tool has subscribed
constexpr uint32_t cuptiConcurrentKernel = 10;
constexpr uint32_t cuptiFlushForced = 1; // also records that are not complete

/// The beginning of a record of a kernel; the same since CUDA 11.
struct [[gnu::packed]] CuptiKernel {
  uint32_t kind;
  uint8_t cacheConfiguration[4];
  uint8_t moreConfiguration[8];
  uint64_t begin, end, completed; // nanoseconds since 1970
  uint32_t device, context, stream;
  int32_t grid[3], block[3];
  int32_t staticSharedBytes, dynamicSharedBytes;
  uint32_t localBytesPerThread, localBytes;
  uint32_t correlation;
  int64_t gridId;
  const char *name;
  uint64_t more[3];
  uint32_t launch, sharedBytesExecuted;
  uint64_t graphNode; // 0: it was launched by itself
};
static_assert(offsetof(CuptiKernel, begin) == 16 && offsetof(CuptiKernel, device) == 40 &&
              offsetof(CuptiKernel, correlation) == 92 && offsetof(CuptiKernel, name) == 104 &&
              offsetof(CuptiKernel, graphNode) == 144);

/// What a callback is told about a call.
struct CuptiCall {
  int32_t site; // 0: it begins
  const char *functionName;
  const void *parameters;
  void *result;
  const char *symbolName;
  void *context;
  uint32_t contextNumber;
  uint64_t *data;
  uint32_t correlation;
};
static_assert(offsetof(CuptiCall, context) == 40 && offsetof(CuptiCall, correlation) == 64);

/// The calls by which kernels are launched. Some are missing from older versions.
struct CuptiLaunch {
  uint32_t domain, function;
  bool isGraph;
};
constexpr uint32_t cuptiDriver = 1, cuptiRuntime = 2, cuptiResource = 3, cuptiNvtx = 5;
constexpr CuptiLaunch cuptiLaunches[] = {
    {cuptiDriver, 115, false},  // cuLaunch
    {cuptiDriver, 116, false},  // cuLaunchGrid
    {cuptiDriver, 117, false},  // cuLaunchGridAsync
    {cuptiDriver, 307, false},  // cuLaunchKernel
    {cuptiDriver, 442, false},  // cuLaunchKernel_ptsz
    {cuptiDriver, 477, false},  // cuLaunchCooperativeKernel
    {cuptiDriver, 478, false},  // cuLaunchCooperativeKernel_ptsz
    {cuptiDriver, 480, false},  // cuLaunchCooperativeKernelMultiDevice
    {cuptiDriver, 514, true},   // cuGraphLaunch
    {cuptiDriver, 515, true},   // cuGraphLaunch_ptsz
    {cuptiDriver, 652, false},  // cuLaunchKernelEx
    {cuptiDriver, 653, false},  // cuLaunchKernelEx_ptsz
    {cuptiRuntime, 13, false},  // cudaLaunch
    {cuptiRuntime, 211, false}, // cudaLaunchKernel
    {cuptiRuntime, 213, false}, // cudaLaunch_ptsz
    {cuptiRuntime, 214, false}, // cudaLaunchKernel_ptsz
    {cuptiRuntime, 269, false}, // cudaLaunchCooperativeKernel
    {cuptiRuntime, 270, false}, // cudaLaunchCooperativeKernel_ptsz
    {cuptiRuntime, 272, false}, // cudaLaunchCooperativeKernelMultiDevice
    {cuptiRuntime, 311, true},  // cudaGraphLaunch
    {cuptiRuntime, 312, true},  // cudaGraphLaunch_ptsz
    {cuptiRuntime, 430, false}, // cudaLaunchKernelExC
    {cuptiRuntime, 431, false}, // cudaLaunchKernelExC_ptsz
    {cuptiRuntime, 505, false}, // __cudaLaunchKernel
    {cuptiRuntime, 506, false}, // __cudaLaunchKernel_ptsz
};

/// What a callback is told about a node of a graph. Graphs that are launched are made of clones.
constexpr uint32_t graphNodeCreated = 13, graphNodeCloned = 20;
struct CuptiGraphNode {
  void *graph, *originalGraph, *node, *originalNode;
};
struct CuptiResource {
  void *context, *handle;
  const CuptiGraphNode *graphNode;
};

/// What a callback is told about a call of NVTX, by which programs name ranges.
struct NvtxCall {
  const char *functionName;
  const void *const *parameters; // the first of them
  const void *result;
};
constexpr uint32_t nvtxPush = 8, nvtxPushWide = 9, nvtxPushAttributes = 10, nvtxPop = 11;

/// The beginning of a range's attributes.
struct NvtxAttributes {
  uint16_t version, size;
  uint32_t more[5];
  uint64_t payload;
  int32_t messageKind; // 1: a plain string
  const char *message;
};
static_assert(offsetof(NvtxAttributes, messageKind) == 32 && offsetof(NvtxAttributes, message) == 40);

} // namespace triton::runtime::profiler
