// The clock of a GPU.
#pragma once

#include "dispatch/tune/Measure.h"
#include "runtime/gpu/Memory.h"

namespace triton::dispatch {

/// Of calls that queue work on a stream of a GPU: its own events.
class CudaClock : public Clock {
public:
  CudaClock(runtime::gpu::Driver &driver, runtime::gpu::StreamHandle stream, int device)
      : driver(driver), stream(stream), device(device) {}
  ~CudaClock() override;
  Outcome mark(size_t index) override;
  Outcome wait() override;
  std::variant<double, Problem> milliseconds(size_t first, size_t second) override;
  Outcome clearCache() override;

private:
  runtime::gpu::Driver &driver;
  runtime::gpu::StreamHandle stream;
  int device;
  std::vector<runtime::gpu::EventHandle> events;
  std::optional<runtime::gpu::DeviceMemory> cache; // more than the L2 cache holds: writing it leaves nothing else there
};

} // namespace triton::dispatch
