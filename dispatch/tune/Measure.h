// How long a call takes: how often it is made, which clock looks on, and what is told of the times.
// Needs the standard library alone: the Python extension compiles it too, where functions and clocks may throw.
#pragma once

#include "dispatch/Problem.h"

#include <chrono>
#include <functional>
#include <span>
#include <variant>
#include <vector>

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
  virtual Outcome mark(size_t index) = 0;
  /// Until all marks have been passed.
  virtual Outcome wait() = 0;
  virtual std::variant<double, Problem> milliseconds(size_t first, size_t second) = 0;
  /// Makes calls begin with nothing of theirs in the cache, where that is how they are to be measured.
  virtual Outcome clearCache() { return std::nullopt; }
};

/// Of calls that are done when they return. The cache stays warm, as it is when a program calls a kernel in a loop.
class HostClock : public Clock {
public:
  Outcome mark(size_t index) override;
  Outcome wait() override { return std::nullopt; }
  std::variant<double, Problem> milliseconds(size_t first, size_t second) override;

private:
  std::vector<std::chrono::steady_clock::time_point> marks;
};

/// The milliseconds of each call that counts; before each, outside of its time, `prepare`. A problem of either ends the measurement.
std::variant<std::vector<double>, Problem> measure(Clock &clock, const std::function<Outcome()> &call,
                                                   const std::function<Outcome()> &prepare, const MeasurePlan &plan);

/// Each fraction from 0 to 1, by linear interpolation between neighbours. `times` are not empty.
std::vector<double> quantiles(std::vector<double> times, std::span<const double> fractions);

} // namespace triton::dispatch
