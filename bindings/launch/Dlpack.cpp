#include "bindings/launch/Dlpack.h"

#include "bindings/Reference.h"

#include <nanobind/ndarray.h>

namespace triton::python {

using DlTensor = nanobind::dlpack::dltensor;

/// DLManagedTensorVersioned, which nanobind keeps to itself.
struct VersionedDlTensor {
  uint32_t major, minor;
  void *context;
  void (*deleter)(VersionedDlTensor *);
  uint64_t flags;
  DlTensor tensor;
};

constexpr uint64_t dlReadOnly = 1; // among the flags
constexpr const char *versionedName = "dltensor_versioned";

/// Asks for version 1, which says whether memory is read-only; those that do not know of versions are asked for what they have.
static Reference capsuleOf(PyObject *object) {
  Reference method(PyObject_GetAttrString(object, "__dlpack__")), none(PyTuple_New(0)),
      version(Py_BuildValue("{s:(ii)}", "max_version", 1, 0));
  if (!method || !none || !version)
    return Reference();
  Reference capsule(PyObject_Call(method.get(), none.get(), version.get()));
  if (capsule || !PyErr_ExceptionMatches(PyExc_TypeError))
    return capsule;
  PyErr_Clear();
  return Reference(PyObject_CallNoArgs(method.get()));
}

bool classifyDlpack(PyObject *object, Argument &argument, PyObject **holder) {
  Reference capsule = capsuleOf(object);
  if (!capsule)
    return false;
  const DlTensor *tensor = nullptr;
  if (PyCapsule_IsValid(capsule.get(), "dltensor"))
    tensor = static_cast<const DlTensor *>(PyCapsule_GetPointer(capsule.get(), "dltensor"));
  else if (PyCapsule_IsValid(capsule.get(), versionedName)) {
    auto *versioned = static_cast<const VersionedDlTensor *>(PyCapsule_GetPointer(capsule.get(), versionedName));
    tensor = &versioned->tensor;
    argument.isReadOnly = versioned->flags & dlReadOnly;
  }
  if (!tensor) {
    PyErr_Format(PyExc_TypeError, "__dlpack__ of %s gave no DLPack capsule", Py_TYPE(object)->tp_name);
    return false;
  }
  auto type =
      tensor->dtype.lanes == 1 ? dispatch::scalarTypeOfDlpack(tensor->dtype.code, tensor->dtype.bits) : std::nullopt;
  argument.setPointer(reinterpret_cast<uint64_t>(tensor->data) + tensor->byte_offset, type.value_or(noScalarType));
  const int device = tensor->device.device_type;
  using namespace nanobind::device;
  const bool isOfBoth = device == cuda_host::value || device == cuda_managed::value || device == rocm_host::value;
  argument.memory = device == cpu::value ? Memory::Host : isOfBoth ? Memory::Unknown : Memory::Device;
  if (argument.type == noScalarType) {
    PyErr_Format(PyExc_TypeError, "failed to specialize argument of type: %s (DLPack type code %d, %d bits)",
                 Py_TYPE(object)->tp_name, int(tensor->dtype.code), int(tensor->dtype.bits));
    return false;
  }
  *holder = capsule.release(); // its destructor frees the tensor: nobody consumes it
  return true;
}

} // namespace triton::python
