#include "bindings/launch/CudaTensorMap.h"

#include <cstring>

namespace triton::python {

static constexpr size_t mapBytes = 128;

namespace {
/// Python's allocator promises 16 bytes of alignment, the driver wants 64, and clients 128: the map stands at the first such place.
struct TensorMapObject {
  PyObject_HEAD std::byte storage[2 * mapBytes];
  std::byte *map() {
    auto address = reinterpret_cast<uintptr_t>(storage);
    return storage + (mapBytes - address % mapBytes) % mapBytes;
  }
};
} // namespace

static PyTypeObject *tensorMapType = nullptr;

PyObject *createTensorMap(const uint64_t *words) {
  auto *self = reinterpret_cast<TensorMapObject *>(tensorMapType->tp_alloc(tensorMapType, 0));
  if (self)
    std::memcpy(self->map(), words, mapBytes);
  return reinterpret_cast<PyObject *>(self);
}

bool packTensorMap(PyObject *object, unsigned position, std::byte *destination) {
  if (Py_TYPE(object) != tensorMapType) {
    PyErr_Format(PyExc_TypeError, "argument %u must be a tensor map, not %s", position, Py_TYPE(object)->tp_name);
    return false;
  }
  std::memcpy(destination, reinterpret_cast<TensorMapObject *>(object)->map(), mapBytes);
  return true;
}

/// Address of the map: what `data_ptr()` is to a tensor.
static PyObject *address(PyObject *object, PyObject *) {
  return PyLong_FromVoidPtr(reinterpret_cast<TensorMapObject *>(object)->map());
}
static PyObject *bytes(PyObject *object, PyObject *) {
  return PyBytes_FromStringAndSize(reinterpret_cast<const char *>(reinterpret_cast<TensorMapObject *>(object)->map()),
                                   mapBytes);
}
static void destroy(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"tma_desc_cpu_ptr", address, METH_NOARGS, "The address of the 128 bytes, which is a multiple of 128."},
    {"__bytes__", bytes, METH_NOARGS, "The 128 bytes."},
    {nullptr, nullptr, 0, nullptr},
};
static PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char *>("A tensor as TMA knows it.")},
    {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
    {Py_tp_methods, methods},
    {0, nullptr},
};
static PyType_Spec spec = {"triton._C.libtriton.PyCUtensorMap", sizeof(TensorMapObject), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

bool addCudaTensorMap(PyObject *module) {
  tensorMapType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return tensorMapType &&
         PyModule_AddObjectRef(module, "PyCUtensorMap", reinterpret_cast<PyObject *>(tensorMapType)) == 0;
}

} // namespace triton::python
