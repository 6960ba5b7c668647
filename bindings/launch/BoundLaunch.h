// `kernel[grid]`: the object that a call launches.
#pragma once

#include <Python.h>

namespace triton::python {

bool addBoundLaunch();
/// `kernel[grid]`, a new reference.
PyObject *bindLaunch(PyObject *kernel, PyObject *grid);
/// `kernel._launch(grid, *args, **kwargs)`.
PyObject *launchMethod(PyObject *kernel, PyObject *const *arguments, Py_ssize_t count, PyObject *names);

} // namespace triton::python
