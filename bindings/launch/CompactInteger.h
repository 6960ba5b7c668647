// Small Python ints, read without a call.
#pragma once

#include <Python.h>

#include <cstdint>

namespace triton::python {

/// The value of an exact int if it is stored in one digit, as nearly all are; false otherwise.
inline bool readCompact(PyObject *object, int64_t &value) {
#if PY_VERSION_HEX >= 0x030C0000
  auto *number = reinterpret_cast<PyLongObject *>(object);
  if (!PyUnstable_Long_IsCompact(number))
    return false;
  value = PyUnstable_Long_CompactValue(number);
#else
  Py_ssize_t size = Py_SIZE(object); // negative for negative numbers
  if (size < -1 || size > 1)
    return false;
  value = size ? int64_t(size) * reinterpret_cast<PyLongObject *>(object)->ob_digit[0] : 0;
#endif
  return true;
}

} // namespace triton::python
