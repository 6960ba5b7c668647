#include "bindings/launch/WarmLaunch.h"

#include "bindings/InterpreterLock.h"
#include "bindings/launch/Torch.h"

namespace triton::python {

bool evaluateGrid(const KernelState &state, PyObject *grid, PyObject *const *values, int32_t out[3]) {
  if (!PyCallable_Check(grid))
    return readGrid(grid, out);
  Visit visit;
  Reference meta(PyDict_New());
  for (size_t index = 0; meta && index < state.parameters.size(); ++index)
    if (PyDict_SetItem(meta.get(), state.parameters[index].name.get(), values[index]) < 0)
      return false;
  Reference result(meta ? PyObject_CallOneArg(grid, meta.get()) : nullptr);
  return result && readGrid(result.get(), out);
}

bool findStream(const RememberedLaunch &launch, uint64_t &stream) {
  if (launch.isTorchStream)
    if (std::optional<uint64_t> current = torchStream(launch.deviceIndex)) {
      stream = *current;
      return true;
    }
  Reference current(PyObject_CallOneArg(launch.getStream.get(), launch.device.get()));
  stream = current ? PyLong_AsUnsignedLongLong(current.get()) : 0;
  return !PyErr_Occurred();
}

} // namespace triton::python
