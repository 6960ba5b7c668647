#include "runtime/simulated/Simulation.h"

#include "compiler/support/Interruption.h"
#include "compiler/support/IrText.h"
#include "compiler/support/WorkerThread.h"
#include "dispatch/EnvironmentNumber.h"
#include "runtime/driver/StandIn.h"
#include "simulator/amdgcn/Load.h"
#include "simulator/engines/TensorMap.h"
#include "simulator/machine/Machine.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

namespace triton::runtime::simulated {

static std::atomic<const LaunchWatch *> launchWatch = nullptr;
void watchLaunches(const LaunchWatch *watch) { launchWatch = watch; }

namespace {

using simulator::Finding;
using simulator::Findings;
using simulator::Grid;
using simulator::Kernel;
using simulator::Program;

/// What kernels and launchers see of a chip.
struct Chip {
  int capability, sharedBytes, sharedBytesPerMultiprocessor, multiprocessors;
  llvm::StringLiteral amd = ""; // AMD's by name; NVIDIA's have none
  unsigned lanes = 32;
  bool isFnuz = false;
  bool isAmd() const { return !amd.empty(); }
};
constexpr Chip chips[] = {{75, 65536, 65536, 40},
                          {80, 166912, 167936, 108},
                          {86, 101376, 102400, 84},
                          {87, 166912, 167936, 16},
                          {89, 101376, 102400, 128},
                          {90, 232448, 233472, 132},
                          {100, 232448, 233472, 148},
                          {103, 232448, 233472, 148},
                          {110, 232448, 233472, 20},
                          {120, 101376, 102400, 170},
                          {121, 101376, 102400, 48},
                          {90, 65536, 65536, 104, "gfx90a", 64},
                          {94, 65536, 65536, 304, "gfx942", 64, true},
                          {95, 163840, 163840, 256, "gfx950", 64},
                          {110, 65536, 65536, 96, "gfx1100"},
                          {110, 65536, 65536, 60, "gfx1101"},
                          {110, 65536, 65536, 32, "gfx1102"},
                          {120, 65536, 65536, 32, "gfx1200"},
                          {120, 65536, 65536, 64, "gfx1201"},
                          {125, 163840, 163840, 256, "gfx1250"}};

/// What a chip does in a time, for estimates: round figures from data sheets.
struct Speed {
  int capability;
  llvm::StringLiteral amd;
  double gigahertz, gigabytesPerSecond; // of global memory
  double products;                      // of 16-bit numbers, in a clock of a multiprocessor
};
constexpr Speed speeds[] = {
    {75, "", 1.6, 320, 512},        {80, "", 1.4, 1555, 1024},     {86, "", 1.7, 936, 512},
    {87, "", 1.3, 204, 1024},       {89, "", 2.5, 1008, 512},      {90, "", 1.8, 3350, 2048},
    {100, "", 1.9, 8000, 4096},     {103, "", 1.9, 8000, 4096},    {110, "", 1.6, 273, 4096},
    {120, "", 2.4, 1792, 512},      {121, "", 2.4, 273, 512},      {0, "gfx90a", 1.7, 3200, 1024},
    {0, "gfx942", 2.1, 5300, 1024}, {0, "gfx950", 2.4, 8000, 2048}};
/// Of those without figures: a chip of the middle.
constexpr Speed otherSpeed{0, "", 2.0, 1000, 512};

const Speed &speedOf(const Chip &chip) {
  for (const Speed &speed : speeds)
    if (chip.isAmd() ? speed.amd == chip.amd : speed.amd.empty() && speed.capability == chip.capability)
      return speed;
  return otherSpeed;
}

/// As if all multiprocessors that get a CTA did an equal share: a warp instruction takes one of four schedulers for a clock, and shared memory serves 128 bytes in one.
KernelCount::Times estimate(const simulator::Counter &counter, const Chip &chip, uint64_t ctas) {
  const Speed &speed = speedOf(chip);
  constexpr double schedulers = 4, bytesOfPass = 128, bytesOfSector = 32;
  const double clocks = speed.gigahertz * 1e3 * double(std::min<uint64_t>(ctas, uint64_t(chip.multiprocessors)));
  // Sectors are what accesses by threads move; engines have no requests.
  const double bytes = std::max(double(counter.sectors) * bytesOfSector, double(counter.globalBytes));
  const double passes = counter.passes ? double(counter.passes) : double(counter.sharedBytes) / bytesOfPass;
  return {.issue = double(counter.executions) / schedulers / clocks,
          .memory = bytes / (speed.gigabytesPerSecond * 1e3),
          .shared = passes / clocks,
          .tensor = double(counter.products) / speed.products / clocks};
}

struct Function;
struct Module {
  std::unique_ptr<Program> program;
  std::vector<std::unique_ptr<Function>> functions;
};
struct Function {
  Module *module;
  const Kernel *kernel;
  int maxDynamicShared = 49152;
};
struct Event {
  std::chrono::steady_clock::time_point time;
};

struct State {
  const Chip *chip = nullptr;
  std::string name;
  std::mutex mutex;
  std::map<uint64_t, uint64_t> allocations; // begin -> bytes, of this driver
  std::vector<KnownMemory> hostMemory;      // that kernels reach beside their arguments
  size_t printBytes = 1 << 20;
  // What was observed; under the mutex.
  Observation observation;
  std::vector<KernelFinding> findings;
  std::vector<KernelCount> counts;
};
State &state() {
  static auto *one = new State; // outlives launches while the process ends
  return *one;
}

/// Of the last launch of this thread that failed: what errorString says in full.
thread_local std::string lastFindings;
thread_local std::vector<KnownMemory> knownMemory; // of the next launch
thread_local int lastStatus = Success;
thread_local ContextHandle current = nullptr;

ContextHandle onlyContext() { return reinterpret_cast<ContextHandle>(uintptr_t(0x51u)); }

constexpr int illegalInstruction = 715, misaligned = 716, launchFailed = 719, launchTimeout = 702;

int statusOf(Finding::Kind kind) {
  switch (kind) {
  case Finding::Kind::IllegalAddress:
    return IllegalAddress;
  case Finding::Kind::Misaligned:
    return misaligned;
  case Finding::Kind::IllegalInstruction:
  case Finding::Kind::Barrier:
    return illegalInstruction;
  case Finding::Kind::Assertion:
    return AssertionFailed;
  case Finding::Kind::Deadlock:
    return launchTimeout;
  case Finding::Kind::OutOfMemory:
    return OutOfMemory;
  default:
    return launchFailed;
  }
}

const char *textOf(int status) {
  switch (status) {
  case launchTimeout:
    return "the launch timed out and was terminated";
  case illegalInstruction:
    return "an illegal instruction was encountered";
  case misaligned:
    return "misaligned address";
  case launchFailed:
    return "unspecified launch failure";
  default:
    const char *text = gpu::statusText(status);
    return text ? text : "unknown error";
  }
}

simulator::Loaded loadProgram(const Chip &chip, const char *image) {
  if (chip.isAmd()) {
    Diagnostics diagnostics;
    if (!isReadable(*Source::create("kernel.ll", image), IrSyntax::Llvm, diagnostics))
      return {nullptr, diagnostics.all().front().message};
    return simulator::amdgcn::load(image, {chip.amd.str(), chip.lanes, chip.isFnuz});
  }
  return simulator::load(image);
}

int initialize(unsigned) { return Success; }
int driverVersion(int *version) { return *version = 13000, Success; }
int errorString(int status, const char **text) {
  static thread_local std::string full;
  full = textOf(status);
  if (status && status == lastStatus && !lastFindings.empty())
    full += "\n" + lastFindings;
  *text = full.c_str();
  return Success;
}
int errorName(int status, const char **text) { return *text = textOf(status), Success; }
int deviceCount(int *count) { return *count = 1, Success; }
int deviceGet(DeviceHandle *device, int ordinal) { return *device = 0, ordinal == 0 ? Success : InvalidDevice; }
int deviceName(char *name, int size, DeviceHandle) {
  std::snprintf(name, size_t(size), "simulated %s", state().name.c_str());
  return Success;
}

int deviceArchitecture(char *name, int size, DeviceHandle) {
  std::snprintf(name, size_t(size), "%s", state().name.c_str());
  return Success;
}

int deviceAttribute(int *value, DeviceAttribute attribute, DeviceHandle) {
  const Chip &chip = *state().chip;
  const gpu::StandInDevice device{.capability = chip.capability,
                                  .sharedBytes = chip.sharedBytes,
                                  .sharedBytesPerMultiprocessor = chip.sharedBytesPerMultiprocessor,
                                  .multiprocessors = chip.multiprocessors,
                                  .warpSize = int(chip.lanes)};
  *value = device.find(attribute).value_or(*value);
  return Success;
}

int retainPrimaryContext(ContextHandle *context, DeviceHandle) { return *context = onlyContext(), Success; }
int getCurrentContext(ContextHandle *context) { return *context = current, Success; }
int setCurrentContext(ContextHandle context) { return current = context, Success; }
int pushContext(ContextHandle context) { return current = context, Success; }
int popContext(ContextHandle *context) { return *context = current, Success; }
int contextDevice(DeviceHandle *device) { return *device = 0, Success; }
int getLimit(size_t *value, Limit) { return *value = state().printBytes, Success; }
int setLimit(Limit, size_t value) { return state().printBytes = value, Success; }

int loadModule(ModuleHandle *module, const void *image, unsigned count, JitOption *options, void **values) {
  simulator::Loaded loaded = loadProgram(*state().chip, static_cast<const char *>(image));
  if (!loaded.program) {
    char *log = nullptr;
    size_t size = 0;
    for (unsigned index = 0; index < count; ++index)
      if (options[index] == JitOption::ErrorLog)
        log = static_cast<char *>(values[index]);
      else if (options[index] == JitOption::ErrorLogBytes)
        size = reinterpret_cast<size_t>(values[index]);
    if (log && size)
      std::snprintf(log, size, "%s", loaded.problem.c_str());
    return state().chip->isAmd() ? InvalidImage : InvalidPtx;
  }
  auto made = std::make_unique<Module>();
  made->program = std::move(loaded.program);
  *module = reinterpret_cast<ModuleHandle>(made.release());
  return Success;
}
int unloadModule(ModuleHandle module) {
  delete reinterpret_cast<Module *>(module);
  return Success;
}
int findFunction(FunctionHandle *function, ModuleHandle handle, const char *name) {
  auto &module = *reinterpret_cast<Module *>(handle);
  const Kernel *kernel = module.program->find(name);
  if (!kernel)
    return NotFound;
  module.functions.push_back(std::make_unique<Function>(Function{&module, kernel}));
  if (state().chip->isAmd()) // all of it, without asking
    module.functions.back()->maxDynamicShared = state().chip->sharedBytes;
  *function = reinterpret_cast<FunctionHandle>(module.functions.back().get());
  return Success;
}

Function &functionOf(FunctionHandle handle) { return *reinterpret_cast<Function *>(handle); }

int functionAttribute(int *value, FunctionAttribute attribute, FunctionHandle handle) {
  const Function &function = functionOf(handle);
  const Kernel &kernel = *function.kernel;
  switch (attribute) {
  case FunctionAttribute::MaxThreadsPerBlock:
    *value = int(kernel.requiredThreads ? kernel.requiredThreads : kernel.maxThreads ? kernel.maxThreads : 1024);
    break;
  case FunctionAttribute::StaticSharedBytes:
    *value = int(function.module->program->staticSharedBytes);
    break;
  case FunctionAttribute::LocalBytes:
    *value = 0; // what spills is not known without an assembler
    break;
  case FunctionAttribute::Registers:
    *value = int(std::min(kernel.registers32, kernel.maxRegisters ? kernel.maxRegisters : 255u));
    break;
  case FunctionAttribute::MaxDynamicSharedBytes:
    *value = function.maxDynamicShared;
    break;
  default:
    *value = 0;
  }
  return Success;
}
int setFunctionAttribute(FunctionHandle handle, FunctionAttribute attribute, int value) {
  if (attribute == FunctionAttribute::MaxDynamicSharedBytes) {
    if (value > state().chip->sharedBytes)
      return InvalidValue;
    functionOf(handle).maxDynamicShared = value;
  }
  return Success;
}
int setCachePreference(FunctionHandle, int) { return Success; }

std::string describe(const std::vector<Finding> &findings) {
  std::string text;
  for (const Finding &finding : findings)
    text += (text.empty() ? "" : "\n") + finding.place + ": " + simulator::nameOf(finding.kind) + ": " +
            finding.message + (finding.count > 1 ? ", " + std::to_string(finding.count) + " times" : "");
  return text;
}

/// What TRITON_SANITIZE names, a list with commas: race and async look for accesses that nothing orders, shared for reads of what nobody wrote; address, out of bounds, is always looked for.
llvm::Expected<simulator::WatchSet> watched() {
  const char *variable = std::getenv("TRITON_SANITIZE");
  simulator::WatchSet watch;
  for (llvm::StringRef name : llvm::split(variable ? variable : "", ',')) {
    name = name.trim();
    if (name == "race" || name == "async")
      watch.races = true;
    else if (name == "shared")
      watch.shared = true;
    else if (!name.empty() && name != "address")
      return llvm::createStringError("TRITON_SANITIZE may name address, race, async and shared, not " + name);
  }
  return watch;
}

/// What the environment says about launches.
llvm::Error readSettings(simulator::Launch &launch) {
  auto watch = watched();
  if (!watch)
    return watch.takeError();
  launch.watch = *watch;
  auto seed = environmentNumber("TRITON_SIMULATE_SEED");
  if (!seed)
    return seed.takeError();
  launch.seed = *seed;
  auto threads = environmentNumber("TRITON_SIMULATE_THREADS");
  if (!threads)
    return threads.takeError();
  launch.threads = *threads ? *threads : std::max(1u, std::thread::hardware_concurrency());
  launch.startThread = startWorker;
  return llvm::Error::success();
}

/// Keeps what a launch found and counted for those who asked.
void keep(const Observation &observation, const std::string &kernel, const std::vector<Finding> &found,
          const Grid &grid) {
  std::lock_guard lock(state().mutex);
  if (observation.collects)
    for (const Finding &finding : found)
      state().findings.push_back(
          {kernel, finding.place, simulator::nameOf(finding.kind), finding.message, finding.count, finding.isFatal});
  if (!grid.counters)
    return;
  for (simulator::LineCount &line : simulator::sumByLine(grid.program, *grid.counters)) {
    const char *family = simulator::nameOf(line.family);
    auto known = std::find_if(state().counts.begin(), state().counts.end(), [&](const KernelCount &count) {
      return count.kernel == kernel && count.place == line.place && count.family == family;
    });
    const std::array<uint32_t, 3> &size = grid.launch.grid;
    const KernelCount::Times times = estimate(line.counter, *state().chip, uint64_t(size[0]) * size[1] * size[2]);
    if (known == state().counts.end()) {
      state().counts.push_back({kernel, std::move(line.place), family, line.counter, times});
      continue;
    }
    known->counter += line.counter;
    known->times.issue += times.issue, known->times.memory += times.memory;
    known->times.shared += times.shared, known->times.tensor += times.tensor;
  }
}

int launch(const LaunchConfiguration *configuration, FunctionHandle handle, void **arguments, void **extra) {
  const Function &function = functionOf(handle);
  const Kernel &kernel = *function.kernel;
  const uint64_t threads = uint64_t(configuration->blockX) * configuration->blockY * configuration->blockZ;
  if (threads == 0 || threads > 1024 || (kernel.requiredThreads && threads != kernel.requiredThreads) ||
      configuration->gridX == 0 || configuration->gridY == 0 || configuration->gridZ == 0 ||
      int64_t(configuration->sharedBytes) > function.maxDynamicShared)
    return InvalidValue;
  simulator::Launch launch;
  launch.kernel = &kernel;
  launch.grid = {configuration->gridX, configuration->gridY, configuration->gridZ};
  launch.block = {configuration->blockX, configuration->blockY, configuration->blockZ};
  launch.sharedBytes = configuration->sharedBytes;
  if (kernel.clusterSize)
    launch.cluster = {kernel.clusterSize, 1, 1};
  for (uint32_t index = 0; index < configuration->attributeCount; ++index)
    if (const LaunchAttribute &attribute = configuration->attributes[index];
        attribute.id == LaunchAttributeId::ClusterDimension)
      launch.cluster = {attribute.clusterDimension[0], attribute.clusterDimension[1], attribute.clusterDimension[2]};
  for (size_t axis = 0; axis < 3; ++axis)
    if (launch.cluster[axis] == 0 || launch.grid[axis] % launch.cluster[axis])
      return InvalidClusterSize;
  launch.parameters.resize(kernel.parameterBytes);
  if (arguments)
    for (size_t index = 0; index < kernel.parameters.size(); ++index)
      std::memcpy(launch.parameters.data() + kernel.parameters[index].offset, arguments[index],
                  kernel.parameters[index].bytes);
  else if (extra)
    for (; *extra; extra += 2)
      if (*extra == reinterpret_cast<void *>(1))
        std::memcpy(launch.parameters.data(), extra[1], launch.parameters.size()); // a buffer
  if (state().chip->isAmd())
    simulator::amdgcn::appendHiddenArguments(launch, kernel.parameterBytes);
  for (KnownMemory &known : std::exchange(knownMemory, {}))
    launch.memory.push_back({known.begin, known.end, std::move(known.name)});
  if (!launch.memory.empty()) {
    std::lock_guard lock(state().mutex);
    for (const KnownMemory &known : state().hostMemory)
      launch.memory.push_back({known.begin, known.end, known.name});
  }
  simulator::sortMemory(launch.memory);
  if (llvm::Error error = readSettings(launch)) {
    lastFindings = llvm::toString(std::move(error));
    return lastStatus = InvalidValue;
  }
  Observation observation;
  {
    std::lock_guard lock(state().mutex);
    observation = state().observation;
  }
  launch.counts = observation.counts;
  Interruption interruption(observation.isInterrupted);
  launch.isInterrupted = [&] { return interruption.ask(); };
  Findings findings;
  Grid grid(*function.module->program, launch, findings);
  grid.device.multiprocessors = uint32_t(state().chip->multiprocessors);
  const LaunchWatch *watch = launchWatch.load(std::memory_order_relaxed);
  void *watched = watch ? watch->begin(kernel.name) : nullptr;
  grid.run();
  if (watch)
    watch->end(watched);
  std::vector<Finding> found = findings.take();
  keep(observation, kernel.name, found, grid);
  lastStatus = Success;
  lastFindings.clear();
  if (interruption.isSet()) {
    lastFindings = "the launch was interrupted";
    return lastStatus = launchFailed;
  }
  if (observation.collects)
    std::erase_if(found, [](const Finding &finding) { return !finding.isFatal; });
  if (found.empty())
    return Success;
  lastFindings = describe(found);
  auto worst = std::find_if(found.begin(), found.end(), [](const Finding &finding) { return finding.isFatal; });
  return lastStatus = statusOf((worst == found.end() ? found.begin() : worst)->kind);
}
int launchPlain(FunctionHandle function, uint32_t gridX, uint32_t gridY, uint32_t gridZ, uint32_t blockX,
                uint32_t blockY, uint32_t blockZ, uint32_t sharedBytes, StreamHandle stream, void **arguments,
                void **extra) {
  LaunchConfiguration configuration{gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes, stream, nullptr, 0};
  return launch(&configuration, function, arguments, extra);
}

int pointerAttribute(void *value, int, DevicePointer pointer) {
  *static_cast<DevicePointer *>(value) = pointer; // the host's memory is the device's
  return Success;
}
int maxActiveBlocks(int *count, FunctionHandle, int threads, size_t sharedBytes) {
  const Chip &chip = *state().chip;
  *count = std::min(2048 / std::max(threads, 32), int(chip.sharedBytesPerMultiprocessor / (sharedBytes + 1024)));
  return Success;
}
int maxActiveClusters(int *count, FunctionHandle, const LaunchConfiguration *configuration) {
  uint32_t size = 1;
  for (uint32_t index = 0; index < configuration->attributeCount; ++index)
    if (configuration->attributes[index].id == LaunchAttributeId::ClusterDimension)
      size = configuration->attributes[index].clusterDimension[0];
  *count = state().chip->multiprocessors / int(std::max(size, 1u));
  return Success;
}

int allocate(DevicePointer *pointer, size_t bytes) {
  void *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (!memory)
    return OutOfMemory;
  *pointer = reinterpret_cast<DevicePointer>(memory);
  std::lock_guard lock(state().mutex);
  state().allocations[*pointer] = bytes;
  return Success;
}
int release(DevicePointer pointer) {
  std::lock_guard lock(state().mutex);
  if (!state().allocations.erase(pointer))
    return InvalidValue;
  std::free(reinterpret_cast<void *>(pointer));
  return Success;
}
int allocateAsync(DevicePointer *pointer, size_t bytes, StreamHandle) { return allocate(pointer, bytes); }
int releaseAsync(DevicePointer pointer, StreamHandle) { return release(pointer); }
int setMemory(DevicePointer pointer, unsigned value, size_t count, StreamHandle) {
  std::fill_n(reinterpret_cast<unsigned *>(pointer), count, value);
  return Success;
}
int copyToDevice(DevicePointer to, const void *from, size_t bytes, StreamHandle) {
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return Success;
}
int copyToHost(void *to, DevicePointer from, size_t bytes, StreamHandle) {
  std::memcpy(to, reinterpret_cast<const void *>(from), bytes);
  return Success;
}

int allocateHost(void **pointer, size_t bytes, unsigned) {
  DevicePointer made = 0;
  int status = allocate(&made, bytes);
  *pointer = reinterpret_cast<void *>(made);
  if (!status) {
    std::lock_guard lock(state().mutex);
    state().hostMemory.push_back({made, made + bytes, "what the kernel says"});
  }
  return status;
}
int launchHostFunction(StreamHandle, void (*function)(void *), void *data) { return function(data), Success; }

int createStream(StreamHandle *stream, unsigned) {
  static std::atomic<uintptr_t> next{16};
  *stream = reinterpret_cast<StreamHandle>(next++);
  return Success;
}
int destroyStream(StreamHandle) { return Success; }
int synchronizeStream(StreamHandle) { return Success; } // launches are over when they return
int streamIsCapturing(StreamHandle, int *state) { return *state = captureStateNone, Success; }
int synchronizeContext() { return Success; }
int exchangeCaptureMode(int *) { return Success; }
int createEvent(EventHandle *event, unsigned) {
  *event = reinterpret_cast<EventHandle>(new Event);
  return Success;
}
int destroyEvent(EventHandle event) {
  delete reinterpret_cast<Event *>(event);
  return Success;
}
int recordEvent(EventHandle event, StreamHandle) {
  reinterpret_cast<Event *>(event)->time = std::chrono::steady_clock::now();
  return Success;
}
int synchronizeEvent(EventHandle) { return Success; }
int queryEvent(EventHandle) { return Success; }
int elapsedTime(float *milliseconds, EventHandle begin, EventHandle end) {
  *milliseconds = std::chrono::duration<float, std::milli>(reinterpret_cast<Event *>(end)->time -
                                                           reinterpret_cast<Event *>(begin)->time)
                      .count();
  return Success;
}

int encodeTensorMap(TensorMap *map, int type, uint32_t rank, void *address, const uint64_t *shape,
                    const uint64_t *strides, const uint32_t *box, const uint32_t *elementStrides, int interleave,
                    int swizzle, int, int fill) {
  bool isFine = simulator::encodeTensorMap(map->words, type, rank, reinterpret_cast<uint64_t>(address), shape, strides,
                                           box, elementStrides, interleave, swizzle, fill);
  return isFine ? Success : InvalidValue;
}

} // namespace

void noteMemory(std::vector<KnownMemory> memory) { knownMemory = std::move(memory); }

void observe(const Observation &observation) {
  std::lock_guard lock(state().mutex);
  state().observation = observation;
}
std::vector<KernelFinding> takeFindings() {
  std::lock_guard lock(state().mutex);
  return std::exchange(state().findings, {});
}
std::vector<KernelCount> takeCounts() {
  std::lock_guard lock(state().mutex);
  return std::exchange(state().counts, {});
}

static const Chip *findChip(llvm::StringRef architecture) {
  llvm::StringRef digits = architecture;
  int capability = 0;
  const bool isNvidia = digits.consume_front("sm") &&
                        (digits.consume_front("_"), !digits.consumeInteger(10, capability)) &&
                        (digits.empty() || digits == "a" || digits == "f");
  const Chip *chip = std::find_if(std::begin(chips), std::end(chips), [&](const Chip &each) {
    return each.isAmd() ? each.amd == architecture : isNvidia && each.capability == capability;
  });
  return chip == std::end(chips) ? nullptr : chip;
}

llvm::Expected<std::unique_ptr<const DriverApi>> simulatedDriver(llvm::StringRef architecture) {
  const Chip *chip = findChip(architecture);
  if (!chip)
    return llvm::createStringError(
        "TRITON_SIMULATE takes an architecture such as sm_80, sm_90a, sm_100a or gfx942, not '" + architecture + "'");
  state().chip = chip;
  state().name = architecture.str();
  auto api = std::make_unique<DriverApi>();
#define TRITON_SIMULATED(member) api->member = member
  TRITON_SIMULATED(initialize);
  TRITON_SIMULATED(driverVersion);
  TRITON_SIMULATED(errorString);
  TRITON_SIMULATED(errorName);
  TRITON_SIMULATED(deviceCount);
  TRITON_SIMULATED(deviceGet);
  TRITON_SIMULATED(deviceName);
  TRITON_SIMULATED(deviceAttribute);
  TRITON_SIMULATED(retainPrimaryContext);
  TRITON_SIMULATED(getCurrentContext);
  TRITON_SIMULATED(setCurrentContext);
  TRITON_SIMULATED(pushContext);
  TRITON_SIMULATED(popContext);
  TRITON_SIMULATED(contextDevice);
  TRITON_SIMULATED(getLimit);
  TRITON_SIMULATED(setLimit);
  TRITON_SIMULATED(loadModule);
  TRITON_SIMULATED(unloadModule);
  TRITON_SIMULATED(findFunction);
  TRITON_SIMULATED(functionAttribute);
  TRITON_SIMULATED(setFunctionAttribute);
  TRITON_SIMULATED(setCachePreference);
  TRITON_SIMULATED(launch);
  TRITON_SIMULATED(launchPlain);
  TRITON_SIMULATED(pointerAttribute);
  TRITON_SIMULATED(maxActiveBlocks);
  TRITON_SIMULATED(maxActiveClusters);
  TRITON_SIMULATED(allocate);
  TRITON_SIMULATED(allocateAsync);
  TRITON_SIMULATED(setMemory);
  TRITON_SIMULATED(copyToDevice);
  TRITON_SIMULATED(copyToHost);
  TRITON_SIMULATED(allocateHost);
  TRITON_SIMULATED(launchHostFunction);
  TRITON_SIMULATED(createStream);
  TRITON_SIMULATED(destroyStream);
  TRITON_SIMULATED(synchronizeStream);
  TRITON_SIMULATED(streamIsCapturing);
  TRITON_SIMULATED(synchronizeContext);
  TRITON_SIMULATED(exchangeCaptureMode);
  TRITON_SIMULATED(createEvent);
  TRITON_SIMULATED(destroyEvent);
  TRITON_SIMULATED(recordEvent);
  TRITON_SIMULATED(synchronizeEvent);
  TRITON_SIMULATED(queryEvent);
  TRITON_SIMULATED(elapsedTime);
  TRITON_SIMULATED(encodeTensorMap);
#undef TRITON_SIMULATED
  if (chip->isAmd()) {
    api->vendor = Vendor::Amd;
    api->deviceArchitecture = deviceArchitecture;
  }
  api->free = release;
  api->freeAsync = releaseAsync;
  return api;
}

} // namespace triton::runtime::simulated
