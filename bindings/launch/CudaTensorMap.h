// `PyCUtensorMap`: the 128 bytes by which TMA knows a tensor, as a Python object.
#pragma once

#include <Python.h>

#include <cstddef>
#include <cstdint>

namespace triton::python {

bool addCudaTensorMap(PyObject *module);
/// An object that holds a copy of `words` (16 of them).
PyObject *createTensorMap(const uint64_t *words);
/// Copies the map into an argument block; false with an exception set if `object` is none.
bool packTensorMap(PyObject *object, unsigned position, std::byte *destination);

} // namespace triton::python
