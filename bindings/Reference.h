// An owned reference to a Python object, released at the end of the scope.
#pragma once

#include <Python.h>

#include <utility>

namespace triton::python {

class Reference {
public:
  Reference() = default;
  /// Takes over the reference; null is allowed.
  explicit Reference(PyObject *object) : object(object) {}
  static Reference borrow(PyObject *object) {
    Py_XINCREF(object);
    return Reference(object);
  }
  Reference(Reference &&other) noexcept : object(other.release()) {}
  Reference &operator=(Reference &&other) noexcept {
    std::swap(object, other.object);
    return *this;
  }
  ~Reference() { Py_XDECREF(object); }

  PyObject *get() const { return object; }
  PyObject *release() { return std::exchange(object, nullptr); }
  explicit operator bool() const { return object != nullptr; }

private:
  PyObject *object = nullptr;
};

#if PY_VERSION_HEX < 0x030A0000
#error "Python 3.10 or newer"
#endif

} // namespace triton::python
