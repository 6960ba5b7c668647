// `PyCUtensorMap`: the 128 bytes by which TMA knows a tensor, as a Python object.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>

namespace triton::python {

/// The driver wants 64 bytes of alignment, clients 128.
struct alignas(128) TensorMap {
  std::byte bytes[128];
};

void addCudaTensorMap(nanobind::module_ &module);
/// Copies the map into an argument block; false with an exception set if `object` is none.
bool packTensorMap(PyObject *object, unsigned position, std::byte *destination);

} // namespace triton::python
