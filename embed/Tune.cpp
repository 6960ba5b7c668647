// Tuning for host languages.
#include <triton/embed_tune.h>

#include "dispatch/tune/KeptTuning.h"
#include "dispatch/tune/Measure.h"
#include "embed/Result.h"

namespace triton::embed {

Measured::~Measured() = default;

static llvm::Error check(bool isWell) {
  return isWell ? llvm::Error::success() : llvm::createStringError("the host language knows why");
}

namespace {
/// The clock that a host language brings.
struct GivenClock : dispatch::Clock {
  explicit GivenClock(Measured &measured) : measured(measured) {}
  llvm::Error mark(size_t index) override { return check(measured.mark(index)); }
  llvm::Error wait() override { return check(measured.wait()); }
  llvm::Error clearCache() override { return check(measured.clearCache()); }
  llvm::Expected<double> milliseconds(size_t first, size_t second) override {
    double time = 0;
    if (llvm::Error error = check(measured.milliseconds(first, second, time)))
      return error;
    return time;
  }
  Measured &measured;
};
} // namespace

std::optional<std::vector<double>> measure(Measured &measured, const MeasurePlan &plan) {
  dispatch::HostClock own;
  GivenClock given(measured);
  dispatch::Clock &clock = measured.isQueued() ? static_cast<dispatch::Clock &>(given) : own;
  auto times = dispatch::measure(
      clock, [&] { return check(measured.call()); }, [&] { return check(measured.prepare()); },
      {plan.warmup, plan.milliseconds, plan.repetitions});
  return llvm::expectedToOptional(std::move(times));
}

std::vector<double> quantiles(const std::vector<double> &numbers, const std::vector<double> &fractions) {
  return dispatch::quantiles(numbers, fractions);
}

std::optional<std::string> tuningHash(const std::string &question) { return dispatch::tuningHash(question); }
std::string tuningFile(const std::string &kernel) { return dispatch::tuningFile(kernel); }
std::vector<size_t> representatives(const std::string &question) { return dispatch::representatives(question); }

std::optional<std::string> describeTuning(const std::string &question, const std::vector<std::vector<double>> &timings,
                                          const std::string &code) {
  return dispatch::describeTuning(question, timings, code);
}

std::optional<KeptTuning> readTuning(const std::string &text) {
  std::optional<dispatch::KeptTuning> kept = dispatch::readTuning(text);
  if (!kept)
    return std::nullopt;
  KeptTuning out{.code = std::move(kept->code)};
  for (dispatch::ConfigTiming &timing : kept->timings)
    out.timings.push_back({std::move(timing.config), std::move(timing.milliseconds)});
  return out;
}

std::string codeDigest(std::string_view code) { return dispatch::codeDigest({code.data(), code.size()}); }

Result<std::string> deviceModel(const std::string &backend, int device) {
  return toResult(dispatch::deviceModel(backend, device));
}

} // namespace triton::embed
