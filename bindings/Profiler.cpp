#include "bindings/Submodules.h"

#include "bindings/InterpreterLock.h"
#include "bindings/Result.h"
#include "bindings/Text.h"

#include <triton/embed_profiler.h>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

namespace nb = nanobind;

namespace triton::python {

using Metrics = std::vector<std::pair<std::string, embed::ProfilerValue>>;

/// A number, a text, a list of numbers, or a tensor: its element, if it has one, else its elements.
static std::optional<embed::ProfilerValue> readValue(nb::handle value) {
  if (nb::hasattr(value, "tolist"))
    return readValue(nb::object(value.attr("tolist")()));
  if (PyLong_Check(value.ptr()))
    return embed::ProfilerValue(nb::cast<int64_t>(value));
  if (PyFloat_Check(value.ptr()))
    return embed::ProfilerValue(nb::cast<double>(value));
  if (PyUnicode_Check(value.ptr()))
    return embed::ProfilerValue(nb::cast<std::string>(value));
  std::vector<int64_t> wholes;
  if (nb::try_cast(value, wholes))
    return embed::ProfilerValue(std::move(wholes));
  std::vector<double> numbers;
  if (nb::try_cast(value, numbers))
    return embed::ProfilerValue(std::move(numbers));
  double number = PyFloat_AsDouble(value.ptr());
  if (number == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    return std::nullopt;
  }
  return embed::ProfilerValue(number);
}

static Metrics readMetrics(nb::handle metrics) {
  Metrics out;
  if (metrics.is_none())
    return out;
  for (auto [name, value] : nb::cast<nb::dict>(metrics)) {
    std::string text = nb::str(name).c_str();
    std::optional<embed::ProfilerValue> read = readValue(value);
    const bool mayBeText = text.ends_with("(pty)") || text.ends_with("(exc)");
    if (!read || (std::holds_alternative<std::string>(*read) && !mayBeText))
      throw nb::type_error(("metric '" + text + "' needs a number, got " + Py_TYPE(value.ptr())->tp_name).c_str());
    out.emplace_back(std::move(text), *std::move(read));
  }
  return out;
}

static std::string packageFolder; // of triton: its own functions are not shown

/// "file.py:line@function" of each function that runs, outermost first.
static std::vector<std::string> readStack() {
  std::vector<std::string> functions;
  if (!Py_IsInitialized())
    return functions;
  Locked locked;
  Reference frame(reinterpret_cast<PyObject *>(PyThreadState_GetFrame(PyThreadState_Get())));
  while (frame) {
    auto *current = reinterpret_cast<PyFrameObject *>(frame.get());
    Reference code(reinterpret_cast<PyObject *>(PyFrame_GetCode(current)));
    std::string file = stringAttribute(code.get(), "co_filename");
    if (!file.starts_with(packageFolder))
      functions.push_back(file + ":" + std::to_string(PyFrame_GetLineNumber(current)) + "@" +
                          stringAttribute(code.get(), "co_name"));
    frame = Reference(reinterpret_cast<PyObject *>(PyFrame_GetBack(current)));
  }
  std::reverse(functions.begin(), functions.end());
  return functions;
}

static int start(std::string name, std::string backend, std::string mode, bool stacks, bool operations, bool trace,
                 const std::vector<std::string> &libraries) {
  embed::ProfilerOptions options{std::move(name), std::move(backend), std::move(mode), stacks, operations, trace};
  return take(unlocked([&] { return embed::profilerStart(options, libraries); }));
}

static void finish(int session, const std::string &path, const std::string &format) {
  check(unlocked([&] { return embed::profilerFinish(session, path, format); })); // kernels are waited for
}

static void flush(int session) {
  check(unlocked([&] { return embed::profilerFlush(session); })); // kernels are waited for
}

static nb::bytes data(int session, int phase, const std::string &format) {
  std::string text = take(embed::profilerData(session, phase, format));
  return nb::bytes(text.data(), text.size());
}

static nb::bytes readMemory(uint64_t address, size_t bytes) {
  std::string text =
      take(unlocked([&] { return embed::profilerReadMemory(address, bytes); })); // kernels are waited for
  return nb::bytes(text.data(), text.size());
}

static void enter(const std::string &name, nb::object metrics, bool isTimed, uint64_t id) {
  check(embed::profilerEnter(name, readMetrics(metrics),
                             isTimed ? embed::ProfilerScope::Timed : embed::ProfilerScope::Plain, id));
}

static void addRecords(std::string kernel, std::vector<std::string> scopes, uint32_t sliceBytes,
                       std::vector<uint32_t> units, bool is32Bit, double nanosecondsPerCycle, uintptr_t address,
                       size_t bytes) {
  check(embed::profilerAddRecords(
      {std::move(kernel), std::move(scopes), sliceBytes, std::move(units), is32Bit, nanosecondsPerCycle},
      {reinterpret_cast<const uint8_t *>(address), bytes}));
}

static void leave(const std::optional<std::string> &name, nb::object metrics) {
  check(embed::profilerLeave(name ? std::optional<std::string_view>(*name) : std::nullopt, readMetrics(metrics)));
}

void addProfiler(nb::module_ &module) {
  nb::module_ profiler = module.def_submodule("profiler", "Sessions and scopes of triton.profiler.");
  profiler.def("start", &start, nb::arg("name"), nb::arg("backend"), nb::arg("mode"), nb::arg("stacks"),
               nb::arg("operations"), nb::arg("trace"), nb::arg("libraries"),
               "Starts a session, or activates it again; gives its number.");
  profiler.def("set_active", raising(&embed::profilerSetActive), nb::arg("session"), nb::arg("active"));
  profiler.def("sessions", &embed::profilerSessions, "Those that are started and not finished.");
  profiler.def("finish", &finish, nb::arg("session"), nb::arg("path"), nb::arg("format"),
               "Writes a session's file, and ends it.");
  profiler.def("flush", &flush, nb::arg("session"), "Waits for what was launched.");
  profiler.def("advance_phase", raising(&embed::profilerAdvancePhase), nb::arg("session"));
  profiler.def("is_phase_complete", raising(&embed::profilerIsPhaseComplete), nb::arg("session"), nb::arg("phase"));
  profiler.def("clear", raising(&embed::profilerClear), nb::arg("session"), nb::arg("phase"), nb::arg("up_to"));
  profiler.def("data", &data, nb::arg("session"), nb::arg("phase"), nb::arg("format"), "A phase, as a file would be.");
  profiler.def("depth", raising(&embed::profilerDepth), nb::arg("session"));
  profiler.def("read_memory", &readMemory, nb::arg("address"), nb::arg("bytes"), "Of the host or of a GPU.");
  profiler.def("enter", &enter, nb::arg("name"), nb::arg("metrics").none(), nb::arg("timed"), nb::arg("id") = 0);
  profiler.def("leave", &leave, nb::arg("name").none(), nb::arg("metrics").none());
  profiler.def(
      "add_metrics",
      [](uint64_t id, nb::object metrics) { check(embed::profilerAddMetrics(id, readMetrics(metrics))); },
      nb::arg("id"), nb::arg("metrics"));
  profiler.def("add_records", &addRecords, nb::arg("kernel"), nb::arg("scopes"), nb::arg("slice_bytes"),
               nb::arg("units"), nb::arg("is_32_bit"), nb::arg("nanoseconds_per_cycle"), nb::arg("address"),
               nb::arg("bytes"), "What a kernel noted of itself, in a buffer on the host.");
  profiler.def(
      "enter_operation",
      [](const std::string &name, nb::object metrics, uint64_t id) {
        check(embed::profilerEnter(name, readMetrics(metrics), embed::ProfilerScope::Operation, id));
      },
      nb::arg("name"), nb::arg("metrics").none(), nb::arg("id") = 0);
  profiler.def("leave_operation", &embed::profilerLeaveOperation);
  profiler.def("set_mark", &embed::profilerSetMark, nb::arg("name"), "Gives the mark there was before.");
  profiler.def("cupti_library", &embed::profilerCuptiLibrary, "The path of CUPTI, if a session needed it.");
  profiler.def(
      "hide_folder", [](std::string folder) { packageFolder = std::move(folder); }, nb::arg("path"),
      "Functions of files below it are not part of contexts.");
  embed::profilerSetStackReader(&readStack);
}

} // namespace triton::python
