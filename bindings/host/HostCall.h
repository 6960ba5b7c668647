// Calls from kernel code into Python.
#pragma once

#include <triton/embed.h>

#include <Python.h>

namespace triton::python {

/// Calls `callable` the way its kind wants: functions that emit code get `_semantic` and wrapped values, all others plain compile-time values.
/// A new reference, or null with an exception set.
PyObject *callHost(PyObject *callable, const embed::CallArguments &arguments, embed::Emission &emission);

} // namespace triton::python
