// Only carries the facts over: which class, which text and which chain is decided in triton.compiler.errors.
#include "bindings/Diagnostics.h"

#include "bindings/Reference.h"

namespace triton::python {

static PyObject *text(const std::string &string) {
  return PyUnicode_DecodeUTF8(string.data(), Py_ssize_t(string.size()), "replace");
}

static PyObject *placeToPython(const embed::Place &place) {
  return Py_BuildValue("{s:N,s:I,s:I,s:I,s:I,s:N,s:I,s:I}", "file", text(place.file), "line", place.line, "column",
                       place.column, "end_line", place.endLine, "end_column", place.endColumn, "text", text(place.text),
                       "line_in_text", place.lineInText, "column_in_text", place.columnInText);
}

static PyObject *toPython(const embed::Diagnostic &diagnostic) {
  static const char *const severities[] = {"error", "warning", "note"};
  Reference callers(PyList_New(0));
  for (const embed::Place &caller : diagnostic.callers) {
    Reference place(placeToPython(caller));
    if (!place || PyList_Append(callers.get(), place.get()) < 0)
      return nullptr;
  }
  return Py_BuildValue("{s:s,s:N,s:N,s:N,s:N,s:N,s:N}", "severity", severities[int(diagnostic.severity)], "exception",
                       text(diagnostic.exception), "message", text(diagnostic.message), "hint", text(diagnostic.hint),
                       "place", placeToPython(diagnostic.place), "callers", callers.release(), "rendered",
                       text(diagnostic.rendered));
}

void raise(const embed::Diagnostics &diagnostics, PyObject *origin) {
  Reference list(PyList_New(0));
  for (const embed::Diagnostic &diagnostic : diagnostics) {
    Reference item(toPython(diagnostic));
    if (!item || PyList_Append(list.get(), item.get()) < 0)
      return;
  }
  Reference module(PyImport_ImportModule("triton.compiler.errors"));
  Reference function(module ? PyObject_GetAttrString(module.get(), "exception_from") : nullptr);
  Reference exception(function
                          ? PyObject_CallFunctionObjArgs(function.get(), list.get(), origin ? origin : Py_None, nullptr)
                          : nullptr);
  if (exception)
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception.get())), exception.get());
}

} // namespace triton::python
