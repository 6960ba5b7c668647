// Run-time values of a kernel in the hands of Python code: during a compile, functions marked `core.builtin` and methods of aggregates get them as
// `tl.tensor` and the like, whose `handle` is a ValueHandle.
#pragma once

#include "bindings/Reference.h"

#include <triton/embed.h>

#include <Python.h>

namespace triton::python {

/// The value in a tl.tensor, tl.tensor_descriptor or ValueHandle; null if it is none of them.
const embed::Value *valueOf(PyObject *object);
/// A bare handle; null with an exception set.
PyObject *makeHandle(const embed::Value &value);
/// `cls(handle, type)`; null with an exception set.
PyObject *wrapValue(const embed::Value &value, PyObject *cls, Reference type);
/// An instance of an aggregate's Python class; null with an exception set.
PyObject *unpackAggregate(const embed::Value &value);

/// The compile that Python code runs in on this thread; null outside of one.
embed::Emission *currentEmission();

class EmissionScope {
public:
  explicit EmissionScope(embed::Emission &emission);
  ~EmissionScope();

private:
  embed::Emission *previous;
};

} // namespace triton::python
