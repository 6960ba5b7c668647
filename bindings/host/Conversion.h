// Python objects <-> values of kernel code.
// All functions need the interpreter lock. Those that return null or nullopt have set a Python exception.
#pragma once

#include <triton/embed.h>

#include <Python.h>

#include <optional>

namespace triton::python {

/// A host object that keeps `object` alive.
embed::Object hold(PyObject *object);
inline PyObject *objectOf(const embed::Object &handle) {
  return static_cast<PyObject *>(const_cast<void *>(handle.get()));
}

/// What `object` is in kernel code.
std::optional<embed::Value> toValue(PyObject *object);

/// How compile-time values look to Python code.
enum class Wrapping {
  Plain,  // 3, "abc", a Python tuple: for constexpr functions and operators
  Kernel, // constexpr[3], tl.tensor, tl.tuple: for functions that emit code
};
PyObject *toPython(const embed::Value &value, Wrapping wrapping);

/// The object that the language has under this path, `triton.language.core.load`; null with an exception set.
PyObject *languageObject(const std::string &path);

/// The parsed function of a JITFunction: parsed when first asked for, and again when its source has changed.
std::optional<embed::Function> functionOf(PyObject *jitFunction);

} // namespace triton::python
