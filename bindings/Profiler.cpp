#include "bindings/Profiler.h"

#include "bindings/InterpreterLock.h"
#include "bindings/Text.h"

#include <triton/embed_profiler.h>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>

namespace nb = nanobind;

namespace triton::python {

static void check(const std::optional<embed::Error> &error) {
  if (!error)
    return;
  if (error->exception == "ValueError")
    throw nb::value_error(error->message.c_str());
  throw std::runtime_error(error->message);
}

using Metrics = std::vector<std::pair<std::string, double>>;

/// A dict of names and numbers, also such as a tensor of one element.
static Metrics readMetrics(nb::handle metrics) {
  Metrics out;
  if (metrics.is_none())
    return out;
  for (auto [name, value] : nb::cast<nb::dict>(metrics)) {
    double number = PyFloat_AsDouble(value.ptr());
    if (number == -1 && PyErr_Occurred()) {
      PyErr_Clear();
      throw nb::type_error(
          ("metric '" + std::string(nb::str(name).c_str()) + "' needs a number, got " + Py_TYPE(value.ptr())->tp_name)
              .c_str());
    }
    out.emplace_back(nb::str(name).c_str(), number);
  }
  return out;
}

static std::string packageFolder; // of triton: its own functions are not shown

/// "file.py:function@line" of each function that runs, outermost first.
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
      functions.push_back(file + ":" + stringAttribute(code.get(), "co_name") + "@" +
                          std::to_string(PyFrame_GetLineNumber(current)));
    frame = Reference(reinterpret_cast<PyObject *>(PyFrame_GetBack(current)));
  }
  std::reverse(functions.begin(), functions.end());
  return functions;
}

static int start(std::string name, bool cupti, bool stacks, bool operations, bool trace,
                 const std::vector<std::string> &libraries) {
  embed::Result<int> session = embed::Error{};
  {
    Unlocked unlocked;
    session = embed::profilerStart({std::move(name), cupti, stacks, operations, trace}, libraries);
  }
  if (auto *error = std::get_if<embed::Error>(&session))
    check(*error);
  return std::get<int>(session);
}

static void finish(int session, const std::string &path) {
  std::optional<embed::Error> error;
  {
    Unlocked unlocked; // kernels are waited for
    error = embed::profilerFinish(session, path);
  }
  check(error);
}

static void enter(const std::string &name, nb::object metrics, bool isTimed) {
  embed::profilerEnter(name, readMetrics(metrics), isTimed ? embed::ProfilerScope::Timed : embed::ProfilerScope::Plain);
}

static void leave(const std::optional<std::string> &name, nb::object metrics) {
  check(embed::profilerLeave(name ? std::optional<std::string_view>(*name) : std::nullopt, readMetrics(metrics)));
}

void addProfiler(nb::module_ &module) {
  nb::module_ profiler = module.def_submodule("profiler", "Sessions and scopes of triton.profiler.");
  profiler.def("start", &start, nb::arg("name"), nb::arg("cupti"), nb::arg("stacks"), nb::arg("operations"),
               nb::arg("trace"), nb::arg("libraries"), "Starts a session, or activates it again; gives its number.");
  profiler.def(
      "set_active", [](int session, bool isActive) { check(embed::profilerSetActive(session, isActive)); },
      nb::arg("session"), nb::arg("active"));
  profiler.def("sessions", &embed::profilerSessions, "Those that are started and not finished.");
  profiler.def("finish", &finish, nb::arg("session"), nb::arg("path"), "Writes a session's file, and ends it.");
  profiler.def("enter", &enter, nb::arg("name"), nb::arg("metrics").none(), nb::arg("timed"));
  profiler.def("leave", &leave, nb::arg("name").none(), nb::arg("metrics").none());
  profiler.def(
      "enter_operation",
      [](const std::string &name, nb::object metrics) {
        embed::profilerEnter(name, readMetrics(metrics), embed::ProfilerScope::Operation);
      },
      nb::arg("name"), nb::arg("metrics").none());
  profiler.def("leave_operation", &embed::profilerLeaveOperation);
  profiler.def("set_mark", &embed::profilerSetMark, nb::arg("name"), "Gives the mark there was before.");
  profiler.def("cupti_library", &embed::profilerCuptiLibrary, "The path of CUPTI, if a session needed it.");
  profiler.def(
      "hide_folder", [](std::string folder) { packageFolder = std::move(folder); }, nb::arg("path"),
      "Functions of files below it are not part of contexts.");
  embed::profilerSetStackReader(&readStack);
}

} // namespace triton::python
