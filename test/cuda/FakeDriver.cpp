// A libcuda.so.1, and with FakeHip.cpp a libamdhip64.so, without a GPU: it loads real cubins and PTX, remembers what it is asked to do, and runs nothing.
//   In:  the driver calls of the code under test.
//   Out: a log, one line per call that changes something: `launch add_kernel grid=8,1,1 block=128 … args=…` with each argument's bytes in hex,
//        the first byte first. Calls that break a rule of the driver fail as they would there.
// Tests steer it with the functions at the end. Device memory is ordinary memory at addresses that only this library calls its own.
#include "test/cuda/FakeDriver.h"
#include "runtime/driver/StandIn.h"
#include "test/cuda/FakeImage.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <sstream>
#include <utility>
#include <vector>

using namespace triton::runtime::gpu;
using namespace triton::test;

namespace triton::runtime::gpu {
struct OpaqueContext {
  int device;
};
struct OpaqueModule {
  FakeImage image;
  OpaqueContext *context;
};
struct OpaqueFunction {
  std::string name;
  FakeKernel kernel;
  OpaqueContext *context;
  int dynamicShared = 48 * 1024;
  bool allowsLargeClusters = false;
};
/// A launch that can be made again: its arguments are copies.
struct OpaqueGraphNode {
  KernelNode launch{};
  std::vector<std::string> arguments;
};
struct OpaqueGraph {
  std::unique_ptr<OpaqueGraphNode> node;
};
struct OpaqueExecutableGraph {
  OpaqueGraph *graph;
  OpaqueGraphNode node;
};
} // namespace triton::runtime::gpu

namespace {
struct Fake {
  std::mutex mutex;
  bool isInitialized = false;
  int deviceCount = 1, capability = 90;
  std::string architecture; // of AMD's devices; empty: they are NVIDIA's
  int hipVersion = 70051831;
  OpaqueContext contexts[8] = {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}};
  std::string log, taken;
  std::map<std::string, int> failures; // function -> status of its next call
  std::map<uint64_t, size_t> memory;   // address -> bytes
  std::map<uint64_t, size_t> pinned;
  std::vector<std::pair<void (*)(void *), void *>> hostFunctions; // queued: called by whoever waits
  size_t printfBytes = 1 << 20;
  bool isQuiet = false, isCapturing = false, isBusy = false;
  int graphCount = 0; // executable ones that there are

  /// All that is queued is over.
  void finish() {
    for (auto [function, data] : std::exchange(hostFunctions, {}))
      function(data);
  }
  void record(const std::string &line) { log += line + "\n"; }
  int begin(const char *function) {
    if (!isInitialized)
      return NotInitialized;
    auto failure = failures.find(function);
    if (failure == failures.end())
      return Success;
    int status = failure->second;
    failures.erase(failure);
    return status;
  }
  static bool holds(const std::map<uint64_t, size_t> &ranges, uint64_t address) {
    auto next = ranges.upper_bound(address);
    return next != ranges.begin() && address < std::prev(next)->first + std::prev(next)->second;
  }
};
} // namespace

static Fake &fake() {
  static auto *state = new Fake;
  return *state;
}
static thread_local OpaqueContext *current = nullptr;
static thread_local int captureMode = 0;

#define BEGIN(name)                                                                                                    \
  Fake &state = fake();                                                                                                \
  std::lock_guard lock(state.mutex);                                                                                   \
  if (int status = state.begin(name))                                                                                  \
  return status
// What the driver refuses while a stream is captured.
#define FORBIDDEN_IN_CAPTURES                                                                                          \
  if (state.isCapturing && captureMode != captureModeRelaxed)                                                          \
  return CaptureUnsupported
#define NEED_CONTEXT                                                                                                   \
  if (!current)                                                                                                        \
  return InvalidContext

#pragma GCC visibility push(default)
extern "C" {

int cuInit(unsigned) {
  Fake &state = fake();
  std::lock_guard lock(state.mutex);
  state.isInitialized = true;
  return state.begin("cuInit");
}
int cuDriverGetVersion(int *version) { return *version = 13000, Success; }
int cuGetErrorString(int status, const char **text) {
  *text = statusText(status);
  return *text ? Success : InvalidValue;
}
int cuGetErrorName(int status, const char **text) { return cuGetErrorString(status, text); }

int cuDeviceGetCount(int *count) {
  BEGIN("cuDeviceGetCount");
  return *count = state.deviceCount, Success;
}
int cuDeviceGet(DeviceHandle *device, int ordinal) {
  BEGIN("cuDeviceGet");
  return ordinal < 0 || ordinal >= state.deviceCount ? InvalidDevice : (*device = ordinal, Success);
}
int cuDeviceGetName(char *name, int size, DeviceHandle) {
  std::strncpy(name, "Fake GPU", size_t(size));
  return Success;
}
int cuDeviceGetAttribute(int *value, DeviceAttribute attribute, DeviceHandle) {
  BEGIN("cuDeviceGetAttribute");
  const StandInDevice device{state.capability, 232448, 233472, 132, 1980000, 3201000, 6144, 62914560};
  const std::optional<int> found = device.find(attribute);
  return found ? (*value = *found, Success) : InvalidValue;
}

int cuDevicePrimaryCtxRetain(ContextHandle *context, DeviceHandle device) {
  BEGIN("cuDevicePrimaryCtxRetain");
  state.record("retain device=" + std::to_string(device));
  return *context = &state.contexts[device], Success;
}
int cuCtxGetCurrent(ContextHandle *context) { return *context = current, Success; }
int cuCtxSetCurrent(ContextHandle context) { return current = context, Success; }
static thread_local std::vector<OpaqueContext *> contextStack;
int cuCtxPushCurrent_v2(ContextHandle context) {
  contextStack.push_back(current);
  return current = context, Success;
}
int cuCtxPopCurrent_v2(ContextHandle *context) {
  if (contextStack.empty())
    return InvalidContext;
  *context = current;
  current = contextStack.back();
  return contextStack.pop_back(), Success;
}
int cuCtxGetDevice(DeviceHandle *device) {
  NEED_CONTEXT;
  return *device = current->device, Success;
}
int cuCtxGetLimit(size_t *value, Limit) {
  NEED_CONTEXT;
  return *value = fake().printfBytes, Success;
}
int cuCtxSetLimit(Limit, size_t value) {
  BEGIN("cuCtxSetLimit");
  NEED_CONTEXT;
  state.record("limit printf=" + std::to_string(value));
  return state.printfBytes = value, Success;
}

int cuModuleLoadDataEx(ModuleHandle *module, const void *image, unsigned count, JitOption *options, void **values) {
  BEGIN("cuModuleLoadDataEx");
  NEED_CONTEXT;
  FORBIDDEN_IN_CAPTURES;
  std::optional<FakeImage> read = readImage(static_cast<const char *>(image));
  if (!read) {
    for (unsigned index = 0; index < count; ++index)
      if (options[index] == JitOption::ErrorLog)
        std::strcpy(static_cast<char *>(values[index]), "ptxas fatal : not a module\n");
    return InvalidImage;
  }
  if (read->architecture > state.capability ||
      (read->isMachineCode && read->architecture / 10 != state.capability / 10))
    return NoBinaryForGpu;
  if (read->target != (state.architecture.empty() ? "" : "amdgcn-amd-amdhsa--" + state.architecture))
    return NoBinaryForGpu;
  *module = new OpaqueModule{std::move(*read), current};
  state.record("load device=" + std::to_string(current->device));
  return Success;
}
int cuModuleUnload(ModuleHandle module) {
  BEGIN("cuModuleUnload");
  FORBIDDEN_IN_CAPTURES;
  delete module;
  return state.record("unload"), Success;
}
int cuModuleGetFunction(FunctionHandle *function, ModuleHandle module, const char *name) {
  BEGIN("cuModuleGetFunction");
  auto found = module->image.kernels.find(name);
  if (found == module->image.kernels.end())
    return NotFound;
  *function = new OpaqueFunction{name, found->second, module->context};
  if (!state.architecture.empty())
    (*function)->dynamicShared = fakeHipSharedBytes(); // nobody has to ask for it
  return Success;
}
int cuFuncGetAttribute(int *value, FunctionAttribute attribute, FunctionHandle function) {
  BEGIN("cuFuncGetAttribute");
  switch (attribute) {
  case FunctionAttribute::MaxThreadsPerBlock:
    *value = function->kernel.maxThreads;
    break;
  case FunctionAttribute::Registers:
    *value = function->kernel.registers;
    break;
  case FunctionAttribute::LocalBytes:
    *value = function->kernel.localBytes;
    break;
  default:
    *value = 0;
  }
  return Success;
}
int cuFuncSetAttribute(FunctionHandle function, FunctionAttribute attribute, int value) {
  BEGIN("cuFuncSetAttribute");
  if (attribute == FunctionAttribute::MaxDynamicSharedBytes)
    function->dynamicShared = value;
  else if (attribute == FunctionAttribute::NonPortableClusterSizeAllowed)
    function->allowsLargeClusters = value;
  return Success;
}
int cuThreadExchangeStreamCaptureMode(int *mode) { return std::swap(*mode, captureMode), Success; }
int cuFuncSetCacheConfig(FunctionHandle, int) { return Success; }

static std::string hex(const void *bytes, size_t count) {
  std::string text;
  for (size_t index = 0; index < count; ++index) {
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x", static_cast<const unsigned char *>(bytes)[index]);
    text += digits;
  }
  return text;
}

/// The launch as a line of the log, or why it cannot be made.
static int describeLaunch(std::ostringstream &line, FunctionHandle function, const uint32_t grid[3], uint32_t threads,
                          uint32_t sharedBytes, StreamHandle stream) {
  NEED_CONTEXT;
  if (function->context != current)
    return InvalidHandle;
  if (!grid[0] || !grid[1] || !grid[2] || grid[1] > 65535 || grid[2] > 65535 || !threads ||
      sharedBytes > uint32_t(function->dynamicShared) || threads > uint32_t(function->kernel.maxThreads))
    return InvalidValue;
  line << "launch " << function->name << " device=" << current->device << " grid=" << grid[0] << "," << grid[1] << ","
       << grid[2] << " block=" << threads << " shared=" << sharedBytes
       << " stream=" << reinterpret_cast<uint64_t>(stream);
  return Success;
}

int cuLaunchKernelEx(const LaunchConfiguration *launch, FunctionHandle function, void **arguments, void **) {
  if (fake().isQuiet)
    return Success;
  BEGIN("cuLaunchKernelEx");
  std::ostringstream line;
  const uint32_t grid[] = {launch->gridX, launch->gridY, launch->gridZ};
  if (int status = describeLaunch(line, function, grid, launch->blockX, launch->sharedBytes, launch->stream))
    return status;
  for (uint32_t index = 0; index < launch->attributeCount; ++index) {
    const LaunchAttribute &attribute = launch->attributes[index];
    if (attribute.id == LaunchAttributeId::ClusterDimension) {
      uint32_t size = attribute.clusterDimension[0];
      if (launch->gridX % size || (size > 8 && !function->allowsLargeClusters))
        return InvalidClusterSize;
      line << " cluster=" << size;
    } else if (attribute.id == LaunchAttributeId::Cooperative)
      line << " cooperative";
    else if (attribute.id == LaunchAttributeId::ProgrammaticStreamSerialization)
      line << " programmatic";
  }
  line << " args=";
  for (size_t index = 0; index < function->kernel.parameterBytes.size(); ++index)
    line << (index ? "," : "") << hex(arguments[index], function->kernel.parameterBytes[index]);
  return state.record(line.str()), Success;
}

// Graphs of one launch.

static void assign(OpaqueGraphNode &node, const KernelNode &launch) {
  node.launch = launch;
  node.arguments.clear();
  for (size_t index = 0; index < launch.function->kernel.parameterBytes.size(); ++index)
    node.arguments.push_back(hex(launch.arguments[index], launch.function->kernel.parameterBytes[index]));
}
int cuGraphCreate(GraphHandle *graph, unsigned) {
  BEGIN("cuGraphCreate");
  return *graph = new OpaqueGraph, Success;
}
int cuGraphDestroy(GraphHandle graph) { return delete graph, Success; }
int cuGraphAddKernelNode_v2(GraphNodeHandle *node, GraphHandle graph, const GraphNodeHandle *, size_t,
                            const KernelNode *launch) {
  BEGIN("cuGraphAddKernelNode");
  graph->node = std::make_unique<OpaqueGraphNode>();
  assign(*graph->node, *launch);
  return *node = graph->node.get(), Success;
}
int cuGraphInstantiateWithFlags(ExecutableGraphHandle *executable, GraphHandle graph, unsigned long long) {
  BEGIN("cuGraphInstantiate");
  NEED_CONTEXT;
  FORBIDDEN_IN_CAPTURES;
  ++state.graphCount;
  return *executable = new OpaqueExecutableGraph{graph, *graph->node}, Success;
}
int cuGraphExecDestroy(ExecutableGraphHandle executable) {
  BEGIN("cuGraphExecDestroy");
  --state.graphCount;
  return delete executable, Success;
}
int cuGraphExecKernelNodeSetParams_v2(ExecutableGraphHandle executable, GraphNodeHandle node,
                                      const KernelNode *launch) {
  if (fake().isQuiet)
    return Success;
  BEGIN("cuGraphExecKernelNodeSetParams");
  if (node != executable->graph->node.get() || node->launch.function->context != launch->function->context)
    return InvalidValue;
  assign(executable->node, *launch);
  return state.record("change"), Success;
}
int cuGraphLaunch(ExecutableGraphHandle executable, StreamHandle stream) {
  if (fake().isQuiet)
    return Success;
  BEGIN("cuGraphLaunch");
  const KernelNode &launch = executable->node.launch;
  std::ostringstream line;
  const uint32_t grid[] = {launch.gridX, launch.gridY, launch.gridZ};
  if (int status = describeLaunch(line, launch.function, grid, launch.blockX, launch.sharedBytes, stream))
    return status;
  line << " graph args=";
  for (size_t index = 0; index < executable->node.arguments.size(); ++index)
    line << (index ? "," : "") << executable->node.arguments[index];
  return state.record(line.str()), Success;
}
int cuStreamIsCapturing(StreamHandle, int *capturing) { return *capturing = fake().isCapturing, Success; }

int cuPointerGetAttribute(void *value, int, DevicePointer pointer) {
  BEGIN("cuPointerGetAttribute");
  if (!Fake::holds(state.memory, pointer) && !Fake::holds(state.pinned, pointer))
    return InvalidValue;
  std::memcpy(value, &pointer, sizeof(pointer));
  return Success;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *count, FunctionHandle, int threads, size_t) {
  return *count = 2048 / threads, Success;
}
int cuOccupancyMaxActiveClusters(int *count, FunctionHandle, const LaunchConfiguration *launch) {
  return *count = 132 / int(launch->attributes[0].clusterDimension[0]), Success;
}

int cuMemAlloc_v2(DevicePointer *pointer, size_t bytes) {
  BEGIN("cuMemAlloc");
  NEED_CONTEXT;
  FORBIDDEN_IN_CAPTURES;
  *pointer = reinterpret_cast<DevicePointer>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  return state.memory[*pointer] = bytes, Success;
}
int cuMemAllocAsync(DevicePointer *pointer, size_t bytes, StreamHandle stream) {
  {
    BEGIN("cuMemAllocAsync");
    state.record("allocate bytes=" + std::to_string(bytes) + " stream=" + std::to_string(uintptr_t(stream)));
  }
  return cuMemAlloc_v2(pointer, bytes);
}
int cuMemHostAlloc(void **pointer, size_t bytes, unsigned) {
  BEGIN("cuMemHostAlloc");
  NEED_CONTEXT;
  FORBIDDEN_IN_CAPTURES;
  *pointer = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return state.pinned[reinterpret_cast<uint64_t>(*pointer)] = bytes, Success;
}
int cuLaunchHostFunc(StreamHandle stream, void (*function)(void *), void *data) {
  BEGIN("cuLaunchHostFunc");
  NEED_CONTEXT;
  state.hostFunctions.emplace_back(function, data);
  return state.record("host function device=" + std::to_string(current->device) +
                      " stream=" + std::to_string(uintptr_t(stream))),
         Success;
}
int cuMemFree_v2(DevicePointer pointer);
int cuMemFreeAsync(DevicePointer pointer, StreamHandle) {
  {
    BEGIN("cuMemFreeAsync");
    state.record("free");
  }
  return cuMemFree_v2(pointer);
}
int cuMemFree_v2(DevicePointer pointer) {
  BEGIN("cuMemFree");
  if (!state.memory.erase(pointer))
    return InvalidValue;
  return std::free(reinterpret_cast<void *>(pointer)), Success;
}
int cuMemcpyHtoDAsync_v2(DevicePointer to, const void *from, size_t bytes, StreamHandle) {
  return std::memcpy(reinterpret_cast<void *>(to), from, bytes), Success;
}
int cuMemcpyDtoHAsync_v2(void *to, DevicePointer from, size_t bytes, StreamHandle) {
  BEGIN("cuMemcpyDtoHAsync");
  return std::memcpy(to, reinterpret_cast<void *>(from), bytes), Success;
}
int cuStreamCreate(StreamHandle *stream, unsigned) {
  BEGIN("cuStreamCreate");
  static uint64_t next = 0x5000;
  return *stream = reinterpret_cast<StreamHandle>(++next), Success;
}
int cuStreamDestroy_v2(StreamHandle) { return Success; }
int cuCtxSynchronize() {
  BEGIN("cuCtxSynchronize");
  NEED_CONTEXT;
  return state.finish(), Success;
}
int cuStreamSynchronize(StreamHandle stream) {
  BEGIN("cuStreamSynchronize");
  state.finish();
  return state.record("synchronize stream=" + std::to_string(reinterpret_cast<uint64_t>(stream))), Success;
}
int cuEventCreate(EventHandle *event, unsigned) { return *event = reinterpret_cast<EventHandle>(1), Success; }
int cuEventDestroy_v2(EventHandle) { return Success; }
int cuEventRecord(EventHandle, StreamHandle) { return Success; }
int cuEventQuery(EventHandle) {
  BEGIN("cuEventQuery");
  FORBIDDEN_IN_CAPTURES;
  return state.isBusy ? NotReady : Success;
}
int cuMemsetD32Async(DevicePointer, unsigned, size_t, StreamHandle) { return Success; }
int cuEventSynchronize(EventHandle) { return Success; }
int cuEventElapsedTime(float *milliseconds, EventHandle, EventHandle) { return *milliseconds = 1, Success; }

int cuTensorMapEncodeTiled(TensorMap *map, int type, uint32_t rank, void *address, const uint64_t *shape,
                           const uint64_t *strides, const uint32_t *box, const uint32_t *, int, int swizzle,
                           int promotion, int fill) {
  BEGIN("cuTensorMapEncodeTiled");
  std::ostringstream line;
  line << "tensormap type=" << type << " rank=" << rank << " shape=";
  for (uint32_t dim = 0; dim < rank; ++dim)
    line << (dim ? "," : "") << shape[dim];
  line << " strides=";
  for (uint32_t dim = 0; dim + 1 < rank; ++dim) {
    line << (dim ? "," : "") << strides[dim];
    if (strides[dim] % 16)
      return InvalidValue;
  }
  line << " box=";
  for (uint32_t dim = 0; dim < rank; ++dim)
    line << (dim ? "," : "") << box[dim];
  line << " swizzle=" << swizzle << " promotion=" << promotion << " fill=" << fill;
  if (reinterpret_cast<uint64_t>(address) % 16)
    return InvalidValue;
  map->words[0] = reinterpret_cast<uint64_t>(address);
  return state.record(line.str()), Success;
}

// What tests call.

/// What was recorded since the last call; good until the next.
const char *fakeCudaTakeLog() {
  Fake &state = fake();
  std::lock_guard lock(state.mutex);
  state.taken = std::move(state.log);
  state.log.clear();
  return state.taken.c_str();
}
/// The next call of `function` gives `status`.
void fakeCudaFail(const char *function, int status) {
  std::lock_guard lock(fake().mutex);
  fake().failures[function] = status;
}
/// Launches from now on do nothing at all, so that one can measure what comes before them.
void fakeCudaBeQuiet() { fake().isQuiet = true; }
/// Whether events lie ahead of the GPU.
void fakeCudaSetBusy(bool isBusy) { fake().isBusy = isBusy; }
int fakeCudaGraphCount() { return fake().graphCount; }
void fakeCudaSetCapturing(bool isCapturing) { fake().isCapturing = isCapturing; }
/// Before the driver is used.
void fakeCudaSetDevices(int count, int capability) {
  fake().deviceCount = count;
  fake().capability = capability;
}
/// Likewise for AMD's.
void fakeHipSetDevices(int count, const char *architecture, int version) {
  fake().deviceCount = count;
  fake().architecture = architecture;
  fake().hipVersion = version;
}
/// Memory of the host that kernels may use.
void fakeCudaPin(const void *address, size_t bytes) {
  std::lock_guard lock(fake().mutex);
  fake().pinned[reinterpret_cast<uint64_t>(address)] = bytes;
}
uint64_t fakeCudaAllocate(size_t bytes) {
  std::lock_guard lock(fake().mutex);
  auto pointer = reinterpret_cast<uint64_t>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  fake().memory[pointer] = bytes;
  return pointer;
}
}
#pragma GCC visibility pop

// What HIP's face needs.

int fakeHipUse(int device) {
  if (device < 0 || device >= fake().deviceCount)
    return InvalidDevice;
  return current = &fake().contexts[device], Success;
}
int fakeHipBegin(const char *function) {
  Fake &state = fake();
  if (!current)
    fakeHipUse(0);
  if (state.isQuiet)
    return Success;
  std::lock_guard lock(state.mutex);
  state.isInitialized = true;
  return state.begin(function);
}
int fakeHipVersion() { return fake().hipVersion; }
int fakeHipSharedBytes() { return (fake().architecture == "gfx950" ? 160 : 64) * 1024; }
const char *fakeHipArchitecture() { return fake().architecture.c_str(); }
