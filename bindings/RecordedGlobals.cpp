#include "bindings/RecordedGlobals.h"

#include "bindings/Package.h"

namespace triton::python {

bool RecordedGlobal::isUnchanged() const {
  PyObject *holder = scope.get();
  return (PyCell_Check(holder) ? PyCell_GET(holder) : PyDict_GetItemWithError(holder, name.get())) == value.get();
}

static bool isRecordable(PyObject *value) {
  Reference inner(constexprValue(value));
  PyErr_Clear();
  PyObject *plain = inner ? inner.get() : value;
  return plain == Py_None || PyBool_Check(plain) || PyLong_CheckExact(plain) || PyFloat_CheckExact(plain) ||
         PyUnicode_CheckExact(plain) || isLanguageType(plain);
}

/// The dict of globals itself, or the cell of a captured variable (`owner.cells[name]`).
static Reference scopeOf(PyObject *owner, PyObject *name) {
  if (PyDict_Check(owner))
    return Reference::borrow(owner);
  Reference cells(PyObject_GetAttrString(owner, "cells"));
  PyObject *cell = cells && PyDict_Check(cells.get()) ? PyDict_GetItemWithError(cells.get(), name) : nullptr;
  return cell && PyCell_Check(cell) ? Reference::borrow(cell) : Reference();
}

bool recordGlobals(PyObject *kernel, std::vector<RecordedGlobal> &out) {
  Reference used(PyObject_GetAttrString(kernel, "used_global_vals"));
  if (!used || !PyDict_Check(used.get())) {
    PyErr_Clear();
    return false;
  }
  PyObject *where, *what;
  for (Py_ssize_t position = 0; PyDict_Next(used.get(), &position, &where, &what);) {
    PyObject *name = PyTuple_GetItem(where, 0), *owner = PyTuple_GetItem(what, 1);
    Reference scope = name && owner ? scopeOf(owner, name) : Reference();
    PyObject *current = !scope                      ? nullptr
                        : PyCell_Check(scope.get()) ? PyCell_GET(scope.get())
                                                    : PyDict_GetItemWithError(scope.get(), name);
    if (!current || !isRecordable(current)) {
      PyErr_Clear();
      return false;
    }
    out.push_back({std::move(scope), Reference::borrow(name), Reference::borrow(current)});
  }
  return true;
}

} // namespace triton::python
