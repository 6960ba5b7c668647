#include "dispatch/tune/Measure.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace triton::dispatch {

using Times = std::variant<std::vector<double>, Problem>;

Outcome HostClock::mark(size_t index) {
  marks.resize(std::max(marks.size(), index + 1));
  marks[index] = std::chrono::steady_clock::now();
  return std::nullopt;
}

std::variant<double, Problem> HostClock::milliseconds(size_t first, size_t second) {
  return std::chrono::duration<double, std::milli>(marks[second] - marks[first]).count();
}

/// The first problem of steps that are taken one after the other.
template <typename... Steps> static Outcome inOrder(Steps... steps) {
  Outcome problem;
  (void)((problem = steps(), !problem) && ...);
  return problem;
}

/// Times `count` calls of `call`, each after `before`.
static Times timeEach(Clock &clock, size_t count, const std::function<Outcome()> &before,
                      const std::function<Outcome()> &call) {
  for (size_t index = 0; index < count; ++index)
    if (Outcome problem =
            inOrder(before, [&] { return clock.mark(2 * index); }, call, [&] { return clock.mark(2 * index + 1); }))
      return *problem;
  if (Outcome problem = clock.wait())
    return *problem;
  std::vector<double> times;
  for (size_t index = 0; index < count; ++index) {
    auto time = clock.milliseconds(2 * index, 2 * index + 1);
    if (auto *problem = std::get_if<Problem>(&time))
      return *problem;
    times.push_back(std::get<double>(time));
  }
  return times;
}

Times measure(Clock &clock, const std::function<Outcome()> &call, const std::function<Outcome()> &prepare,
              const MeasurePlan &plan) {
  constexpr size_t trials = 5;
  constexpr double most = 1e6; // calls, whatever the plan wishes
  auto clear = [&] { return clock.clearCache(); };
  auto prepareAll = [&] { return inOrder(prepare, clear); };
  if (Outcome problem = inOrder(call, [&] { return clock.wait(); }))
    return *problem;
  if (plan.repetitions)
    return timeEach(clock, plan.repetitions, prepareAll, call);
  // The estimate pays for clearing the cache too, so that the plan bounds the time spent here.
  auto trial = timeEach(clock, trials, [] { return std::nullopt; }, [&] { return inOrder(clear, call); });
  auto *tried = std::get_if<std::vector<double>>(&trial);
  if (!tried)
    return trial;
  const double estimate = std::accumulate(tried->begin(), tried->end(), 0.0) / trials;
  auto callsFor = [&](double milliseconds) -> size_t {
    const double wished = estimate > 0 ? milliseconds / estimate : 1000;
    return wished >= 1 ? size_t(std::min(wished, most)) : 1; // also where it is no number
  };
  for (size_t index = 0; index < callsFor(plan.warmup); ++index)
    if (Outcome problem = call())
      return *problem;
  return timeEach(clock, callsFor(plan.milliseconds), prepareAll, call);
}

std::vector<double> quantiles(std::vector<double> times, std::span<const double> fractions) {
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
