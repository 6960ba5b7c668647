// Launches kernels on NVIDIA GPUs from Python objects. Functions are the driver's handles, as ints.
#pragma once

#include "bindings/launch/Launcher.h"

namespace triton::python {

bool addCudaLauncher(PyObject *module);
/// Whether `getStream` is the function `default_stream` of this module.
bool isDefaultStream(PyObject *getStream);

} // namespace triton::python
