// Where a tensor object keeps its at::Tensor is learnt from the first tensor: its `_cdata` stands at that place. The answers for that tensor are compared with
// Python's; one difference, and Python is asked for good.
#include "bindings/Torch.h"

#include "bindings/Reference.h"

#include <atomic>
#include <dlfcn.h>

namespace triton::python {

namespace {
struct TensorInterface {
  int (*dataPointer)(void *tensor, void **pointer) = nullptr;
  int (*dtype)(void *tensor, int32_t *code) = nullptr;
  int (*deviceType)(void *tensor, int32_t *type) = nullptr;
  Py_ssize_t offset = 0; // of the at::Tensor in the Python object; 0: not to be used
};
} // namespace

constexpr int32_t torchCpu = 0;
constexpr size_t dtypeCount = 128;

template <typename Function> static bool find(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

static bool sameAsInPython(const TensorInterface &interface, PyObject *object) {
  void *tensor = reinterpret_cast<char *>(object) + interface.offset, *pointer = nullptr;
  int32_t device = -1;
  Reference expected(PyObject_CallMethod(object, "data_ptr", nullptr)), isCpu(PyObject_GetAttrString(object, "is_cpu"));
  return expected && isCpu && interface.dataPointer(tensor, &pointer) == 0 &&
         interface.deviceType(tensor, &device) == 0 && PyLong_AsVoidPtr(expected.get()) == pointer &&
         (isCpu.get() == Py_True) == (device == torchCpu);
}

static TensorInterface findInterface(PyObject *object) {
  TensorInterface interface;
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

/// The type of torch's dtype number, as the dtype object says; remembered.
static TypeCode typeOf(int32_t code, PyObject *object) {
  static TypeCode known[dtypeCount];
  static bool isKnown[dtypeCount];
  if (code < 0 || code >= int32_t(dtypeCount))
    return TypeCode::None;
  if (!isKnown[code]) {
    Reference dtype(PyObject_GetAttrString(object, "dtype"));
    known[code] = dtype ? typeCodeOfDtype(dtype.get()) : TypeCode::None;
    PyErr_Clear();
    isKnown[code] = true;
  }
  return known[code];
}

bool readTorchTensor(PyObject *object, Argument &argument) {
  // Not a static of the interface itself: finding it runs Python, in which another thread may come here and wait for it with the interpreter's
  // lock in its hands.
  static std::atomic<const TensorInterface *> known = nullptr;
  const TensorInterface *interface = known.load(std::memory_order_acquire);
  if (!interface) {
    interface = new TensorInterface(findInterface(object)); // for good
    const TensorInterface *other = nullptr;
    if (!known.compare_exchange_strong(other, interface)) {
      delete interface;
      interface = other;
    }
  }
  if (!interface->offset)
    return false;
  void *tensor = reinterpret_cast<char *>(object) + interface->offset, *pointer = nullptr;
  int32_t dtype = -1, device = -1;
  if (interface->dataPointer(tensor, &pointer) || interface->dtype(tensor, &dtype) ||
      interface->deviceType(tensor, &device))
    return false;
  argument.type = typeOf(dtype, object);
  if (argument.type == TypeCode::None)
    return false;
  argument.kind = ArgumentKind::Pointer;
  argument.bits = reinterpret_cast<uint64_t>(pointer);
  argument.memory = device == torchCpu ? Memory::Host : Memory::Device;
  return true;
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
