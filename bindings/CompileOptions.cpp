#include "bindings/CompileOptions.h"

#include "bindings/Interrupt.h"
#include "bindings/Package.h"
#include "bindings/launch/Array.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>

namespace nb = nanobind;

namespace triton::python {

[[noreturn]] static void fail(PyObject *exception, const char *name, const char *what, nb::handle value) {
  PyErr_Format(exception, "%s must be %s, got %R", name, what, value.ptr());
  throw nb::python_error();
}

static void convert(const char *name, nb::handle value, bool &field) {
  nb::object number = nb::steal(numberOfScalar(value.ptr()));
  nb::handle plain = number ? number : value;
  if (!PyLong_Check(plain.ptr())) // Python's booleans are integers
    fail(PyExc_TypeError, name, "True or False", value);
  field = PyObject_IsTrue(plain.ptr()) == 1;
}

template <typename T>
  requires std::is_integral_v<T>
static void convert(const char *name, nb::handle value, T &field) {
  nb::object number = nb::steal(PyNumber_Index(value.ptr()));
  if (!number) {
    PyErr_Clear();
    fail(PyExc_TypeError, name, "an integer", value);
  }
  int overflow = 0;
  const long long wide = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow || wide < (long long)(std::numeric_limits<T>::min()) ||
      wide > (long long)(std::numeric_limits<T>::max()))
    fail(PyExc_ValueError, name, "an integer of 32 bits", value);
  field = T(wide);
}

static void convert(const char *name, nb::handle value, std::string &field) {
  if (!PyUnicode_Check(value.ptr()))
    fail(PyExc_TypeError, name, "text", value);
  field = nb::cast<std::string>(value);
}

static void convert(const char *name, nb::handle value, std::vector<std::string> &field) {
  if (!PyList_Check(value.ptr()) && !PyTuple_Check(value.ptr()))
    fail(PyExc_TypeError, name, "a list of texts", value);
  for (nb::handle element : value)
    convert(name, element, field.emplace_back());
}

template <typename T> static void read(const nb::dict &options, const char *name, T &field) {
  if (options.contains(name))
    convert(name, options[name], field);
}

static std::string textOrBytes(nb::handle content) {
  if (!PyBytes_Check(content.ptr()))
    return nb::cast<std::string>(content);
  return std::string(PyBytes_AS_STRING(content.ptr()), PyBytes_GET_SIZE(content.ptr()));
}

embed::Options readOptions(const nb::dict &options) {
  embed::Options out;
  out.isInterrupted = isInterrupted;
  read(options, "backend", out.backend);
  read(options, "architecture", out.architecture);
  read(options, "num_warps", out.numWarps);
  read(options, "num_ctas", out.numCtas);
  read(options, "num_stages", out.numStages);
  read(options, "warp_size", out.warpSize);
  read(options, "debug", out.debug);
  read(options, "sanitize_overflow", out.sanitizeOverflow);
  read(options, "check_accesses", out.checkAccesses);
  read(options, "enable_fp_fusion", out.enableFpFusion);
  read(options, "allow_non_constexpr_globals", out.allowNonConstexprGlobals);
  read(options, "default_dot_input_precision", out.defaultDotPrecision);
  read(options, "maxnreg", out.maxRegisters);
  read(options, "ptx_version", out.ptxVersion);
  read(options, "flush_denormals", out.flushDenormals);
  read(options, "tensor_maps", out.tensorMaps);
  read(options, "line_info", out.lineInfo);
  read(options, "variable_info", out.variableInfo);
  read(options, "wait_at_entry", out.waitAtEntry);
  read(options, "optimise_assembly", out.optimiseAssembly);
  read(options, "ptxas_path", out.assemblerPath);
  read(options, "nvjitlink_path", out.linkerPath);
  read(options, "ptxas_options", out.assemblerOptions);
  read(options, "code_architecture", out.codeArchitecture);
  read(options, "libraries", out.libraries);
  read(options, "use_wgmma", out.useWgmma);
  read(options, "use_tcgen05", out.useTcgen05);
  read(options, "gluon", out.isGluon);
  read(options, "optimise_llvm", out.optimiseLlvm);
  read(options, "llvm_flags", out.llvmFlags);
  read(options, "llvm_plugin", out.llvmPlugin);
  read(options, "emit_assembly", out.emitAssembly);
  read(options, "keep_locations", out.keepLocations);
  read(options, "print_around_all", out.printAroundAll);
  read(options, "reproducer_path", out.reproducerPath);
  read(options, "time_passes", out.timePasses);
  read(options, "location_stage", out.locationStage);
  read(options, "location_file", out.locationFile);
  read(options, "show_operations", out.showOperations);
  read(options, "show_stack_traces", out.showStackTraces);
  read(options, "show_warnings", out.showWarnings);
  read(options, "show_remarks", out.showRemarks);
  read(options, "print_llvm_after_all", out.printLlvmAfterAll);
  read(options, "time_llvm_passes", out.timeLlvmPasses);
  read(options, "machine_ir_folder", out.machineIrFolder);
  read(options, "ptxas_timeout", out.assemblerSeconds);
  read(options, "keep_source", out.keepSource);
  read(options, "print_locations", out.printLocations);
  read(options, "last_stage", out.lastStage);
  if (options.contains("replacements"))
    for (auto [stage, content] : nb::cast<nb::dict>(options["replacements"]))
      out.replacements.emplace_back(nb::cast<std::string>(stage), textOrBytes(content));
  return out;
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

/// Options that Python alone looks at.
static void checkOthers(const nb::dict &options) {
  bool flag;
  for (const char *name : {"launch_cooperative_grid", "launch_pdl", "enable_reflect_ftz"})
    read(options, name, flag);
  std::string text;
  for (const char *name : {"arch", "ptx_options", "ir_override", "instrumentation_mode", "backend_name"})
    read(options, name, text);
  int number;
  read(options, "max_num_imprecise_acc_default", number);
  for (const char *name :
       {"supported_fp8_dtypes", "deprecated_fp8_dot_operand_dtypes", "allowed_dot_input_precisions"}) {
    std::vector<std::string> names;
    read(options, name, names);
  }
}

/// The options of a launch, by the names that users give them, as plain Python values.
static nb::dict checkOptions(const std::string &backend, const nb::dict &given) {
  nb::dict options;
  for (auto [name, value] : given) {
    nb::object inner = nb::steal(constexprValue(value.ptr())), plain = inner ? inner : nb::borrow(value);
    nb::object number = nb::steal(numberOfScalar(plain.ptr()));
    options[name] = number ? number : plain;
  }
  embed::Options read = readOptions(options);
  checkOthers(options);
  read.backend = backend;
  if (!options.contains("warp_size"))
    read.warpSize = backend == "cuda" ? 32 : 1;
  if (options.contains("extern_libs"))
    read.libraries = readLibraries(options["extern_libs"]);
  if (std::optional<embed::Error> error = embed::checkOptions(read))
    throw nb::value_error(error->message.c_str());
  return options;
}

void addCompileOptions(nb::module_ &module) {
  module.def("check_options", &checkOptions, nb::arg("backend"), nb::arg("options"),
             "The options of a launch as plain Python values; raises where one is of a wrong type or out of range.");
}

} // namespace triton::python
