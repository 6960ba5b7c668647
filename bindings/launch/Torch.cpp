// Where a tensor object keeps its at::Tensor is learnt from the first tensor: its `_cdata` stands at that place. The answers for that tensor are compared with
// Python's; one difference, and Python is asked for good.
#include "bindings/launch/Torch.h"

#include "bindings/Reference.h"

#include <dlfcn.h>

#include <algorithm>

namespace triton::python {

constinit TorchInterface torchInterface;
constinit bool sizesCount = false;
constinit std::array<ScalarType, 128> torchTypes = [] {
  std::array<ScalarType, 128> types;
  types.fill(noScalarType);
  return types;
}();

template <typename Function> static bool find(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

static bool sameAsInPython(const TorchInterface &interface, PyObject *object) {
  void *pointer = nullptr;
  Reference expected(PyObject_CallMethod(object, "data_ptr", nullptr)), isCpu(PyObject_GetAttrString(object, "is_cpu"));
  return expected && isCpu && interface.dataPointer(interface.tensor(object), &pointer) == 0 &&
         PyLong_AsVoidPtr(expected.get()) == pointer &&
         (isCpu.get() == Py_True) == ((interface.keys(object) & interface.hostKeys) != 0);
}

/// The bits of a set of dispatch keys; 0 if it cannot be had.
static uint64_t bitsOf(const Reference &set) {
  Reference bits(set ? PyObject_CallMethod(set.get(), "raw_repr", nullptr) : nullptr);
  return bits && PyLong_Check(bits.get()) ? PyLong_AsUnsignedLongLongMask(bits.get()) : 0;
}

static uint64_t bitsOfKey(PyObject *torch, const char *name) {
  Reference keys(PyObject_GetAttrString(torch, "DispatchKey"));
  Reference key(keys ? PyObject_GetAttrString(keys.get(), name) : nullptr);
  return bitsOf(Reference(key ? PyObject_CallMethod(torch, "DispatchKeySet", "O", key.get()) : nullptr));
}

/// Finds the dispatch keys of `object` in `words`, its implementation; false if there is any doubt.
static bool findKeys(TorchInterface &interface, PyObject *object, const uint64_t *words) {
  constexpr Py_ssize_t wordCount = 24; // no implementation is smaller
  PyObject *torch = PyDict_GetItemString(PyImport_GetModuleDict(), "torch._C");
  uint64_t expected = torch ? bitsOf(Reference(PyObject_CallMethod(torch, "_dispatch_keys", "O", object))) : 0;
  if (!expected || std::count(words, words + wordCount, expected) != 1)
    return false;
  interface.keysOffset = (std::find(words, words + wordCount, expected) - words) * Py_ssize_t(sizeof(uint64_t));
  uint64_t cpu = bitsOfKey(torch, "CPU"), cuda = bitsOfKey(torch, "CUDA"), sparse = bitsOfKey(torch, "SparseCPU");
  uint64_t negative = bitsOfKey(torch, "Negative"), zero = bitsOfKey(torch, "ZeroTensor");
  interface.denseKeys = cpu & cuda;
  interface.hostKeys = cpu & sparse;
  interface.oddKeys = negative | zero;
  return interface.denseKeys && interface.hostKeys && !(interface.denseKeys & interface.hostKeys) && negative && zero &&
         !(interface.oddKeys & (cpu | cuda));
}

static TorchInterface findInterface(PyObject *object) {
  TorchInterface interface;
  void *library = dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD);
  Reference implementation(PyObject_GetAttrString(object, "_cdata"));
  if (library && implementation && find(library, "aoti_torch_get_data_ptr", interface.dataPointer) &&
      find(library, "aoti_torch_get_dtype", interface.dtype)) {
    find(library, "aoti_torch_get_storage_size", interface.storageSize);
    find(library, "aoti_torch_get_storage_offset", interface.storageOffset);
    void *address = PyLong_AsVoidPtr(implementation.get());
    for (Py_ssize_t offset = sizeof(PyObject); address && offset + 8 <= Py_TYPE(object)->tp_basicsize; offset += 8)
      if (*reinterpret_cast<void **>(reinterpret_cast<char *>(object) + offset) == address) {
        interface.offset = offset;
        break;
      }
  }
  if (interface.offset && !(findKeys(interface, object, *static_cast<uint64_t **>(interface.tensor(object))) &&
                            sameAsInPython(interface, object)))
    interface.offset = 0;
  PyErr_Clear();
  return interface;
}

/// Asks the tensor's dtype object for the type of torch's number for it.
static ScalarType askType(int32_t code, PyObject *object) {
  if (uint32_t(code) >= torchTypes.size())
    return noScalarType;
  Reference dtype(PyObject_GetAttrString(object, "dtype"));
  ScalarType type = dtype ? scalarTypeOfDtype(dtype.get()) : noScalarType;
  PyErr_Clear();
  return torchTypes[uint32_t(code)] = type;
}

bool readTorchTensor(PyObject *object, Argument &argument) {
  if (readKnownTorchTensor(object, argument))
    return true;
  static bool isFound = false;
  if (!isFound) {
    TorchInterface found = findInterface(object); // runs Python, in which another thread may come here
    if (!isFound)
      torchInterface = found;
    isFound = true;
  }
  int32_t dtype = -1;
  if (!torchInterface.offset || torchInterface.dtype(torchInterface.tensor(object), &dtype) ||
      askType(dtype, object) == noScalarType)
    return false;
  return readKnownTorchTensor(object, argument);
}

/// Calls a method without arguments, if there is one; whether it gives True.
static bool says(PyObject *object, const char *method) {
  Reference answer(PyObject_CallMethod(object, method, nullptr));
  PyErr_Clear();
  return answer.get() == Py_True;
}

/// The same of an attribute.
static bool isTrue(PyObject *object, const char *attribute) {
  Reference answer(PyObject_GetAttrString(object, attribute));
  PyErr_Clear();
  return answer.get() == Py_True;
}

/// In any of PyTorch's ways: torch.sparse_coo, torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, ….
static bool isSparse(PyObject *object) {
  Reference layout(PyObject_GetAttrString(object, "layout"));
  Reference name(layout ? PyObject_Str(layout.get()) : nullptr);
  const char *text = name ? PyUnicode_AsUTF8(name.get()) : nullptr;
  PyErr_Clear();
  return text && std::string_view(text).starts_with("torch.sparse_");
}

bool holdsItsNumbers(PyObject *object) {
  if (!torchTensorType || !PyObject_TypeCheck(object, torchTensorType) ||
      (torchInterface.offset && torchInterface.arePlain(torchInterface.keys(object))))
    return true;
  const char *problem = nullptr;
  if (says(object, "is_neg"))
    problem =
        "its negative bit is set, so that its memory holds the numbers with the other sign; pass resolve_neg() of it";
  else if (says(object, "_is_zerotensor"))
    problem = "it is a zero tensor, which has no memory; pass clone() of it";
  else if (isTrue(object, "is_mkldnn"))
    problem = "its memory has the layout of MKL-DNN; pass to_dense() of it";
  else if (isSparse(object))
    problem = "it is sparse: indices and values are tensors of their own; pass those, or to_dense() of it";
  PyErr_Clear();
  if (problem)
    PyErr_Format(PyExc_ValueError, "kernels cannot read a tensor by its memory: %s", problem);
  return !problem;
}

static int (*currentStream)(int32_t device, void **stream) = nullptr;

bool isTorchStream(PyObject *getStream) {
  PyObject *torch = PyDict_GetItemString(PyImport_GetModuleDict(), "torch._C");
  Reference own(torch ? PyObject_GetAttrString(torch, "_cuda_getCurrentRawStream") : nullptr);
  PyErr_Clear();
  if (!own || own.get() != getStream)
    return false;
  void *library = currentStream ? nullptr : dlopen("libtorch_cuda.so", RTLD_LAZY | RTLD_NOLOAD);
  return currentStream || (library && find(library, "aoti_torch_get_current_cuda_stream", currentStream));
}

std::optional<uint64_t> torchStream(int device) {
  void *stream = nullptr;
  if (currentStream(device, &stream))
    return std::nullopt;
  return reinterpret_cast<uint64_t>(stream);
}

} // namespace triton::python
