#include "bindings/Submodules.h"

#include "bindings/Result.h"

#include <triton/embed_tune.h>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

namespace nb = nanobind;

namespace triton::python {

namespace {
/// Functions of Python's; what they raise is kept until the measurement has ended. `clock` is None, or has what triton.testing's clock of a device has.
class PythonMeasured : public embed::Measured {
public:
  PythonMeasured(nb::object function, nb::object before, nb::object clock)
      : function(std::move(function)), before(std::move(before)), clock(std::move(clock)) {}

  bool call() override {
    return attempt([&] { function(); });
  }
  bool prepare() override {
    return before.is_none() || attempt([&] { before(); });
  }
  bool isQueued() const override { return !clock.is_none(); }
  bool clearCache() override {
    return attempt([&] { clock.attr("clear_cache")(); });
  }
  bool wait() override {
    return attempt([&] { clock.attr("synchronize")(); });
  }
  bool mark(size_t index) override {
    return attempt([&] {
      while (events.size() <= index)
        events.push_back(clock.attr("event")());
      events[index].attr("record")();
    });
  }
  bool milliseconds(size_t first, size_t second, double &time) override {
    return attempt([&] { time = nb::cast<double>(events[first].attr("elapsed_time")(events[second])); });
  }

  /// Raises what a function has raised.
  void raise() {
    if (raised)
      std::rethrow_exception(raised);
    throw std::runtime_error("the measurement failed");
  }

private:
  template <typename Body> bool attempt(Body body) {
    try {
      body();
      return true;
    } catch (...) {
      raised = std::current_exception();
      return false;
    }
  }
  nb::object function, before, clock;
  std::vector<nb::object> events;
  std::exception_ptr raised;
};
} // namespace

static std::vector<double> measure(nb::object function, nb::object before, nb::object clock, double warmup,
                                   double milliseconds, size_t repetitions) {
  PythonMeasured measured(std::move(function), std::move(before), std::move(clock));
  std::optional<std::vector<double>> times = embed::measure(measured, {warmup, milliseconds, repetitions});
  if (!times)
    measured.raise();
  return std::move(*times);
}

static std::vector<double> quantiles(const std::vector<double> &numbers, const std::vector<double> &fractions) {
  for (double fraction : fractions)
    if (!(fraction >= 0 && fraction <= 1))
      throw nb::value_error(
          nb::cast<std::string>(nb::str("a quantile lies between 0 and 1, got {}").format(fraction)).c_str());
  if (numbers.empty())
    throw nb::value_error("there are no numbers to give quantiles of");
  return embed::quantiles(numbers, fractions);
}

/// ([(configuration, milliseconds)], code)
static std::optional<std::pair<std::vector<std::pair<std::string, std::vector<double>>>, std::string>>
readTuning(const std::string &text) {
  std::optional<embed::KeptTuning> kept = embed::readTuning(text);
  if (!kept)
    return std::nullopt;
  std::vector<std::pair<std::string, std::vector<double>>> timings;
  for (embed::KeptTuning::Timing &timing : kept->timings)
    timings.emplace_back(std::move(timing.config), std::move(timing.milliseconds));
  return std::pair(std::move(timings), std::move(kept->code));
}

void addTune(nb::module_ &module) {
  nb::module_ tuning = module.def_submodule("tuning", "Measuring, and results of tuning that are kept.");
  tuning.def("measure", &measure, nb::arg("fn"), nb::arg("before").none(), nb::arg("clock").none(),
             nb::arg("warmup") = 25, nb::arg("rep") = 100, nb::arg("repetitions") = 0,
             "Milliseconds of each call of `fn` that counts: as many as take `rep` milliseconds, or `repetitions`.");
  tuning.def("quantiles", &quantiles, nb::arg("numbers"), nb::arg("fractions"));
  tuning.def("hash", &embed::tuningHash, nb::arg("question"), "The key of the answer to a question in JSON, or None.");
  tuning.def("file_name", &embed::tuningFile, nb::arg("kernel"));
  tuning.def("representatives", &embed::representatives, nb::arg("question"),
             "For each configuration the first that has the same code.");
  tuning.def("describe", &embed::describeTuning, nb::arg("question"), nb::arg("timings"), nb::arg("code"));
  tuning.def("read", &readTuning, nb::arg("text"));
  tuning.def(
      "code_digest", [](nb::bytes code) { return embed::codeDigest({code.c_str(), code.size()}); }, nb::arg("code"));
  tuning.def(
      "device_model", [](const std::string &backend, int device) { return take(embed::deviceModel(backend, device)); },
      nb::arg("backend"), nb::arg("device"));
}

} // namespace triton::python
