#include "bindings/Submodules.h"

#include "bindings/Reference.h"

#include <triton/embed.h>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>

namespace nb = nanobind;

namespace triton::python {

/// Each element on its own: what lies between them has not been written.
static void markWritten(uint64_t address, unsigned elementBytes, const std::vector<int64_t> &shape,
                        const std::vector<int64_t> &strides) {
  if (std::ranges::find(shape, 0) != shape.end())
    return;
  std::vector<int64_t> index(shape.size());
  for (bool isMore = true; isMore;) {
    int64_t offset = 0;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      offset += index[dim] * strides[dim];
    embed::CheckedLaunch::markWritten(reinterpret_cast<const void *>(address + offset * int64_t(elementBytes)),
                                      elementBytes);
    isMore = false;
    for (size_t dim = shape.size(); dim-- > 0 && !isMore;) {
      isMore = ++index[dim] < shape[dim];
      if (!isMore)
        index[dim] = 0;
    }
  }
}

// Classes written in C cannot be given another `__setitem__`, but their slot can be put behind ours.
static objobjargproc assignOriginally = nullptr;
static PyObject *assignmentObserver = nullptr;

static int assignAndTell(PyObject *array, PyObject *key, PyObject *value) {
  const int result = assignOriginally(array, key, value);
  if (result == 0 && value) {
    Reference told(PyObject_CallFunctionObjArgs(assignmentObserver, array, key, nullptr));
    if (!told)
      PyErr_Clear(); // the assignment is done, whatever there is to say about it
  }
  return result;
}

static void watchAssignments(nb::handle arrayClass, nb::handle observer) {
  PyMappingMethods *methods = reinterpret_cast<PyTypeObject *>(arrayClass.ptr())->tp_as_mapping;
  if (!PyType_Check(arrayClass.ptr()) || !methods || !methods->mp_ass_subscript)
    throw nb::type_error("assignments to elements can be watched of a class that has them");
  Py_XSETREF(assignmentObserver, Py_NewRef(observer.ptr()));
  if (methods->mp_ass_subscript == assignAndTell)
    return;
  assignOriginally = methods->mp_ass_subscript;
  methods->mp_ass_subscript = assignAndTell;
}

void addSanitizer(nb::module_ &module) {
  using embed::CheckedLaunch;
  nb::module_ sanitizer = module.def_submodule("sanitizer", "Checks of memory accesses.");
  nb::class_<CheckedLaunch>(sanitizer, "CheckedLaunch",
                            "While it lives, launches of this thread that were compiled for it are watched.")
      .def(nb::init<bool, bool>(), nb::arg("address"), nb::arg("race"))
      .def(
          "add_tensor",
          [](CheckedLaunch &self, std::string name, std::string type, uint64_t address, unsigned elementBytes,
             std::vector<int64_t> shape, std::vector<int64_t> strides) {
            self.add({std::move(name), std::move(type), address, elementBytes, std::move(shape), std::move(strides)});
          },
          nb::arg("name"), nb::arg("type"), nb::arg("address"), nb::arg("element_size"), nb::arg("shape"),
          nb::arg("strides"));
  sanitizer.def(
      "poison",
      [](uint64_t address, uint64_t bytes) { CheckedLaunch::poison(reinterpret_cast<void *>(address), bytes); },
      nb::arg("address"), nb::arg("size"), "Memory that counts as never written until somebody writes it.");
  sanitizer.def("mark_written", &markWritten, nb::arg("address"), nb::arg("element_size"), nb::arg("shape"),
                nb::arg("strides"), "Elements that have been written, be it with what was there before.");
  sanitizer.def("watch_assignments", &watchAssignments, nb::arg("array_class"), nb::arg("observer"),
                "Calls `observer(array, key)` after `array[key] = value` of this class's objects.");
}

} // namespace triton::python
