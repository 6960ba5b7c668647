#include "bindings/launch/DescriptorArgument.h"

#include <triton/embed_cuda.h>

#include <cstring>

namespace triton::python {

static PyObject *name(const char *text) { return PyUnicode_InternFromString(text); }
static PyObject *baseName = name("base"), *shapeName = name("shape"), *stridesName = name("strides"),
                *blockShapeName = name("block_shape"), *paddingName = name("padding"),
                *roundsName = name("round_f32_to_tf32");

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

/// Whether loads round to TF32; descriptors of other packages may not say.
static bool readRounding(PyObject *descriptor, bool &rounds) {
  Reference found(PyObject_GetAttr(descriptor, roundsName));
  if (!found && !PyErr_ExceptionMatches(PyExc_AttributeError))
    return false;
  if (!found)
    PyErr_Clear();
  const int truth = found ? PyObject_IsTrue(found.get()) : 0;
  rounds = truth > 0;
  return truth >= 0;
}

bool DescriptorArgument::read(PyObject *descriptor, unsigned rank) {
  facts.rank = rank;
  object = Reference(PyObject_GetAttr(descriptor, baseName));
  if (!object) {
    PyErr_Format(PyExc_TypeError, "expected a tensor descriptor, got %s", Py_TYPE(descriptor)->tp_name);
    return false;
  }
  PyObject *kept = nullptr;
  if (!classify(object.get(), facts.base, &kept))
    return false;
  holder = Reference(kept);
  if (facts.base.kind != ArgumentKind::Pointer) {
    PyErr_Format(PyExc_TypeError, "the base of a tensor descriptor must be a tensor, not %s",
                 Py_TYPE(object.get())->tp_name);
    return false;
  }
  Reference padding(PyObject_GetAttr(descriptor, paddingName));
  facts.padsWithNan =
      padding && PyUnicode_Check(padding.get()) && PyUnicode_CompareWithASCIIString(padding.get(), "nan") == 0;
  if (facts.base.type == ScalarType::Float32 && !readRounding(descriptor, facts.roundsToTf32))
    return false;
  return padding && readNumbers(descriptor, shapeName, rank, facts.shape) &&
         readNumbers(descriptor, stridesName, rank, facts.strides);
}

bool DescriptorArgument::pack(const dispatch::DescriptorParts &parts, uint64_t address, std::byte *block) const {
  return raise(dispatch::packDescriptor(facts, parts, address, embed::cudaPackTensorMap, block));
}

bool readBlockShape(PyObject *descriptor, std::vector<int64_t> &block) {
  Reference shape(PyObject_GetAttr(descriptor, blockShapeName));
  Reference list(shape ? PySequence_Fast(shape.get(), "the block_shape of a tensor descriptor is a list") : nullptr);
  if (!list)
    return false;
  for (Py_ssize_t dim = 0; dim < PySequence_Fast_GET_SIZE(list.get()); ++dim) {
    block.push_back(0);
    if (!readNumber(PySequence_Fast_GET_ITEM(list.get(), dim), block.back()))
      return false;
  }
  return true;
}

bool readDescriptorType(PyObject *descriptor, ScalarType &element, std::vector<int64_t> &block) {
  Reference base(PyObject_GetAttr(descriptor, baseName));
  Argument argument;
  PyObject *kept = nullptr;
  if (!base || !classify(base.get(), argument, &kept))
    return false;
  Reference holder(kept);
  element = argument.type;
  return argument.kind == ArgumentKind::Pointer && readBlockShape(descriptor, block);
}

} // namespace triton::python
