#include "bindings/Submodules.h"

#include "bindings/Result.h"
#include "dispatch/tune/KeptTuning.h"
#include "dispatch/tune/Measure.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace triton::python {

namespace {
/// The clock of a device as triton.testing has it.
class PythonClock : public dispatch::Clock {
public:
  explicit PythonClock(nb::object clock) : clock(std::move(clock)) {}
  dispatch::Outcome clearCache() override {
    clock.attr("clear_cache")();
    return std::nullopt;
  }
  dispatch::Outcome wait() override {
    clock.attr("synchronize")();
    return std::nullopt;
  }
  dispatch::Outcome mark(size_t index) override {
    while (events.size() <= index)
      events.push_back(clock.attr("event")());
    events[index].attr("record")();
    return std::nullopt;
  }
  std::variant<double, dispatch::Problem> milliseconds(size_t first, size_t second) override {
    return nb::cast<double>(events[first].attr("elapsed_time")(events[second]));
  }

private:
  nb::object clock;
  std::vector<nb::object> events;
};
} // namespace

/// `clock`: None where calls are done when they return, so that this process's clock is looked at.
static std::vector<double> measure(const nb::object &function, const nb::object &before, const nb::object &clock,
                                   double warmup, double milliseconds, size_t repetitions) {
  auto calling = [](const nb::object &called) {
    return [&called]() -> dispatch::Outcome {
      if (!called.is_none())
        called();
      return std::nullopt;
    };
  };
  PythonClock given(clock);
  dispatch::HostClock own;
  dispatch::Clock &chosen = clock.is_none() ? static_cast<dispatch::Clock &>(own) : given;
  return std::get<0>(
      dispatch::measure(chosen, calling(function), calling(before), {warmup, milliseconds, repetitions}));
}

static std::vector<double> quantiles(const std::vector<double> &numbers, const std::vector<double> &fractions) {
  for (double fraction : fractions)
    if (!(fraction >= 0 && fraction <= 1))
      throw nb::value_error(
          nb::cast<std::string>(nb::str("a quantile lies between 0 and 1, got {}").format(fraction)).c_str());
  if (numbers.empty())
    throw nb::value_error("there are no numbers to give quantiles of");
  return dispatch::quantiles(numbers, fractions);
}

/// ([(configuration, milliseconds)], code)
static nb::object readTuning(const std::string &text) {
  std::optional<dispatch::KeptTuning> kept = dispatch::readTuning(text);
  if (!kept)
    return nb::none();
  nb::list timings;
  for (const dispatch::ConfigTiming &timing : kept->timings)
    timings.append(nb::make_tuple(timing.config, timing.milliseconds));
  return nb::make_tuple(timings, kept->code);
}

void addTune(nb::module_ &module) {
  nb::module_ tuning = module.def_submodule("tuning", "Measuring, and results of tuning that are kept.");
  tuning.def("measure", &measure, nb::arg("fn"), nb::arg("before").none(), nb::arg("clock").none(),
             nb::arg("warmup") = 25, nb::arg("rep") = 100, nb::arg("repetitions") = 0,
             "Milliseconds of each call of `fn` that counts: as many as take `rep` milliseconds, or `repetitions`.");
  tuning.def("quantiles", &quantiles, nb::arg("numbers"), nb::arg("fractions"));
  tuning.def("hash", &dispatch::tuningHash, nb::arg("question"),
             "The key of the answer to a question in JSON, or None.");
  tuning.def("file_name", &dispatch::tuningFile, nb::arg("kernel"));
  tuning.def("representatives", &dispatch::representatives, nb::arg("question"),
             "For each configuration the first that has the same code.");
  tuning.def(
      "describe",
      [](const std::string &question, const std::vector<std::vector<double>> &timings, const std::string &code) {
        return dispatch::describeTuning(question, timings, code);
      },
      nb::arg("question"), nb::arg("timings"), nb::arg("code"));
  tuning.def("read", &readTuning, nb::arg("text"));
  tuning.def(
      "code_digest", [](nb::bytes code) { return dispatch::codeDigest({code.c_str(), code.size()}); }, nb::arg("code"));
  tuning.def(
      "device_model",
      [](const std::string &backend, int device) { return take(dispatch::deviceModel(backend, device)); },
      nb::arg("backend"), nb::arg("device"));
}

} // namespace triton::python
