#include "bindings/host/RecordedGlobals.h"

namespace triton::python {

bool RecordedGlobal::isUnchanged() const {
  PyObject *holder = scope.get();
  if (PyCell_Check(holder))
    return PyCell_GET(holder) == value.get();
  if (PyType_Check(holder))
    return _PyType_Lookup(reinterpret_cast<PyTypeObject *>(holder), name.get()) == value.get();
  return PyDict_GetItemWithError(holder, name.get()) == value.get();
}

bool recordGlobals(PyObject *jitFunction, PyObject *compiled, std::vector<RecordedGlobal> &out) {
  Reference host(PyImport_ImportModule("triton.compiler.host"));
  Reference places(host ? PyObject_CallMethod(host.get(), "watched_places", "OO", jitFunction, compiled) : nullptr);
  if (!places || !PyList_CheckExact(places.get()))
    return false;
  for (Py_ssize_t index = 0; index < PyList_GET_SIZE(places.get()); ++index) {
    PyObject *place = PyList_GET_ITEM(places.get(), index);
    PyObject *value = PyTuple_GET_SIZE(place) == 3 ? PyTuple_GET_ITEM(place, 2) : nullptr;
    out.push_back({Reference::borrow(PyTuple_GET_ITEM(place, 0)), Reference::borrow(PyTuple_GET_ITEM(place, 1)),
                   Reference::borrow(value)});
  }
  return true;
}

} // namespace triton::python
