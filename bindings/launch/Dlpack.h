// Memory of objects that speak DLPack.
#pragma once

#include "bindings/launch/Argument.h"

namespace triton::python {

/// Asks `object.__dlpack__()`; the capsule goes to `holder` and must live as long as the pointer is used.
bool classifyDlpack(PyObject *object, Argument &argument, PyObject **holder);

} // namespace triton::python
