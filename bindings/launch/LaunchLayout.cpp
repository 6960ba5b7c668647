#include "bindings/launch/LaunchLayout.h"

#include <triton/embed_cuda.h>

#include <algorithm>
#include <string_view>

namespace triton::python {

namespace {

/// An argument of the code.
struct CodeArgument {
  std::string_view name, type;
  uint32_t offset = 0;
  bool isStored = true;
};

class LayoutReader {
public:
  LayoutReader(PyObject *tensorMaps) : tensorMaps(tensorMaps), layout(std::make_unique<LaunchLayout>()) {}

  bool readCode(PyObject *list);
  /// One parameter, or an element of a tuple.
  bool readParameter(PyObject *type, std::vector<uint16_t> &path);
  /// Null with an exception set if code and caller disagree about the number of arguments.
  std::unique_ptr<LaunchLayout> finish();

private:
  bool readDescriptor(std::string_view type, LaunchSlot &slot);
  bool readFormat(PyObject *dict, TensorMapFormat &format);
  /// The next argument of the code.
  CodeArgument take() { return next < code.size() ? code[next++] : (++next, CodeArgument{"", "*void"}); }

  PyObject *tensorMaps;
  Py_ssize_t nextMap = 0;
  std::vector<CodeArgument> code;
  size_t next = 0;
  std::unique_ptr<LaunchLayout> layout;
};

} // namespace

bool LayoutReader::readCode(PyObject *list) {
  Reference arguments(PySequence_Fast(list, "the arguments of the code must be a list"));
  if (!arguments)
    return false;
  for (Py_ssize_t index = 0; index < PySequence_Fast_GET_SIZE(arguments.get()); ++index) {
    Reference tuple(PySequence_Tuple(PySequence_Fast_GET_ITEM(arguments.get(), index)));
    const char *argumentName = nullptr, *type = nullptr;
    unsigned offset = 0, size = 0;
    int isStored = 1;
    if (!tuple || !PyArg_ParseTuple(tuple.get(), "ssII|p", &argumentName, &type, &offset, &size, &isStored))
      return false;
    code.push_back({argumentName, type, offset, isStored != 0}); // the metadata holds the texts
    layout->offsets.push_back(offset);
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

bool LayoutReader::readFormat(PyObject *dict, TensorMapFormat &format) {
  int deviceType = 0, isPadded = 0;
  if (!PyDict_Check(dict)) {
    PyErr_Format(PyExc_TypeError, "code takes a tensor map, so its metadata must be a dict, not %R", dict);
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

/// Dimensions of `tensordesc<fp16[64, 64]>`.
static unsigned rankOf(std::string_view type) {
  size_t begin = type.find('['), end = type.find(']');
  if (begin == type.npos || end == type.npos || end < begin)
    return 0;
  return unsigned(std::count(type.begin() + begin, type.begin() + end, ',')) + 1;
}

static void setPlace(LaunchSlot &slot, const CodeArgument &argument) {
  slot.offset = argument.offset;
  slot.isStored = argument.isStored;
  slot.name = argument.name;
  if (slot.kind == LaunchSlot::Kind::Descriptor && argument.name.ends_with(".base"))
    slot.name.resize(argument.name.size() - 5);
}

bool LayoutReader::readDescriptor(std::string_view type, LaunchSlot &slot) {
  slot.kind = LaunchSlot::Kind::Descriptor;
  DescriptorParts &parts = slot.descriptor;
  parts.rank = rankOf(type);
  if (parts.rank == 0 || parts.rank > 5) {
    PyErr_Format(PyExc_TypeError, "a tensor descriptor has one to five dimensions, got '%s'", type.data());
    return false;
  }
  PyObject *format = nextMap < PyList_GET_SIZE(tensorMaps) ? PyList_GET_ITEM(tensorMaps, nextMap) : Py_None;
  ++nextMap;
  if (next < code.size() && code[next].type == "nvTmaDesc" && !readFormat(format, parts.map.emplace()))
    return false;
  const CodeArgument base = take();
  setPlace(slot, base);
  parts.offsets.push_back(base.offset);
  for (size_t part = 1; part < parts.count(); ++part)
    parts.offsets.push_back(take().offset);
  return true;
}

static PlainSlot::Kind plainKindOf(const LaunchSlot &slot) {
  if (slot.kind == LaunchSlot::Kind::Pointer)
    return PlainSlot::Kind::Pointer;
  if (slot.kind != LaunchSlot::Kind::Scalar)
    return PlainSlot::Kind::Other;
  switch (slot.type) {
  case TypeCode::U1:
    return PlainSlot::Kind::Boolean;
  case TypeCode::I32:
    return PlainSlot::Kind::Integer32;
  case TypeCode::I64:
    return PlainSlot::Kind::Integer64;
  case TypeCode::Fp32:
    return PlainSlot::Kind::Real32;
  default:
    return PlainSlot::Kind::Other;
  }
}

bool LayoutReader::readParameter(PyObject *type, std::vector<uint16_t> &path) {
  if (PyTuple_Check(type)) {
    for (Py_ssize_t index = 0; index < PyTuple_GET_SIZE(type); ++index) {
      path.push_back(uint16_t(index));
      if (!readParameter(PyTuple_GET_ITEM(type, index), path))
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
  std::string_view signature = text;
  if (signature == "constexpr")
    return true;
  LaunchSlot slot{};
  slot.parameter = path[0];
  slot.path.assign(path.begin() + 1, path.end());
  if (signature.starts_with("tensordesc")) {
    if (!readDescriptor(signature, slot))
      return false;
  } else {
    CodeArgument argument = take();
    slot.kind = argument.type.starts_with("*") ? LaunchSlot::Kind::Pointer
                : argument.type == "nvTmaDesc" ? LaunchSlot::Kind::TensorMap
                                               : LaunchSlot::Kind::Scalar;
    slot.type = slot.kind != LaunchSlot::Kind::Scalar ? TypeCode::Void
                                                      : typeCodeOf(argument.type == "i1" ? "u1" : argument.type);
    setPlace(slot, argument);
    if (slot.type == TypeCode::None) {
      PyErr_Format(PyExc_TypeError, "a kernel argument of type '%s' cannot be passed", argument.type.data());
      return false;
    }
  }
  PlainSlot::Kind kind = slot.path.empty() ? plainKindOf(slot) : PlainSlot::Kind::Other;
  if (kind == PlainSlot::Kind::Other)
    layout->others.push_back(uint16_t(layout->slots.size()));
  layout->plain.push_back({kind, slot.parameter, slot.offset});
  layout->slots.push_back(std::move(slot));
  return true;
}

std::unique_ptr<LaunchLayout> LayoutReader::finish() {
  if (next == code.size())
    return std::move(layout);
  PyErr_Format(PyExc_ValueError, "%zu run-time arguments, but the code takes %zu", next, code.size());
  return nullptr;
}

std::unique_ptr<LaunchLayout> LaunchLayout::create(PyObject *signature, PyObject *codeArguments, PyObject *tensorMaps) {
  LayoutReader reader(tensorMaps);
  if (!reader.readCode(codeArguments))
    return nullptr;
  for (Py_ssize_t index = 0; index < PyList_GET_SIZE(signature); ++index) {
    std::vector<uint16_t> path{uint16_t(index)};
    if (!reader.readParameter(PyList_GET_ITEM(signature, index), path))
      return nullptr;
  }
  return reader.finish();
}

} // namespace triton::python
