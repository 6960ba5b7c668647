#include "bindings/host/RecordedGlobals.h"

#include "bindings/Package.h"
#include "bindings/Text.h"

namespace triton::python {

bool RecordedGlobal::isUnchanged() const {
  PyObject *holder = scope.get();
  if (PyCell_Check(holder))
    return PyCell_GET(holder) == value.get();
  if (PyType_Check(holder))
    return _PyType_Lookup(reinterpret_cast<PyTypeObject *>(holder), name.get()) == value.get();
  return PyDict_GetItemWithError(holder, name.get()) == value.get();
}

/// What the package's Python half knows of classes of the user's.
static bool isValue(PyObject *object) {
  Reference fingerprints(PyImport_ImportModule("triton.runtime.fingerprints"));
  Reference ask(fingerprints ? PyObject_GetAttrString(fingerprints.get(), "is_value") : nullptr);
  Reference answer(ask ? PyObject_CallOneArg(ask.get(), object) : nullptr);
  PyErr_Clear();
  return answer.get() == Py_True;
}

static bool isUnchanging(PyObject *object, unsigned depth) {
  constexpr unsigned limit = 64;
  Reference inner(constexprValue(object));
  PyErr_Clear();
  PyObject *plain = inner ? inner.get() : object;
  if (PyTuple_CheckExact(plain)) {
    for (Py_ssize_t index = 0; index < PyTuple_GET_SIZE(plain); ++index)
      if (depth > limit || !isUnchanging(PyTuple_GET_ITEM(plain, index), depth + 1))
        return false;
    return true;
  }
  return plain == Py_None || PyBool_Check(plain) || PyLong_CheckExact(plain) || PyFloat_CheckExact(plain) ||
         PyUnicode_CheckExact(plain) || PyBytes_CheckExact(plain) || isLanguageType(plain) || PyModule_Check(plain) ||
         PyType_Check(plain) || PyFunction_Check(plain) || PyCFunction_Check(plain) ||
         isA(plain, Package::get()->jitCallableClass) || isValue(plain);
}

bool isUnchanging(PyObject *object) { return isUnchanging(object, 0); }

/// Whether it is a module, class or function of this package, which nobody replaces.
static bool isOfPackage(PyObject *object) {
  const char *attribute = PyModule_Check(object) ? "__name__" : "__module__";
  if (!PyModule_Check(object) && !PyType_Check(object) && !PyFunction_Check(object) &&
      !isA(object, Package::get()->jitCallableClass))
    return false;
  std::string name = stringAttribute(object, attribute);
  return name == "triton" || name.starts_with("triton.");
}

/// A `constexpr` is an object whose value can be assigned to: that is kept, too, also for those in tuples.
static void recordConstexprs(PyObject *object, std::vector<RecordedGlobal> &out) {
  static PyObject *name = PyUnicode_InternFromString("value");
  if (PyTuple_CheckExact(object)) {
    for (Py_ssize_t index = 0; index < PyTuple_GET_SIZE(object); ++index)
      recordConstexprs(PyTuple_GET_ITEM(object, index), out);
    return;
  }
  Reference inner(constexprValue(object)), dict(inner ? PyObject_GenericGetDict(object, nullptr) : nullptr);
  PyErr_Clear();
  if (!dict)
    return;
  recordConstexprs(inner.get(), out);
  out.push_back({std::move(dict), Reference::borrow(name), std::move(inner)});
}

bool record(Reference scope, PyObject *name, PyObject *value, std::vector<RecordedGlobal> &out) {
  if (value && !isUnchanging(value))
    return false;
  if (value && isOfPackage(value))
    return true;
  if (value)
    recordConstexprs(value, out);
  out.push_back({std::move(scope), Reference::borrow(name), Reference::borrow(value)});
  return true;
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
    if (!current || !record(std::move(scope), name, current, out)) {
      PyErr_Clear();
      return false;
    }
  }
  return true;
}

} // namespace triton::python
