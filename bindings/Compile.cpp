// Reads a request from Python objects, compiles without the interpreter lock, and raises what went wrong.
#include "bindings/Compile.h"

#include "bindings/CompileOptions.h"
#include "bindings/Diagnostics.h"
#include "bindings/InterpreterLock.h"
#include "bindings/Interrupt.h"
#include "bindings/Result.h"
#include "bindings/Submodules.h"
#include "bindings/Text.h"
#include "bindings/host/Conversion.h"
#include "bindings/host/PythonHost.h"

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
    argument.constant = take(toValue(parts[1].ptr()));
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
    if (parts.size() > 3)
      argument.constant = take(toValue(parts[3].ptr()));
  }
  return argument;
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
  embed::CompileRequest request{take(functionOf(function.ptr())), {}, std::move(symbol), readOptions(options)};
  for (nb::handle argument : arguments)
    request.arguments.push_back(readArgument(argument));
  return request;
}

static SharedArtifact compile(nb::handle function, const nb::list &arguments, std::string symbol,
                              const nb::dict &options, nb::handle answers) {
  Visit visit;
  RecordingScope recording(answers.ptr());
  embed::CompileRequest request = readRequest(function, arguments, std::move(symbol), options);
  embed::Diagnostics diagnostics;
  PythonHost::takeException();
  SharedArtifact artifact = unlocked([&] { return embed::compile(PythonHost::instance(), request, diagnostics); });
  return check(std::move(artifact), diagnostics);
}

static SharedArtifact compileIr(std::string stage, std::string file, std::string text, const nb::dict &options) {
  Visit visit;
  embed::Options read = readOptions(options);
  embed::Diagnostics diagnostics;
  SharedArtifact artifact =
      unlocked([&] { return embed::compileIr(stage, std::move(file), std::move(text), read, diagnostics); });
  return check(std::move(artifact), diagnostics);
}

static std::pair<std::string, bool> kernelKey(nb::handle function, const nb::list &arguments, std::string symbol,
                                              const nb::dict &options, bool isForBundle) {
  Visit visit;
  embed::CompileRequest request = readRequest(function, arguments, std::move(symbol), options);
  return take(unlocked([&] { return embed::kernelKey(PythonHost::instance(), request, isForBundle); }));
}

static bool confirmReads(nb::handle function, const embed::Reads &reads, nb::handle answers) {
  Visit visit;
  RecordingScope recording(answers.ptr());
  const embed::Function parsed = take(functionOf(function.ptr()));
  PythonHost::takeException();
  bool isSame = unlocked([&] { return embed::confirmReads(parsed, reads); });
  PythonHost::takeException();
  return isSame;
}

using ArgumentTuple = std::tuple<std::string, std::string, uint32_t, uint32_t, bool>;

static SharedArtifact runStage(const std::string &stage, nb::handle input, const std::vector<ArgumentTuple> &arguments,
                               const nb::dict &options) {
  Visit visit;
  embed::Options read = readOptions(options);
  std::string text = textOrBytes(input.ptr());
  std::vector<embed::PackedArgument> packed;
  for (const auto &[name, type, offset, size, isStored] : arguments)
    packed.push_back({name, type, isStored});
  embed::Diagnostics diagnostics;
  SharedArtifact artifact =
      unlocked([&] { return embed::runStage(stage, std::move(text), packed, read, diagnostics); });
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

void addCompile(nb::module_ &module) {
  nb::class_<embed::Artifact>(module, "Artifact",
                              "What a compile yields: every stage, and what a launch needs to know.")
      .def_ro("name", &embed::Artifact::name)
      .def_ro("assembler_log", &embed::Artifact::assemblerLog)
      .def_ro("description", &embed::Artifact::description, "JSON: all of it but what the stages hold")
      .def_prop_ro("stages", &stagesOf, "stage name -> text or bytes, in the order they were made")
      .def_prop_ro("times", &timesOf, "(stage name, microseconds)");
  module.def("compile", &compile, nb::arg("function"), nb::arg("arguments"), nb::arg("symbol"), nb::arg("options"),
             nb::arg("answers").none() = nb::none(),
             "Compiles a jitted function for the given arguments; raises what the compiler has to say. What the kernel "
             "asks the program goes into `answers`.");
  module.def("kernel_key", &kernelKey, nb::arg("function"), nb::arg("arguments"), nb::arg("symbol"), nb::arg("options"),
             nb::arg("for_bundle") = false,
             "(what such a compile is stored under before hashing, whether hosts of other languages understand its "
             "constants).");
  module.def(
      "confirm_reads", &confirmReads, nb::arg("function"), nb::arg("reads"), nb::arg("answers"),
      "Whether the program gives what a kernel was compiled with by another language; what it is asked goes into "
      "`answers`.");
  module.def("compile_ir", &compileIr, nb::arg("stage"), nb::arg("file"), nb::arg("text"), nb::arg("options"),
             "The same from IR text.");
  module.def(
      "describe_kernel",
      [](const std::string &stage, const std::string &text, const nb::dict &options) {
        return take(embed::describeKernel(stage, text, readOptions(options)));
      },
      nb::arg("stage"), nb::arg("text"), nb::arg("options"), "(name, argument types) of the kernel in LLVM IR or PTX.");
  module.def("run_stage", &runStage, nb::arg("stage"), nb::arg("input"), nb::arg("arguments"), nb::arg("options"),
             "One stage alone, from the output of the one before it.");
  module.def(
      "resolve_architecture",
      [](const nb::dict &options) { return take(embed::resolveArchitecture(readOptions(options))); },
      nb::arg("options"), "What the architecture 'native' is on this machine.");
}

} // namespace triton::python
