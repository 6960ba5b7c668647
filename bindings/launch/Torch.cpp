// Where a tensor object keeps its at::Tensor is learnt from the first tensor: its `_cdata` stands at that place. The answers for that tensor are compared with
// Python's; one difference, and Python is asked for good.
#include "bindings/launch/Torch.h"

#include "bindings/Reference.h"

#include <dlfcn.h>

namespace triton::python {

constinit TorchInterface torchInterface;
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
  void *tensor = reinterpret_cast<char *>(object) + interface.offset, *pointer = nullptr;
  int32_t device = -1;
  Reference expected(PyObject_CallMethod(object, "data_ptr", nullptr)), isCpu(PyObject_GetAttrString(object, "is_cpu"));
  return expected && isCpu && interface.dataPointer(tensor, &pointer) == 0 &&
         interface.deviceType(tensor, &device) == 0 && PyLong_AsVoidPtr(expected.get()) == pointer &&
         (isCpu.get() == Py_True) == (device == TorchInterface::cpu);
}

static TorchInterface findInterface(PyObject *object) {
  TorchInterface interface;
  void *library = dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD);
  Reference implementation(PyObject_GetAttrString(object, "_cdata"));
  if (library && implementation && find(library, "aoti_torch_get_data_ptr", interface.dataPointer) &&
      find(library, "aoti_torch_get_dtype", interface.dtype) &&
      find(library, "aoti_torch_get_device_type", interface.deviceType)) {
    void *address = PyLong_AsVoidPtr(implementation.get());
    for (Py_ssize_t offset = sizeof(PyObject); address && offset + 8 <= Py_TYPE(object)->tp_basicsize; offset += 8)
      if (*reinterpret_cast<void **>(reinterpret_cast<char *>(object) + offset) == address) {
        interface.offset = offset;
        break;
      }
  }
  if (interface.offset && !sameAsInPython(interface, object))
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
  if (!torchInterface.offset ||
      torchInterface.dtype(reinterpret_cast<char *>(object) + torchInterface.offset, &dtype) ||
      askType(dtype, object) == noScalarType)
    return false;
  return readKnownTorchTensor(object, argument);
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
