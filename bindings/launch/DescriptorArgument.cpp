#include "bindings/launch/DescriptorArgument.h"

#include <triton/embed_cuda.h>

#include <cstring>

namespace triton::python {

static PyObject *name(const char *text) { return PyUnicode_InternFromString(text); }
static PyObject *baseName = name("base"), *shapeName = name("shape"), *stridesName = name("strides"),
                *blockShapeName = name("block_shape"), *paddingName = name("padding");

/// An int, or what int() makes one.
static bool readNumber(PyObject *object, int64_t &value) {
  if (PyLong_CheckExact(object)) {
    value = PyLong_AsLongLong(object);
    return value != -1 || !PyErr_Occurred();
  }
  Reference number(PyNumber_Long(object));
  return number && readNumber(number.get(), value);
}

/// The numbers of a list or other sequence; `rank` of them.
static bool readNumbers(PyObject *descriptor, PyObject *attribute, unsigned rank, int64_t *out) {
  Reference object(PyObject_GetAttr(descriptor, attribute));
  Reference list(!object                            ? nullptr
                 : PyList_CheckExact(object.get())  ? object.release()
                 : PyTuple_CheckExact(object.get()) ? object.release()
                                                    : PySequence_List(object.get()));
  if (!list)
    return false;
  if (Py_ssize_t size = PySequence_Fast_GET_SIZE(list.get()); size != Py_ssize_t(rank)) {
    PyErr_Format(PyExc_ValueError, "expected a tensor descriptor of %u dimensions, got one whose %U has %zd", rank,
                 attribute, size);
    return false;
  }
  for (unsigned dim = 0; dim < rank; ++dim)
    if (!readNumber(PySequence_Fast_GET_ITEM(list.get(), dim), out[dim]))
      return false;
  return true;
}

bool DescriptorArgument::read(PyObject *descriptor, unsigned wanted) {
  rank = wanted;
  object = Reference(PyObject_GetAttr(descriptor, baseName));
  if (!object) {
    PyErr_Format(PyExc_TypeError, "expected a tensor descriptor, got %s", Py_TYPE(descriptor)->tp_name);
    return false;
  }
  PyObject *kept = nullptr;
  if (!classify(object.get(), base, &kept))
    return false;
  holder = Reference(kept);
  if (base.kind != ArgumentKind::Pointer) {
    PyErr_Format(PyExc_TypeError, "the base of a tensor descriptor must be a tensor, not %s",
                 Py_TYPE(object.get())->tp_name);
    return false;
  }
  Reference padding(PyObject_GetAttr(descriptor, paddingName));
  padsWithNan =
      padding && PyUnicode_Check(padding.get()) && PyUnicode_CompareWithASCIIString(padding.get(), "nan") == 0;
  return padding && readNumbers(descriptor, shapeName, rank, shape) &&
         readNumbers(descriptor, stridesName, rank, strides);
}

static void write(std::byte *destination, const void *value, size_t bytes) { std::memcpy(destination, value, bytes); }

static bool packMap(const DescriptorArgument &argument, const TensorMapFormat &format, uint64_t address,
                    std::byte *destination) {
  uint64_t shape[5], strides[5];
  for (unsigned dim = 0; dim < argument.rank; ++dim) {
    shape[dim] = uint64_t(argument.shape[dim]);
    strides[dim] = uint64_t(argument.strides[dim]);
  }
  if (format.hasTwoPerByte)
    shape[argument.rank - 1] *= 2;
  auto error = embed::cudaPackTensorMap({address,
                                         format.swizzle,
                                         format.elementBytes,
                                         format.elementType,
                                         format.box,
                                         {shape, argument.rank},
                                         {strides, argument.rank},
                                         argument.padsWithNan},
                                        destination);
  if (error)
    PyErr_SetString(PyExc_RuntimeError, error->message.c_str());
  return !error;
}

bool DescriptorArgument::pack(const DescriptorParts &parts, uint64_t address, std::byte *block) const {
  const uint32_t *offset = parts.offsets.data();
  if (parts.map) {
    if (!packMap(*this, *parts.map, address, block + *offset++))
      return false;
  } else {
    write(block + *offset++, &address, 8);
    for (unsigned dim = 0; dim < rank; ++dim)
      write(block + *offset++, &shape[dim], 8);
    for (unsigned dim = 0; dim < rank; ++dim)
      write(block + *offset++, &strides[dim], 8);
    write(block + *offset++, &padsWithNan, 1);
  }
  for (unsigned dim = 0; dim < rank; ++dim) {
    if (shape[dim] < INT32_MIN || shape[dim] > INT32_MAX) {
      PyErr_Format(PyExc_OverflowError, "the extent %lld of a tensor descriptor does not fit in 32 bits",
                   static_cast<long long>(shape[dim]));
      return false;
    }
    write(block + *offset++, &shape[dim], 4); // the low half: numbers are little-endian here and there
  }
  for (unsigned dim = 0; dim < rank; ++dim)
    write(block + *offset++, &strides[dim], 8);
  return true;
}

bool readDescriptorType(PyObject *descriptor, TypeCode &element, std::vector<int64_t> &block) {
  Reference base(PyObject_GetAttr(descriptor, baseName));
  Argument argument;
  PyObject *kept = nullptr;
  if (!base || !classify(base.get(), argument, &kept))
    return false;
  Reference holder(kept);
  element = argument.type;
  Reference shape(PyObject_GetAttr(descriptor, blockShapeName));
  if (argument.kind != ArgumentKind::Pointer || !shape || !(PyList_Check(shape.get()) || PyTuple_Check(shape.get())))
    return false;
  for (Py_ssize_t dim = 0; dim < PySequence_Fast_GET_SIZE(shape.get()); ++dim) {
    block.push_back(0);
    if (!readNumber(PySequence_Fast_GET_ITEM(shape.get(), dim), block.back()))
      return false;
  }
  return true;
}

} // namespace triton::python
