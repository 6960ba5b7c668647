#include "bindings/launch/CudaTensorMap.h"

#include <cstring>

namespace nb = nanobind;

namespace triton::python {

bool packTensorMap(PyObject *object, unsigned position, std::byte *destination) {
  if (!nb::isinstance<TensorMap>(nb::handle(object))) {
    PyErr_Format(PyExc_TypeError, "argument %u must be a tensor map, not %s", position, Py_TYPE(object)->tp_name);
    return false;
  }
  std::memcpy(destination, nb::inst_ptr<TensorMap>(object)->bytes, sizeof(TensorMap));
  return true;
}

void addCudaTensorMap(nb::module_ &module) {
  nb::class_<TensorMap>(module, "PyCUtensorMap", "A tensor as TMA knows it.")
      .def(
          "tma_desc_cpu_ptr", [](const TensorMap &map) { return reinterpret_cast<uintptr_t>(map.bytes); },
          "The address of the 128 bytes, which is a multiple of 128.")
      .def("__bytes__", [](const TensorMap &map) { return nb::bytes(map.bytes, sizeof(map)); }, "The 128 bytes.");
}

} // namespace triton::python
