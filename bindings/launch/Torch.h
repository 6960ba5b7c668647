// PyTorch without its Python calls: through the C functions that it keeps stable for compiled models, found in its libraries where a process has loaded them.
// Whatever is not as expected is left to Python.
#pragma once

#include "bindings/launch/Argument.h"

#include <array>
#include <optional>

namespace triton::python {

/// How tensors are read: torch's functions, and where an object keeps the at::Tensor that they take. Found with the first tensor.
struct TorchInterface {
  int (*dataPointer)(void *tensor, void **pointer) = nullptr;
  int (*dtype)(void *tensor, int32_t *code) = nullptr;
  int (*deviceType)(void *tensor, int32_t *type) = nullptr;
  Py_ssize_t offset = 0;            // of the at::Tensor in the Python object; 0: not to be used
  static constexpr int32_t cpu = 0; // a device type
};
extern TorchInterface torchInterface;
/// The type of each of torch's dtype numbers, as far as they have come up; `None`: not yet, or no type of the language.
extern std::array<ScalarType, 128> torchTypes;

/// Reads a tensor (an object of exactly torch.Tensor or torch.nn.Parameter); false, without an exception, if it cannot tell, or not yet.
inline bool readKnownTorchTensor(PyObject *object, Argument &argument) {
  if (!torchInterface.offset)
    return false;
  void *tensor = reinterpret_cast<char *>(object) + torchInterface.offset, *pointer;
  int32_t dtype, device;
  if (torchInterface.dataPointer(tensor, &pointer) || torchInterface.dtype(tensor, &dtype) ||
      torchInterface.deviceType(tensor, &device) || uint32_t(dtype) >= torchTypes.size())
    return false;
  argument.kind = ArgumentKind::Pointer;
  argument.type = torchTypes[uint32_t(dtype)];
  argument.memory = device == TorchInterface::cpu ? Memory::Host : Memory::Device;
  argument.bits = reinterpret_cast<uint64_t>(pointer);
  return argument.type != noScalarType;
}
/// The same, after Python has been asked for what is not known yet; false, without an exception, if Python must be asked for all of it.
bool readTorchTensor(PyObject *object, Argument &argument);
/// torch.Tensor and torch.nn.Parameter, once they are known.
extern PyTypeObject *torchTensorType, *torchParameterType;
inline bool isTorchTensor(PyObject *object) {
  return Py_TYPE(object) == torchTensorType || Py_TYPE(object) == torchParameterType;
}
/// Whether `getStream` is torch's own function, so that `torchStream` gives the same.
bool isTorchStream(PyObject *getStream);
/// The current stream of a device.
std::optional<uint64_t> torchStream(int device);

} // namespace triton::python
