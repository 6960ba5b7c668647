// Objects that own memory: where it is and what is in it.
#pragma once

#include "bindings/launch/Argument.h"

namespace triton::python {

/// Whether objects of exactly this type are numpy arrays or torch tensors, which have short cuts.
bool isArray(PyTypeObject *type);
bool classifyArray(PyObject *object, Argument &argument, PyObject **holder);
/// The int, float or bool that a numpy scalar stands for, new; null without an exception if `object` is none, or one of another kind.
PyObject *numberOfScalar(PyObject *object);
/// Any other object with `data_ptr()` and `dtype`, `__array_interface__` or `__dlpack__`; Unknown if it has none of them.
bool classifyMemory(PyObject *object, Argument &argument, PyObject **holder);

} // namespace triton::python
