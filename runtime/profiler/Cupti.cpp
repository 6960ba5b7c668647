// A call that launches something gets a number from CUPTI, and so do the kernels that come of it. The call's place is remembered under that number
// until its kernel has ended; a call of the runtime library and the call of the driver within it may have one number or two.
#include "runtime/profiler/Cupti.h"

#include "compiler/support/KernelSymbols.h"
#include "runtime/gpu/Driver.h"
#include "runtime/gpu/Launch.h"
#include "runtime/profiler/CuptiApi.h"
#include "runtime/profiler/Profiler.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/FileSystem.h"

#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <unordered_map>

namespace triton::runtime::profiler {

namespace {

struct LaunchCall {
  Places places;
  bool isGraph; // more than one kernel may come of it
};

/// Never destroyed: CUPTI's thread may deliver records while the process ends.
struct State {
  std::mutex mutex; // of beginning and ending
  CuptiApi api;
  bool isOpen = false;
  int users = 0; // sessions
  void *subscriber = nullptr;

  std::mutex launchMutex;
  std::unordered_map<uint32_t, LaunchCall> launches;
  llvm::DenseSet<void *> contexts; // in which something was launched
  /// By the numbers of graphs' nodes: where they were recorded.
  std::unordered_map<uint64_t, std::shared_ptr<const std::vector<Captured>>> graphNodes;

  static State &get() {
    static auto *state = new State;
    return *state;
  }
};

} // namespace

static llvm::Error failed(const char *what, int status) {
  if (status == cuptiMultipleSubscribers)
    return llvm::createStringError("another profiler has NVIDIA's CUPTI (torch.profiler, Nsight, or a second copy of "
                                   "libcupti): end it first");
  const char *text = nullptr;
  State::get().api.resultString(status, &text);
  return llvm::createStringError("CUPTI: " + llvm::Twine(what) + " failed: " + (text ? text : "unknown error"));
}

static void *openLibrary(llvm::ArrayRef<std::string> libraries) {
  const char *names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
  auto open = [](const std::string &path) { return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); };
  if (!libraries.empty() && llvm::sys::fs::exists(libraries.front()))
    if (void *library = open(libraries.front()))
      return library;
  for (const char *name : names)
    if (void *library = dlopen(name, RTLD_NOW | RTLD_NOLOAD))
      return library;
  for (const std::string &path : libraries)
    if (llvm::sys::fs::exists(path))
      if (void *library = open(path))
        return library;
  for (const char *name : names)
    if (void *library = open(name))
      return library;
  return nullptr;
}

/// The library stays open for good.
static llvm::Error open(State &state, llvm::ArrayRef<std::string> libraries) {
  if (state.isOpen)
    return llvm::Error::success();
  void *library = openLibrary(libraries);
  if (!library)
    return llvm::createStringError("cannot open NVIDIA's CUPTI, libcupti.so.13, .12 or .so: install CUDA's CUPTI, set "
                                   "TRITON_CUPTI_LIB_PATH to its folder, or import torch first, which brings it");
#define TRITON_CUPTI_FIND(member, symbol, parameters)                                                                  \
  state.api.member = reinterpret_cast<decltype(state.api.member)>(dlsym(library, #symbol));                            \
  if (!state.api.member)                                                                                               \
    return llvm::createStringError("NVIDIA's CUPTI has no " #symbol "; that of CUDA 12 or newer is needed");
  TRITON_CUPTI_FUNCTIONS(TRITON_CUPTI_FIND)
#undef TRITON_CUPTI_FIND
  state.isOpen = true;
  return llvm::Error::success();
}

/// A range that the program marks with NVTX begins or ends.
static void noteRange(uint32_t function, const NvtxCall &call) {
  if (function == nvtxPop)
    return leaveRange();
  const char *name = nullptr;
  if (function == nvtxPush)
    name = static_cast<const char *>(*call.parameters);
  else if (function == nvtxPushAttributes) {
    const auto *attributes = static_cast<const NvtxAttributes *>(*call.parameters);
    name = attributes && attributes->messageKind == 1 ? attributes->message : nullptr;
  }
  llvm::cantFail(enterScope(name ? name : "(range)", {}, ScopeKind::Range)); // metrics alone can be wrong
}

/// A node of a graph is being made by this thread, or copied from another.
static void noteGraphNode(uint32_t function, const CuptiResource &resource) {
  State &state = State::get();
  const CuptiGraphNode *node = resource.graphNode;
  uint64_t number = 0, original = 0;
  if (!node || state.api.graphNodeNumber(node->node, &number))
    return;
  if (function == graphNodeCreated) {
    auto captured = std::make_shared<const std::vector<Captured>>(capturedIn(Source::Cupti));
    std::lock_guard lock(state.launchMutex);
    state.graphNodes.insert_or_assign(number, std::move(captured));
    return;
  }
  if (state.api.graphNodeNumber(node->originalNode, &original))
    return;
  std::lock_guard lock(state.launchMutex);
  if (auto found = state.graphNodes.find(original); found != state.graphNodes.end())
    state.graphNodes.insert_or_assign(number, found->second);
}

/// Something is being launched by this thread.
static void noteCall(void *, uint32_t domain, uint32_t function, const void *data) {
  if (domain == cuptiNvtx)
    return noteRange(function, *static_cast<const NvtxCall *>(data));
  if (domain == cuptiResource)
    return noteGraphNode(function, *static_cast<const CuptiResource *>(data));
  const auto &call = *static_cast<const CuptiCall *>(data);
  if (call.site != 0)
    return;
  State &state = State::get();
  {
    std::lock_guard lock(state.launchMutex);
    if (state.launches.contains(call.correlation))
      return; // of the call around this one
  }
  LaunchCall launch{placesOf(Source::Cupti), false};
  if (launch.places.empty())
    return;
  for (const CuptiLaunch &known : cuptiLaunches)
    if (known.domain == domain && known.function == function)
      launch.isGraph = known.isGraph;
  std::lock_guard lock(state.launchMutex);
  state.launches.insert_or_assign(call.correlation, std::move(launch));
  if (call.context)
    state.contexts.insert(call.context);
}

static void noteKernel(State &state, const CuptiKernel &kernel) {
  Places places;
  std::shared_ptr<const std::vector<Captured>> captured;
  {
    std::lock_guard lock(state.launchMutex);
    auto found = state.launches.find(kernel.correlation);
    if (found == state.launches.end())
      return;
    if (found->second.isGraph) {
      places = found->second.places;
      if (auto node = state.graphNodes.find(kernel.graphNode); node != state.graphNodes.end())
        captured = node->second;
    } else {
      places = std::move(found->second.places);
      state.launches.erase(found);
    }
  }
  if (kernel.begin == 0 || kernel.end < kernel.begin)
    return; // it had not ended when records were asked for
  if (captured)
    places = placesOfNode(places, *captured);
  addKernel(places, {kernel.name ? nameOfPtxSymbol(kernel.name) : "(unnamed kernel)",
                     {DeviceKind::Cuda, kernel.device},
                     kernel.stream,
                     kernel.begin,
                     kernel.end - kernel.begin});
}

static void provideBuffer(uint8_t **buffer, size_t *bytes, size_t *maxRecords) {
  constexpr size_t size = 1 << 20;
  *buffer = static_cast<uint8_t *>(std::aligned_alloc(64, size));
  *bytes = *buffer ? size : 0;
  *maxRecords = 0; // as many as fit
}

static void readBuffer(void *, uint32_t, uint8_t *buffer, size_t, size_t validBytes) {
  State &state = State::get();
  const void *record = nullptr;
  while (validBytes && state.api.nextRecord(buffer, validBytes, &record) == 0)
    if (*static_cast<const uint32_t *>(record) == cuptiConcurrentKernel)
      noteKernel(state, *static_cast<const CuptiKernel *>(record));
  std::free(buffer);
}

llvm::Error Cupti::begin(llvm::ArrayRef<std::string> libraries) {
  State &state = State::get();
  std::lock_guard lock(state.mutex);
  auto driver = gpu::Driver::get();
  if (!driver)
    return driver.takeError();
  if (llvm::Error error = open(state, libraries))
    return error;
  if (state.users++)
    return llvm::Error::success();
  const CuptiApi &api = state.api;
  auto giveUp = [&](const char *what, int status) {
    --state.users;
    if (state.subscriber)
      api.unsubscribe(std::exchange(state.subscriber, nullptr));
    return failed(what, status);
  };
  if (int status = api.subscribe(&state.subscriber, noteCall, nullptr)) {
    state.subscriber = nullptr;
    return giveUp("cuptiSubscribe", status);
  }
  if (int status = api.registerBuffers(provideBuffer, readBuffer))
    return giveUp("cuptiActivityRegisterCallbacks", status);
  bool seesLaunches = false;
  int status = 0;
  for (const CuptiLaunch &launch : cuptiLaunches) {
    status = api.enableCallback(1, state.subscriber, launch.domain, launch.function);
    seesLaunches |= status == 0;
  }
  for (uint32_t function : {nvtxPush, nvtxPushWide, nvtxPushAttributes, nvtxPop})
    api.enableCallback(1, state.subscriber, cuptiNvtx, function); // without them there are no ranges
  for (uint32_t function : {graphNodeCreated, graphNodeCloned})
    api.enableCallback(1, state.subscriber, cuptiResource,
                       function); // without them kernels belong to a graph's launch alone
  if (!seesLaunches)
    return giveUp("cuptiEnableCallback", status);
  if (int status = api.enableActivity(cuptiConcurrentKernel))
    return giveUp("cuptiActivityEnable", status);
  return llvm::Error::success();
}

/// Waits for the kernels of all contexts in which something was launched.
static llvm::Error waitForKernels(State &state) {
  std::vector<void *> contexts;
  {
    std::lock_guard lock(state.launchMutex);
    contexts.assign(state.contexts.begin(), state.contexts.end());
  }
  gpu::Driver *driver = gpu::Driver::getIfUsed();
  for (void *context : contexts) {
    if (!driver || !driver->api().synchronizeContext)
      break;
    gpu::ContextScope scope(driver->api(), static_cast<gpu::ContextHandle>(context));
    int status = scope.status() ? scope.status() : driver->api().synchronizeContext();
    if (status)
      return gpu::failure(driver->api(), status, "waiting for the kernels that are profiled");
  }
  return llvm::Error::success();
}

llvm::Error Cupti::flush() {
  State &state = State::get();
  std::lock_guard lock(state.mutex);
  std::vector<uint32_t> graphs; // launched before: all their kernels will have been heard of
  {
    std::lock_guard launchLock(state.launchMutex);
    for (const auto &[correlation, launch] : state.launches)
      if (launch.isGraph)
        graphs.push_back(correlation);
  }
  if (llvm::Error error = waitForKernels(state))
    return error;
  if (int status = state.api.flush(0))
    return failed("cuptiActivityFlushAll", status);
  std::lock_guard launchLock(state.launchMutex);
  for (uint32_t correlation : graphs)
    state.launches.erase(correlation);
  return llvm::Error::success();
}

llvm::Error Cupti::end() {
  State &state = State::get();
  std::lock_guard lock(state.mutex);
  llvm::Error problem = waitForKernels(state);
  bool isLast = --state.users == 0;
  // Another session still waits for records that are not complete.
  if (int status = state.api.flush(isLast ? cuptiFlushForced : 0))
    problem = llvm::joinErrors(std::move(problem), failed("cuptiActivityFlushAll", status));
  if (!isLast)
    return problem;
  state.api.disableActivity(cuptiConcurrentKernel);
  state.api.unsubscribe(std::exchange(state.subscriber, nullptr));
  std::lock_guard launchLock(state.launchMutex);
  state.launches.clear();
  state.contexts.clear();
  state.graphNodes.clear();
  return problem;
}

std::string Cupti::library() {
  State &state = State::get();
  std::lock_guard lock(state.mutex);
  Dl_info info;
  bool isKnown = state.isOpen && dladdr(reinterpret_cast<void *>(state.api.subscribe), &info) && info.dli_fname;
  return isKnown ? info.dli_fname : "";
}

void Cupti::setMeasuring(bool isMeasuring) { gpu::launchesAreMeasured = isMeasuring; }

} // namespace triton::runtime::profiler
