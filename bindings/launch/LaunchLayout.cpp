#include "bindings/launch/LaunchLayout.h"

#include "bindings/launch/Argument.h"

#include <triton/embed_cuda.h>

namespace triton::python {

static bool readCode(PyObject *arguments, std::vector<dispatch::CodeArgument> &code) {
  for (Py_ssize_t index = 0; index < PyTuple_GET_SIZE(arguments); ++index) {
    Reference tuple(PySequence_Tuple(PyTuple_GET_ITEM(arguments, index)));
    const char *name = nullptr, *type = nullptr;
    unsigned offset = 0, size = 0;
    int isStored = 1;
    if (!tuple || !PyArg_ParseTuple(tuple.get(), "ssII|p", &name, &type, &offset, &size, &isStored))
      return false;
    code.push_back({name, type, offset, isStored != 0}); // the metadata holds the texts
  }
  return true;
}

static bool intAttribute(PyObject *dict, const char *key, int &value) {
  PyObject *item = PyDict_GetItemString(dict, key);
  if (!item) {
    PyErr_Format(PyExc_KeyError, "the metadata of a tensor descriptor has no '%s'", key);
    return false;
  }
  value = int(PyLong_AsLong(item));
  return value != -1 || !PyErr_Occurred();
}

static bool readFormat(PyObject *dict, dispatch::TensorMapFormat &format) {
  int deviceType = 0, isPadded = 0;
  if (!PyDict_Check(dict)) {
    PyErr_Format(PyExc_TypeError, "how a tensor map is made is a dict, not %R", dict);
    return false;
  }
  PyObject *box = PyDict_GetItemString(dict, "block_size");
  Reference sizes(box ? PySequence_Tuple(box) : nullptr);
  if (!intAttribute(dict, "swizzle", format.swizzle) || !intAttribute(dict, "elem_size", format.elementBytes) ||
      !intAttribute(dict, "elem_type", deviceType) || !intAttribute(dict, "fp4_padded", isPadded) || !sizes)
    return false;
  format.elementType = embed::cudaElementType(deviceType);
  format.hasTwoPerByte = isPadded != 0;
  for (Py_ssize_t dim = 0; dim < PyTuple_GET_SIZE(sizes.get()); ++dim)
    format.box.push_back(uint32_t(PyLong_AsUnsignedLong(PyTuple_GET_ITEM(sizes.get(), dim))));
  return !PyErr_Occurred();
}

/// One parameter, or an element of a tuple.
static bool addParameter(PyObject *type, std::vector<uint16_t> &path, dispatch::ArgumentLayoutBuilder &builder) {
  if (PyTuple_Check(type)) {
    for (Py_ssize_t index = 0; index < PyTuple_GET_SIZE(type); ++index) {
      path.push_back(uint16_t(index));
      if (!addParameter(PyTuple_GET_ITEM(type, index), path, builder))
        return false;
      path.pop_back();
    }
    return true;
  }
  const char *text = PyUnicode_Check(type) ? PyUnicode_AsUTF8(type) : nullptr;
  if (!text) {
    PyErr_Format(PyExc_TypeError, "the type of a parameter is text or a tuple, not %R", type);
    return false;
  }
  return raise(builder.add(path, text));
}

/// A sequence of the metadata, as a tuple; null with an exception set.
static Reference sequenceOf(PyObject *metadata, const char *name) {
  Reference found(PyObject_GetAttrString(metadata, name));
  return Reference(found ? PySequence_Tuple(found.get()) : nullptr);
}

std::unique_ptr<ArgumentLayout> readLayout(PyObject *signature, PyObject *metadata) {
  std::vector<dispatch::CodeArgument> code;
  std::vector<std::optional<dispatch::TensorMapFormat>> formats;
  Reference arguments = sequenceOf(metadata, "argument_layout");
  if (!arguments || !readCode(arguments.get(), code))
    return nullptr;
  Reference maps = sequenceOf(metadata, "tensordesc_meta");
  PyErr_Clear(); // there may be none
  for (Py_ssize_t index = 0; maps && index < PyTuple_GET_SIZE(maps.get()); ++index) {
    PyObject *map = PyTuple_GET_ITEM(maps.get(), index);
    formats.emplace_back();
    if (map != Py_None && !readFormat(map, formats.back().emplace()))
      return nullptr;
  }
  dispatch::ArgumentLayoutBuilder builder(code, formats);
  for (Py_ssize_t index = 0; index < PyList_GET_SIZE(signature); ++index) {
    std::vector<uint16_t> path{uint16_t(index)};
    if (!addParameter(PyList_GET_ITEM(signature, index), path, builder))
      return nullptr;
  }
  return raise(builder.finish()) ? builder.take() : nullptr;
}

} // namespace triton::python
