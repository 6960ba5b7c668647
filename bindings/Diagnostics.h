// The compiler's diagnostics as Python exceptions and warnings.
#pragma once

#include <triton/embed.h>

#include <Python.h>

namespace triton::python {

/// Sets the exception that the first error calls for; `origin` is the Python exception it came from, or null.
void raise(const embed::Diagnostics &diagnostics, PyObject *origin);

} // namespace triton::python
