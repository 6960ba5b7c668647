// What a Python object is when it is passed to a kernel.
//   In:  any object.
//   Out: what dispatch/ knows of an argument, or a Python exception.
#pragma once

#include "dispatch/Problem.h"
#include "dispatch/Specialization.h"

#include <Python.h>

namespace triton::python {

using dispatch::Argument;
using dispatch::ArgumentKind;
using dispatch::Memory;
using dispatch::noScalarType;
using dispatch::ScalarType;

/// Looks at `object`; false with a Python exception set. `holder` receives an object that must live as long as the pointer is used, or null.
bool classify(PyObject *object, Argument &argument, PyObject **holder);

/// True if there is no problem, else false with it as a Python exception.
bool raise(const dispatch::Outcome &outcome);

/// The type of a dtype object of any library (torch.float16, dtype('float16'), tl.float16); none with a TypeError set.
ScalarType scalarTypeOfDtype(PyObject *dtype);

/// `(type, key)` of an argument by the rules of specialisation, as Python objects; null with an exception set.
PyObject *specialize(PyObject *backend, PyObject *object, const dispatch::Parameter &parameter);

} // namespace triton::python
