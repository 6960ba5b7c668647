// The classes and objects of the Python package that native code refers to, looked up once.
#pragma once

#include <Python.h>

namespace triton::python {

struct Package {
  PyTypeObject *constexprClass, *dtypeClass, *pointerClass, *blockClass; // triton.language.core
  PyTypeObject *tensorClass, *tupleClass, *sliceClass, *descriptorValueClass, *baseValueClass;
  PyTypeObject *jitCallableClass, *jitFunctionClass, *constexprFunctionClass; // triton.runtime.jit
  PyTypeObject *descriptorClass;      // triton.tools.tensor_descriptor.HostDescriptor
  PyTypeObject *plainDescriptorClass; // triton.tools.tensor_descriptor.TensorDescriptor
  PyTypeObject *hookChainClass;       // triton.knobs
  PyObject *runtimeKnobs, *compilationKnobs;
  PyObject *runtimeKnobsDict, *compilationKnobsDict, *driverConfigDict; // their `__dict__`
  PyObject *driverConfig;                                               // triton.runtime.driver
  PyObject *coreModule;                                                 // triton.language.core

  /// Null with an exception set if the package is not whole.
  static const Package *get();
};

inline bool isA(PyObject *object, PyTypeObject *type) { return PyObject_TypeCheck(object, type); }

/// A dtype, pointer type or block type of the language: never changed once made.
bool isLanguageType(PyObject *object);
/// The value in a tl.constexpr, a new reference; null without an exception if it is none.
PyObject *constexprValue(PyObject *object);

} // namespace triton::python
