// Jitted functions as the compiler sees them: their source, parsed, with their parameters and the scope of their names.
#include "bindings/host/Conversion.h"

#include "bindings/Diagnostics.h"
#include "bindings/Text.h"
#include "bindings/host/PythonHost.h"
#include "bindings/launch/KernelObject.h"
#include "bindings/launch/KernelParameter.h"

namespace triton::python {

static bool addParameters(PyObject *jitFunction, std::vector<embed::Parameter> &out) {
  Reference params(PyObject_GetAttrString(jitFunction, "params"));
  std::vector<KernelParameter> read;
  if (!readParameters(params.get(), read))
    return false;
  for (KernelParameter &parameter : read) {
    const dispatch::Parameter &facts = parameter.facts;
    out.push_back({facts.name, facts.annotation, facts.isConstexpr, facts.specializesValue, facts.specializesAlignment,
                   std::nullopt});
    if (parameter.defaultValue && !(out.back().defaultValue = toValue(parameter.defaultValue.get())))
      return false;
  }
  return true;
}

static bool describeFunction(PyObject *jitFunction, PyObject *source, bool noinline, embed::FunctionDescription &out) {
  Reference place(PyObject_GetAttrString(jitFunction, "_source_place")),
      message(PyObject_GetAttrString(jitFunction, "_must_use_result_message")),
      fn(PyObject_GetAttrString(jitFunction, "fn"));
  const char *file = nullptr;
  if (!place || !message || !fn || !PyArg_ParseTuple(place.get(), "sII", &file, &out.firstLine, &out.columnOffset))
    return false;
  out.name = stringAttribute(jitFunction, "__name__");
  out.qualifiedName = stringAttribute(jitFunction, "_fn_name");
  out.file = file;
  out.text = textOf(source);
  out.noinline = noinline;
  if (PyUnicode_Check(message.get()))
    out.mustUseResult = textOf(message.get());
  out.scope = makeScope(jitFunction, fn.get());
  return out.scope && addParameters(jitFunction, out.parameters);
}

std::optional<embed::Function> functionOf(PyObject *jitFunction) {
  ParsedFunction &parsed = parsedFunction(jitFunction);
  Reference source(PyObject_GetAttrString(jitFunction, "src")),
      noinlineObject(PyObject_GetAttrString(jitFunction, "noinline"));
  int noinline = noinlineObject ? PyObject_IsTrue(noinlineObject.get()) : -1;
  if (!source || noinline < 0)
    return std::nullopt;
  if (parsed.function && parsed.source == source.get() && parsed.noinline == (noinline == 1))
    return parsed.function;
  embed::FunctionDescription description;
  if (!describeFunction(jitFunction, source.get(), noinline == 1, description))
    return std::nullopt;
  embed::Diagnostics diagnostics;
  std::optional<embed::Function> function =
      embed::Function::create(PythonHost::instance(), std::move(description), diagnostics);
  if (!function) {
    raise(diagnostics, nullptr);
    return std::nullopt;
  }
  PyObject *previous = std::exchange(parsed.source, source.release());
  Py_XDECREF(previous);
  parsed.noinline = noinline == 1;
  parsed.function = function;
  return function;
}

} // namespace triton::python
