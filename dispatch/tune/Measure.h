// How long a call takes: how often it is made, which clock looks on, and what is told of the times.
#pragma once

#include "runtime/gpu/Memory.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <chrono>

namespace triton::dispatch {

/// How much to spend on a measurement.
struct MeasurePlan {
  double warmup = 25, milliseconds = 100; // on calls that do not count, and on those that do
  size_t repetitions = 0;                 // calls that count, instead of a time; 0: as the time allows
};

/// Sets marks in the order of the work, and tells the time between two of them.
class Clock {
public:
  virtual ~Clock() = default;
  virtual llvm::Error mark(size_t index) = 0;
  /// Until all marks have been passed.
  virtual llvm::Error wait() = 0;
  virtual llvm::Expected<double> milliseconds(size_t first, size_t second) = 0;
  /// Makes calls begin with nothing of theirs in the cache, where that is how they are to be measured.
  virtual llvm::Error clearCache() { return llvm::Error::success(); }
};

/// Of calls that are done when they return. The cache stays warm, as it is when a program calls a kernel in a loop.
class HostClock : public Clock {
public:
  llvm::Error mark(size_t index) override;
  llvm::Error wait() override { return llvm::Error::success(); }
  llvm::Expected<double> milliseconds(size_t first, size_t second) override;

private:
  std::vector<std::chrono::steady_clock::time_point> marks;
};

/// Of calls that queue work on a stream of a GPU: its own events.
class CudaClock : public Clock {
public:
  CudaClock(runtime::gpu::Driver &driver, runtime::gpu::StreamHandle stream, int device)
      : driver(driver), stream(stream), device(device) {}
  ~CudaClock() override;
  llvm::Error mark(size_t index) override;
  llvm::Error wait() override;
  llvm::Expected<double> milliseconds(size_t first, size_t second) override;
  llvm::Error clearCache() override;

private:
  runtime::gpu::Driver &driver;
  runtime::gpu::StreamHandle stream;
  int device;
  std::vector<runtime::gpu::EventHandle> events;
  std::optional<runtime::gpu::DeviceMemory> cache; // more than the L2 cache holds: writing it leaves nothing else there
};

/// The milliseconds of each call that counts; before each, outside of its time, `prepare`. An error of either ends the measurement.
llvm::Expected<std::vector<double>> measure(Clock &clock, llvm::function_ref<llvm::Error()> call,
                                            llvm::function_ref<llvm::Error()> prepare, const MeasurePlan &plan);

/// Each fraction from 0 to 1, by linear interpolation between neighbours. `times` are not empty.
std::vector<double> quantiles(std::vector<double> times, llvm::ArrayRef<double> fractions);

} // namespace triton::dispatch
