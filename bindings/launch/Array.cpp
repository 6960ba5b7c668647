// numpy arrays are read by their C layout, which numpy guarantees and which is checked once against `__array_interface__`; torch tensors by `data_ptr()`;
// everything else by the protocol it offers. Neither library is imported here.
#include "bindings/launch/Array.h"

#include "bindings/Reference.h"
#include "bindings/launch/Dlpack.h"
#include "bindings/launch/Torch.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace triton::python {

/// The beginning of every numpy array object, the same in numpy 1 and 2.
struct NumpyArray {
  PyObject_HEAD char *data;
  int dimensionCount;
  Py_ssize_t *dimensions, *strides;
  PyObject *base;
  PyObject *descriptor; // its dtype
  int flags;
  bool isReadOnly() const { return !(flags & 0x400); } // NPY_ARRAY_WRITEABLE
};

static PyTypeObject *numpyArrayType, *numpyScalarType;
PyTypeObject *torchTensorType, *torchParameterType;
static bool numpyLayoutIsKnown = false;

static PyObject *name(const char *text) { return PyUnicode_InternFromString(text); }
static PyObject *dataPointerName = name("data_ptr"), *dtypeName = name("dtype"), *isCpuName = name("is_cpu");

/// Data pointer by `__array_interface__`, or the same of CUDA, and whether its memory is read-only; false without an exception if it cannot be had.
static bool pointerByInterface(PyObject *array, uint64_t &pointer, bool &isReadOnly, Reference *typeString = nullptr,
                               const char *protocol = "__array_interface__") {
  Reference interface(PyObject_GetAttrString(array, protocol));
  PyObject *data = interface && PyDict_Check(interface.get()) ? PyDict_GetItemString(interface.get(), "data") : nullptr;
  if (!data || !PyTuple_Check(data) || PyTuple_GET_SIZE(data) < 1) {
    PyErr_Clear();
    return false;
  }
  pointer = PyLong_AsUnsignedLongLong(PyTuple_GET_ITEM(data, 0));
  isReadOnly = PyTuple_GET_SIZE(data) > 1 && PyObject_IsTrue(PyTuple_GET_ITEM(data, 1)) == 1;
  if (PyErr_Occurred()) {
    PyErr_Clear();
    return false;
  }
  if (typeString)
    *typeString = Reference::borrow(PyDict_GetItemString(interface.get(), "typestr"));
  return true;
}

static PyTypeObject *typeIn(PyObject *module, const char *typeName) {
  PyObject *type = PyObject_GetAttrString(module, typeName);
  if (type && PyType_Check(type))
    return reinterpret_cast<PyTypeObject *>(type);
  PyErr_Clear();
  Py_XDECREF(type);
  return nullptr;
}

static bool layoutIsAsExpected(PyObject *array) {
  uint64_t pointer = 0;
  bool isReadOnly = false;
  Reference dtype(PyObject_GetAttr(array, dtypeName));
  auto *layout = reinterpret_cast<NumpyArray *>(array);
  return dtype && pointerByInterface(array, pointer, isReadOnly) && uint64_t(layout->data) == pointer &&
         layout->descriptor == dtype.get() && layout->isReadOnly() == isReadOnly;
}

/// A class is recognised when the first of its objects comes along: its library is loaded by then.
static bool recognise(PyTypeObject *type) {
  PyObject *modules = PyImport_GetModuleDict();
  if (!numpyArrayType)
    if (PyObject *numpy = PyDict_GetItemString(modules, "numpy")) {
      numpyScalarType = typeIn(numpy, "generic");
      numpyArrayType = typeIn(numpy, "ndarray");
    }
  if (!torchTensorType)
    if (PyObject *torch = PyDict_GetItemString(modules, "torch")) {
      torchTensorType = typeIn(torch, "Tensor");
      if (PyObject *nn = PyDict_GetItemString(modules, "torch.nn"))
        torchParameterType = typeIn(nn, "Parameter");
    }
  return type == numpyArrayType || type == torchTensorType || type == torchParameterType;
}

bool isArray(PyTypeObject *type) {
  if (type == numpyArrayType || type == torchTensorType || type == torchParameterType)
    return true;
  bool isComplete = numpyArrayType && torchTensorType;
  return !isComplete && !(type->tp_flags & (Py_TPFLAGS_TUPLE_SUBCLASS | Py_TPFLAGS_TYPE_SUBCLASS)) && recognise(type);
}

PyObject *numberOfScalar(PyObject *object) {
  if (!numpyScalarType)
    recognise(Py_TYPE(object));
  if (!numpyScalarType || !PyObject_TypeCheck(object, numpyScalarType))
    return nullptr;
  Reference dtype(PyObject_GetAttr(object, dtypeName));
  Reference kind(dtype ? PyObject_GetAttrString(dtype.get(), "kind") : nullptr);
  const char *letter = kind && PyUnicode_Check(kind.get()) ? PyUnicode_AsUTF8(kind.get()) : nullptr;
  PyObject *number = nullptr;
  switch (letter ? *letter : 0) {
  case 'b':
    number = PyBool_FromLong(PyObject_IsTrue(object));
    break;
  case 'i':
  case 'u':
    number = PyNumber_Long(object);
    break;
  case 'f':
    number = PyFloat_FromDouble(PyFloat_AsDouble(object));
    break;
  }
  PyErr_Clear();
  return number;
}

/// Whether an array begins where the one does that has the memory, and that ends less than 2^31 bytes behind.
static bool isSmall(const NumpyArray *array, int64_t elementBytes) {
  const char *const begin = array->data;
  for (; array->base; array = reinterpret_cast<const NumpyArray *>(array->base))
    if (Py_TYPE(array->base) != numpyArrayType)
      return false; // somebody else's, of any size
  if (array->data != begin)
    return false;
  int64_t bytes = elementBytes;
  for (int index = 0; index < array->dimensionCount; ++index) {
    int64_t along = 0;
    if (__builtin_mul_overflow(std::max<int64_t>(array->dimensions[index], 1) - 1, std::abs(array->strides[index]),
                               &along) ||
        __builtin_add_overflow(bytes, along, &bytes))
      return false;
  }
  return bytes <= INT32_MAX;
}

static bool setPointer(Argument &argument, uint64_t pointer, PyObject *dtype) {
  argument.setPointer(pointer, scalarTypeOfDtype(dtype));
  return argument.type != noScalarType;
}

static bool callDataPointer(PyObject *object, uint64_t &pointer) {
  Reference result(PyObject_CallMethodNoArgs(object, dataPointerName));
  if (!result)
    return false;
  if (!PyLong_Check(result.get())) {
    PyErr_SetString(PyExc_TypeError, "data_ptr method of Pointer object must return 64-bit int");
    return false;
  }
  pointer = PyLong_AsUnsignedLongLongMask(result.get());
  return true;
}

static bool classifyByDataPointer(PyObject *object, Argument &argument) {
  uint64_t pointer = 0;
  Reference dtype(PyObject_GetAttr(object, dtypeName));
  if (!dtype || !holdsItsNumbers(object) || !callDataPointer(object, pointer) ||
      !setPointer(argument, pointer, dtype.get()))
    return false;
  Reference isCpu(PyObject_GetAttr(object, isCpuName)); // torch's; others do not say
  if (!isCpu)
    PyErr_Clear();
  argument.memory =
      !isCpu ? Memory::Unknown : memoryOf(isCpu.get() != Py_False, reinterpret_cast<const void *>(pointer));
  return true;
}

bool classifyArray(PyObject *object, Argument &argument, PyObject **holder) {
  if (Py_TYPE(object) != numpyArrayType)
    return readTorchTensor(object, argument) || classifyByDataPointer(object, argument);
  if (!numpyLayoutIsKnown) {
    if (!layoutIsAsExpected(object))
      return classifyMemory(object, argument, holder);
    numpyLayoutIsKnown = true;
  }
  auto *array = reinterpret_cast<NumpyArray *>(object);
  if (array->isReadOnly()) [[unlikely]]
    argument.isReadOnly = true;
  if (!setPointer(argument, uint64_t(array->data), array->descriptor))
    return false;
  argument.isSmall = sizesCount && isSmall(array, 8); // no element has more bytes
  return true;
}

/// `<f4` -> `float32`.
static Reference dtypeNameOf(PyObject *typeString) {
  const char *text = typeString && PyUnicode_Check(typeString) ? PyUnicode_AsUTF8(typeString) : nullptr;
  std::string_view type = text ? text : "";
  if (type.size() < 3 || type.size() > 4 || type[0] == '>')
    type = "??0";
  int bits = 8 * std::atoi(type.data() + 2);
  switch (type[1]) {
  case 'f':
    return Reference(PyUnicode_FromFormat("float%d", bits));
  case 'i':
    return Reference(PyUnicode_FromFormat("int%d", bits));
  case 'u':
    return Reference(PyUnicode_FromFormat("uint%d", bits));
  case 'b':
    return Reference(PyUnicode_FromString("bool"));
  default:
    return Reference::borrow(typeString ? typeString : Py_None);
  }
}

static constexpr const char *cudaInterface = "__cuda_array_interface__";

/// Whether an object has the attribute. `problem` keeps what, other than its absence, keeps it from being read.
static bool has(PyObject *object, const char *attribute, Reference &problem) {
  Reference found(PyObject_GetAttrString(object, attribute));
  if (found)
    return true;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (!PyErr_GivenExceptionMatches(type, PyExc_AttributeError))
    problem = Reference::borrow(value);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
  return false;
}

bool classifyMemory(PyObject *object, Argument &argument, PyObject **holder) {
  argument.kind = ArgumentKind::Unknown;
  if (PyType_Check(object) || (numpyScalarType && PyObject_TypeCheck(object, numpyScalarType)))
    return true;
  Reference problem;
  if (has(object, "data_ptr", problem) && has(object, "dtype", problem))
    return classifyByDataPointer(object, argument);
  uint64_t pointer = 0;
  Reference typeString;
  bool &isReadOnly = argument.isReadOnly;
  bool isOnDevice = has(object, cudaInterface, problem) &&
                    pointerByInterface(object, pointer, isReadOnly, &typeString, cudaInterface);
  if (isOnDevice ||
      (has(object, "__array_interface__", problem) && pointerByInterface(object, pointer, isReadOnly, &typeString))) {
    argument.memory = isOnDevice ? Memory::Device : Memory::Host;
    Reference dtype(PyObject_GetAttr(object, dtypeName));
    if (!dtype)
      PyErr_Clear();
    if (!dtype)
      dtype = dtypeNameOf(typeString.get());
    return dtype && setPointer(argument, pointer, dtype.get());
  }
  if (has(object, "__dlpack__", problem))
    return classifyDlpack(object, argument, holder);
  if (problem)
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(problem.get())), problem.get());
  return !problem;
}

// Dtypes.

/// By what it prints as: `torch.float16`, `float16`, `fp16`.
static ScalarType lookUpName(PyObject *dtype) {
  Reference shown(PyObject_Str(dtype));
  const char *text = shown ? PyUnicode_AsUTF8(shown.get()) : nullptr;
  std::string_view name = text ? text : "";
  if (auto type = dispatch::scalarTypeByAnyName(name.substr(name.rfind('.') + 1)))
    return *type;
  PyErr_Clear();
  PyErr_Format(PyExc_TypeError, "failed to specialize argument: kernels have no type for elements of dtype %R", dtype);
  return noScalarType;
}

ScalarType scalarTypeOfDtype(PyObject *dtype) {
  // The few dtype objects a program uses, kept alive so that an address means one of them for good.
  struct Entry {
    PyObject *dtype;
    ScalarType code;
  };
  static Entry entries[64];
  size_t slot = (reinterpret_cast<uintptr_t>(dtype) >> 4) % 64;
  if (entries[slot].dtype == dtype)
    return entries[slot].code;
  ScalarType code = lookUpName(dtype);
  if (code != noScalarType) {
    Py_INCREF(dtype);
    Py_XDECREF(entries[slot].dtype);
    entries[slot] = {dtype, code};
  }
  return code;
}

} // namespace triton::python
