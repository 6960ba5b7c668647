#include "runtime/gpu/LaunchGraph.h"

#include "runtime/gpu/Pace.h"

#include <cstring>
#include <mutex>
#include <utility>

namespace triton::runtime::gpu {

/// All that have a graph. Whoever needs a place takes it from one that was not used since the last search.
struct LaunchGraph::Registry {
  std::mutex mutex;
  std::vector<LaunchGraph *> members;
  size_t hand = 0;

  static Registry &instance() {
    static auto *registry = new Registry; // kernels may be destroyed while the process ends
    return *registry;
  }

  bool admit(LaunchGraph &graph) {
    std::lock_guard lock(mutex);
    if (members.size() >= size_t(limit) && !dismissOne())
      return false;
    members.push_back(&graph);
    return true;
  }

  bool dismissOne() {
    for (size_t tries = 0; tries < members.size(); ++tries) {
      hand = (hand + 1) % members.size();
      LaunchGraph &candidate = *members[hand];
      if (candidate.isTaken.exchange(true, std::memory_order_acquire))
        continue;
      bool isRecent = std::exchange(candidate.isRecent, false);
      if (!isRecent)
        candidate.destroy();
      candidate.isTaken.store(false, std::memory_order_release);
      if (!isRecent) {
        members.erase(members.begin() + ptrdiff_t(hand));
        return true;
      }
    }
    return false;
  }

  void remove(LaunchGraph &graph) {
    std::lock_guard lock(mutex);
    std::erase(members, &graph);
  }
};

LaunchGraph::~LaunchGraph() {
  Registry::instance().remove(*this);
  destroy();
}

void LaunchGraph::destroy() {
  if (executable)
    api->destroyExecutableGraph(executable); // one that still runs is kept by the driver until it ends
  if (graph)
    api->destroyGraph(graph);
  executable = nullptr;
  graph = nullptr;
  count = 0;
}

static KernelNode nodeOf(const Launch &launch) {
  return {launch.function,    launch.grid[0],   launch.grid[1], launch.grid[2], launch.threads, 1, 1,
          launch.sharedBytes, launch.arguments, nullptr,        nullptr,        launch.context};
}

bool LaunchGraph::create(const DriverApi &usedApi, const Launch &launch) {
  api = &usedApi;
  if (!Registry::instance().admit(*this)) {
    count = -patience;
    return false;
  }
  DuringCapture scope(*api); // of another stream
  KernelNode made = nodeOf(launch);
  if (api->createGraph(&graph, 0) == Success && api->addKernelNode(&node, graph, nullptr, 0, &made) == Success &&
      api->instantiateGraph(&executable, graph, 0) == Success) {
    remember(launch);
    return true;
  }
  giveUp();
  return false;
}

/// The driver refused: the usual launch says why, if it fails too.
void LaunchGraph::giveUp() {
  Registry::instance().remove(*this);
  destroy();
  count = -patience;
}

void LaunchGraph::remember(const Launch &launch) {
  shape = {launch.grid, launch.threads, launch.sharedBytes};
  arguments.assign(launch.argumentBlock.begin(), launch.argumentBlock.end());
}

bool LaunchGraph::update(const Launch &launch) {
  if (shape == Shape{launch.grid, launch.threads, launch.sharedBytes} &&
      arguments.size() == launch.argumentBlock.size() &&
      std::memcmp(arguments.data(), launch.argumentBlock.data(), arguments.size()) == 0)
    return true;
  KernelNode changed = nodeOf(launch);
  if (api->changeKernelNode(executable, node, &changed) != Success) // counts for launches to come only
    return false;
  remember(launch);
  return true;
}

/// Whether this launch of the kernel is one of many on its stream, and there is a graph for it.
bool LaunchGraph::prepare(const DriverApi &usedApi, const Launch &launch) {
  if (function != launch.function) {
    if (executable)
      giveUp();
    function = launch.function;
    count = 0;
  }
  if (stream != launch.stream) { // a graph does not run beside itself: not on two streams by turns
    stream = launch.stream;
    count = 0;
  }
  if (count < threshold) {
    ++count;
    return false;
  }
  return !isCaptured(usedApi, stream) && (executable || create(usedApi, launch));
}

bool LaunchGraph::launch(const DriverApi &usedApi, const Launch &launch) {
  if (!usedApi.launchesGraphs || !Pace::of(launch.context, launch.stream).isGpuWaiting(usedApi) ||
      isTaken.exchange(true, std::memory_order_acquire))
    return false;
  bool isLaunched = false;
  if (prepare(usedApi, launch)) {
    isRecent = true;
    isLaunched = update(launch) && api->launchGraph(executable, stream) == Success;
    if (isLaunched)
      launchCount.store(launches() + 1, std::memory_order_relaxed);
    else
      giveUp();
  }
  isTaken.store(false, std::memory_order_release);
  return isLaunched;
}

} // namespace triton::runtime::gpu
