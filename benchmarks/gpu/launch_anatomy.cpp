// Where the time of a bare launch goes: the host's part of the driver's call, and the rate at which the GPU retires kernels.
//   In:  a context that is current (another library's), or none: then the primary one is made.
//   Out: lines of JSON on standard output: what was done, nanoseconds per launch on the host, and on the GPU.
// A burst is timed twice: with the GPU free to run, and with the GPU held by a kernel that only waits, so that nothing the GPU does can slow the host down.
// Needs no header and no library of CUDA. Built and called by the script of the same name.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

namespace {

struct Attribute {
  uint32_t id, padding;
  union {
    uint32_t words[16];
    std::byte bytes[64];
  };
};
struct Configuration {
  uint32_t grid[3], block[3], sharedBytes;
  void *stream;
  Attribute *attributes;
  uint32_t attributeCount;
};

/// A kernel in a graph.
struct Node {
  void *function;
  uint32_t grid[3], block[3], sharedBytes;
  void **arguments, **extra;
  void *kernel, *context;
};

// member, symbol, parameters
#define FUNCTIONS(X)                                                                                                   \
  X(initialize, "cuInit", (unsigned))                                                                                  \
  X(getDevice, "cuDeviceGet", (int *, int))                                                                            \
  X(retain, "cuDevicePrimaryCtxRetain", (void **, int))                                                                \
  X(setFlags, "cuDevicePrimaryCtxSetFlags_v2", (int, unsigned))                                                        \
  X(setCurrent, "cuCtxSetCurrent", (void *))                                                                           \
  X(getCurrent, "cuCtxGetCurrent", (void **))                                                                          \
  X(synchronize, "cuCtxSynchronize", ())                                                                               \
  X(loadModule, "cuModuleLoadData", (void **, const void *))                                                           \
  X(getFunction, "cuModuleGetFunction", (void **, void *, const char *))                                               \
  X(loadLibrary, "cuLibraryLoadData", (void **, const void *, void *, void **, unsigned, void *, void **, unsigned))   \
  X(getKernel, "cuLibraryGetKernel", (void **, void *, const char *))                                                  \
  X(launch, "cuLaunchKernel",                                                                                          \
    (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **))          \
  X(launchEx, "cuLaunchKernelEx", (const Configuration *, void *, void **, void **))                                   \
  X(createStream, "cuStreamCreate", (void **, unsigned))                                                               \
  X(createPriorityStream, "cuStreamCreateWithPriority", (void **, unsigned, int))                                      \
  X(createEvent, "cuEventCreate", (void **, unsigned))                                                                 \
  X(recordEvent, "cuEventRecord", (void *, void *))                                                                    \
  X(elapsed, "cuEventElapsedTime", (float *, void *, void *))                                                          \
  X(beginCapture, "cuStreamBeginCapture_v2", (void *, int))                                                            \
  X(endCapture, "cuStreamEndCapture", (void *, void **))                                                               \
  X(instantiate, "cuGraphInstantiateWithFlags", (void **, void *, unsigned long long))                                 \
  X(getNodes, "cuGraphGetNodes", (void *, void **, size_t *))                                                          \
  X(setNode, "cuGraphExecKernelNodeSetParams_v2", (void *, void *, const Node *))                                      \
  X(launchGraph, "cuGraphLaunch", (void *, void *))                                                                    \
  X(pointerAttribute, "cuPointerGetAttribute", (void *, int, uint64_t))                                                \
  X(allocate, "cuMemAlloc_v2", (uint64_t *, size_t))

struct Api {
#define DECLARE(member, symbol, parameters) int(*member) parameters = nullptr;
  FUNCTIONS(DECLARE)
} api;

void check(int status, const char *what) {
  if (status) {
    std::printf("{\"what\": \"%s\", \"note\": \"the driver's status is %d\"}\n", what, status);
    std::fflush(stdout);
    std::exit(1);
  }
}

std::string parameters(int pointers, int words) {
  std::string list;
  for (int index = 0; index < pointers + words; ++index)
    list +=
        std::string(index ? ", " : "") + ".param ." + (index < pointers ? "u64" : "u32") + " p" + std::to_string(index);
  return list;
}

std::string module() {
  std::string text = ".version 7.8\n.target sm_90\n.address_size 64\n";
  auto empty = [&](const char *name, int pointers, int words) {
    text += std::string(".visible .entry ") + name + "(" + parameters(pointers, words) + ") { ret; }\n";
  };
  empty("none", 0, 0);
  empty("seven", 5, 3); // as our launches: with two pointers to scratch
  empty("nineteen", 8, 12);
  empty("hundred", 2, 98);
  text += ".visible .entry waits(" + parameters(5, 3) + ") { griddepcontrol.wait; ret; }\n";
  return text + R"(.visible .entry hold(.param .u64 duration) {
  .reg .u64 %begin, %now, %duration; .reg .pred %more;
  ld.param.u64 %duration, [duration];
  mov.u64 %begin, %globaltimer;
again:
  mov.u64 %now, %globaltimer;
  sub.u64 %now, %now, %begin;
  setp.lt.u64 %more, %now, %duration;
  @%more bra again;
  ret;
}
)";
}

using Clock = std::chrono::steady_clock;
double since(Clock::time_point begin) { return std::chrono::duration<double, std::nano>(Clock::now() - begin).count(); }

void *loaded, *hold, *events[2];

void *function(const char *name) {
  void *found = nullptr;
  check(api.getFunction(&found, loaded, name), name);
  return found;
}

struct Times {
  double host, hostMedian, device;
};

constexpr int rounds = 15;

/// Nanoseconds per launch of bursts; `isHeld`: behind a kernel that waits until the burst is queued.
Times time(const std::function<int()> &once, void *stream, int burst, bool isHeld) {
  std::vector<double> host, device;
  uint64_t duration = uint64_t(burst) * 8000 + 500000;
  void *arguments[] = {&duration};
  for (int index = 0; index < 10; ++index)
    check(once(), "warm up");
  for (int round = 0; round < rounds; ++round) {
    check(api.synchronize(), "synchronize");
    if (isHeld)
      check(api.launch(hold, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr), "hold");
    check(api.recordEvent(events[0], stream), "record");
    auto begin = Clock::now();
    int status = 0;
    for (int index = 0; index < burst; ++index)
      status |= once();
    host.push_back(since(begin) / burst);
    check(status, "launch");
    check(api.recordEvent(events[1], stream), "record");
    check(api.synchronize(), "synchronize");
    float milliseconds = 0;
    check(api.elapsed(&milliseconds, events[0], events[1]), "elapsed");
    device.push_back(milliseconds * 1e6 / burst);
  }
  std::sort(host.begin(), host.end());
  std::sort(device.begin(), device.end());
  return {host[0], host[rounds / 2], device[rounds / 2]};
}

std::string label;

void say(const std::string &what, const std::function<int()> &once, void *stream = nullptr, int burst = 200) {
  Times open = time(once, stream, burst, false), held = time(once, stream, burst, true);
  std::printf("{\"where\": \"%s\", \"what\": \"%s\", \"burst\": %d, \"host\": %.0f, \"host_median\": %.0f, "
              "\"device\": %.0f, \"held_host\": %.0f, \"held_device\": %.0f}\n",
              label.c_str(), what.c_str(), burst, open.host, open.hostMedian, open.device, held.host, held.device);
  std::fflush(stdout);
}

uint64_t zeros[128];
void *pointers[128];

std::function<int()> plain(void *kernel, void *stream, unsigned grid = 1, unsigned threads = 128) {
  return [=] { return api.launch(kernel, grid, 1, 1, threads, 1, 1, 0, stream, pointers, nullptr); };
}

std::function<int()> extended(void *kernel, void *stream, std::vector<Attribute> attributes, unsigned grid = 1) {
  return [=]() mutable {
    Configuration configuration{{grid, 1, 1}, {128, 1, 1}, 0, stream, attributes.data(), uint32_t(attributes.size())};
    return api.launchEx(&configuration, kernel, pointers, nullptr);
  };
}

Attribute attribute(uint32_t id, uint32_t x, uint32_t y = 0, uint32_t z = 0) {
  Attribute made{};
  made.id = id;
  made.words[0] = x, made.words[1] = y, made.words[2] = z;
  return made;
}

/// A cheap call of the driver, for comparison.
void sayCall(const char *what, const std::function<void()> &once) {
  double best = 1e9;
  for (int round = 0; round < rounds; ++round) {
    auto begin = Clock::now();
    for (int index = 0; index < 1000; ++index)
      once();
    best = std::min(best, since(begin) / 1000);
  }
  std::printf("{\"where\": \"%s\", \"what\": \"%s\", \"burst\": 1000, \"host\": %.1f}\n", label.c_str(), what, best);
}

/// Each launch of one long burst by itself, averaged in windows: a step shows where the queue is full.
void sayWindows(void *kernel) {
  constexpr int count = 4000;
  std::vector<double> sums(count);
  for (int round = 0; round < rounds; ++round) {
    check(api.synchronize(), "synchronize");
    auto last = Clock::now();
    for (int index = 0; index < count; ++index) {
      api.launch(kernel, 1, 1, 1, 128, 1, 1, 0, nullptr, pointers, nullptr);
      auto now = Clock::now();
      sums[size_t(index)] += std::chrono::duration<double, std::nano>(now - last).count() / rounds;
      last = now;
    }
  }
  check(api.synchronize(), "synchronize");
  const int ends[] = {0, 1, 10, 100, 200, 400, 600, 800, 1000, 1050, 1200, 2000, 4000};
  for (size_t index = 1; index < std::size(ends); ++index) {
    double sum = 0;
    for (int launch = ends[index - 1]; launch < ends[index]; ++launch)
      sum += sums[size_t(launch)];
    std::printf("{\"where\": \"%s\", \"what\": \"launches %d to %d of one burst\", \"burst\": %d, \"host\": %.0f}\n",
                label.c_str(), ends[index - 1], ends[index] - 1, count, sum / (ends[index] - ends[index - 1]));
  }
  std::fflush(stdout);
}

/// A graph of one kernel, whose arguments change before every launch of it.
void sayChangedGraph(void *kernel, const std::function<int(void *)> &capture, const char *what) {
  void *stream = nullptr, *graph = nullptr, *executable = nullptr, *node = nullptr, *context = nullptr;
  size_t count = 1;
  check(api.createStream(&stream, 1), "stream");
  check(api.beginCapture(stream, 2), "capture");
  check(capture(stream), "launch in a capture");
  check(api.endCapture(stream, &graph), "capture");
  check(api.instantiate(&executable, graph, 0), "instantiate");
  check(api.getNodes(graph, &node, &count), "nodes");
  check(api.getCurrent(&context), "context");
  auto change = [=] {
    ++zeros[0];
    Node changed{kernel, {1, 1, 1}, {128, 1, 1}, 0, pointers, nullptr, nullptr, context};
    return api.setNode(executable, node, &changed);
  };
  say(what, [=] { return change() | api.launchGraph(executable, stream); }, stream);
  zeros[0] = 0;
}

void sayGraph(void *kernel, int kernels) {
  void *stream = nullptr, *graph = nullptr, *executable = nullptr;
  check(api.createStream(&stream, 1), "stream");
  check(api.beginCapture(stream, 2), "capture");
  for (int index = 0; index < kernels; ++index)
    check(plain(kernel, stream)(), "launch in a capture");
  check(api.endCapture(stream, &graph), "capture");
  check(api.instantiate(&executable, graph, 0), "instantiate");
  say(
      "graph of " + std::to_string(kernels) + " kernels, per graph",
      [=] { return api.launchGraph(executable, stream); }, stream, kernels > 1 ? 50 : 200);
}

void sayAll(void *seven) {
  void *none = function("none"), *nineteen = function("nineteen"), *hundred = function("hundred");
  for (int burst : {1, 10, 50, 100, 400, 800})
    say("cuLaunchKernel, 7 arguments", plain(seven, nullptr), nullptr, burst);
  say("cuLaunchKernel, no arguments", plain(none, nullptr));
  say("cuLaunchKernel, 19 arguments", plain(nineteen, nullptr));
  say("cuLaunchKernel, 100 arguments", plain(hundred, nullptr));
  size_t bytes = 5 * 8 + 3 * 4;
  void *extra[] = {reinterpret_cast<void *>(1), zeros, reinterpret_cast<void *>(2), &bytes, nullptr};
  say("cuLaunchKernel, 7 arguments, one buffer",
      [&] { return api.launch(seven, 1, 1, 1, 128, 1, 1, 0, nullptr, nullptr, extra); });
  say("cuLaunchKernel, 132 blocks", plain(seven, nullptr, 132));
  say("cuLaunchKernel, 1056 blocks", plain(seven, nullptr, 1056));
  say("cuLaunchKernel, 1 thread", plain(seven, nullptr, 1, 1));
  say("cuLaunchKernel, 1024 threads", plain(seven, nullptr, 1, 1024));
  say("cuLaunchKernelEx", extended(seven, nullptr, {}));
  say("cuLaunchKernelEx, programmatic", extended(seven, nullptr, {attribute(6, 1)}));
  say("cuLaunchKernelEx, cooperative", extended(seven, nullptr, {attribute(2, 1)}));
  say("cuLaunchKernelEx, cluster of 2", extended(seven, nullptr, {attribute(4, 2, 1, 1), attribute(5, 1)}, 2));
  void *library = nullptr, *kernel = nullptr;
  if (!api.loadLibrary(&library, module().c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0) &&
      !api.getKernel(&kernel, library, "seven"))
    say("cuLaunchKernel of a CUkernel", plain(kernel, nullptr));
  void *perThread = reinterpret_cast<void *>(2);
  say("cuLaunchKernel, per-thread stream", plain(seven, perThread), perThread);
  void *stream = nullptr;
  check(api.createStream(&stream, 0), "stream");
  say("cuLaunchKernel, created stream", plain(seven, stream), stream);
  check(api.createStream(&stream, 1), "stream");
  say("cuLaunchKernel, created non-blocking stream", plain(seven, stream), stream);
  check(api.createPriorityStream(&stream, 1, -5), "stream");
  say("cuLaunchKernel, stream of high priority", plain(seven, stream), stream);
  say("cuLaunchKernel, default stream beside others", plain(seven, nullptr));
  void *waits = function("waits");
  say("cuLaunchKernel, waits at entry", plain(waits, nullptr));
  say("cuLaunchKernelEx, programmatic, waits at entry", extended(waits, nullptr, {attribute(6, 1)}));
  say("the same, 1056 blocks", extended(waits, nullptr, {attribute(6, 1)}, 1056));
  say("the same, created stream", extended(waits, stream, {attribute(6, 1)}), stream);
  int turn = 0;
  auto programmatic = extended(waits, nullptr, {attribute(6, 1)});
  say("programmatic and waiting, plain ones in turn", [&] {
    return ++turn % 2 ? programmatic() : api.launch(seven, 1, 1, 1, 128, 1, 1, 0, nullptr, pointers, nullptr);
  });
  sayGraph(seven, 1);
  sayChangedGraph(seven, [=](void *to) { return plain(seven, to)(); }, "graph of 1 kernel, arguments changed");
  sayGraph(seven, 20);
  sayWindows(seven);
  void *context = nullptr;
  sayCall("cuCtxGetCurrent", [&] { api.getCurrent(&context); });
  uint64_t memory = 0, value = 0;
  check(api.allocate(&memory, 1024), "allocate");
  sayCall("cuPointerGetAttribute", [&] { api.pointerAttribute(&value, 3, memory); });
  sayCall("reading the clock", [] { (void)Clock::now(); });
}

} // namespace

/// `flags`: how the context waits, where this makes it. `isWhole`: every variant, else the usual launch only.
extern "C" int anatomy(const char *where, int flags, int isWhole) {
  label = where;
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library)
    return std::fprintf(stderr, "%s\n", dlerror()), 1;
#define FIND(member, symbol, parameters) api.member = reinterpret_cast<decltype(api.member)>(dlsym(library, symbol));
  FUNCTIONS(FIND)
#define NEED(member, symbol, parameters)                                                                               \
  if (!api.member)                                                                                                     \
    return std::fprintf(stderr, "the driver has no %s\n", symbol), 1;
  FUNCTIONS(NEED)
  check(api.initialize(0), "cuInit");
  void *context = nullptr;
  check(api.getCurrent(&context), "current context");
  if (!context) {
    int device = 0;
    check(api.getDevice(&device, 0), "device");
    check(api.setFlags(device, unsigned(flags)), "flags of the context");
    check(api.retain(&context, device), "context");
    check(api.setCurrent(context), "current context");
  }
  check(api.loadModule(&loaded, module().c_str()), "module");
  hold = function("hold");
  for (void *&event : events)
    check(api.createEvent(&event, 0), "event");
  std::fill(std::begin(pointers), std::end(pointers), static_cast<void *>(zeros));
  void *seven = function("seven");
  say("cuLaunchKernel, 7 arguments", plain(seven, nullptr));
  if (isWhole)
    sayAll(seven);
  return 0;
}
