// Python's strings as C++ ones. They need the interpreter lock; what is no string is empty.
#pragma once

#include "bindings/Reference.h"

#include <string>

namespace triton::python {

inline std::string textOf(PyObject *string) {
  Py_ssize_t size = 0;
  const char *text = string && PyUnicode_Check(string) ? PyUnicode_AsUTF8AndSize(string, &size) : nullptr;
  return text ? std::string(text, size_t(size)) : std::string();
}

/// str or bytes as bytes.
inline std::string textOrBytes(PyObject *content) {
  if (!PyBytes_Check(content))
    return textOf(content);
  return std::string(PyBytes_AS_STRING(content), size_t(PyBytes_GET_SIZE(content)));
}

inline std::string stringAttribute(PyObject *object, const char *name) {
  Reference value(PyObject_GetAttrString(object, name));
  std::string text = textOf(value.get());
  PyErr_Clear();
  return text;
}

} // namespace triton::python
