#include "dispatch/tune/Measure.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace triton::dispatch {

namespace gpu = runtime::gpu;

llvm::Error HostClock::mark(size_t index) {
  marks.resize(std::max(marks.size(), index + 1));
  marks[index] = std::chrono::steady_clock::now();
  return llvm::Error::success();
}

llvm::Expected<double> HostClock::milliseconds(size_t first, size_t second) {
  return std::chrono::duration<double, std::milli>(marks[second] - marks[first]).count();
}

CudaClock::~CudaClock() {
  for (gpu::EventHandle event : events)
    driver.api().destroyEvent(event);
}

llvm::Error CudaClock::mark(size_t index) {
  const gpu::DriverApi &api = driver.api();
  auto context = driver.use(device);
  if (!context)
    return context.takeError();
  int status = gpu::Success;
  while (!status && events.size() <= index)
    status = api.createEvent(&events.emplace_back(), 0);
  if (!status)
    status = api.recordEvent(events[index], stream);
  return status ? gpu::failure(api, status, "recording an event") : llvm::Error::success();
}

llvm::Error CudaClock::wait() { return gpu::synchronize(stream, device); }

llvm::Expected<double> CudaClock::milliseconds(size_t first, size_t second) {
  float milliseconds = 0;
  if (int status = driver.api().elapsedTime(&milliseconds, events[first], events[second]))
    return gpu::failure(driver.api(), status, "reading the time between two events");
  return milliseconds;
}

llvm::Error CudaClock::clearCache() {
  const gpu::DriverApi &api = driver.api();
  if (!cache) {
    auto properties = driver.properties(device);
    if (!properties)
      return properties.takeError();
    auto memory = gpu::DeviceMemory::allocate(2 * size_t(std::max(properties->l2CacheBytes, 1 << 20)), device);
    if (!memory)
      return memory.takeError();
    cache.emplace(std::move(*memory));
  }
  int status = api.setMemory ? api.setMemory(cache->address(), 0, cache->bytes() / 4, stream) : gpu::Success;
  return status ? gpu::failure(api, status, "clearing the cache") : llvm::Error::success();
}

/// Times `count` calls of `call`, each after `before`.
static llvm::Expected<std::vector<double>>
timeEach(Clock &clock, size_t count, llvm::function_ref<llvm::Error()> before, llvm::function_ref<llvm::Error()> call) {
  for (size_t index = 0; index < count; ++index) {
    if (llvm::Error error = before())
      return error;
    if (llvm::Error error = clock.mark(2 * index))
      return error;
    if (llvm::Error error = call())
      return error;
    if (llvm::Error error = clock.mark(2 * index + 1))
      return error;
  }
  if (llvm::Error error = clock.wait())
    return error;
  std::vector<double> times;
  for (size_t index = 0; index < count; ++index) {
    auto time = clock.milliseconds(2 * index, 2 * index + 1);
    if (!time)
      return time.takeError();
    times.push_back(*time);
  }
  return times;
}

llvm::Expected<std::vector<double>> measure(Clock &clock, llvm::function_ref<llvm::Error()> call,
                                            llvm::function_ref<llvm::Error()> prepare, const MeasurePlan &plan) {
  constexpr size_t trials = 5;
  constexpr double most = 1e6; // calls, whatever the plan wishes
  auto prepareAll = [&]() -> llvm::Error {
    if (llvm::Error error = prepare())
      return error;
    return clock.clearCache();
  };
  if (llvm::Error error = call())
    return error;
  if (llvm::Error error = clock.wait())
    return error;
  if (plan.repetitions)
    return timeEach(clock, plan.repetitions, prepareAll, call);
  // The estimate pays for clearing the cache too, so that the plan bounds the time spent here.
  auto trial = timeEach(
      clock, trials, [] { return llvm::Error::success(); },
      [&]() -> llvm::Error {
        if (llvm::Error error = clock.clearCache())
          return error;
        return call();
      });
  if (!trial)
    return trial.takeError();
  const double estimate = std::accumulate(trial->begin(), trial->end(), 0.0) / trials;
  auto callsFor = [&](double milliseconds) -> size_t {
    const double wished = estimate > 0 ? milliseconds / estimate : 1000;
    return wished >= 1 ? size_t(std::min(wished, most)) : 1; // also where it is no number
  };
  for (size_t index = 0; index < callsFor(plan.warmup); ++index)
    if (llvm::Error error = call())
      return error;
  return timeEach(clock, callsFor(plan.milliseconds), prepareAll, call);
}

std::vector<double> quantiles(std::vector<double> times, llvm::ArrayRef<double> fractions) {
  std::sort(times.begin(), times.end());
  std::vector<double> found;
  for (double fraction : fractions) {
    const double position = fraction * double(times.size() - 1);
    const size_t low = size_t(position), high = std::min(low + 1, times.size() - 1);
    found.push_back(std::lerp(times[low], times[high], position - double(low)));
  }
  return found;
}

} // namespace triton::dispatch
