// PyTorch without its Python calls: through the C functions that it keeps stable for compiled models, found in its libraries where a process has loaded them.
// Whatever is not as expected is left to Python.
#pragma once

#include "bindings/Argument.h"

#include <optional>

namespace triton::python {

/// Reads a tensor (an object of exactly torch.Tensor or torch.nn.Parameter); false, without an exception, if Python must be asked.
bool readTorchTensor(PyObject *tensor, Argument &argument);
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
