#include "bindings/CompileOptions.h"

#include "bindings/InterpreterLock.h"
#include "bindings/Interrupt.h"
#include "bindings/Package.h"
#include "bindings/Result.h"
#include "bindings/Submodules.h"
#include "bindings/Text.h"
#include "bindings/launch/Array.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace triton::python {

[[noreturn]] static void fail(PyObject *exception, const std::string &name, const std::string &what, nb::handle value) {
  PyErr_Format(exception, "%s must be %s, got %R", name.c_str(), what.c_str(), value.ptr());
  throw nb::python_error();
}

/// `extern_libs`: a dict of names and paths, or its items. The one a target finds by itself may be given as None.
static std::vector<std::string> readLibraries(nb::handle value) {
  nb::object items = nb::borrow(value);
  if (PyDict_Check(value.ptr()))
    items = nb::steal(PyDict_Items(value.ptr()));
  std::vector<std::string> paths;
  auto refuse = [&] { fail(PyExc_TypeError, "extern_libs", "a dict of names and paths", value); };
  if (!PyTuple_Check(items.ptr()) && !PyList_Check(items.ptr()))
    refuse();
  for (nb::handle item : items) {
    if (!PyTuple_Check(item.ptr()) || PyTuple_GET_SIZE(item.ptr()) != 2)
      refuse();
    nb::handle path = PyTuple_GET_ITEM(item.ptr(), 1);
    if (PyObject_IsTrue(path.ptr()) == 0)
      continue;
    nb::object text = nb::steal(PyOS_FSPath(path.ptr()));
    PyErr_Clear();
    if (!text || !PyUnicode_Check(text.ptr()) || !PyUnicode_Check(PyTuple_GET_ITEM(item.ptr(), 0)))
      refuse();
    paths.push_back(nb::cast<std::string>(text));
  }
  return paths;
}

static std::vector<std::string> readNames(const embed::OptionDescription &option, nb::handle value) {
  if (!PyList_Check(value.ptr()) && !PyTuple_Check(value.ptr()))
    fail(PyExc_TypeError, option.name, option.kind, value);
  std::vector<std::string> names;
  for (nb::handle element : value) {
    if (!PyUnicode_Check(element.ptr()))
      fail(PyExc_TypeError, option.name, "text", element);
    names.push_back(nb::cast<std::string>(element));
  }
  return names;
}

static int64_t readNumber(const embed::OptionDescription &option, nb::handle value) {
  nb::object number = nb::steal(PyNumber_Index(value.ptr()));
  if (!number) {
    PyErr_Clear();
    fail(PyExc_TypeError, option.name, option.kind, value);
  }
  int overflow = 0;
  const long long wide = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow || wide != int32_t(wide))
    fail(PyExc_ValueError, option.name, "an integer of 32 bits", value);
  return wide;
}

/// Which kind an option is of, the compiler says; what is read as such, Python.
static embed::OptionValue readValue(const embed::OptionDescription &option, nb::handle value) {
  if (option.name == "extern_libs")
    return readLibraries(value);
  if (option.kind == "a list of texts")
    return readNames(option, value);
  if (option.kind == "an integer")
    return readNumber(option, value);
  if (option.kind == "text") {
    if (!PyUnicode_Check(value.ptr()))
      fail(PyExc_TypeError, option.name, option.kind, value);
    return nb::cast<std::string>(value);
  }
  nb::object number = nb::steal(numberOfScalar(value.ptr()));
  nb::handle plain = number ? number : value;
  if (!PyLong_Check(plain.ptr())) // Python's booleans are integers
    fail(PyExc_TypeError, option.name, option.kind, value);
  return PyObject_IsTrue(plain.ptr()) == 1;
}

embed::Options readOptions(const nb::dict &options) {
  embed::Options out;
  out.isInterrupted = isInterrupted;
  for (auto [key, value] : options) {
    auto name = nb::cast<std::string>(key);
    if (name == "replacements") {
      for (auto [stage, content] : nb::cast<nb::dict>(value))
        out.replacements.emplace_back(nb::cast<std::string>(stage), textOrBytes(content.ptr()));
      continue;
    }
    if (value.is_none()) // as if it were not given
      continue;
    const embed::OptionDescription *option = embed::findOption(name);
    if (!option)
      throw nb::key_error(("there is no option '" + name + "'").c_str());
    out.values.emplace_back(name, readValue(*option, value));
  }
  return out;
}

static nb::dict toPython(const embed::OptionValues &values) {
  nb::dict out;
  for (const auto &[name, value] : values) {
    nb::object plain = nb::cast(value);
    out[name.c_str()] = PyList_Check(plain.ptr()) ? nb::tuple(plain) : plain;
  }
  return out;
}

/// The options of a launch as plain Python values: those given, and the target's where none are.
static nb::dict completeOptions(const std::string &target, const nb::dict &given) {
  nb::dict options;
  for (auto [name, value] : given) {
    nb::object inner = nb::steal(constexprValue(value.ptr())), plain = inner ? inner : nb::borrow(value);
    nb::object number = nb::steal(numberOfScalar(plain.ptr()));
    options[name] = number ? number : plain;
  }
  options["target"] = target;
  nb::dict out = toPython(take(embed::completeOptions(readOptions(options))));
  if (options.contains("extern_libs"))
    out["extern_libs"] = options["extern_libs"]; // by their names
  return out;
}

static nb::dict targetFacts(const std::string &target) {
  embed::TargetFacts facts = take(embed::targetFacts(target));
  nb::dict out;
  out["options"] = toPython(facts.defaults);
  out["smallest_dot"] = nb::make_tuple(1, 1, facts.smallestDotK);
  out["smallest_dot_of_bytes"] = nb::make_tuple(1, 1, facts.smallestDotKOfBytes);
  return out;
}

static nb::object toolkit(const nb::dict &options) {
  embed::Options read = readOptions(options);
  return fromJson(take(unlocked([&] { return embed::findToolkit(read); })));
}

static std::optional<std::string> toolVersion(const std::string &path, const std::string &records) {
  embed::Result<std::string> result = embed::toolVersion(path, records);
  auto *text = std::get_if<std::string>(&result);
  return text ? std::optional(*text) : std::nullopt;
}

void addCompileOptions(nb::module_ &module) {
  module.def("toolkit", &toolkit, nb::arg("options"), "NVIDIA's tools that code is made with, and their builds.");
  module.def("find_tool", &embed::findTool, nb::arg("name"), nb::arg("folders"),
             "The path of a program of a CUDA toolkit; empty if it is nowhere.");
  module.def(
      "tool_version", &toolVersion, nb::arg("path"), nb::arg("records"), nb::call_guard<Unlocked>(),
      "What `path --version` prints, kept in the folder `records` for the next process; None if it cannot be run.");
  module.def("ptx_version_of", &embed::ptxVersionOf, nb::arg("release"),
             "The PTX version that tools of a CUDA release read: 90 for '13.0'; 0 if it is no release.");
  module.def("complete_options", &completeOptions, nb::arg("target"), nb::arg("options"),
             "The options of a launch, with the target's own values where none are given, as plain Python values; "
             "raises where one is of a wrong type, out of range or unknown.");
  module.def("target_facts", &targetFacts, nb::arg("target"),
             "What a target takes where no architecture is named: the defaults of its options, and its smallest dots.");
}

} // namespace triton::python
