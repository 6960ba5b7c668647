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
  // Of the memory that it is a view of: bytes, and elements before it; null: older than that.
  int (*storageSize)(void *tensor, int64_t *bytes) = nullptr;
  int (*storageOffset)(void *tensor, int64_t *elements) = nullptr;
  Py_ssize_t offset = 0; // of the at::Tensor in the Python object; 0: not to be used
  // Its dispatch keys, a set of bits: where they stand in what the at::Tensor points to, and what some of them say.
  Py_ssize_t keysOffset = 0;
  uint64_t denseKeys = 0; // an array of plain numbers
  uint64_t hostKeys = 0;  // in memory of the CPU
  uint64_t oddKeys =
      0; // whose memory does not hold the tensor's numbers one by one: negated views, zero tensors, MKL-DNN's layouts

  void *tensor(PyObject *object) const { return reinterpret_cast<char *>(object) + offset; }
  uint64_t keys(PyObject *object) const {
    const char *implementation = *static_cast<char **>(tensor(object));
    return *reinterpret_cast<const uint64_t *>(implementation + keysOffset);
  }
  bool arePlain(uint64_t keys) const { return (keys & (denseKeys | oddKeys)) == denseKeys; }
};
extern TorchInterface torchInterface;
/// The type of each of torch's dtype numbers, as far as they have come up; `None`: not yet, or no type of the language.
extern std::array<ScalarType, 128> torchTypes;

/// Whether it counts how much memory an array has: for backends that specialise on it (`specializes_storage`). Never unset.
extern bool sizesCount;

/// A tensor of the CPU without memory may be empty, or stand for one elsewhere: whoever launches has to look.
inline Memory memoryOf(bool isOnHost, const void *pointer) {
  return !isOnHost ? Memory::Device : pointer ? Memory::Host : Memory::Unknown;
}

/// Reads a tensor (an object of exactly torch.Tensor or torch.nn.Parameter); false, without an exception, if it cannot tell, or not yet.
inline bool readKnownTorchTensor(PyObject *object, Argument &argument) {
  if (!torchInterface.offset)
    return false;
  void *tensor = torchInterface.tensor(object), *pointer;
  int32_t dtype;
  uint64_t keys = torchInterface.keys(object);
  if (!torchInterface.arePlain(keys) || torchInterface.dataPointer(tensor, &pointer) ||
      torchInterface.dtype(tensor, &dtype) || uint32_t(dtype) >= torchTypes.size())
    return false;
  argument.kind = ArgumentKind::Pointer;
  argument.type = torchTypes[uint32_t(dtype)];
  argument.memory = memoryOf((keys & torchInterface.hostKeys) != 0, pointer);
  argument.bits = reinterpret_cast<uint64_t>(pointer);
  if (sizesCount) {
    int64_t bytes = 0, before = 0;
    argument.isSmall = torchInterface.storageSize && torchInterface.storageOffset &&
                       !torchInterface.storageSize(tensor, &bytes) && !torchInterface.storageOffset(tensor, &before) &&
                       bytes <= INT32_MAX && before == 0;
  }
  return argument.type != noScalarType;
}
/// The same, after Python has been asked for what is not known yet; false, without an exception, if Python must be asked for all of it.
bool readTorchTensor(PyObject *object, Argument &argument);
/// Whether a tensor's memory holds its numbers, one by one; if not, false with an exception set. Any object may be asked about.
bool holdsItsNumbers(PyObject *object);
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
