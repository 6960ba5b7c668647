// Reads a request from Python objects, compiles without the interpreter lock, and raises what went wrong.
#include "bindings/Compile.h"

#include "bindings/Answers.h"
#include "bindings/Conversion.h"
#include "bindings/Diagnostics.h"
#include "bindings/InterpreterLock.h"
#include "bindings/Interrupt.h"
#include "bindings/PythonHost.h"

#include <triton/embed.h>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace triton::python {

/// An argument as Python describes it: ("runtime", type, [(attribute, value)], layout of a descriptor that has one), ("constant", object), ("tuple", [argument], fields or None, class or None).
static embed::Argument readArgument(nb::handle description) {
  auto parts = nb::cast<nb::tuple>(description);
  auto kind = nb::cast<std::string>(parts[0]);
  embed::Argument argument;
  if (kind == "constant") {
    argument.kind = embed::Argument::Kind::Constant;
    std::optional<embed::Value> value = toValue(parts[1].ptr());
    if (!value)
      throw nb::python_error();
    argument.constant = std::move(*value);
  } else if (kind == "tuple") {
    argument.kind = embed::Argument::Kind::Tuple;
    for (nb::handle element : nb::cast<nb::list>(parts[1]))
      argument.elements.push_back(readArgument(element));
    if (!parts[2].is_none())
      argument.fields = nb::cast<std::vector<std::string>>(parts[2]);
    if (!parts[3].is_none())
      argument.hostClass = hold(parts[3].ptr());
  } else {
    argument.type = nb::cast<std::string>(parts[1]);
    argument.attributes = nb::cast<std::vector<std::pair<std::string, int64_t>>>(parts[2]);
    if (parts.size() > 3) {
      std::optional<embed::Value> layout = toValue(parts[3].ptr());
      if (!layout)
        throw nb::python_error();
      argument.constant = std::move(*layout);
    }
  }
  return argument;
}

template <typename T> static void read(const nb::dict &options, const char *name, T &field) {
  if (options.contains(name))
    field = nb::cast<T>(options[name]);
}

static std::string textOrBytes(nb::handle content) {
  if (!PyBytes_Check(content.ptr()))
    return nb::cast<std::string>(content);
  return std::string(PyBytes_AS_STRING(content.ptr()), PyBytes_GET_SIZE(content.ptr()));
}

static embed::Options readOptions(const nb::dict &options) {
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

using SharedArtifact = std::shared_ptr<const embed::Artifact>;

/// The artifact, or the exception that `diagnostics` call for.
static SharedArtifact check(SharedArtifact artifact, const embed::Diagnostics &diagnostics) {
  Reference origin = PythonHost::takeException();
  if (artifact)
    return artifact;
  const bool isException = !origin || PyObject_IsInstance(origin.get(), PyExc_Exception) == 1;
  if (!isException) // KeyboardInterrupt, SystemExit: nothing that the compiler could add to
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(origin.get())), origin.get());
  else if (!raiseInterruption() && PyErr_CheckSignals() == 0) // Ctrl-C ends the assembler too, which is then no error
    raise(diagnostics, origin.get());
  throw nb::python_error();
}

embed::CompileRequest readRequest(nb::handle function, const nb::list &arguments, std::string symbol,
                                  const nb::dict &options) {
  std::optional<embed::Function> parsed = functionOf(function.ptr());
  if (!parsed)
    throw nb::python_error();
  embed::CompileRequest request{std::move(*parsed), {}, std::move(symbol), readOptions(options)};
  for (nb::handle argument : arguments)
    request.arguments.push_back(readArgument(argument));
  return request;
}

static SharedArtifact compile(nb::handle function, const nb::list &arguments, std::string symbol,
                              const nb::dict &options, Answers *answers) {
  Visit visit;
  RecordingScope recording(answers);
  embed::CompileRequest request = readRequest(function, arguments, std::move(symbol), options);
  embed::Diagnostics diagnostics;
  SharedArtifact artifact;
  PythonHost::takeException();
  {
    Unlocked unlocked;
    artifact = embed::compile(PythonHost::instance(), request, diagnostics);
  }
  return check(std::move(artifact), diagnostics);
}

static SharedArtifact compileIr(std::string stage, std::string file, std::string text, const nb::dict &options) {
  Visit visit;
  embed::Options read = readOptions(options);
  embed::Diagnostics diagnostics;
  SharedArtifact artifact;
  {
    Unlocked unlocked;
    artifact = embed::compileIr(stage, std::move(file), std::move(text), read, diagnostics);
  }
  return check(std::move(artifact), diagnostics);
}

using ArgumentTuple = std::tuple<std::string, std::string, uint32_t, uint32_t, bool>;

static SharedArtifact runStage(const std::string &stage, nb::handle input, const std::vector<ArgumentTuple> &arguments,
                               const nb::dict &options) {
  Visit visit;
  embed::Options read = readOptions(options);
  std::string text = textOrBytes(input);
  std::vector<embed::PackedArgument> packed;
  for (const auto &[name, type, offset, size, isStored] : arguments)
    packed.push_back({name, type, offset, size, isStored});
  embed::Diagnostics diagnostics;
  SharedArtifact artifact;
  {
    Unlocked unlocked;
    artifact = embed::runStage(stage, std::move(text), packed, read, diagnostics);
  }
  return check(std::move(artifact), diagnostics);
}

/// Text stages as str, binary ones as bytes.
static nb::dict stagesOf(const embed::Artifact &artifact) {
  nb::dict stages;
  for (const embed::Stage &stage : artifact.stages) {
    if (stage.content.empty())
      continue;
    bool isBinary = stage.name == "obj" || stage.name == "cubin" || stage.name == "hsaco";
    stages[stage.name.c_str()] = isBinary ? nb::object(nb::bytes(stage.content.data(), stage.content.size()))
                                          : nb::object(nb::str(stage.content.data(), stage.content.size()));
  }
  return stages;
}

static std::vector<std::pair<std::string, double>> timesOf(const embed::Artifact &artifact) {
  std::vector<std::pair<std::string, double>> times;
  for (const embed::Stage &stage : artifact.stages)
    times.emplace_back(stage.name, stage.microseconds);
  return times;
}

static std::vector<ArgumentTuple> argumentsOf(const embed::Artifact &artifact) {
  std::vector<ArgumentTuple> out;
  for (const embed::PackedArgument &argument : artifact.arguments)
    out.emplace_back(argument.name, argument.type, argument.offset, argument.size, argument.isStored);
  return out;
}

static nb::list tensorMapsOf(const embed::Artifact &artifact) {
  nb::list maps;
  for (const embed::TensorMapFormat &format : artifact.tensorMaps) {
    if (format.box.empty()) { // passed in parts
      maps.append(nb::none());
      continue;
    }
    nb::dict map;
    map["swizzle"] = format.swizzle;
    map["elem_size"] = format.elementBytes;
    map["elem_type"] = format.elementType;
    map["block_size"] = nb::cast(format.box);
    map["fp4_padded"] = false;
    maps.append(map);
  }
  return maps;
}

static std::string architecture(const nb::dict &options) {
  embed::Result<std::string> result = embed::resolveArchitecture(readOptions(options));
  if (auto *error = std::get_if<embed::Error>(&result))
    throw nb::value_error(error->message.c_str());
  return std::get<std::string>(result);
}

static std::pair<std::string, std::vector<std::string>> description(const std::string &stage, const std::string &text,
                                                                    const nb::dict &options) {
  embed::Result<embed::KernelDescription> result = embed::describeKernel(stage, text, readOptions(options));
  if (auto *error = std::get_if<embed::Error>(&result))
    throw nb::value_error(error->message.c_str());
  auto &found = std::get<embed::KernelDescription>(result);
  return {found.name, found.types};
}

void addCompile(nb::module_ &module) {
  nb::class_<embed::Artifact>(module, "Artifact",
                              "What a compile yields: every stage, and what a launch needs to know.")
      .def_ro("name", &embed::Artifact::name)
      .def_ro("hash", &embed::Artifact::hash)
      .def_ro("backend", &embed::Artifact::backend)
      .def_ro("architecture", &embed::Artifact::architecture)
      .def_ro("argument_bytes", &embed::Artifact::argumentBytes)
      .def_ro("arena_bytes", &embed::Artifact::arenaBytes)
      .def_ro("num_warps", &embed::Artifact::numWarps)
      .def_ro("num_ctas", &embed::Artifact::numCtas)
      .def_ro("num_stages", &embed::Artifact::numStages)
      .def_ro("shared", &embed::Artifact::sharedBytes)
      .def_ro("global_scratch_size", &embed::Artifact::globalScratchBytes)
      .def_ro("global_scratch_align", &embed::Artifact::globalScratchAlignment)
      .def_ro("registers", &embed::Artifact::registers)
      .def_ro("spill_bytes", &embed::Artifact::spillBytes)
      .def_ro("waits_at_entry", &embed::Artifact::waitsAtEntry)
      .def_ro("assembler_log", &embed::Artifact::assemblerLog)
      .def_prop_ro("stages", &stagesOf, "stage name -> text or bytes, in the order they were made")
      .def_prop_ro("times", &timesOf, "(stage name, microseconds)")
      .def_prop_ro("tensordesc_meta", &tensorMapsOf, "how each tensor descriptor becomes a map of the copy engine")
      .def_prop_ro("arguments", &argumentsOf,
                   "(name, type, offset, size, may be stored to) of each run-time argument in the packed block");
  module.def("compile", &compile, nb::arg("function"), nb::arg("arguments"), nb::arg("symbol"), nb::arg("options"),
             nb::arg("answers").none() = nb::none(),
             "Compiles a jitted function for the given arguments; raises what the compiler has to say. What the kernel "
             "asks the program goes into `answers`.");
  module.def("compile_ir", &compileIr, nb::arg("stage"), nb::arg("file"), nb::arg("text"), nb::arg("options"),
             "The same from IR text.");
  module.def("describe_kernel", &description, nb::arg("stage"), nb::arg("text"), nb::arg("options"),
             "(name, argument types) of the kernel in LLVM IR or PTX.");
  module.def("run_stage", &runStage, nb::arg("stage"), nb::arg("input"), nb::arg("arguments"), nb::arg("options"),
             "One stage alone, from the output of the one before it.");
  module.def("resolve_architecture", &architecture, nb::arg("options"),
             "What the architecture 'native' is on this machine.");
}

} // namespace triton::python
