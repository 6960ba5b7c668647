#include "runtime/gpu/Launch.h"

#include "runtime/gpu/LaunchGraph.h"
#include "runtime/gpu/Messages.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <vector>

namespace triton::runtime::gpu {

std::atomic<bool> launchesAreMeasured = false;

static LaunchAttribute flag(LaunchAttributeId id, int number) {
  LaunchAttribute attribute{};
  attribute.id = id;
  attribute.number = number;
  return attribute;
}

// A kernel that waits at entry waits for the one before it, and so, if that one waited too, for all before that. One whose author decides where it waits, if at all, may
// end before the ones ahead of it: what comes after it on its stream is launched in full order.
static std::atomic<size_t> unorderedCount{0};
static std::mutex unorderedMutex;
static std::set<StreamHandle> unordered; // streams whose last kernel of ours may not have waited

static void noteUnordered(StreamHandle stream) {
  std::lock_guard lock(unorderedMutex);
  unordered.insert(stream);
  unorderedCount.store(unordered.size(), std::memory_order_release);
}

static bool takeUnordered(StreamHandle stream) {
  if (unorderedCount.load(std::memory_order_acquire) == 0)
    return false;
  std::lock_guard lock(unorderedMutex);
  bool found = unordered.erase(stream) != 0;
  unorderedCount.store(unordered.size(), std::memory_order_release);
  return found;
}

/// Whether the driver may begin with the kernel while the one before it ends.
static bool mayOverlap(const DriverApi &api, const Launch &launch) {
  if (launch.isProgrammatic) {
    noteUnordered(launch.stream);
    return true;
  }
  bool isOrdered = !takeUnordered(launch.stream);
  return isOrdered && launch.waitsAtEntry && !launch.isCooperative && api.overlapsLaunches &&
         !launchesAreMeasured.load(std::memory_order_relaxed);
}

int launch(const DriverApi &api, const Launch &launch) {
  if (launch.grid[0] == 0 || launch.grid[1] == 0 || launch.grid[2] == 0)
    return Success;
  if (uint64_t(launch.grid[0]) * launch.clusterSize > INT32_MAX)
    return InvalidValue;
  if (assertionHasFailed.load(std::memory_order_relaxed))
    return AssertionFailed;
  ContextScope scope(api, launch.isContextCurrent ? nullptr : launch.context);
  if (scope.status())
    return scope.status();
  if (launch.graph && launch.clusterSize == 1 && !launch.isCooperative && !launch.isProgrammatic &&
      !launchesAreMeasured.load(std::memory_order_relaxed))
    if (launch.graph->launch(api, launch)) {
      takeUnordered(launch.stream); // in full order
      return Success;
    }
  LaunchAttribute attributes[4];
  LaunchConfiguration configuration{launch.grid[0] * launch.clusterSize,
                                    launch.grid[1],
                                    launch.grid[2],
                                    launch.threads,
                                    1,
                                    1,
                                    launch.sharedBytes,
                                    launch.stream,
                                    attributes,
                                    0};
  uint32_t &count = configuration.attributeCount;
  if (mayOverlap(api, launch))
    attributes[count++] = flag(LaunchAttributeId::ProgrammaticStreamSerialization, 1);
  if (launch.isCooperative)
    attributes[count++] = flag(LaunchAttributeId::Cooperative, 1);
  if (launch.clusterSize > 1) {
    LaunchAttribute cluster{};
    cluster.id = LaunchAttributeId::ClusterDimension;
    cluster.clusterDimension[0] = launch.clusterSize;
    cluster.clusterDimension[1] = cluster.clusterDimension[2] = 1;
    attributes[count++] = cluster;
    attributes[count++] = flag(LaunchAttributeId::ClusterSchedulingPolicy, clusterSchedulingSpread);
  }
  return api.launch(&configuration, launch.function, launch.arguments, nullptr);
}

llvm::Expected<double> timeLaunches(Driver &driver, const LoadedFunction &function, uint32_t threads,
                                    size_t argumentBytes, int count, Handover handover) {
  const DriverApi &api = driver.api();
  ContextScope scope(api, function.context);
  std::vector<std::byte> zeros(std::max<size_t>(argumentBytes, 8));
  std::vector<void *> pointers(zeros.size(), zeros.data()); // no function has more arguments than bytes of them
  // The driver's marks: a buffer follows, its size follows, the end.
  void *extra[] = {reinterpret_cast<void *>(1), zeros.data(), reinterpret_cast<void *>(2), &argumentBytes, nullptr};
  LaunchConfiguration configuration{1, 1, 1, threads, 1, 1, 0, nullptr, nullptr, 0};
  LaunchAttribute programmatic = flag(LaunchAttributeId::ProgrammaticStreamSerialization, 1);
  if (handover == Handover::Programmatic) {
    configuration.attributes = &programmatic;
    configuration.attributeCount = 1;
  }
  if (handover == Handover::PlainCall && !api.launchPlain)
    return llvm::createStringError("the driver has no cuLaunchKernel");
  auto once = [&] {
    switch (handover) {
    case Handover::Pointers:
    case Handover::Programmatic:
      return api.launch(&configuration, function.function, pointers.data(), nullptr);
    case Handover::Buffer:
      return api.launch(&configuration, function.function, nullptr, extra);
    case Handover::PlainCall:
      return api.launchPlain(function.function, 1, 1, 1, threads, 1, 1, 0, nullptr, pointers.data(), nullptr);
    }
    return int(InvalidValue);
  };
  int status = scope.status() ? scope.status() : once();
  if (!status)
    status = api.synchronizeStream(nullptr);
  auto begin = std::chrono::steady_clock::now();
  for (int index = 0; index < count && !status; ++index)
    status = once();
  double microseconds = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
  if (!status)
    status = api.synchronizeStream(nullptr);
  if (status)
    return failure(api, status, "timing launches");
  return microseconds / count;
}

std::string describeFailure(const DriverApi &api, const Launch &launch, int status) {
  if (status == AssertionFailed)
    if (std::optional<std::string> text = takeAssertion())
      return describe(api, status, "of a kernel before this one: " + *text);
  return describe(api, status,
                  "launching a grid of (" + llvm::Twine(launch.grid[0]) + ", " + llvm::Twine(launch.grid[1]) + ", " +
                      llvm::Twine(launch.grid[2]) + ") with " + llvm::Twine(launch.threads) + " threads and " +
                      llvm::Twine(launch.sharedBytes) + " bytes of shared memory" +
                      (launch.clusterSize > 1 ? " in clusters of " + llvm::Twine(launch.clusterSize) : ""));
}

} // namespace triton::runtime::gpu
