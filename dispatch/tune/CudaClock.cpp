#include "dispatch/tune/CudaClock.h"

namespace triton::dispatch {

namespace gpu = runtime::gpu;

static Outcome toOutcome(llvm::Error error) {
  return error ? Outcome(Problem{"RuntimeError", llvm::toString(std::move(error))}) : std::nullopt;
}

CudaClock::~CudaClock() {
  for (gpu::EventHandle event : events)
    driver.api().destroyEvent(event);
}

Outcome CudaClock::mark(size_t index) {
  const gpu::DriverApi &api = driver.api();
  auto context = driver.use(device);
  if (!context)
    return toOutcome(context.takeError());
  int status = gpu::Success;
  while (!status && events.size() <= index)
    status = api.createEvent(&events.emplace_back(), 0);
  if (!status)
    status = api.recordEvent(events[index], stream);
  return status ? toOutcome(gpu::failure(api, status, "recording an event")) : std::nullopt;
}

Outcome CudaClock::wait() { return toOutcome(gpu::synchronize(stream, device)); }

std::variant<double, Problem> CudaClock::milliseconds(size_t first, size_t second) {
  float milliseconds = 0;
  if (int status = driver.api().elapsedTime(&milliseconds, events[first], events[second]))
    return *toOutcome(gpu::failure(driver.api(), status, "reading the time between two events"));
  return milliseconds;
}

Outcome CudaClock::clearCache() {
  const gpu::DriverApi &api = driver.api();
  if (!cache) {
    auto properties = driver.properties(device);
    if (!properties)
      return toOutcome(properties.takeError());
    auto memory = gpu::DeviceMemory::allocate(2 * size_t(std::max(properties->l2CacheBytes, 1 << 20)), device);
    if (!memory)
      return toOutcome(memory.takeError());
    cache.emplace(std::move(*memory));
  }
  int status = api.setMemory ? api.setMemory(cache->address(), 0, cache->bytes() / 4, stream) : gpu::Success;
  return status ? toOutcome(gpu::failure(api, status, "clearing the cache")) : std::nullopt;
}

} // namespace triton::dispatch
